/**
 * The sitemap addresses that a tree holds.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { addressKey } from "../url.ts";

/** Of addresses longer than this a hash is held: fifty thousand of them could take gigabytes. */
const MAX_HELD_LENGTH = 256;

function keyOf(url: string): string {
  const key = addressKey(url);
  return key.length <= MAX_HELD_LENGTH ? key : createHash("sha256").update(key).digest("base64");
}

/** Every sitemap address in the tree, as asked for and as it ended. */
export class TreeAddresses {
  readonly #all = new Set<string>();
  #ofRobots: ReadonlySet<string> = new Set();

  /** Notes addresses of one sitemap. */
  add(...urls: string[]): void {
    for (const url of urls) this.#all.add(keyOf(url));
  }

  /** Whether an address stands in the tree. */
  has(url: string): boolean {
    return this.#all.has(keyOf(url));
  }

  /** The tree of robots.txt has been walked: what is there now is what it holds. */
  endRobotsTree(): void {
    this.#ofRobots = new Set(this.#all);
  }

  /** Whether an address stands in the tree of robots.txt. */
  inRobotsTree(url: string): boolean {
    return this.#ofRobots.has(keyOf(url));
  }
}
