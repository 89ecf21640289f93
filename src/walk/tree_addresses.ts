/**
 * The sitemap addresses that a tree holds.
 *
 * Only hashes are kept: the addresses of fifty thousand sitemaps would take gigabytes where a site
 * makes them long.
 *
 * @module
 */

import { HashSet64 } from "../bytes/hash_set.ts";
import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import { addressKey } from "../url.ts";

/** Where the sitemaps directly below the root come from, in the order in which they are visited. */
const PARTS = ["robots.txt", "the given sitemaps", "the known paths"] as const;

/** A part of the tree. */
export type TreePart = typeof PARTS[number];

/** Every sitemap address in the tree, as asked for and as it ended. */
export class TreeAddresses {
  readonly #scan = new ValueScan(randomKey());
  /** Addresses of each part; the last part is being visited. */
  readonly #parts = [new HashSet64()];

  /** Adds the address of a sitemap. */
  add(url: string): void {
    this.addKey(addressKey(url));
  }

  /** Adds an address that is in the form in which addresses are compared. */
  addKey(key: string): void {
    const { high, low } = this.#hash(key);
    this.#parts.at(-1)!.add(high, low);
  }

  /** Whether an address is in the tree. */
  has(url: string): boolean {
    const { high, low } = this.#hash(addressKey(url));
    return this.#parts.some((part) => part.has(high, low));
  }

  /** Ends a part of the tree: the addresses added from now on belong to the next one. */
  endPart(): void {
    this.#parts.push(new HashSet64());
  }

  /** Returns the part that was visited before the current one and has an address. */
  earlierPartWith(url: string): TreePart | undefined {
    if (this.#parts.length === 1) return undefined;
    const { high, low } = this.#hash(addressKey(url));
    return PARTS[this.#parts.slice(0, -1).findIndex((part) => part.has(high, low))];
  }

  #hash(key: string): ValueScan {
    this.#scan.text(key);
    return this.#scan;
  }
}
