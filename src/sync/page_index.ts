/** Numbers of a page: two for its identity, two for its values. */
const STRIDE = 4;
const SHIFT = 14, SIZE = 1 << SHIFT, MASK = SIZE - 1;
const FIRST_SLOTS = 2048;

/** Pages by identity, numbered in the order in which they are added. */
export class PageIndex {
  #length = 0;
  /** Hashes of pages, in blocks: growth copies nothing. */
  readonly #blocks: Int32Array[] = [];
  /** Numbers of pages, plus one; at least a quarter of the slots are 0. Empty until they are settled. */
  #slots = new Int32Array(0);

  /** Adds a page that cannot be found yet. */
  push(hashes: Int32Array): void {
    const number = this.#length++, at = STRIDE * (number & MASK);
    if (at === 0) this.#blocks.push(new Int32Array(STRIDE * SIZE));
    const block = this.#blocks[number >> SHIFT]!;
    block[at] = hashes[0]!;
    block[at + 1] = hashes[1]!;
    block[at + 2] = hashes[2]!;
    block[at + 3] = hashes[3]!;
  }

  /**
   * Makes all pages findable; calls a function with the number of each that is there already. To do so
   * once takes a quarter of the time of a table that grows with each page.
   */
  settle(onDuplicate: (number: number) => void = () => {}): void {
    let size = FIRST_SLOTS;
    while (3 * size < 4 * this.#length) size *= 2;
    this.#slots = new Int32Array(size);
    for (let number = 0; number < this.#length; number++) {
      const block = this.#blocks[number >> SHIFT]!, at = STRIDE * (number & MASK);
      const slot = this.#slotOf(block[at]!, block[at + 1]!);
      if (this.#slots[slot] === 0) this.#slots[slot] = number + 1;
      else onDuplicate(number);
    }
  }

  /** Returns the number of the first page with the identity. */
  find(hashes: Int32Array): number | undefined {
    const there = this.#slots[this.#slotOf(hashes[0]!, hashes[1]!)]!;
    return there === 0 ? undefined : there - 1;
  }

  /** Adds a page that can be found; there must be none with its identity. */
  add(hashes: Int32Array): void {
    this.push(hashes);
    if (4 * this.#length > 3 * this.#slots.length) return this.settle();
    this.#slots[this.#slotOf(hashes[0]!, hashes[1]!)] = this.#length;
  }

  hasValues(number: number, hashes: Int32Array): boolean {
    const block = this.#blocks[number >> SHIFT]!, at = STRIDE * (number & MASK);
    return block[at + 2] === hashes[2] && block[at + 3] === hashes[3];
  }

  /** Returns the slot of an identity, or an empty one. */
  #slotOf(high: number, low: number): number {
    const slots = this.#slots, mask = slots.length - 1, blocks = this.#blocks;
    let slot = high & mask;
    for (let there = 0; (there = slots[slot]!) !== 0; slot = (slot + 1) & mask) {
      const block = blocks[(there - 1) >> SHIFT]!, at = STRIDE * ((there - 1) & MASK);
      if (block[at] === high && block[at + 1] === low) break;
    }
    return slot;
  }
}
