/**
 * Finds pages that several sitemaps list, by keyed hashes of their URLs in a table of limited size.
 *
 * @module
 */

import { randomKey } from "../bytes/value_scan.ts";
import { UrlTable } from "../check/url_table.ts";
import { DIRECTORY_SLOTS, type UrlParts } from "../data/url_parts.ts";

/** URLs that are remembered, in 6 MiB: a power of two. Beyond, one in two is, then one in four. */
const MAX_URLS: number = 1 << 18;
/** Value of a URL that a second sitemap lists too; others are numbers of sitemaps, from 1 on. */
const REPEATED = -1;
export const NONE = 0;

export class Overlap {
  readonly #table: UrlTable;
  readonly #seeds = Int32Array.from(randomKey());
  readonly #known: (string | undefined)[] = new Array(DIRECTORY_SLOTS).fill(undefined);
  /** State of the hash after each directory, two numbers. */
  readonly #states = new Int32Array(2 * DIRECTORY_SLOTS);
  #high = 0;
  #low = 0;

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
    const { slot, url, directory } = parts, states = this.#states;
    if (this.#known[slot] !== directory) {
      this.#hash(directory, 0, this.#seeds[0]!, this.#seeds[1]!);
      states[2 * slot] = this.#high;
      states[2 * slot + 1] = this.#low;
      this.#known[slot] = directory;
    }
    this.#hash(url, parts.leafStart, states[2 * slot]!, states[2 * slot + 1]!);
    let high = this.#high, low = this.#low;
    high = Math.imul(high ^ high >>> 15, 0x2c1b3c6d);
    low = Math.imul(low ^ low >>> 13, 0x297a2d39);
    high ^= low >>> 16;
    low ^= high >>> 15;
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

  /**
   * Hashes the characters of a text from an offset on, two at a time. The hash of `ValueScan`, which
   * withstands more, would take a third of the time of the whole fold (`deno task bench:report`).
   */
  #hash(text: string, from: number, high: number, low: number): void {
    let at = from;
    for (const last = text.length - 1; at < last; at += 2) {
      high = Math.imul(high ^ (text.charCodeAt(at) | text.charCodeAt(at + 1) << 16), 0x9e3779b1);
      high ^= high >>> 15;
      low = Math.imul((low << 7 | low >>> 25) ^ high, 0x85ebca6b);
    }
    if (at < text.length) {
      high = Math.imul(high ^ text.charCodeAt(at), 0x9e3779b1);
      low = Math.imul((low << 7 | low >>> 25) ^ high, 0x85ebca6b);
    }
    this.#high = high;
    this.#low = low;
  }
}
