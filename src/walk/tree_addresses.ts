/**
 * The sitemap addresses that a tree holds.
 *
 * @module
 */

import { addressKey } from "../url.ts";

/** Every sitemap address in the tree, as asked for and as it ended. */
export class TreeAddresses {
  readonly #all = new Set<string>();
  #ofRobots: ReadonlySet<string> = new Set();

  /** Notes addresses of one sitemap. */
  add(...urls: string[]): void {
    for (const url of urls) this.#all.add(addressKey(url));
  }

  /** Whether an address stands in the tree. */
  has(url: string): boolean {
    return this.#all.has(addressKey(url));
  }

  /** The tree of robots.txt has been walked: what is there now is what it holds. */
  endRobotsTree(): void {
    this.#ofRobots = new Set(this.#all);
  }

  /** Whether an address stands in the tree of robots.txt. */
  inRobotsTree(url: string): boolean {
    return this.#ofRobots.has(addressKey(url));
  }
}
