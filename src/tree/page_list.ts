/**
 * Pages of a sitemap, stored encoded and decoded on access.
 *
 * @module
 */

import type { SitemapPage } from "../data/page.ts";
import type { Fault } from "../data/page_json.ts";
import { PageDecoder, PageEncoder } from "./page_codec.ts";
import type { PageStore } from "./page_store.ts";

/** Pages of one sitemap, in document order. An array of pages is a page list too. */
export type PageList = Iterable<SitemapPage> & Pick<readonly SitemapPage[], "length" | "at">;

export const NO_PAGES: PageList = Object.freeze<SitemapPage[]>([]);

/** Numbers per run: position of its first page, address, length in bytes. */
const RUN_FIELDS = 3;

export class StoredPages implements PageList {
  readonly #store: PageStore;
  readonly #decoder: PageDecoder;
  #runs: number[] = [];
  length = 0;

  /** All lists of a store share one decoder. */
  constructor(store: PageStore, decoder: PageDecoder) {
    this.#store = store;
    this.#decoder = decoder;
  }

  /** The run is already in the store. */
  addRun(address: number, bytes: number, count: number): void {
    // A literal of three numbers: the first `push()` would allocate capacity for seventeen.
    if (this.length === 0) this.#runs = [0, address, bytes];
    else this.#runs.push(this.length, address, bytes);
    this.length += count;
  }

  at(index: number): SitemapPage | undefined {
    const whole = Math.trunc(index) || 0;
    const position = whole < 0 ? whole + this.length : whole;
    if (position < 0 || position >= this.length) return undefined;
    const run = this.#runOf(position);
    const decoder = this.#decode(run);
    for (let skipped = this.#firstOf(run); skipped < position; skipped++) decoder.skip();
    return decoder.next();
  }

  *[Symbol.iterator](): Generator<SitemapPage, void, undefined> {
    const runs = this.#runs.length / RUN_FIELDS;
    for (let run = 0; run < runs; run++) {
      // Decode a whole run: the consumer may use the shared decoder between two pages.
      const decoder = this.#decode(run);
      const pages: SitemapPage[] = [];
      for (let left = this.#firstOf(run + 1) - this.#firstOf(run); left > 0; left--) {
        pages.push(decoder.next());
      }
      yield* pages;
    }
  }

  /** Position of the first page of a run, or the length after the last run. */
  #firstOf(run: number): number {
    return this.#runs[run * RUN_FIELDS] ?? this.length;
  }

  #runOf(position: number): number {
    let low = 0;
    let high = this.#runs.length / RUN_FIELDS;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#firstOf(middle) <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  #decode(run: number): PageDecoder {
    const at = run * RUN_FIELDS;
    this.#decoder.start(this.#store.read(this.#runs[at + 1]!, this.#runs[at + 2]!));
    return this.#decoder;
  }
}

/** `at()` skips half as many on average, and each run stores one full URL. */
const MAX_RUN_PAGES = 32;
/** A run ends with the page that reaches this size. */
const MAX_RUN_BYTES = 16 * 1024;

/**
 * Writes the pages of a tree into its store, in runs of pages of one list. Pages of several lists
 * that arrive alternately make shorter runs.
 */
export class PageWriter {
  readonly #store: PageStore;
  readonly #encoder = new PageEncoder();
  readonly #decoder = new PageDecoder();
  #list: StoredPages | undefined;
  #count = 0;

  constructor(store: PageStore) {
    this.#store = store;
  }

  open(): StoredPages {
    return new StoredPages(this.#store, this.#decoder);
  }

  /** The page is readable after `flush()`. Returns the first invalid value if it is not a page. */
  append(list: StoredPages, page: unknown): Fault | undefined {
    if (
      list !== this.#list || this.#count === MAX_RUN_PAGES || this.#encoder.length >= MAX_RUN_BYTES
    ) {
      this.flush();
      this.#list = list;
    }
    const fault = this.#encoder.encode(page as SitemapPage);
    if (fault === undefined) this.#count++;
    return fault;
  }

  flush(): void {
    if (this.#count > 0) {
      const { bytes } = this.#encoder;
      this.#list!.addRun(this.#store.write(bytes), bytes.length, this.#count);
    }
    this.#encoder.restart();
    this.#count = 0;
    this.#list = undefined;
  }
}
