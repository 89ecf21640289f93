/**
 * Counts URLs and those that come again, by their hashes in a table of limited size: exact up to its
 * limit, then estimates.
 *
 * @module
 */

import { HashTable } from "../bytes/hash_table.ts";
import { ownCopy } from "../data/text.ts";

/** URLs that are remembered, in 27 MB. */
const MAX_URLS: number = 1 << 20;
export const MAX_EXAMPLES = 3;
/** Numbers in a row: the halves of the hash, and the value. */
const WIDTH = 3;
/** Bits of a value that are the variant; the others are the number of the sitemap. */
const VARIANT_BITS = 8;
/** Bit of a value: another sitemap lists the URL, too. */
const SHARED = 1 << 31;

interface HashedUrl {
  readonly high: number;
  readonly low: number;
  /** How it differs from equivalent URLs, which have the same hash: from 0 to 255. */
  readonly variant?: number;
}

/** As `overlap` of a report. */
export interface UrlCounts {
  readonly urls: number;
  readonly repeated: number;
  readonly sampledOneIn: number;
  readonly examples: readonly {
    readonly url: string;
    readonly sitemaps: readonly [string, string];
  }[];
}

export class UrlCounter {
  readonly #table: HashTable;
  readonly #shared: { readonly url: string; readonly sitemaps: readonly [number, number] }[] = [];

  /** `maxUrls` is a power of two. */
  constructor(maxUrls: number = MAX_URLS) {
    this.#table = new HashTable({ width: WIDTH, maxSize: maxUrls });
  }

  /** Number of URLs that each counted one represents. */
  get weight(): number {
    return this.#table.weight;
  }

  /** Whether a URL is listed; `undefined` if it would not be counted. */
  has(high: number, low: number): boolean | undefined {
    const table = this.#table;
    return table.keeps(low) ? table.has(high, low) : undefined;
  }

  /**
   * Adds a URL with the number of its sitemap, from 1 on. Returns the number of the first sitemap that
   * lists it, negative if that one lists an equivalent URL, and 0 if it is new or not counted.
   */
  add(url: string, { high, low, variant = 0 }: HashedUrl, sitemap: number): number {
    const table = this.#table;
    if (!table.keeps(low)) return 0;
    const slot = table.find(high, low);
    if (slot < 0) {
      table.rows[WIDTH * ~slot + 2] = sitemap << VARIANT_BITS | variant;
      table.fill(~slot, high, low);
      return 0;
    }
    const known = table.rows[WIDTH * slot + 2]!;
    const first = (known & ~SHARED) >>> VARIANT_BITS;
    if ((known & 0xff) !== variant) return -first;
    if (first !== sitemap && known > 0) {
      table.rows[WIDTH * slot + 2] = known | SHARED;
      if (this.#shared.length < MAX_EXAMPLES) {
        this.#shared.push({ url: ownCopy(url), sitemaps: [first, sitemap] });
      }
    }
    return first;
  }

  /** `urlOf` returns the URL of a sitemap. */
  counts(urlOf: (sitemap: number) => string): UrlCounts {
    const { rows, size, weight } = this.#table;
    let repeated = 0;
    for (const slot of this.#table.slots()) {
      if (rows[WIDTH * slot + 2]! < 0) repeated++;
    }
    return {
      urls: size * weight,
      repeated: repeated * weight,
      sampledOneIn: weight,
      examples: this.#shared.map(({ url, sitemaps: [first, second] }) => ({
        url,
        sitemaps: [urlOf(first), urlOf(second)],
      })),
    };
  }
}
