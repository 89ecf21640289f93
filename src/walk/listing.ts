/**
 * A sitemap that lists others, with what is above it.
 *
 * @module
 */

import type { SitemapRef } from "../events.ts";
import { addressKey } from "../url.ts";

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
  /** Whether it stands below a known path. */
  readonly belowKnown: boolean;
}

/** The web site itself, as robots.txt or the known paths see it. */
export function rootListing(ref: SitemapRef, belowKnown: boolean): Listing {
  return { ref, path: [], keys: [], belowKnown };
}

/**
 * Whether the child of a listing is robots.txt of the homepage, not one that is declared or at a known
 * path: that one has the rules, and does not count as a sitemap that was read.
 */
export function isSiteRobots({ ref, belowKnown }: Listing): boolean {
  return ref.level < 0 && !belowKnown;
}

/** A sitemap below another, which was asked for at `askedFor`. */
export function listingBelow(listing: Listing, ref: SitemapRef, askedFor: string): Listing {
  return {
    ref,
    path: [...listing.path, ref.url],
    keys: [...new Set([...listing.keys, addressKey(ref.url), addressKey(askedFor)])],
    belowKnown: listing.belowKnown,
  };
}
