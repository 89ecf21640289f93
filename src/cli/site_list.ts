/**
 * Lists of sites: a URL, a host, or JSON with the options of a site per line.
 *
 * @module
 */

import { excerpt } from "../data/text.ts";
import { hasScheme } from "../data/url.ts";
import type { SiteEntry } from "../fleet/site_entry.ts";
import { UsageError } from "./run/failure.ts";
import { isPath } from "./paths.ts";
import { lineFault, listLines } from "./sources.ts";

export class SiteList implements AsyncIterable<SiteEntry> {
  count = 0;
  readonly #chunks: AsyncIterable<Uint8Array>;
  readonly #name: string;
  #line = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, name: string) {
    this.#chunks = chunks;
    this.#name = name;
  }

  /** Yields the sites as they are written; throws a {@linkcode UsageError} at a line that has none. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SiteEntry, void, void> {
    for await (const { text, line } of listLines(this.#chunks, this.#name)) {
      this.#line = line;
      this.count++;
      const entry = text.startsWith("{") ? this.#entryOf(text) : { url: text };
      if (!hasScheme(entry.url) && isPath(entry.url)) {
        throw this.fault(`"${excerpt(entry.url)}" is a path: expected a URL or a host`);
      }
      yield entry;
    }
    if (this.count === 0) throw new UsageError(`Empty list "${this.#name}"`);
  }

  fault(reason: string): UsageError {
    return lineFault(this.#name, this.#line, reason);
  }

  #entryOf(text: string): SiteEntry {
    let entry: Partial<SiteEntry>;
    try {
      entry = JSON.parse(text);
    } catch {
      // not quoted, since its headers may contain a password
      throw this.fault("invalid JSON");
    }
    const { url } = entry;
    if (typeof url !== "string") throw this.fault('no "url"');
    return { ...entry, url };
  }
}
