/**
 * The events of a walk: what {@linkcode walk} yields and {@linkcode collect} folds.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "./codes.ts";
import type { SitemapPage } from "./page.ts";

/** The kinds of node in a tree, by the names of their classes. */
export type SitemapType =
  | "IndexWebsiteSitemap"
  | "IndexRobotsTxtSitemap"
  | "IndexXmlSitemap"
  | "PagesXmlSitemap"
  | "PagesTextSitemap"
  | "PagesRssSitemap"
  | "PagesAtomSitemap"
  | "InvalidSitemap";

/** Where an event belongs in the tree. */
export interface SitemapRef {
  /** Unique within its walk; events of one sitemap share it. */
  readonly id: number;
  /** The kind of sitemap. */
  readonly type: SitemapType;
  /** Where the document came from in the end; where none came, the address asked for. */
  readonly url: string;
  /**
   * The address asked for, where redirects led elsewhere: as the URL parser serialises it, without
   * fragment and user info.
   */
  readonly requestedUrl?: string;
  /**
   * −1 for the web site, 0 for robots.txt, given sitemaps and known paths, one more for each step
   * down.
   */
  readonly level: number;
  /** The `id` of the sitemap above, `null` at the root. */
  readonly parent: number | null;
  /** Position among the children of its parent, after the callbacks; ascending, perhaps with gaps. */
  readonly index: number;
  /** When it was last modified according to the index that lists it, in ISO 8601. */
  readonly lastModified?: string;
}

/** A sitemap was found readable; its entries follow. */
export interface SitemapEnteredEvent {
  /** The kind of event. */
  readonly type: "sitemap-entered";
  /** The sitemap that was entered. */
  readonly sitemap: SitemapRef;
}

/** A page was read. */
export interface PageEvent {
  /** The kind of event. */
  readonly type: "page";
  /** The page. */
  readonly page: SitemapPage;
  /** The sitemap that lists it. */
  readonly sitemap: SitemapRef;
}

/** A declared sitemap is unusable. */
export interface InvalidEvent {
  /** The kind of event. */
  readonly type: "invalid";
  /** The node, of type `InvalidSitemap`. */
  readonly sitemap: SitemapRef;
  /** Why, for programs. */
  readonly code: InvalidCode;
  /** Why, for people. */
  readonly reason: string;
}

/** Something was repaired, passed over or lost. */
export interface WarningEvent {
  /** The kind of event. */
  readonly type: "warning";
  /** What, for programs. */
  readonly code: WarningCode;
  /** What, for people. */
  readonly message: string;
  /** Where it happened. */
  readonly sitemap: SitemapRef;
  /** The line of the document, where it is known. */
  readonly line?: number;
}

/** A sitemap, and all below it, has been read. */
export interface SitemapLeftEvent {
  /** The kind of event. */
  readonly type: "sitemap-left";
  /** The sitemap that was left. */
  readonly sitemap: SitemapRef;
  /** Pages it gave. */
  readonly pages: number;
  /** Bytes read of it, inflated. */
  readonly bytes: number;
  /** Whether it was read to its end. */
  readonly complete: boolean;
  /** Warnings by code, those beyond the hundredth of a code included. */
  readonly warnings: Readonly<Partial<Record<WarningCode, number>>>;
}

/**
 * Verdict on a walk. robots.txt itself does not count as a sitemap that was read.
 *
 * - `complete`: at least one sitemap was read, and everything declared was read to its end
 * - `partial`: something declared was invalid, truncated, stopped by a limit or dropped, or robots.txt
 *   failed with a 5xx status or a network error
 * - `blocked`: nothing was read, and a request was refused or failed
 * - `none`: nothing was declared, found or refused
 */
export type Verdict = "complete" | "partial" | "blocked" | "none";

/** Figures of a walk. */
export interface WalkStats {
  /** Sitemaps that were read, robots.txt included, the web site itself not. */
  readonly sitemaps: number;
  /** Pages that were yielded. */
  readonly pages: number;
  /** Declared sitemaps that are unusable. */
  readonly invalid: number;
  /** Repairs and losses, those not sent as events included. */
  readonly warnings: number;
  /** Inflated bytes read. */
  readonly bytes: number;
  /** Requests made, redirects and retries included. */
  readonly requests: number;
  /** Requests made again after a failure. */
  readonly retries: number;
  /** Known paths that were asked for. */
  readonly probes: number;
  /** How long the walk took. */
  readonly durationMs: number;
}

/** The last event of a walk. */
export interface FinishedEvent {
  /** The kind of event. */
  readonly type: "finished";
  /** What the walk amounts to. */
  readonly verdict: Verdict;
  /** Figures of the walk. */
  readonly stats: WalkStats;
}

/** Anything a walk yields. */
export type TreeEvent =
  | SitemapEnteredEvent
  | PageEvent
  | InvalidEvent
  | WarningEvent
  | SitemapLeftEvent
  | FinishedEvent;
