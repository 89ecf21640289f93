/**
 * The pages of one sitemap, made when they are asked for.
 *
 * @module
 */

import type { SitemapPage } from "../page.ts";
import type { PageDecoder } from "./page_codec.ts";
import type { PageStore } from "./page_store.ts";

/**
 * The pages of one sitemap, in the order of the document. An array of pages is one too; that of a
 * collected tree makes a page each time it is asked for, so that millions of them take little
 * memory.
 *
 * @example
 * ```ts
 * import { type PageList, SitemapPage } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * function newest(pages: PageList): SitemapPage | undefined {
 *   return [...pages].sort((a, b) => (b.lastModifiedTime ?? 0) - (a.lastModifiedTime ?? 0))[0];
 * }
 *
 * const old = new SitemapPage({ url: "https://example.com/old", lastModified: "2005-01-01" });
 * const young = new SitemapPage({ url: "https://example.com/new", lastModified: "2025-01-01" });
 * assertEquals(newest([old, young])?.url, "https://example.com/new");
 * ```
 */
export interface PageList extends Iterable<SitemapPage> {
  /** How many pages there are. */
  readonly length: number;
  /** The page at a position, counted from the end where it is negative. */
  at(index: number): SitemapPage | undefined;
}

/** The list of a sitemap that has no pages. */
export const NO_PAGES: PageList = Object.freeze<SitemapPage[]>([]);

/** What is kept of a run: the position of its first page, its address, its length in bytes. */
const RUN_FIELDS = 3;

/** Pages that a store keeps. */
export class StoredPages implements PageList {
  readonly #store: PageStore;
  readonly #decoder: PageDecoder;
  /** A flat array: 24 bytes a run, where objects would take 60. */
  #runs: number[] = [];
  #length = 0;

  /** An empty list over `store`. The lists of a store share a decoder: none holds it for long. */
  constructor(store: PageStore, decoder: PageDecoder) {
    this.#store = store;
    this.#decoder = decoder;
  }

  /** How many pages there are. */
  get length(): number {
    return this.#length;
  }

  /** Adds a run of `count` pages, encoded and in the store already. */
  addRun(address: number, bytes: number, count: number): void {
    // A literal takes the room of three numbers, the first `push()` that of seventeen.
    if (this.#length === 0) this.#runs = [0, address, bytes];
    else this.#runs.push(this.#length, address, bytes);
    this.#length += count;
  }

  /** The page at a position, counted from the end where it is negative. */
  at(index: number): SitemapPage | undefined {
    const whole = Math.trunc(index) || 0;
    const position = whole < 0 ? whole + this.#length : whole;
    if (position < 0 || position >= this.#length) return undefined;
    const run = this.#runOf(position);
    const decoder = this.#decode(run);
    for (let skipped = this.#firstOf(run); skipped < position; skipped++) decoder.skip();
    return decoder.next();
  }

  /** The pages, in the order of the document. */
  *[Symbol.iterator](): Generator<SitemapPage, void, undefined> {
    const runs = this.#runs.length / RUN_FIELDS;
    for (let run = 0; run < runs; run++) {
      // A whole run at once: decoder and bytes may be reused while the consumer has the floor.
      const decoder = this.#decode(run);
      const pages: SitemapPage[] = [];
      for (let left = this.#firstOf(run + 1) - this.#firstOf(run); left > 0; left--) {
        pages.push(decoder.next());
      }
      yield* pages;
    }
  }

  /** The position of the first page of a run; behind the last run, of the end. */
  #firstOf(run: number): number {
    return this.#runs[run * RUN_FIELDS] ?? this.#length;
  }

  /** The run that holds the page at `position`. */
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
