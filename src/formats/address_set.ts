/**
 * Which addresses a sitemap has given already, at 18 bytes or so an address.
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
  /** The hashes, two numbers each, where they fall; half of it is empty. */
  #hashes = new Int32Array(2 * FIRST_CAPACITY);
  /**
   * A byte of each hash, 0 where there is none. An address is looked for in here: what a million of
   * them take fits into the processor's caches, their hashes do not.
   */
  #marks = new Uint8Array(FIRST_CAPACITY);
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
    if (this.#size * MIN_USE < this.#marks.length) this.#begin(FIRST_CAPACITY);
    else this.#marks.fill(0);
    this.#size = 0;
  }

  /** Adds an address by its hash: false when it was there already. */
  addHash(high: number, low: number): boolean {
    const marks = this.#marks, hashes = this.#hashes;
    const mask = marks.length - 1;
    const mark = (low | 1) & 0xff;
    let place = high & mask, there = 0;
    while ((there = marks[place]!) !== 0) {
      const isSame = there === mark && hashes[2 * place] === high && hashes[2 * place + 1] === low;
      if (isSame) return false;
      place = (place + 1) & mask;
    }
    marks[place] = mark;
    hashes[2 * place] = high;
    hashes[2 * place + 1] = low;
    if (++this.#size * 2 > mask) this.#grow();
    return true;
  }

  #begin(capacity: number): void {
    this.#hashes = new Int32Array(2 * capacity);
    this.#marks = new Uint8Array(capacity);
  }

  #grow(): void {
    const oldMarks = this.#marks, oldHashes = this.#hashes;
    // large steps while it is small, for moving what is there takes time; then small ones, for memory
    const factor = this.#size < 4096 ? 8 : this.#size < 200_000 ? 4 : 2;
    this.#begin(oldMarks.length * factor);
    const marks = this.#marks, hashes = this.#hashes;
    const mask = marks.length - 1;
    for (let at = 0; at < oldMarks.length; at++) {
      if (oldMarks[at] === 0) continue;
      const high = oldHashes[2 * at]!, low = oldHashes[2 * at + 1]!;
      let place = high & mask;
      while (marks[place] !== 0) place = (place + 1) & mask;
      marks[place] = oldMarks[at]!;
      hashes[2 * place] = high;
      hashes[2 * place + 1] = low;
    }
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
