/**
 * A sitemap that lists others, with what is above it.
 *
 * @module
 */

import type { SitemapRef } from "../data/events.ts";
import { addressKey } from "../data/url.ts";
import type { TreePart } from "./addresses.ts";

/** A sitemap that has been entered, as its children see it. */
export interface Listing {
  /** The sitemap. */
  readonly ref: SitemapRef;
  /** Addresses of the sitemaps above its children, itself included, outermost first. */
  readonly path: readonly string[];
  /**
   * The same, as asked for and as they ended, in the form in which they are compared. A list: there
   * are few, and to look a long address up in a set takes a hash of all of it.
   */
  readonly keys: readonly string[];
  /** The part of the tree that it belongs to; for the root, that of its children. */
  readonly part: TreePart;
}

/** The web site itself, as the parent of the sitemaps of one part. */
export function rootListing(ref: SitemapRef, part: TreePart): Listing {
  return { ref, path: [], keys: [], part };
}

/**
 * Whether the child of a listing is robots.txt of the homepage, not one that is declared or at a known
 * path: that one has the rules, and does not count as a sitemap that was read.
 */
export function isSiteRobots({ ref, part }: Listing): boolean {
  return ref.level < 0 && part === "robots.txt";
}

/** Whether the children of a listing are declared or given, so that a failure is an event. */
export function isDeclared({ ref, part }: Listing): boolean {
  return ref.level >= 0 || part === "the given sitemaps";
}

/** A sitemap below another, which was asked for at `askedFor`. */
export function listingBelow(listing: Listing, ref: SitemapRef, askedFor: string): Listing {
  return {
    ref,
    path: [...listing.path, ref.url],
    keys: [...new Set([...listing.keys, addressKey(ref.url), addressKey(askedFor)])],
    part: listing.part,
  };
}
