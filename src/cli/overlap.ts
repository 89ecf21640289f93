/**
 * Pages that are listed in several sitemaps, found in bounded memory.
 *
 * Of each address a 64-bit hash is kept, with the first sitemap that listed it: 24 bytes or so. When
 * a million addresses are there, every second one is forgotten, by a bit of its hash, and from then
 * on only addresses with that bit are looked at, and so on. Counts are exact before that and
 * estimates after it, off by a fraction of a percent.
 *
 * @module
 */

import { randomKey, ValueScan } from "../bytes/value_scan.ts";

/** How many addresses are kept at most. */
const MAX_ADDRESSES = 1 << 20;
const FIRST_CAPACITY = 1 << 10;
/** Marks an address that was seen in a second sitemap. */
const REPEATED = 0x8000_0000;
const FIELDS = 3;

/** Finds the pages that are listed in several sitemaps. */
export class Overlap {
  readonly #maxAddresses: number;
  readonly #scan = new ValueScan(randomKey());
  /** Of each address: two halves of its hash, and its first sitemap plus one, so that 0 is free. */
  #table = new Uint32Array(FIELDS * FIRST_CAPACITY);
  #capacity = FIRST_CAPACITY;
  #size = 0;
  #repeated = 0;
  #sampleMask = 0;

  /** Keeps so many addresses at most. */
  constructor(maxAddresses: number = MAX_ADDRESSES) {
    this.#maxAddresses = maxAddresses;
  }

  /** Different addresses, or an estimate. */
  get addresses(): number {
    return this.#size * this.sampledOneIn;
  }

  /** Those of them that are listed in several sitemaps, or an estimate. */
  get repeated(): number {
    return this.#repeated * this.sampledOneIn;
  }

  /** 1 while counts are exact, else one in how many addresses is looked at. */
  get sampledOneIn(): number {
    return this.#sampleMask + 1;
  }

  /**
   * Takes in an address with the id of its sitemap: the id of the sitemap that had it first, where
   * that is another one and this is the first time that it shows.
   */
  add(address: string, sitemap: number): number | undefined {
    this.#scan.text(address);
    const high = this.#scan.high >>> 0, low = this.#scan.low >>> 0;
    if ((low & this.#sampleMask) !== 0) return undefined;
    const place = this.#placeOf(high, low);
    const there = this.#table[place + 2]!;
    if (there === 0) {
      this.#put(place, high, low, sitemap + 1);
      this.#size++;
      this.#makeRoom();
      return undefined;
    }
    if ((there & REPEATED) !== 0 || there === sitemap + 1) return undefined;
    this.#table[place + 2] = there | REPEATED;
    this.#repeated++;
    return there - 1;
  }

  #placeOf(high: number, low: number): number {
    const table = this.#table;
    const mask = this.#capacity - 1;
    for (let slot = high & mask;; slot = (slot + 1) & mask) {
      const place = FIELDS * slot;
      if (table[place + 2] === 0) return place;
      if (table[place] === high && table[place + 1] === low) return place;
    }
  }

  #put(place: number, high: number, low: number, value: number): void {
    this.#table[place] = high;
    this.#table[place + 1] = low;
    this.#table[place + 2] = value;
  }

  #makeRoom(): void {
    if (this.#size > this.#maxAddresses) {
      this.#sampleMask = this.#sampleMask * 2 + 1;
      this.#rebuild(this.#capacity);
    } else if (this.#size * 2 > this.#capacity) {
      this.#rebuild(this.#capacity * 2);
    }
  }

  #rebuild(capacity: number): void {
    const old = this.#table;
    this.#table = new Uint32Array(FIELDS * capacity);
    this.#capacity = capacity;
    this.#size = 0;
    this.#repeated = 0;
    for (let at = 0; at < old.length; at += FIELDS) {
      const value = old[at + 2]!;
      const low = old[at + 1]!;
      if (value === 0 || (low & this.#sampleMask) !== 0) continue;
      this.#put(this.#placeOf(old[at]!, low), old[at]!, low, value);
      this.#size++;
      if ((value & REPEATED) !== 0) this.#repeated++;
    }
  }
}
