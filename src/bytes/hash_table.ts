/**
 * Rows of numbers that begin with a hash, in typed arrays: they take a fraction of the time and memory of
 * a `Map` or a `Set<string>`.
 *
 * @module
 */

const FIRST_CAPACITY = 64;
/** A table is reallocated instead of cleared if its capacity is so many times its size. */
const MAX_UNUSED = 32;

interface HashTableOptions {
  /** Numbers of a row. Default: two, the halves of its hash. */
  readonly width?: number;
  /**
   * Most rows that are kept, a power of two. Beyond, only those whose `low` ends in one more zero bit
   * are kept, about half of them; each then counts for twice as many. Default: all.
   */
  readonly maxSize?: number;
  /** Share of the slots that may be filled. Default: a half. */
  readonly maxLoad?: number;
  /** Rows that are expected: a table that grows moves each several times. Default: few. */
  readonly size?: number;
}

export class HashTable {
  readonly #width: number;
  readonly #maxSize: number;
  readonly #maxLoad: number;
  size = 0;
  #maxFilled = 0;
  /** Numbers of all slots, valid until one is filled: a row begins at its slot times the width. */
  rows: Int32Array = new Int32Array(0);
  /**
   * A byte of each hash, 0 for an empty slot. They are compared first: those of a million hashes fit
   * into the processor's cache, the rows do not.
   */
  #marks = new Uint8Array(0);
  /** Bits of `low` that must be 0. */
  #sampleMask = 0;

  constructor({ width = 2, maxSize = Infinity, maxLoad = 0.5, size = 0 }: HashTableOptions = {}) {
    this.#width = width;
    this.#maxSize = maxSize;
    this.#maxLoad = maxLoad;
    let capacity = FIRST_CAPACITY;
    while (maxLoad * capacity < size) capacity *= 2;
    this.#allocate(capacity);
  }

  /** Number of rows that each one counts for. */
  get weight(): number {
    return this.#sampleMask + 1;
  }

  keeps(low: number): boolean {
    return (low & this.#sampleMask) === 0;
  }

  clear(): void {
    if (this.size === 0) return;
    if (this.size * MAX_UNUSED < this.#marks.length) this.#allocate(FIRST_CAPACITY);
    else this.#marks.fill(0);
    this.size = this.#sampleMask = 0;
  }

  /** Adds a row of two numbers unless there is one. */
  add(high: number, low: number): boolean {
    const slot = this.find(high, low);
    if (slot >= 0) return false;
    this.fill(~slot, high, low);
    return true;
  }

  has(high: number, low: number): boolean {
    return this.find(high, low) >= 0;
  }

  /** Returns the slot of the row that begins with two numbers, or `~slot` of an empty one for it. */
  find(high: number, low: number): number {
    const marks = this.#marks, rows = this.rows, width = this.#width;
    const mask = marks.length - 1, mark = markOf(high);
    let slot = high & mask, there = 0;
    while ((there = marks[slot]!) !== 0) {
      const at = width * slot;
      if (there === mark && rows[at] === high && rows[at + 1] === low) return slot;
      slot = (slot + 1) & mask;
    }
    return ~slot;
  }

  /** The same for the next row that begins with one number: from its slot on, or from another. */
  next(high: number, from: number = high): number {
    const marks = this.#marks, rows = this.rows, width = this.#width;
    const mask = marks.length - 1, mark = markOf(high);
    let slot = from & mask, there = 0;
    while ((there = marks[slot]!) !== 0) {
      if (there === mark && rows[width * slot] === high) return slot;
      slot = (slot + 1) & mask;
    }
    return ~slot;
  }

  /** Fills an empty slot. Further numbers are set before, since a table that grows moves its rows. */
  fill(slot: number, high: number, low: number): void {
    const rows = this.rows, at = this.#width * slot;
    this.#marks[slot] = markOf(high);
    rows[at] = high;
    rows[at + 1] = low;
    if (++this.size > this.#maxFilled) this.#grow();
  }

  /** Yields the slots that are filled. */
  *slots(): Generator<number, void, void> {
    const marks = this.#marks;
    for (let slot = 0; slot < marks.length; slot++) if (marks[slot] !== 0) yield slot;
  }

  #allocate(capacity: number): void {
    this.rows = new Int32Array(this.#width * capacity);
    this.#marks = new Uint8Array(capacity);
    this.#maxFilled = this.#maxLoad * capacity | 0;
  }

  #grow(): void {
    const size = this.size, rows = this.rows, marks = this.#marks;
    if (size > this.#maxSize) return this.#thin();
    // large steps first, to move little; then small ones, to save memory, of which a limit is another
    const factor = this.#maxSize < Infinity ? 4 : size < 4096 ? 8 : size < 200_000 ? 4 : 2;
    this.#allocate(Math.min(factor * marks.length, this.#maxSize / this.#maxLoad));
    this.#refill(rows, marks);
  }

  /** Drops about half of the rows. The arrays stay: new ones would be as large again. */
  #thin(): void {
    const rows = this.rows, marks = this.#marks, width = this.#width;
    this.#sampleMask = this.#sampleMask << 1 | 1;
    let end = 0;
    for (let slot = 0; slot < marks.length; slot++) {
      if (marks[slot] === 0 || !this.keeps(rows[width * slot + 1]!)) continue;
      rows.copyWithin(width * end, width * slot, width * (slot + 1));
      marks[end++] = marks[slot]!;
    }
    const keptRows = rows.slice(0, width * end), keptMarks = marks.slice(0, end);
    marks.fill(0);
    this.size = end;
    this.#refill(keptRows, keptMarks);
  }

  #refill(oldRows: Int32Array, oldMarks: Uint8Array): void {
    const marks = this.#marks, rows = this.rows, width = this.#width;
    const mask = marks.length - 1;
    for (let old = 0, from = 0; old < oldMarks.length; old++, from += width) {
      if (oldMarks[old] === 0) continue;
      let slot = oldRows[from]! & mask;
      while (marks[slot] !== 0) slot = (slot + 1) & mask;
      marks[slot] = oldMarks[old]!;
      for (let at = 0; at < width; at++) rows[width * slot + at] = oldRows[from + at]!;
    }
  }
}

/** The lower bits of `high` are those of the slot. */
function markOf(high: number): number {
  return high >>> 24 | 1;
}
