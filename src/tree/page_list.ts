/**
 * Pages of a sitemap, stored as lines of text and read on access.
 *
 * @module
 */

import { hasExtensions, type SitemapPage } from "../data/page.ts";
import { readRecord, valuesText } from "../data/page_record.ts";
import { utf8Reader } from "../platform/text.ts";
import type { PageStore } from "./page_store.ts";

/** Pages of one sitemap, in document order. An array of pages is a page list too. */
export type PageList = Iterable<SitemapPage> & Pick<readonly SitemapPage[], "length" | "at">;

export const NO_PAGES: PageList = Object.freeze<SitemapPage[]>([]);

/** Numbers per run: position of its first page, address, length in bytes. */
const RUN_FIELDS = 3;
/** Ends a record. */
const LINE_FEED = "\n", LINE_FEED_BYTE = 0x0a;

export class StoredPages implements PageList {
  readonly #store: PageStore;
  #runs: number[] = [];
  length = 0;

  constructor(store: PageStore) {
    this.#store = store;
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
    const bytes = this.#read(run);
    let start = 0;
    for (let skipped = this.#firstOf(run); skipped < position; skipped++) {
      start = bytes.indexOf(LINE_FEED_BYTE, start) + 1;
    }
    return readRecord(utf8Reader(bytes)(start, bytes.indexOf(LINE_FEED_BYTE, start)));
  }

  *[Symbol.iterator](): Generator<SitemapPage, void, undefined> {
    const runs = this.#runs.length / RUN_FIELDS;
    for (let run = 0; run < runs; run++) {
      // a whole run, whose bytes are valid until the next read
      const bytes = this.#read(run), decode = utf8Reader(bytes);
      const pages: SitemapPage[] = [];
      for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
        end = bytes.indexOf(LINE_FEED_BYTE, start);
        pages.push(readRecord(decode(start, end)));
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

  #read(run: number): Uint8Array {
    const at = run * RUN_FIELDS;
    return this.#store.read(this.#runs[at + 1]!, this.#runs[at + 2]!);
  }
}

/** `at()` skips half as many on average. */
const MAX_RUN_PAGES = 32;
/** A run ends with the page that reaches this length. */
const MAX_RUN_LENGTH = 16 * 1024;

const ENCODER = new TextEncoder();

/**
 * Writes the pages of a tree into its store, in runs of pages of one list. Pages of several lists
 * that arrive alternately make shorter runs.
 */
export class PageWriter {
  readonly #store: PageStore;
  #list: StoredPages | undefined;
  #records = "";
  #count = 0;

  constructor(store: PageStore) {
    this.#store = store;
  }

  open(): StoredPages {
    return new StoredPages(this.#store);
  }

  /** The page is readable after `flush()`. */
  append(list: StoredPages, page: SitemapPage): void {
    const isFull = this.#count === MAX_RUN_PAGES || this.#records.length >= MAX_RUN_LENGTH;
    if (list !== this.#list || isFull) {
      this.flush();
      this.#list = list;
    }
    this.#records += recordOf(page) + LINE_FEED;
    this.#count++;
  }

  flush(): void {
    if (this.#count > 0) {
      const bytes = ENCODER.encode(this.#records);
      this.#list!.addRun(this.#store.write(bytes), bytes.length, this.#count);
    }
    this.#records = "";
    this.#count = 0;
    this.#list = undefined;
  }
}

function recordOf(page: SitemapPage): string {
  const { url } = page;
  // JSON escapes what UTF-8 has no bytes for, and what ends a record
  const isPlain = !hasExtensions(page) && url.isWellFormed() && !url.includes(LINE_FEED);
  return isPlain ? valuesText(page) + url : JSON.stringify(page);
}
