/**
 * A set of 64-bit hashes in typed arrays, which takes a fraction of the time and memory of a
 * `Set<string>` of the addresses.
 *
 * @module
 */

const FIRST_CAPACITY = 64;

/** A table is reallocated instead of cleared if its capacity is so many times its size. */
const MAX_UNUSED = 32;

export class HashSet64 {
  /** Hashes, two numbers in each slot; at least half of the slots are empty. */
  #hashes = new Int32Array(2 * FIRST_CAPACITY);
  /**
   * A byte of each hash, 0 for an empty slot. They are compared first: those of a million hashes fit
   * into the processor's cache, the hashes do not.
   */
  #marks = new Uint8Array(FIRST_CAPACITY);
  #size = 0;

  clear(): void {
    if (this.#size === 0) return;
    if (this.#size * MAX_UNUSED < this.#marks.length) this.#allocate(FIRST_CAPACITY);
    else this.#marks.fill(0);
    this.#size = 0;
  }

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
    // large steps first, to move little; then small ones, to save memory
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
