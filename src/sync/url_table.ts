/**
 * Page ids by URL, in typed arrays. While millions of pages are loaded into an empty table, it replaces
 * an index of SQLite, which takes three times as long as the pages themselves (`bench:sync`).
 *
 * @module
 */

import { randomKey, ValueScan } from "../bytes/value_scan.ts";

const FIRST_CAPACITY = 1024;
/** Numbers in a slot: two of the hash, and the id, 0 if the slot is empty. */
const SLOT = 3;
/** Slots that may be used before the table grows. */
const MAX_LOAD = 0.7;

/** A map from 64-bit hashes of URLs to ids. Two URLs may have the same hash. */
export class UrlTable implements Disposable {
  readonly #scan = new ValueScan(randomKey());
  #slots = new Int32Array(SLOT * FIRST_CAPACITY);
  #capacity = FIRST_CAPACITY;
  #size = 0;

  /**
   * Adds a URL with its id. Returns the id that it has already, perhaps that of a URL with the same
   * hash; 0 if it was added.
   */
  add(url: string, id: number): number {
    this.#scan.text(url);
    const { high, low } = this.#scan;
    const at = this.#slotOf(high, low);
    const known = this.#slots[at + 2]!;
    if (known !== 0) return known;
    this.#put(at, high, low, id);
    if (++this.#size > this.#capacity * MAX_LOAD) this.#grow();
    return 0;
  }

  /** Frees its memory at once, without waiting for the garbage collector. */
  [Symbol.dispose](): void {
    this.#slots.buffer.transfer(0);
  }

  /** Returns the offset of the slot with a hash, or of the empty slot for it. */
  #slotOf(high: number, low: number): number {
    const slots = this.#slots;
    const mask = this.#capacity - 1;
    for (let slot = high & mask;; slot = (slot + 1) & mask) {
      const at = slot * SLOT;
      if (slots[at + 2] === 0 || (slots[at] === high && slots[at + 1] === low)) return at;
    }
  }

  #put(at: number, high: number, low: number, id: number): void {
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
    this.#slots[at + 2] = id;
  }

  #grow(): void {
    const old = this.#slots;
    this.#capacity *= 2;
    this.#slots = new Int32Array(SLOT * this.#capacity);
    for (let at = 0; at < old.length; at += SLOT) {
      if (old[at + 2] === 0) continue;
      this.#put(this.#slotOf(old[at]!, old[at + 1]!), old[at]!, old[at + 1]!, old[at + 2]!);
    }
    old.buffer.transfer(0);
  }
}
