/**
 * Numbers of pages by their identities, as hashes.
 *
 * @module
 */

import { NumberList } from "../bytes/number_list.ts";

const FIRST_SLOTS = 2048;

/** Pages by identity, numbered in the order in which they are added. */
export class PageIndex {
  /** Numbers of pages, plus one; at least half of the slots are 0. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** Hashes of identities. */
  readonly #highs = new NumberList(Int32Array);
  readonly #lows = new NumberList(Int32Array);

  /** Number of pages. */
  get length(): number {
    return this.#highs.length;
  }

  /** Returns the number of a page; `undefined` if it was not added. */
  find(high: number, low: number): number | undefined {
    const there = this.#slots[this.#slotOf(high, low)]!;
    return there === 0 ? undefined : there - 1;
  }

  /** Gives a page the next number; returns false if it has one. */
  add(high: number, low: number): boolean {
    const slot = this.#slotOf(high, low);
    if (this.#slots[slot] !== 0) return false;
    this.#highs.push(high);
    this.#lows.push(low);
    this.#slots[slot] = this.length;
    if (2 * this.length > this.#slots.length) this.#grow();
    return true;
  }

  #isAt(number: number, high: number, low: number): boolean {
    return this.#highs.at(number) === high && this.#lows.at(number) === low;
  }

  /** Returns the slot of a hash, or an empty one. */
  #slotOf(high: number, low: number): number {
    const slots = this.#slots, mask = slots.length - 1;
    let slot = high & mask;
    for (let there = 0; (there = slots[slot]!) !== 0; slot = (slot + 1) & mask) {
      if (this.#isAt(there - 1, high, low)) break;
    }
    return slot;
  }

  #grow(): void {
    const slots = this.#slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.length; number++) {
      let slot = this.#highs.at(number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
  }
}
