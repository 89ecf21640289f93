/**
 * The sitemap addresses that a tree holds.
 *
 * Only hashes are kept, of 52 bits and outside of the heap: the addresses of fifty thousand sitemaps
 * would take gigabytes where a site makes them long, and make the engine put up with several times as
 * much garbage where it does not. The odds of any collision among fifty thousand are 3 in 10⁷; it
 * would make a known path count as visited.
 *
 * @module
 */

import { addressKey } from "../url.ts";

const FIRST_CAPACITY = 64;

/** A number from 1 to 2⁵² that stands for a key; seeded, so that nobody can make two alike. */
function hashOf(key: string, seed: Uint32Array): number {
  let high = seed[0]!, low = seed[1]!;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    high = Math.imul(high ^ code, 0x85ebca6b);
    high ^= high >>> 15;
    low = Math.imul(low ^ code, 0xc2b2ae35);
    low ^= low >>> 13;
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0) + 1;
}

/** Every sitemap address in the tree, as asked for and as it ended. */
export class TreeAddresses {
  readonly #seed = crypto.getRandomValues(new Uint32Array(2));
  /** Hashes where they fall, 0 for an empty place, negative for those of the tree of robots.txt. */
  #table = new Float64Array(FIRST_CAPACITY);
  #size = 0;
  #robotsEnded = false;

  /** Notes an address of a sitemap. */
  add(url: string): void {
    this.addKey(addressKey(url));
  }

  /** Notes an address that is in the form in which addresses are compared. */
  addKey(key: string): void {
    const hash = hashOf(key, this.#seed);
    const place = placeOf(hash, this.#table);
    if (this.#table[place] !== 0) return;
    this.#table[place] = this.#robotsEnded ? hash : -hash;
    if (++this.#size * 2 > this.#table.length) this.#grow();
  }

  /** Whether an address stands in the tree. */
  has(url: string): boolean {
    return this.#find(url) !== 0;
  }

  /** The tree of robots.txt has been walked: what is there now is what it holds. */
  endRobotsTree(): void {
    this.#robotsEnded = true;
  }

  /** Whether an address stands in the tree of robots.txt. */
  inRobotsTree(url: string): boolean {
    return this.#robotsEnded && this.#find(url) < 0;
  }

  #find(url: string): number {
    return this.#table[placeOf(hashOf(addressKey(url), this.#seed), this.#table)]!;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Float64Array(old.length * 4);
    for (const hash of old) {
      if (hash !== 0) this.#table[placeOf(Math.abs(hash), this.#table)] = hash;
    }
  }
}

/** Where a hash stands in a table, or where it would. */
function placeOf(hash: number, table: Float64Array): number {
  let place = hash % table.length;
  while (table[place] !== 0 && Math.abs(table[place]!) !== hash) place = (place + 1) % table.length;
  return place;
}
