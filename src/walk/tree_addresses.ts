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

/** Every sitemap address in the tree, as asked for and as it ended. */
export class TreeAddresses {
  readonly #scan = new ValueScan(randomKey());
  readonly #all = new HashSet64();
  /** Those of the tree of robots.txt. */
  readonly #robots = new HashSet64();
  #robotsEnded = false;

  /** Adds the address of a sitemap. */
  add(url: string): void {
    this.addKey(addressKey(url));
  }

  /** Adds an address that is in the form in which addresses are compared. */
  addKey(key: string): void {
    const { high, low } = this.#hash(key);
    this.#all.add(high, low);
    if (!this.#robotsEnded) this.#robots.add(high, low);
  }

  /** Whether an address is in the tree. */
  has(url: string): boolean {
    const { high, low } = this.#hash(addressKey(url));
    return this.#all.has(high, low);
  }

  /** Ends the tree of robots.txt: what is in the tree now belongs to it. */
  endRobotsTree(): void {
    this.#robotsEnded = true;
  }

  /** Whether an address is in the tree of robots.txt. */
  inRobotsTree(url: string): boolean {
    if (!this.#robotsEnded) return false;
    const { high, low } = this.#hash(addressKey(url));
    return this.#robots.has(high, low);
  }

  #hash(key: string): ValueScan {
    this.#scan.text(key);
    return this.#scan;
  }
}
