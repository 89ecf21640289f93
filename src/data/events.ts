/**
 * Events of a walk, which {@linkcode walk} yields and {@linkcode collect} folds.
 *
 * @module
 */

import type { InvalidCode, NoteCode, RequestCode, WarningCode } from "./codes.ts";
import type { SitemapPage } from "./page.ts";

/** Type of a node in the tree: the name of its class. */
export type SitemapType =
  | "IndexWebsiteSitemap"
  | "IndexRobotsTxtSitemap"
  | "IndexXmlSitemap"
  | "PagesXmlSitemap"
  | "PagesTextSitemap"
  | "PagesRssSitemap"
  | "PagesAtomSitemap"
  | "InvalidSitemap";

/** Sitemap that an event belongs to. */
export interface SitemapRef {
  /** Number that is unique within the walk. */
  readonly id: number;
  /** Type of its node; `InvalidSitemap` if it is unusable. */
  readonly type: SitemapType;
  /** Final URL of the document; the requested URL if there was no response. */
  readonly url: string;
  /**
   * Requested URL, if redirects led to another one: serialised, without fragment and user info.
   */
  readonly requestedUrl?: string;
  /**
   * Depth in the tree: −1 for the website, 0 for robots.txt, given sitemaps, known paths and
   * sitemaps that the homepage names.
   */
  readonly level: number;
  /** `id` of the parent, `null` at the root. */
  readonly parent: number | null;
  /** Position in its parent, after the callbacks; ascending, possibly with gaps. */
  readonly index: number;
  /** Last modification that the parent index declares, in ISO 8601. */
  readonly lastModified?: string;
  /**
   * How it was found, if its parent is the website; the first way, if there are several; robots.txt
   * itself by `robots`.
   */
  readonly foundBy?: "robots" | "given" | "known-path" | "homepage" | "variant";
}

/**
 * Whether a sitemap is counted as one: not the website itself, nor a robots.txt directly below it. If
 * the caller gave that robots.txt as a sitemap, `WalkStats.sitemaps` counts it nevertheless.
 */
export function isCounted({ type, level, parent }: SitemapRef): boolean {
  const isRobots = type === "IndexRobotsTxtSitemap" && level === 0 && parent !== null;
  return type !== "IndexWebsiteSitemap" && !isRobots;
}

/** Sent before the entries of a readable sitemap. */
export interface SitemapEnteredEvent {
  /** Discriminant of {@linkcode TreeEvent}. */
  readonly type: "sitemap-entered";
  /** Sitemap whose entries and children follow. */
  readonly sitemap: SitemapRef;
  /** Response that it is read from, if there was one. */
  readonly response?: {
    /** HTTP status, after any redirects. */
    readonly status: number;
    /** Its Content-Type, if it has one. */
    readonly contentType?: string;
    /** Its Content-Encoding, if it has one; some runtimes hide what they have decoded. */
    readonly contentEncoding?: string;
    /** Number of redirects that led to it. */
    readonly redirects: number;
  };
}

/** Page of a sitemap. */
export interface PageEvent {
  /** Discriminant of {@linkcode TreeEvent}. */
  readonly type: "page";
  /** Page with the values that the sitemap gives it. */
  readonly page: SitemapPage;
  /** The sitemap that lists it. */
  readonly sitemap: SitemapRef;
}

/** Declared sitemap that is unusable. */
export interface InvalidEvent {
  /** Discriminant of {@linkcode TreeEvent}. */
  readonly type: "invalid";
  /** The node, of type `InvalidSitemap`. */
  readonly sitemap: SitemapRef;
  /** Reason as a code, see {@linkcode INVALID_CODES}. */
  readonly code: InvalidCode;
  /** Reason as a sentence, for people. */
  readonly reason: string;
  /** Status of the response, if that is the reason. */
  readonly status?: number;
  /** Response that it was read from, if there was one. */
  readonly response?: SitemapEnteredEvent["response"];
}

/** Repair, ignored value or loss. */
export interface WarningEvent {
  /** Discriminant of {@linkcode TreeEvent}. */
  readonly type: "warning";
  /** Kind of warning, see {@linkcode WARNING_CODES}. */
  readonly code: WarningCode;
  /** Description, for people. */
  readonly message: string;
  /** Sitemap that it concerns. */
  readonly sitemap: SitemapRef;
  /** Line in the document, if known. */
  readonly line?: number;
  /** Status of the response, if a request failed because of it. */
  readonly status?: number;
}

/** Fact about a document that is not worth a warning; only with the option `notes`. */
export interface NoteEvent {
  /** Discriminant of {@linkcode TreeEvent}. */
  readonly type: "note";
  /** Kind of note, see {@linkcode NOTE_CODES}. */
  readonly code: NoteCode;
  /** Description, for people; of `robots-txt`, its text. */
  readonly message: string;
  /** Sitemap that it concerns. */
  readonly sitemap: SitemapRef;
  /** Line in the document, if known. */
  readonly line?: number;
}

/** Sent after a sitemap and everything below it. */
export interface SitemapLeftEvent {
  /** Discriminant of {@linkcode TreeEvent}. */
  readonly type: "sitemap-left";
  /** Sitemap that ends here, with everything below it. */
  readonly sitemap: SitemapRef;
  /** Number of its pages, without those that `includePage` left out. */
  readonly pages: number;
  /** Decompressed bytes that were read. */
  readonly bytes: number;
  /** Whether it was read to its end. */
  readonly complete: boolean;
  /** Warnings by code, including those that were not sent as events. */
  readonly warnings: Readonly<Partial<Record<WarningCode, number>>>;
  /** Notes by code, including those that were not sent as events; only with the option `notes`. */
  readonly notes?: Readonly<Partial<Record<NoteCode, number>>>;
  /**
   * Milliseconds in which it was requested and read, without the time in which the consumer did not
   * read and without the sitemaps below it; absent if it was not requested.
   */
  readonly durationMs?: number;
}

/**
 * Verdict on a walk. robots.txt itself does not count as a sitemap that was read.
 *
 * - `complete`: at least one sitemap was read, and everything declared was read to its end
 * - `partial`: something declared was invalid, truncated, stopped by a limit or dropped, or robots.txt
 *   failed with a 5xx status or a network error
 * - `blocked`: nothing was read, and a request was refused or failed, or robots.txt, the homepage and
 *   the known paths all redirect to one login page
 * - `none`: nothing was declared, found or refused
 */
export type Verdict = "complete" | "partial" | "blocked" | "none";

/** Counts, bytes and duration of a walk. */
export interface WalkStats {
  /** Sitemaps that were read, without robots.txt of the site and the website itself. */
  readonly sitemaps: number;
  /** Pages that were yielded. */
  readonly pages: number;
  /** Declared sitemaps that are unusable. */
  readonly invalid: number;
  /** Warnings, including those that were not sent as events. */
  readonly warnings: number;
  /** Decompressed bytes that were read. */
  readonly bytes: number;
  /** Requests, including redirects and retries. */
  readonly requests: number;
  /** Requests that were repeated after a failure. */
  readonly retries: number;
  /** Known paths that were requested. */
  readonly probes: number;
  /** Duration in milliseconds. */
  readonly durationMs: number;
}

/** Last event of a walk. */
export interface FinishedEvent {
  /** Discriminant of {@linkcode TreeEvent}. */
  readonly type: "finished";
  /** How much of what was declared could be read. */
  readonly verdict: Verdict;
  /** Totals of all sitemaps. */
  readonly stats: WalkStats;
  /**
   * What was read, and thus what the events can tell: a site, one document, a folder in place of a site,
   * or a snapshot, which has neither warnings nor responses.
   */
  readonly source: "walk" | "parse" | "folder" | "snapshot";
  /**
   * Set if nothing but limits that the caller gave, rather than their defaults, kept the walk from being
   * complete: `maxPages`, `maxSitemaps`, `deadline` or `maxDepth`.
   */
  readonly limited?: true;
  /** Limit that ended the walk, if one did. */
  readonly endedBy?: "deadline" | "max-pages" | "max-sitemaps";
  /** Time at which the walk ended, in ISO 8601; absent if it is not known. */
  readonly endedAt?: string;
  /** First request that was refused or failed, or the login page, if the verdict is `blocked`. */
  readonly blockedBy?: {
    /**
     * URL of robots.txt, the sitemap, the known path or the homepage, without user info; of the login
     * page that all of these redirect to, without its query.
     */
    readonly url: string;
    /** Reason as a code, see {@linkcode REQUEST_CODES}. */
    readonly code: RequestCode;
    /** Reason as a sentence, for people. */
    readonly reason: string;
    /** Status of the response, if that is the reason. */
    readonly status?: number;
  };
  /** Why robots.txt could not be read, unless it was read or does not exist. */
  readonly robots?: { readonly code: RequestCode | InvalidCode; readonly status?: number };
  /** Where sitemaps were looked for, in order, without the sitemaps themselves: the first 60. */
  readonly discovery: readonly {
    /**
     * - `robots`: robots.txt of the site
     * - `known-path`: a known path
     * - `control`: a path that cannot exist, to recognise a site that answers all paths alike
     * - `homepage`: the homepage
     * - `variant`: robots.txt or a known path of the origin that the homepage redirects to
     */
    readonly step: "robots" | "known-path" | "control" | "homepage" | "variant";
    /** URL that was requested, or would have been. */
    readonly url: string;
    /** Status of the response, if there was one. */
    readonly status?: number;
    /** Why it was not used, as a code. */
    readonly code?: RequestCode | InvalidCode;
    /** Sitemaps that it led to: those that robots.txt or the homepage names, or the one at the path. */
    readonly sitemaps: number;
    /** Why it was or was not used as a sentence, for people. */
    readonly reason: string;
  }[];
}

/** Event of a walk, discriminated by `type`. */
export type TreeEvent =
  | SitemapEnteredEvent
  | PageEvent
  | InvalidEvent
  | WarningEvent
  | NoteEvent
  | SitemapLeftEvent
  | FinishedEvent;

export type SitemapResponse = NonNullable<SitemapEnteredEvent["response"]>;
export type Refusal = NonNullable<FinishedEvent["blockedBy"]>;
export type DiscoveryStep = FinishedEvent["discovery"][number];
