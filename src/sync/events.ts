/**
 * Events of a synchronisation: those of a walk, with changes in place of pages.
 *
 * @module
 */

import type {
  FinishedEvent,
  PageEvent,
  SitemapRef,
  TreeEvent,
  Verdict,
  WalkStats,
} from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import type { PageField } from "./identity.ts";

/** Page that is new, or has other values than before. */
export interface PageChangedEvent {
  /** Type of the event. */
  readonly type: "added" | "changed";
  /** The page after the change. */
  readonly page: SitemapPage;
  /** First sitemap that lists it. */
  readonly sitemap: SitemapRef;
  /** The page before; only if it changed. */
  readonly previous?: SitemapPage;
  /** Fields whose values changed; only if it changed. */
  readonly fields?: readonly PageField[];
}

/** Page that no sitemap lists any more. */
export interface PageRemovedEvent {
  /** Type of the event. */
  readonly type: "removed";
  /** The page as it was. */
  readonly page: SitemapPage;
  /** Sitemap that listed it last. */
  readonly sitemap: SitemapRef;
}

/** Changes that a run has found. */
export interface ChangeCounts {
  /** Pages that are new. */
  readonly added: number;
  /** Pages with other values than before. */
  readonly changed: number;
  /** Pages that no sitemap lists any more. */
  readonly removed: number;
  /** Pages with the same values as before. */
  readonly unchanged: number;
  /** Pages that no sitemap lists any more, and that are kept until that is confirmed. */
  readonly unconfirmed: number;
  /** Sitemaps that the server said are not modified, without robots.txt. */
  readonly notModified: number;
  /** Bytes that were not transferred, as far as their number is known. */
  readonly bytesSaved: number;
}

/** Last event of a synchronisation. */
export interface SyncFinishedEvent extends FinishedEvent {
  /** Verdict on the walk; `partial` if a mass removal was refused. */
  readonly verdict: Verdict;
  /** Statistics of the walk, with its changes. */
  readonly stats: WalkStats & ChangeCounts;
  /** Number of the run, as `snapshot.runs()` has it. */
  readonly run: number;
  /** Whether something failed for a reason that may pass, so that another walk may find more. */
  readonly passing?: true;
}

/**
 * Event of a synchronisation. `sitemap-unchanged` is a sitemap that is the same as in the run before.
 */
export type SyncEvent =
  | PageChangedEvent
  | PageRemovedEvent
  | {
    /** Type of the event. */
    readonly type: "sitemap-unchanged";
    /** Its reference in this walk. */
    readonly sitemap: SitemapRef;
    /** Number of pages that it lists. */
    readonly pages: number;
    /**
     * How that is known: the server said so, its bytes are the same, or its index declares the same date
     * (`trustLastmod`).
     */
    readonly by: "not-modified" | "same-bytes" | "lastmod";
  }
  | Exclude<TreeEvent, PageEvent | FinishedEvent>
  | SyncFinishedEvent;

/** Event of one of many sites, as {@linkcode syncAll} yields it. */
export type SiteEvent = SyncEvent & {
  /** Homepage of the site. */
  readonly site: string;
};
