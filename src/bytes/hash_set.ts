/**
 * A set of 64-bit hashes at 18 bytes or so each, in typed arrays.
 *
 * A `Set<string>` takes 600 ns and a copy of the string for each page of a sitemap.
 *
 * @module
 */

const FIRST_CAPACITY = 64;

/** A table of which less than one part in so many was used is not worth wiping. */
const MIN_USE = 32;

/** A set of hashes that can only grow. */
export class HashSet64 {
  /** The hashes, two numbers each, at their slots; half of it is empty. */
  #hashes = new Int32Array(2 * FIRST_CAPACITY);
  /**
   * A byte of each hash, 0 for an empty slot. Hashes are looked for in here first: the bytes of a
   * million fit into the processor's caches, the hashes do not.
   */
  #marks = new Uint8Array(FIRST_CAPACITY);
  #size = 0;

  /** Removes all hashes; a table that was used well stays. */
  clear(): void {
    if (this.#size === 0) return;
    if (this.#size * MIN_USE < this.#marks.length) this.#allocate(FIRST_CAPACITY);
    else this.#marks.fill(0);
    this.#size = 0;
  }

  /** Adds a hash; returns false if it was there. */
  add(high: number, low: number): boolean {
    const marks = this.#marks, hashes = this.#hashes;
    const mask = marks.length - 1;
    const mark = (low | 1) & 0xff;
    let slot = high & mask, there = 0;
    while ((there = marks[slot]!) !== 0) {
      const isSame = there === mark && hashes[2 * slot] === high && hashes[2 * slot + 1] === low;
      if (isSame) return false;
      slot = (slot + 1) & mask;
    }
    marks[slot] = mark;
    hashes[2 * slot] = high;
    hashes[2 * slot + 1] = low;
    if (++this.#size * 2 > mask) this.#grow();
    return true;
  }

  /** Whether a hash was added. */
  has(high: number, low: number): boolean {
    const marks = this.#marks, hashes = this.#hashes;
    const mask = marks.length - 1;
    for (let slot = high & mask; marks[slot] !== 0; slot = (slot + 1) & mask) {
      if (hashes[2 * slot] === high && hashes[2 * slot + 1] === low) return true;
    }
    return false;
  }

  #allocate(capacity: number): void {
    this.#hashes = new Int32Array(2 * capacity);
    this.#marks = new Uint8Array(capacity);
  }

  #grow(): void {
    const oldMarks = this.#marks, oldHashes = this.#hashes;
    // large steps while it is small, as moving takes time; then small ones, for memory
    const factor = this.#size < 4096 ? 8 : this.#size < 200_000 ? 4 : 2;
    this.#allocate(oldMarks.length * factor);
    const marks = this.#marks, hashes = this.#hashes;
    const mask = marks.length - 1;
    for (let at = 0; at < oldMarks.length; at++) {
      if (oldMarks[at] === 0) continue;
      const high = oldHashes[2 * at]!, low = oldHashes[2 * at + 1]!;
      let slot = high & mask;
      while (marks[slot] !== 0) slot = (slot + 1) & mask;
      marks[slot] = oldMarks[at]!;
      hashes[2 * slot] = high;
      hashes[2 * slot + 1] = low;
    }
  }
}
