/**
 * Figures of a walk.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "../data/codes.ts";
import type {
  InvalidEvent,
  SitemapLeftEvent,
  TreeEvent,
  Verdict,
  WarningEvent,
} from "../data/events.ts";

/** Limits that a user set. */
export interface UserLimits {
  /** `--max-depth`. */
  readonly maxDepth?: number | undefined;
  /** `--max-pages`. */
  readonly maxPages?: number | undefined;
  /** `--max-sitemaps`. */
  readonly maxSitemaps?: number | undefined;
}

/** Counts the events of a walk, for the progress line and the summary. */
export class WalkTally {
  /** Sitemaps that were read or are being read, the web site itself not counted. */
  sitemaps = 0;
  /** Sitemaps that were left. */
  sitemapsRead = 0;
  /** Sitemaps that were declared so far; known paths count once they are found. */
  known = 0;
  /** Pages read. */
  pages = 0;
  /** Declared sitemaps that are unusable. */
  invalid = 0;
  /** Repairs and losses. */
  warnings = 0;
  /** Inflated bytes of the sitemaps that were left. */
  bytes = 0;
  /** The address of the sitemap that the last event was about. */
  current = "";
  /** How it ended, once it has. */
  verdict: Verdict | undefined;
  /** The first declared sitemap that was unusable. */
  firstInvalid: InvalidEvent | undefined;
  /** The first warning that bears on the whole walk. */
  firstObstacle: WarningEvent | undefined;
  /** The last warning of the first sitemap that was cut short. */
  firstCut: WarningEvent | undefined;
  /** Sitemaps that a document lists, read without a network. */
  unfetched = 0;
  /** Sitemaps below the deepest level. */
  tooDeep = 0;
  /** Limit that ended the walk. */
  endedBy: WarningCode | undefined;
  /** Limits that the user set. */
  readonly limits: UserLimits;
  #lastWarning: WarningEvent | undefined;
  #hasFailed = false;
  #hasCut = false;

  /** Counts nothing yet. */
  constructor(limits: UserLimits = {}) {
    this.limits = limits;
  }

  /** Whether limits that the user set are all that kept the walk from being complete. */
  get isLimitedByUser(): boolean {
    if (this.#hasFailed || this.#hasCut && this.endedBy === undefined) return false;
    return this.endedBy !== undefined || this.tooDeep > 0;
  }

  /** Takes in an event. */
  see(event: TreeEvent): void {
    switch (event.type) {
      case "page":
        this.pages++;
        return;
      case "sitemap-entered":
        this.current = event.sitemap.url;
        if (event.sitemap.type !== "IndexWebsiteSitemap") this.sitemaps++;
        // No list declares these: robots.txt and what stands at known paths.
        if (event.sitemap.level === 0) this.known++;
        return;
      case "sitemap-left":
        this.bytes += event.bytes;
        if (event.sitemap.type !== "IndexWebsiteSitemap") this.sitemapsRead++;
        if (!event.complete && this.#lastWarning?.sitemap.id === event.sitemap.id) {
          this.firstCut ??= this.#lastWarning;
        }
        this.#seeLosses(event);
        return;
      case "invalid":
        this.current = event.sitemap.url;
        if (event.code === "unfetched") {
          this.unfetched++;
          return;
        }
        this.invalid++;
        if (event.code === "too-deep") this.tooDeep++;
        if (event.code === "too-deep" && this.limits.maxDepth !== undefined) return;
        this.firstInvalid ??= event;
        if (!HARMLESS_CODES.has(event.code)) this.#hasFailed = true;
        return;
      case "warning":
        this.warnings++;
        this.#lastWarning = event;
        if (OBSTACLES.has(event.code)) this.firstObstacle ??= event;
        this.#seeObstacle(event);
        return;
      case "finished":
        // saved events may be those of several walks
        this.verdict = worstVerdict(this.verdict, event.verdict);
        this.warnings = event.stats.warnings;
    }
  }

  #seeObstacle(event: WarningEvent): void {
    const { code, message } = event;
    if (code === "max-pages") this.endedBy = code;
    else if (code === "max-sitemaps") {
      this.endedBy = code;
      if (this.limits.maxSitemaps !== undefined) return;
      this.firstObstacle ??= event;
      this.#hasFailed = true;
    } else if (code === "deadline") {
      this.endedBy = code;
      this.#hasFailed = true;
    } else if (code === "robots-unreadable" && !CLIENT_ERROR_REGEXP.test(message)) {
      this.#hasFailed = true;
    }
  }

  /** Whether a sitemap was cut short by itself, or lists others that are dropped. */
  #seeLosses({ sitemap, complete, warnings }: SitemapLeftEvent): void {
    const codes = Object.keys(warnings) as WarningCode[];
    if (!complete) this.#hasCut = true;
    if (!complete && codes.some((code) => CUT_CODES.has(code))) this.#hasFailed = true;
    const isIndex = sitemap.type.startsWith("Index");
    if (isIndex && codes.some((code) => DROPPED_CODES.has(code))) this.#hasFailed = true;
  }
}

const WORST_FIRST: readonly Verdict[] = ["blocked", "partial", "none", "complete"];

function worstVerdict(one: Verdict | undefined, other: Verdict): Verdict {
  return WORST_FIRST.find((verdict) => verdict === one || verdict === other)!;
}

/** Codes of sitemaps that are in the tree elsewhere. */
const HARMLESS_CODES: ReadonlySet<InvalidCode> = new Set(["recursion", "already-visited"]);

/** Warnings of a sitemap that was not read to its end. */
const CUT_CODES: ReadonlySet<WarningCode> = new Set([
  "xml-cut",
  "body-cut",
  "gzip-cut",
  "too-large",
  "robots-too-large",
  "too-many-entries",
  "too-many-attributes",
  "too-deep-elements",
]);

/** Warnings of an index that lists sitemaps which cannot be requested. */
const DROPPED_CODES: ReadonlySet<WarningCode> = new Set([
  "no-address",
  "bad-address",
  "value-too-long",
]);

/** Statuses that mean that a site has no robots.txt. */
const CLIENT_ERROR_REGEXP = /: 4\d\d /;

/** Warnings that bear on the whole walk. */
const OBSTACLES: ReadonlySet<WarningCode> = new Set([
  "robots-unreadable",
  "probe-failed",
  "deadline",
]);
