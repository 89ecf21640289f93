/**
 * Page ids by URL, in a typed array. While millions of pages are loaded into an empty table, it replaces
 * an index of SQLite, which takes three times as long as the pages themselves (`bench:sync`).
 *
 * @module
 */

import { randomKey, ValueScan } from "../bytes/value_scan.ts";

const FIRST_CAPACITY = 1024;
/** Numbers in a slot: the hash of a URL, and its id, 0 if the slot is empty. */
const SLOT = 2;
/** Part of the slots that may be used before the table grows. */
const MAX_LOAD = 0.7;

/** Ids by a keyed hash of 32 bits. Several URLs may have the same one, so ids are candidates. */
export class UrlTable implements Disposable {
  readonly #scan = new ValueScan(randomKey());
  #slots = new Int32Array(SLOT * FIRST_CAPACITY);
  #size = 0;

  /** Returns the hash of a URL. */
  hash(url: string): number {
    this.#scan.text(url);
    return this.#scan.low;
  }

  /** Adds the ids of all URLs with a hash to a list. */
  find(hash: number, ids: number[]): void {
    const slots = this.#slots;
    const mask = slots.length / SLOT - 1;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const id = slots[slot * SLOT + 1]!;
      if (id === 0) return;
      if (slots[slot * SLOT] === hash) ids.push(id);
    }
  }

  /** Adds an id with the hash of its URL. */
  add(hash: number, id: number): void {
    if (++this.#size > this.#slots.length / SLOT * MAX_LOAD) this.#grow();
    this.#put(hash, id);
  }

  /** Frees its memory at once, without waiting for the garbage collector. */
  [Symbol.dispose](): void {
    this.#slots.buffer.transfer(0);
  }

  #put(hash: number, id: number): void {
    const slots = this.#slots;
    const mask = slots.length / SLOT - 1;
    let slot = hash & mask;
    while (slots[slot * SLOT + 1] !== 0) slot = (slot + 1) & mask;
    slots[slot * SLOT] = hash;
    slots[slot * SLOT + 1] = id;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += SLOT) {
      if (old[at + 1] !== 0) this.#put(old[at]!, old[at + 1]!);
    }
    old.buffer.transfer(0);
  }
}
