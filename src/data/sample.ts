/**
 * Random samples of URLs in fixed memory.
 *
 * The rank of a URL is a keyed hash of it, and the lowest ranks are kept. So a sample depends on the set
 * of URLs and on the seed alone: not on their order, nor on how often each of them comes, and the number
 * of URLs need not be known.
 *
 * @module
 */

import { LowestRanks, type Ranked } from "./lowest_ranks.ts";
import { UrlPatterns } from "./url_pattern.ts";

/** Forms of URLs with a sample of their own; the others have one together. */
const MAX_PATTERNS = 1000;

/** The same seed gives the same sample. */
export class Sample<T> {
  /** How many items were added. */
  seen = 0;
  readonly #size: number;
  readonly #keys: readonly [high: number, low: number];
  readonly #lowest: LowestRanks<T>;
  readonly #patterns: UrlPatterns<T> | undefined;

  /** With `perPattern`, the size is that of a sample of each form of URLs. */
  constructor(size: number, seed: number, perPattern = false) {
    this.#size = size;
    this.#keys = [mixed(~seed), mixed(~Math.floor(seed / 2 ** 32))];
    this.#lowest = new LowestRanks(size);
    this.#patterns = perPattern ? new UrlPatterns() : undefined;
  }

  /** Makes the item only if its URL belongs to the sample of what was added so far. */
  add(url: string, make: () => T): void {
    this.#lowestOf(url).add(this.#rank(url), this.seen++, make);
  }

  /** In the order in which they were added. */
  items(): T[] {
    const samples = this.#patterns?.samples(MAX_PATTERNS) ?? [this.#lowest];
    const ranked: Ranked<T>[] = samples.flatMap(({ kept }) => kept);
    return ranked.sort((a, b) => a.order - b.order).map(({ item }) => item);
  }

  #lowestOf(url: string): LowestRanks<T> {
    const leaf = this.#patterns?.add(url);
    if (leaf === undefined) return this.#lowest;
    return leaf.sample ??= new LowestRanks(this.#size);
  }

  /** Returns a whole number of 53 bits, so that hardly any two URLs have the same. */
  #rank(url: string): number {
    let [high, low] = this.#keys;
    for (let at = 0; at < url.length; at++) {
      high = Math.imul(high ^ url.charCodeAt(at), 0x9e3779b1);
      high ^= high >>> 15;
      low = Math.imul((low << 7 | low >>> 25) ^ high, 0x85ebca6b);
    }
    const upper = mixed(high ^ mixed(low)), lower = mixed(low ^ upper);
    return (upper >>> 0) * 2 ** 21 + (lower >>> 11);
  }
}

/** Returns 32 bits each of which depends on each of those of a number: the last step of MurmurHash3. */
function mixed(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ bits >>> 16, 0x85ebca6b);
  bits = Math.imul(bits ^ bits >>> 13, 0xc2b2ae35);
  return bits ^ bits >>> 16;
}
