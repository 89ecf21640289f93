/**
 * Finds pages that several sitemaps list, by keyed hashes of their URLs in a table of limited size.
 *
 * @module
 */

import { randomKey } from "../bytes/value_scan.ts";
import { UrlTable } from "../check/url_table.ts";
import { UrlHash } from "../data/url_hash.ts";
import type { UrlParts } from "../data/url_parts.ts";

/** URLs that are remembered, in 6 MiB: a power of two. Beyond, one in two is, then one in four. */
const MAX_URLS: number = 1 << 18;
/** Value of a URL that a second sitemap lists too; others are numbers of sitemaps, from 1 on. */
const REPEATED = -1;
export const NONE = 0;

export class Overlap {
  readonly #table: UrlTable;
  readonly #hash: UrlHash = new UrlHash(...randomKey());

  /** `maxUrls` is a power of two. */
  constructor(maxUrls: number = MAX_URLS) {
    this.#table = new UrlTable(maxUrls);
  }

  get counts(): {
    readonly urls: number;
    readonly repeated: number;
    readonly sampledOneIn: number;
  } {
    const { slots, weight } = this.#table;
    let urls = 0, repeated = 0;
    for (let at = 2; at < slots.length; at += 3) {
      if (slots[at] !== 0) urls++;
      if (slots[at] === REPEATED) repeated++;
    }
    return { urls: urls * weight, repeated: repeated * weight, sampledOneIn: weight };
  }

  /**
   * Adds a URL with the number of its sitemap, from 1 on. Returns the number of the first sitemap that
   * lists it, the first time that another one does, else {@linkcode NONE}.
   */
  add(parts: UrlParts, sitemap: number): number {
    this.#hash.set(parts);
    const { high, low } = this.#hash;
    return this.#table.keeps(low) ? this.#find(high, low, sitemap) : NONE;
  }

  #find(high: number, low: number, sitemap: number): number {
    const table = this.#table;
    const slot = table.find(high, low);
    const first = table.slots[slot + 2]!;
    if (first === NONE) table.fill(slot, high, low, sitemap);
    if (first === NONE || first === REPEATED || first === sitemap) return NONE;
    table.slots[slot + 2] = REPEATED;
    return first;
  }
}
