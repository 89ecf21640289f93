import { LowestRanks } from "./lowest_ranks.ts";
import { UrlHash } from "./url_hash.ts";
import { UrlParts } from "./url_parts.ts";
import { UrlPatterns } from "./url_pattern.ts";

/** Forms of URLs with a sample of their own; the others have one together. */
const MAX_PATTERNS = 1000;

/**
 * A random sample in fixed memory. The rank of a URL is a keyed hash of it, and the lowest ranks are
 * kept: it depends on the set of URLs and on the seed alone, not on their order, nor on how often each
 * of them comes, and the number of URLs need not be known.
 */
export class Sample<T> {
  seen = 0;
  readonly #size: number;
  readonly #parts = new UrlParts();
  readonly #hash: UrlHash;
  readonly #lowest: LowestRanks<T>;
  readonly #patterns: UrlPatterns<T> | undefined;

  /** With `perPattern`, the size is that of a sample of each form of URLs. */
  constructor(size: number, seed: number, perPattern = false) {
    this.#size = size;
    this.#hash = new UrlHash(seed, Math.floor(seed / 2 ** 32));
    this.#lowest = new LowestRanks(size);
    this.#patterns = perPattern ? new UrlPatterns() : undefined;
  }

  /** Makes the item only if its URL belongs to the sample of what was added so far. */
  add(url: string, make: () => T): void {
    this.#parts.set(url);
    this.addParts(this.#parts, make);
  }

  addParts(parts: UrlParts, make: () => T): void {
    this.#hash.set(parts);
    const { high, low } = this.#hash;
    // 53 bits, so that hardly any two URLs have the same
    const rank = (high >>> 0) * 2 ** 21 + (low >>> 11);
    const leaf = this.#patterns?.add(parts);
    const lowest = leaf === undefined ? this.#lowest : leaf.sample ??= new LowestRanks(this.#size);
    lowest.add(rank, this.seen++, make);
  }

  /** In the order in which they were added. */
  items(): T[] {
    const samples = this.#patterns?.samples(MAX_PATTERNS) ?? [this.#lowest];
    return samples.flatMap(({ kept }) => kept).sort((a, b) => a.order - b.order)
      .map(({ item }) => item);
  }
}
