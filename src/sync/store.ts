/**
 * The store of a snapshot, as synchronisation uses it.
 *
 * @module
 */

import type { SitemapType, Verdict } from "../data/events.ts";
import type { ChangeCounts } from "./events.ts";
import type { ListedPage, StoredValues } from "../data/page_row.ts";
import type { StoredPage } from "./stored_page.ts";

/**
 * State of a sitemap in the run that determined it:
 *
 * - `read`: it was read to its end
 * - `unchanged`: it is as it was
 * - `truncated`: its beginning was read; other pages are kept
 * - `failed`: it could not be read or was not reached; its pages are kept
 * - `missing`: it does not exist, is empty, or is not listed any more; its pages are kept for a run
 * - `gone`: it was missing in two runs, and its pages are dropped
 */
export type SitemapState = "read" | "unchanged" | "truncated" | "failed" | "missing" | "gone";

/** A row of the table `sitemap`. */
export interface StoredSitemap {
  /** Its number. */
  readonly id: number;
  /** URL as requested. */
  readonly url: string;
  /** URL after redirects. */
  readonly final_url: string;
  /** Type of the sitemap. */
  readonly type: SitemapType;
  /** Id of its parent; NULL below the website itself. */
  readonly parent: number | null;
  /** Depth in the tree. */
  readonly level: number;
  /** Index in its parent. */
  readonly place: number;
  /** Place in document order. */
  readonly position: number;
  /** What its index declared when it was read last. */
  readonly lastmod: string | null;
  /** Run that determined its state. */
  readonly run: number;
  /** Its state in that run. */
  readonly state: SitemapState;
  /** Why it failed or is missing, as a code. */
  readonly code: string | null;
  /** The same as a sentence. */
  readonly reason: string | null;
  /** Number of pages that it lists. */
  readonly pages: number;
  /** Bytes transferred when it was read last; NULL if unknown. */
  readonly bytes: number | null;
  /** `ETag` of its last response. */
  readonly etag: string | null;
  /** `Last-Modified` of its last response. */
  readonly last_modified: string | null;
  /** Digest of its last body. */
  readonly digest: string | null;
}

/** A sitemap that an index lists. */
export interface ChildSitemap {
  /** Its URL. */
  readonly url: string;
  /** Date that the index declares for it. */
  readonly lastmod: string | null;
}

/** A page that a sitemap lists besides the first one. */
export interface OtherListing {
  /** The page. */
  readonly page: StoredPage;
  /** Values of the page in that sitemap. */
  readonly values: StoredValues;
}

/** How a run begins. */
export interface RunOptions {
  /** Milliseconds after which an interrupted run is not continued. */
  readonly resumeWithin: number;
  /** Whether nothing is written. */
  readonly dryRun: boolean;
  /** Time in milliseconds since 1970. */
  readonly now: number;
}

/** Changes that a run has found so far. */
export type RunCounts = { -readonly [K in keyof ChangeCounts]: number };

/**
 * A run of a site. What is written is kept from the next `commit()` on; ending without one loses only
 * what was written since the last.
 */
export interface SnapshotRun {
  /** Number of the run. */
  readonly id: number;
  /** Number of the run before, 0 for none. */
  readonly previous: number;
  /** Pages of the site when it began. */
  readonly known: number;
  /** Pages of the site now. */
  readonly pages: number;
  /** Id of the next page that is added. */
  readonly nextPage: number;
  /** Changes so far, also those before it was interrupted. */
  readonly counts: RunCounts;

  /** Returns a sitemap by its URL. */
  sitemap(url: string): StoredSitemap | undefined;
  /** Returns a sitemap by its id. */
  sitemapById(id: number): StoredSitemap | undefined;
  /** Returns the sitemaps whose state was not determined in this run, in document order. */
  unsettled(): StoredSitemap[];
  /** Returns the ids and positions of those whose state was. */
  settled(): Pick<StoredSitemap, "id" | "position">[];
  /** Returns the sitemaps that list a sitemap. */
  parentsOf(url: string): StoredSitemap[];
  /** Writes a sitemap, new without an id. Returns its id. */
  saveSitemap(sitemap: Omit<StoredSitemap, "id"> & { readonly id?: number }): number;
  /** Returns what an index lists. */
  children(sitemap: number): ChildSitemap[];
  /** Replaces what an index lists. */
  setChildren(sitemap: number, children: readonly ChildSitemap[]): void;

  /** Adds pages that are not known, and records that. Returns those that are known, by URL. */
  addUnknown(sitemap: number, pages: readonly ListedPage[]): Map<string, StoredPage>;
  /** Gives a page other values, and records that. */
  change(page: StoredPage, values: StoredValues, sitemap: number): void;
  /** Moves a page to another sitemap, which lists it now; it is not dropped any more. */
  move(page: StoredPage, sitemap: number): void;
  /** Removes pages, and records that. */
  remove(pages: readonly StoredPage[]): void;
  /** Marks pages that their sitemap does not list any more. */
  drop(ids: Iterable<number>): void;
  /** Returns the number of pages that are dropped and can be removed. */
  countDropped(): number;
  /** Returns such pages, at most `limit`, with ids above `after`. */
  dropped(after: number, limit: number): StoredPage[];

  /** Returns the ids of the pages whose first sitemap this is, in ascending order, below `end`. */
  pageIds(sitemap: number, end?: number): Iterable<number>;
  /** Returns the ids of other pages that a sitemap lists, in ascending order. */
  listedIds(sitemap: number): Iterable<number>;
  /** Records that a sitemap lists a page which belongs to an earlier one. */
  list(sitemap: number, page: number, values: StoredValues): void;
  /** Removes that record. */
  unlist(sitemap: number, pages: Iterable<number>): void;
  /**
   * Returns pages that a sitemap lists and that belong to one which is not settled in this run or has
   * dropped them.
   */
  claimable(sitemap: number): OtherListing[];
  /**
   * Returns the number of pages that no sitemap of this run confirms, without those that have changed.
   * Of truncated sitemaps, `unread` are their pages that did not arrive, and `arrived` those that did
   * and belong to others.
   */
  countUnconfirmed(unread: readonly number[], arrived: readonly number[]): number;

  /** Creates the indexes of pages, unless there are any. */
  index(): void;
  /** Keeps what was written. */
  commit(): void;
  /** Ends the run, and commits. */
  finish(verdict: Verdict, now: number, keepRuns: number): void;
  /** Releases the store; drops what was not committed. */
  close(): void;
}
