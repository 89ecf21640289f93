/**
 * A fixture site without a server, for thousands of walks: a `fetch` that responds from its files and
 * counts open requests.
 *
 * @module
 */

import type { Fetch } from "../../src/http/exchange.ts";
import { bytesStream } from "./byte_streams.ts";
import { type SiteAnswer, SiteFiles } from "../support/site_files.ts";

/** A fixture site in memory. */
export class MemorySite {
  /** Homepage of the site. */
  readonly url = "https://site.test/";
  /** Number of pending requests, and of bodies that are neither read nor cancelled. */
  open = 0;
  /** Maximum of `open`. */
  maxOpen = 0;
  readonly #files: SiteFiles;
  readonly #answers = new Map<string, SiteAnswer>();

  /** Loads `fixtures/sites/<name>/`. */
  constructor(name: string) {
    this.#files = new SiteFiles(name);
  }

  /** Fetches from the site. */
  readonly fetch: Fetch = async (input, init) => {
    this.maxOpen = Math.max(this.maxOpen, ++this.open);
    // as on a network, the response is asynchronous and can be aborted
    await Promise.resolve();
    if (init.signal?.aborted) {
      this.open--;
      throw init.signal.reason;
    }
    const { status, headers, body } = this.#answer(new URL(input).pathname);
    return new Response(bytesStream(body, () => void this.open--), { status, headers });
  };

  #answer(path: string): SiteAnswer {
    const known = this.#answers.get(path);
    if (known !== undefined) return known;
    const answer = this.#files.answer(path, "https://site.test");
    this.#answers.set(path, answer);
    return answer;
  }
}
