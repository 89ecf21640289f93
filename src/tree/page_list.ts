/**
 * Where the pages of a tree live: the one thing in which a store in memory and one on disk differ.
 *
 * @module
 */

import type { SitemapPage } from "../data/page.ts";
import { PageDecoder, PageEncoder } from "./page_codec.ts";

/**
 * Keeps the encoded pages of a tree, in runs of up to a few dozen pages, and reads them back.
 *
 * A store belongs to one tree, which disposes of it. Runs come one after the other and are never
 * changed; what an address means is the store's own business.
 */
export interface PageStore extends Disposable {
  /** Keeps a copy of `bytes` and returns the address they are read back by. */
  write(bytes: Uint8Array): number;
  /** The `length` bytes that were written at `address`; they may change at the next call. */
  read(address: number, length: number): Uint8Array;
}

/** What is thrown when the pages of a disposed tree are asked for. */
export function disposedError(): TypeError {
  return new TypeError("Cannot read pages: their store has been disposed of");
}

// MERGED: The pages of one sitemap, made when they are asked for.

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

// MERGED: Puts the pages of a tree into its store, in runs.

/** `at()` passes over half as many on average; each run spells out one address in full. */
const MAX_RUN_PAGES = 32;
/** A run ends with the page that reaches this, so pages with many images make short runs. */
const MAX_RUN_BYTES = 16 * 1024;

/**
 * Puts the pages of a tree into its store.
 *
 * A run holds pages of one list. Where pages of several lists arrive in turn it ends early, which
 * costs room and nothing else.
 */
export class PageWriter {
  readonly #store: PageStore;
  readonly #encoder = new PageEncoder();
  readonly #decoder = new PageDecoder();
  /** The list that the open run is for. */
  #list: StoredPages | undefined;
  /** How many pages the open run has. */
  #count = 0;

  /** Writes into `store`. */
  constructor(store: PageStore) {
    this.#store = store;
  }

  /** A new list. */
  open(): StoredPages {
    return new StoredPages(this.#store, this.#decoder);
  }

  /** Adds a page to a list that this writer opened; it can be read after `flush()`. */
  append(list: StoredPages, page: SitemapPage): void {
    if (
      list !== this.#list || this.#count === MAX_RUN_PAGES || this.#encoder.length >= MAX_RUN_BYTES
    ) {
      this.flush();
      this.#list = list;
    }
    this.#encoder.encode(page);
    this.#count++;
  }

  /** Ends the open run: all that was appended can be read. */
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

// MERGED: The default page store: blocks of bytes in memory, shared by the whole tree.

/** A small tree takes little; blocks double from here on. */
const FIRST_BLOCK_SIZE = 4 * 1024;
/** At most this much is reserved and not yet used. */
const MAX_BLOCK_SIZE = 256 * 1024;

class MemoryStore implements PageStore {
  /** `undefined` once disposed of. */
  #blocks: Uint8Array[] | undefined = [];
  #blockSize = FIRST_BLOCK_SIZE;
  /** Bytes used of the last block. */
  #used = 0;

  write(bytes: Uint8Array): number {
    const block = this.#blockFor(bytes.length);
    const start = this.#used;
    block.set(bytes, start);
    this.#used += bytes.length;
    // Runs begin inside the first MAX_BLOCK_SIZE bytes of a block, however long the block is.
    return (this.#blocks!.length - 1) * MAX_BLOCK_SIZE + start;
  }

  read(address: number, length: number): Uint8Array {
    const block = this.#blocks?.[Math.floor(address / MAX_BLOCK_SIZE)];
    if (block === undefined) throw disposedError();
    const start = address % MAX_BLOCK_SIZE;
    return block.subarray(start, start + length);
  }

  [Symbol.dispose](): void {
    this.#blocks = undefined;
  }

  /** The last block if `length` bytes fit into it, a new one else: runs are never torn. */
  #blockFor(length: number): Uint8Array {
    if (this.#blocks === undefined) throw disposedError();
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#used + length <= last.length) return last;
    const block = new Uint8Array(Math.max(this.#blockSize, length));
    this.#blockSize = Math.min(this.#blockSize * 2, MAX_BLOCK_SIZE);
    this.#blocks.push(block);
    this.#used = 0;
    return block;
  }
}

/** A new store in memory, for one tree. */
export function memoryStore(): PageStore {
  return new MemoryStore();
}
