/**
 * Addresses of sitemaps: those in the tree, those of the sitemaps above, and those that wait.
 *
 * @module
 */

import { HashTable } from "../bytes/hash_table.ts";
import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import type { SitemapRef } from "../data/events.ts";
import { addressKey } from "../data/url.ts";

/** Sources of the sitemaps directly below the root, and how these are found. */
const PARTS = {
  "robots.txt": "robots",
  "the given sitemaps": "given",
  "the known paths": "known-path",
  "the homepage": "homepage",
  "robots.txt of the variant": "variant",
  "the known paths of the variant": "variant",
} as const;

/** Part of the tree: one source with everything below it. */
export type TreePart = keyof typeof PARTS;

/** A sitemap that lists others. */
export interface Listing {
  readonly ref: SitemapRef;
  /** URLs of the sitemaps above its children, itself included, outermost first. */
  readonly path: readonly string[];
  /**
   * Keys of the same sitemaps, as requested and after redirects. An array, since there are few and
   * a set would hash long addresses.
   */
  readonly keys: readonly string[];
  /** Part that it belongs to; for the root, the part of its children. */
  readonly part: TreePart;
}

export function rootListing(ref: SitemapRef, part: TreePart): Listing {
  return { ref, path: [], keys: [], part };
}

export function listingBelow(listing: Listing, ref: SitemapRef, requestedUrl: string): Listing {
  return {
    ref,
    path: [...listing.path, ref.url],
    keys: [...new Set([...listing.keys, addressKey(ref.url), addressKey(requestedUrl)])],
    part: listing.part,
  };
}

/**
 * Whether the child of a listing is robots.txt of the homepage or its variant, which has the rules and
 * does not count as a sitemap that was read. One that is declared or at a known path is a sitemap.
 */
export function isSiteRobots({ ref, part }: Listing): boolean {
  return ref.level < 0 && part.startsWith("robots.txt");
}

export function foundBy({ ref, part }: Listing): SitemapRef["foundBy"] {
  return ref.level < 0 ? PARTS[part] : undefined;
}

/** Whether the children of a listing are declared or given, so that a failure is an event. */
export function isDeclared({ ref, part }: Listing): boolean {
  return ref.level >= 0 || part === "the given sitemaps";
}

/**
 * Every sitemap address in the tree, as requested and after redirects. Only hashes are kept, since a
 * site controls the length of its addresses.
 */
export class TreeAddresses {
  readonly #scan = new ValueScan(randomKey());
  /** Addresses by part; the last part is being visited. */
  readonly #parts: { readonly name: TreePart; readonly addresses: HashTable }[] = [];

  add(url: string): void {
    this.addKey(addressKey(url));
  }

  addKey(key: string): void {
    const { high, low } = this.#hash(key);
    this.#parts.at(-1)!.addresses.add(high, low);
  }

  has(url: string): boolean {
    const { high, low } = this.#hash(addressKey(url));
    return this.#parts.some(({ addresses }) => addresses.has(high, low));
  }

  /** Begins a part: later addresses belong to it. */
  beginPart(name: TreePart): void {
    this.#parts.push({ name, addresses: new HashTable() });
  }

  earlierPartWith(url: string): TreePart | undefined {
    if (this.#parts.length === 1) return undefined;
    const { high, low } = this.#hash(addressKey(url));
    const earlier = this.#parts.slice(0, -1);
    return earlier.find(({ addresses }) => addresses.has(high, low))?.name;
  }

  #hash(key: string): ValueScan {
    this.#scan.text(key);
    return this.#scan;
  }
}

export interface ListedAddress {
  readonly url: string;
  /** Date that the index declares for it. */
  readonly lastModified?: string | undefined;
}

/** Characters allowed for each sitemap that a walk may visit. */
const CHARACTERS_EACH = 256;
const MIN_CHARACTERS = 16 * 1024 * 1024;
/** Weight of an address besides its characters. */
const ADDRESS_WEIGHT = 64;

/**
 * Limit on the addresses that wait to be visited, shared by all indexes of a walk. An index of 100 MiB
 * is little but addresses, and indexes can be nested.
 */
export class AddressBudget {
  #left: number;

  constructor(maxSitemaps: number) {
    this.#left = Math.max(MIN_CHARACTERS, maxSitemaps * CHARACTERS_EACH);
  }

  take(url: string): boolean {
    const weight = url.length + ADDRESS_WEIGHT;
    if (weight > this.#left) return false;
    this.#left -= weight;
    return true;
  }

  release(addresses: readonly ListedAddress[]): void {
    for (const { url } of addresses) this.#left += url.length + ADDRESS_WEIGHT;
  }
}
