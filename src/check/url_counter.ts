/**
 * Counts URLs and those that come again, by their hashes in a table of limited size: exact up to its
 * limit, then estimates.
 *
 * @module
 */

import { ownCopy } from "../data/text.ts";
import { UrlTable } from "./url_table.ts";

/** URLs that are remembered, in 25 MB. */
const MAX_URLS: number = 1 << 20;
export const MAX_EXAMPLES = 3;
/** Bits of a value in the table that are the variant; the others are the number of the sitemap. */
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
  readonly #table: UrlTable;
  readonly #shared: { readonly url: string; readonly sitemaps: readonly [number, number] }[] = [];

  /** `maxUrls` is a power of two. */
  constructor(maxUrls: number = MAX_URLS) {
    this.#table = new UrlTable(maxUrls);
  }

  /** Number of URLs that each of those counted stands for. */
  get weight(): number {
    return this.#table.weight;
  }

  /** Whether a URL is listed; `undefined` if it would not be counted. */
  has(high: number, low: number): boolean | undefined {
    const table = this.#table;
    return table.keeps(low) ? table.slots[table.find(high, low) + 2] !== 0 : undefined;
  }

  /**
   * Adds a URL with the number of its sitemap, from 1 on. Returns the number of the first sitemap that
   * lists it, negative if that one lists an equivalent URL, and 0 if it is new or not counted.
   */
  add(url: string, { high, low, variant = 0 }: HashedUrl, sitemap: number): number {
    const table = this.#table;
    if (!table.keeps(low)) return 0;
    const slot = table.find(high, low);
    const known = table.slots[slot + 2]!;
    if (known === 0) {
      table.fill(slot, high, low, sitemap << VARIANT_BITS | variant);
      return 0;
    }
    const first = (known & ~SHARED) >>> VARIANT_BITS;
    if ((known & 0xff) !== variant) return -first;
    if (first !== sitemap && known > 0) {
      table.slots[slot + 2] = known | SHARED;
      if (this.#shared.length < MAX_EXAMPLES) {
        this.#shared.push({ url: ownCopy(url), sitemaps: [first, sitemap] });
      }
    }
    return first;
  }

  /** `urlOf` returns the URL of a sitemap. */
  counts(urlOf: (sitemap: number) => string): UrlCounts {
    const { slots, weight } = this.#table;
    let urls = 0, repeated = 0;
    for (let at = 2; at < slots.length; at += 3) {
      if (slots[at] !== 0) urls++;
      if (slots[at]! < 0) repeated++;
    }
    return {
      urls: urls * weight,
      repeated: repeated * weight,
      sampledOneIn: weight,
      examples: this.#shared.map(({ url, sitemaps: [first, second] }) => ({
        url,
        sitemaps: [urlOf(first), urlOf(second)],
      })),
    };
  }
}
