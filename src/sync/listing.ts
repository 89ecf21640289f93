/**
 * What a sitemap listed when it was read last: a hash and the page of each entry, in document order.
 *
 * @module
 */

import { HashTable } from "../bytes/hash_table.ts";

/** Entries in a part of a listing, as it is stored. */
const PART = 8192;
const EMPTY = new Int32Array(0);

export interface ListingPart {
  /** Hashes of 64 bits. */
  readonly hashes: Uint8Array;
  /** Runs of consecutive pages: numbers of 64 bits, the first page and how many. */
  readonly pages: Uint8Array;
}

export class StoredListing {
  #hashes: Int32Array = EMPTY;
  #pages = new Float64Array(0);
  #length = 0;
  /** Number of parts that it was read from. */
  readonly stored: number;

  constructor(stored = 0) {
    this.stored = stored;
  }

  static of(parts: readonly ListingPart[]): StoredListing {
    const listing = new StoredListing(parts.length);
    listing.#reserve(parts.reduce((sum, { hashes }) => sum + hashes.length / 8, 0));
    const pages = listing.#pages;
    let at = 0;
    for (const part of parts) {
      listing.#hashes.set(numbers(part.hashes, Int32Array), 2 * at);
      for (const [first, count] of runsIn(part.pages)) {
        for (let page = first; page < first + count; page++) pages[at++] = page;
      }
    }
    listing.#length = at;
    return listing;
  }

  get length(): number {
    return this.#length;
  }

  add(high: number, low: number, page: number): void {
    const at = this.#length++;
    if (at === this.#pages.length) this.#reserve(Math.max(256, 2 * at));
    this.#hashes[2 * at] = high;
    this.#hashes[2 * at + 1] = low;
    this.#pages[at] = page;
  }

  /** Its memory is used again. */
  clear(): void {
    this.#length = 0;
  }

  page(at: number): number {
    return this.#pages[at]!;
  }

  setPage(at: number, page: number): void {
    this.#pages[at] = page;
  }

  has(at: number, high: number, low: number): boolean {
    return at < this.#length && this.#hashes[2 * at] === high && this.#hashes[2 * at + 1] === low;
  }

  high(at: number): number {
    return this.#hashes[2 * at]!;
  }

  low(at: number): number {
    return this.#hashes[2 * at + 1]!;
  }

  *parts(): Generator<ListingPart, void, undefined> {
    for (let start = 0; start < this.#length; start += PART) {
      const end = Math.min(start + PART, this.#length);
      const runs: number[] = [];
      for (let at = start; at < end; at++) {
        const page = this.#pages[at]!, last = runs.length - 2;
        if (last >= 0 && runs[last]! + runs[last + 1]! === page) runs[last + 1]!++;
        else runs.push(page, 1);
      }
      yield {
        hashes: new Uint8Array(this.#hashes.slice(2 * start, 2 * end).buffer),
        pages: new Uint8Array(Float64Array.from(runs).buffer),
      };
    }
  }

  #reserve(size: number): void {
    const hashes = new Int32Array(2 * size), pages = new Float64Array(size);
    hashes.set(this.#hashes);
    pages.set(this.#pages);
    this.#hashes = hashes;
    this.#pages = pages;
  }
}

export function* runsIn(pages: Uint8Array): Generator<readonly [number, number], void, undefined> {
  const runs = numbers(pages, Float64Array);
  for (let at = 0; at < runs.length; at += 2) yield [runs[at]!, runs[at + 1]!];
}

export function* pagesIn(pages: Uint8Array): Generator<number, void, undefined> {
  for (const [first, count] of runsIn(pages)) for (let at = 0; at < count; at++) yield first + at;
}

/** A copy, since they may begin at any offset. */
function numbers<T>(bytes: Uint8Array, type: new (buffer: ArrayBuffer) => T): T {
  return new type(new Uint8Array(bytes).buffer);
}

/** Finds entries of a listing: those in the same order as before at once, others by their hash. */
export class ListingIndex {
  readonly #listing: StoredListing;
  #next = 0;
  /** Entries by the second half of their hash, once one is not where it was. */
  #table: HashTable | undefined;
  #pages: Map<number, number> | undefined;

  constructor(listing: StoredListing) {
    this.#listing = listing;
  }

  find(high: number, low: number): number {
    const at = this.#listing.has(this.#next, high, low) ? this.#next : this.#lookUp(high, low);
    if (at >= 0) this.#next = at + 1;
    return at;
  }

  findPage(page: number): number {
    if (this.#pages === undefined) {
      this.#pages = new Map();
      for (let at = 0; at < this.#listing.length; at++) this.#pages.set(this.#listing.page(at), at);
    }
    return this.#pages.get(page) ?? -1;
  }

  #lookUp(high: number, low: number): number {
    const listing = this.#listing, table = this.#table ??= this.#newTable();
    for (let slot = table.next(low); slot >= 0; slot = table.next(low, slot + 1)) {
      const at = table.rows[2 * slot + 1]!;
      if (listing.has(at, high, low)) return at;
    }
    return -1;
  }

  #newTable(): HashTable {
    const listing = this.#listing, table = new HashTable({ size: listing.length });
    for (let at = 0; at < listing.length; at++) table.add(listing.low(at), at);
    return table;
  }
}
