/**
 * A fixture site without a server: a `fetch` that answers from its files, and knows what is open.
 * Thousands of walks need it; that the real network behaves the same is tested beside it.
 *
 * @module
 */

import type { Fetch } from "../../src/http/exchange.ts";
import { bytesStream } from "./byte_streams.ts";
import { type SiteAnswer, SiteFiles } from "../support/site_files.ts";

/** A fixture site in memory. */
export class MemorySite {
  /** Its homepage. */
  readonly url = "https://site.test/";
  /** Requests that wait for an answer, and bodies that were neither read nor cancelled. */
  open = 0;
  /** The most that were ever open. */
  maxOpen = 0;
  readonly #files: SiteFiles;
  readonly #answers = new Map<string, SiteAnswer>();

  /** Holds `fixtures/sites/<name>/`. */
  constructor(name: string) {
    this.#files = new SiteFiles(name);
  }

  /** Fetches from the site. */
  readonly fetch: Fetch = async (input, init) => {
    this.maxOpen = Math.max(this.maxOpen, ++this.open);
    // as on a network: the answer comes later, and perhaps not
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
