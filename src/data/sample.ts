/**
 * Random samples in fixed memory.
 *
 * Every item gets a random rank when it is added, and the lowest ranks are kept: the number of items
 * need not be known, and samples of forms of URLs can be merged when the forms are.
 *
 * @module
 */

import { LowestRanks, type Ranked } from "./lowest_ranks.ts";
import { UrlPatterns } from "./url_pattern.ts";

/** Forms of URLs with a sample of their own; the others have one together. */
const MAX_PATTERNS = 1000;
/** Numbers after which the state of the generator no longer shows the seed, as its author has it. */
const WARM_UP = 12;

/**
 * Pseudorandom numbers by sfc32, from PractRand: 32-bit additions and shifts only, and a period long
 * enough for any number of pages, which generators with a state of 32 bits do not have.
 */
class Random {
  #a = 0;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#b = seed | 0;
    this.#c = Math.floor(seed / 2 ** 32) | 0;
    for (let at = 0; at < WARM_UP; at++) this.#next();
  }

  /** Returns a whole number of 53 bits, so that hardly any two are the same. */
  rank(): number {
    return (this.#next() >>> 0) * 2 ** 21 + (this.#next() >>> 11);
  }

  #next(): number {
    const sum = this.#a + this.#b + this.#counter++ | 0;
    this.#counter |= 0;
    this.#a = this.#b ^ this.#b >>> 9;
    this.#b = this.#c + (this.#c << 3) | 0;
    this.#c = (this.#c << 21 | this.#c >>> 11) + sum | 0;
    return sum;
  }
}

/** The same seed gives the same items. */
export class Sample<T> {
  readonly #random: Random;
  readonly #lowest: LowestRanks<T>;
  #seen = 0;

  constructor(size: number, seed: number) {
    this.#random = new Random(seed);
    this.#lowest = new LowestRanks(size);
  }

  get seen(): number {
    return this.#seen;
  }

  add(item: T): void {
    this.#lowest.add(this.#random.rank(), this.#seen++, item);
  }

  /** In the order in which they were added. */
  items(): T[] {
    return inOrder(this.#lowest.kept);
  }
}

/**
 * A uniform sample of each form of URLs that {@linkcode UrlPatterns} lists, in fixed memory; the same
 * seed gives the same items.
 */
export class PatternSample<T> {
  readonly #perPattern: number;
  readonly #random: Random;
  readonly #patterns = new UrlPatterns<T>();
  #seen = 0;

  constructor(perPattern: number, seed: number) {
    this.#perPattern = perPattern;
    this.#random = new Random(seed);
  }

  get seen(): number {
    return this.#seen;
  }

  add(url: string, item: T): void {
    const leaf = this.#patterns.add(url);
    leaf.sample ??= new LowestRanks(this.#perPattern);
    leaf.sample.add(this.#random.rank(), this.#seen++, item);
  }

  items(): T[] {
    return inOrder(this.#patterns.samples(MAX_PATTERNS).flatMap(({ kept }) => kept));
  }
}

function inOrder<T>(entries: readonly Ranked<T>[]): T[] {
  return [...entries].sort((a, b) => a.order - b.order).map(({ item }) => item);
}
