/**
 * A fixture site without a server, for thousands of walks: a `fetch` that responds from its files and
 * counts open requests.
 *
 * @module
 */

import type { Fetch } from "../../src/http/exchange.ts";
import { type SiteAnswer, SiteFiles } from "../support/site_files.ts";

/** Bytes of a body that are read at once. */
const PIECE = 300;

export class MemorySite {
  /** Number of pending requests, and of bodies that are neither read nor cancelled. */
  open = 0;
  maxOpen = 0;
  readonly #files: SiteFiles;
  readonly #answers = new Map<string, SiteAnswer>();

  /** Loads `fixtures/sites/<name>/`. */
  constructor(name: string) {
    this.#files = new SiteFiles(name);
  }

  readonly fetch: Fetch = async (input, init) => {
    this.maxOpen = Math.max(this.maxOpen, ++this.open);
    // as on a network, the response is asynchronous and can be aborted
    await Promise.resolve();
    if (init.signal?.aborted) {
      this.open--;
      throw init.signal.reason;
    }
    const { status, headers, body } = this.#answer(new URL(input).pathname);
    return new Response(this.#stream(body), { status, headers });
  };

  /** Returns a body in small pieces, each made when it is read. */
  #stream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
    let at = 0;
    return new ReadableStream({
      pull: (controller) => {
        if (at < bytes.length) return controller.enqueue(bytes.slice(at, at += PIECE));
        controller.close();
        this.open--;
      },
      cancel: () => void this.open--,
    }, { highWaterMark: 0 });
  }

  #answer(path: string): SiteAnswer {
    const known = this.#answers.get(path);
    if (known !== undefined) return known;
    const answer = this.#files.answer(path, "https://site.test");
    this.#answers.set(path, answer);
    return answer;
  }
}
