/**
 * Which addresses a sitemap has given already, at 16 bytes or so an address.
 *
 * A `Set<string>` costs 600 ns and a copy of the string per page; this keeps a 64-bit hash of each
 * address in a typed array.
 *
 * @module
 */

import { AddressHash, type HashSeed, randomSeed } from "./address_hash.ts";

const FIRST_CAPACITY = 64;

/** A table of which less than a part in so many was used is not worth wiping. */
const MIN_USE = 32;

/** A set of addresses that can only grow. */
export class AddressSet {
  /** Makes the hashes that it goes by. */
  readonly hash: AddressHash;
  #table = new Int32Array(2 * FIRST_CAPACITY);
  #size = 0;

  constructor(seed: HashSeed) {
    this.hash = new AddressHash(seed);
  }

  /** Adds an address: false when it was there already. */
  add(address: string): boolean {
    this.hash.takeText(address);
    return this.addHash(this.hash.high, this.hash.low);
  }

  /** Forgets all addresses; a table that was used well stays for the next. */
  clear(): void {
    if (this.#size === 0) return;
    if (this.#size * MIN_USE < this.#table.length) this.#table = new Int32Array(2 * FIRST_CAPACITY);
    else this.#table.fill(0);
    this.#size = 0;
  }

  /** Adds an address by its hash: false when it was there already. */
  addHash(high: number, lower: number): boolean {
    // both halves zero marks an empty place
    const low = (high | lower) === 0 ? 1 : lower;
    const table = this.#table;
    const mask = table.length - 1;
    let place = (high << 1) & mask;
    for (;; place = (place + 2) & mask) {
      const thereHigh = table[place]!, thereLow = table[place + 1]!;
      if ((thereHigh | thereLow) === 0) break;
      if (thereHigh === high && thereLow === low) return false;
    }
    table[place] = high;
    table[place + 1] = low;
    if (++this.#size * 4 > mask) this.#grow();
    return true;
  }

  #grow(): void {
    const old = this.#table;
    // large steps while it is small, for moving what is there takes time; then small ones, for memory
    const factor = this.#size < 4096 ? 8 : this.#size < 200_000 ? 4 : 2;
    const table = new Int32Array(old.length * factor);
    const mask = table.length - 1;
    for (let at = 0; at < old.length; at += 2) {
      const high = old[at]!, low = old[at + 1]!;
      if ((high | low) === 0) continue;
      let place = (high << 1) & mask;
      while ((table[place]! | table[place + 1]!) !== 0) place = (place + 2) & mask;
      table[place] = high;
      table[place + 1] = low;
    }
    this.#table = table;
  }
}

/** Sets to be used for one document after another. */
export class AddressSets {
  readonly #seed: HashSeed;
  readonly #free: AddressSet[] = [];

  /** All of them hash alike. */
  constructor(seed: HashSeed = randomSeed()) {
    this.#seed = seed;
  }

  /** An empty set. */
  take(): AddressSet {
    return this.#free.pop() ?? new AddressSet(this.#seed);
  }

  /** Takes a set back. */
  give(set: AddressSet): void {
    set.clear();
    this.#free.push(set);
  }
}
