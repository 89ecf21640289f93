/**
 * A bounded table of URLs, or pairs of them, by their hashes. Once it is full, only those whose hash
 * ends in one more zero are kept, about half of them; each then counts for twice as many.
 *
 * @module
 */

const FIRST_CAPACITY = 1024;

/** Table of hashes. Numbers of a slot: the halves of the hash, the value, and further ones. */
export class UrlTable {
  readonly #maxSize: number;
  readonly #width: number;
  #slots: Int32Array;
  #capacity = FIRST_CAPACITY;
  #size = 0;
  /** Bits of the hash that must be 0. */
  #sampleMask = 0;

  /** `maxSize` is a power of two, `width` how many numbers a slot has: three, or more. */
  constructor(maxSize: number, width: number = 3) {
    this.#maxSize = maxSize;
    this.#width = width;
    this.#slots = new Int32Array(width * FIRST_CAPACITY);
  }

  /** One after the other; the value of an empty one is 0. */
  get slots(): Int32Array {
    return this.#slots;
  }

  get weight(): number {
    return this.#sampleMask + 1;
  }

  keeps(low: number): boolean {
    return (low & this.#sampleMask) === 0;
  }

  /** Returns the offset of the slot of a hash, or of the empty one for it. */
  find(high: number, low: number): number {
    const slots = this.#slots, mask = this.#capacity - 1, width = this.#width;
    for (let at = high & mask;; at = (at + 1) & mask) {
      const slot = width * at;
      if (slots[slot + 2] === 0 || (slots[slot] === high && slots[slot + 1] === low)) return slot;
    }
  }

  /** `slot` is empty, and `value` is not 0. */
  fill(slot: number, high: number, low: number, value: number, more?: readonly number[]): void {
    const slots = this.#slots;
    slots[slot] = high;
    slots[slot + 1] = low;
    slots[slot + 2] = value;
    if (more !== undefined) slots.set(more, slot + 3);
    if (++this.#size * 2 > this.#capacity) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    if (this.#size >= this.#maxSize) return this.#thin();
    this.#capacity = Math.min(4 * this.#capacity, 2 * this.#maxSize);
    this.#slots = new Int32Array(this.#width * this.#capacity);
    this.#refill(old);
  }

  /** Drops about half of the URLs. The array stays: a new one would be as large again. */
  #thin(): void {
    const slots = this.#slots, width = this.#width;
    this.#sampleMask = this.#sampleMask << 1 | 1;
    let end = 0;
    for (let slot = 0; slot < slots.length; slot += width) {
      if (slots[slot + 2] === 0 || !this.keeps(slots[slot + 1]!)) continue;
      slots.copyWithin(end, slot, slot + width);
      end += width;
    }
    const kept = slots.slice(0, end);
    slots.fill(0);
    this.#refill(kept);
  }

  #refill(old: Int32Array): void {
    const slots = this.#slots, width = this.#width;
    this.#size = 0;
    for (let slot = 0; slot < old.length; slot += width) {
      if (old[slot + 2] === 0) continue;
      const free = this.find(old[slot]!, old[slot + 1]!);
      for (let at = 0; at < width; at++) slots[free + at] = old[slot + at]!;
      this.#size++;
    }
  }
}
