import type { WarningCode } from "../../data/codes.ts";
import {
  type FinishedEvent,
  type InvalidEvent,
  isCounted,
  type SitemapLeftEvent,
  type SitemapRef,
  type Verdict,
  type WarningEvent,
} from "../../data/events.ts";
import type { Mutable } from "../../data/page.ts";
import type { SyncFinishedEvent } from "../../sync/events.ts";
import type { WalkOptions } from "../../walk/options.ts";
import type { SourceEvent } from "./event_writer.ts";

type UserLimits = Pick<WalkOptions, "maxDepth" | "maxPages" | "maxSitemaps">;

export interface ChangeTally extends
  Pick<
    SyncFinishedEvent["stats"],
    "added" | "changed" | "removed" | "unconfirmed" | "bytesSaved"
  > {
  readonly unchangedSitemaps: number;
}

/** Counts the events of a walk, for the progress line, the summary and the exit code. */
export class WalkTally {
  /** Sitemaps that were entered, without robots.txt and the website itself. */
  sitemaps = 0;
  sitemapsRead = 0;
  /** Sitemaps declared so far; known paths count once they are found. */
  known = 0;
  /** Pages read, including those that a filter drops. */
  pages = 0;
  kept = 0;
  invalid = 0;
  /** Warnings, except about limits that the user set. */
  warnings = 0;
  /** Most pages of a sitemap. */
  largest = 0;
  /** Decompressed bytes of the sitemaps that were left. */
  bytes = 0;
  /** URL of the sitemap of the last event. */
  current = "";
  verdict: Verdict | undefined;
  endedBy: FinishedEvent["endedBy"];
  /** Login page that every path redirects to. */
  loginPage: string | undefined;
  firstInvalid: InvalidEvent | undefined;
  /** First warning that concerns the whole walk. */
  firstObstacle: WarningEvent | undefined;
  /** Last warning of the first truncated sitemap. */
  firstTruncation: WarningEvent | undefined;
  /** Sitemaps that a document lists, read without network. */
  unfetched = 0;
  tooDeep = 0;
  /** Whether nothing but limits that the user set kept walks from being complete; not a deadline. */
  isLimitedByUser = false;
  readonly changes: Mutable<ChangeTally> = {
    added: 0,
    changed: 0,
    removed: 0,
    unconfirmed: 0,
    bytesSaved: 0,
    unchangedSitemaps: 0,
  };
  readonly limits: UserLimits;
  readonly #open = new Map<number, { readonly sitemap: SitemapRef; pages: number }>();
  #lastWarning: WarningEvent | undefined;
  #warningsOfUser = 0;
  #pagesLeft = 0;
  #sitemapsOfWalks = 0;
  #hasLost = false;

  constructor(limits: UserLimits) {
    this.limits = limits;
  }

  /** The website itself is open as well. */
  get isReading(): boolean {
    return this.#open.size > 1;
  }

  get isEndedByUser(): boolean {
    return this.endedBy !== undefined && this.#isByUser(this.endedBy);
  }

  /** Returns the events that leave the open sitemaps when reading stops early, innermost first. */
  unfinished(): SitemapLeftEvent[] {
    const open = [...this.#open.values()].reverse();
    const rest = { bytes: 0, complete: false, warnings: {} };
    return open.map((counted) => ({ type: "sitemap-left", ...counted, ...rest }));
  }

  add(event: SourceEvent): void {
    switch (event.type) {
      case "page": {
        this.pages++;
        this.kept++;
        const open = this.#open.get(event.sitemap.id);
        if (open !== undefined) open.pages++;
        return;
      }
      case "sitemap-entered":
        this.current = event.sitemap.url;
        this.#open.set(event.sitemap.id, { sitemap: event.sitemap, pages: 0 });
        if (!isCounted(event.sitemap)) return;
        this.sitemaps++;
        // not in a list: known paths and given sitemaps
        if (event.sitemap.level === 0 && event.sitemap.foundBy !== "homepage") this.known++;
        return;
      case "sitemap-left":
        this.#open.delete(event.sitemap.id);
        this.bytes += event.bytes;
        this.largest = Math.max(this.largest, event.pages);
        if (isCounted(event.sitemap)) this.sitemapsRead++;
        // a synchronisation has no events for pages
        this.#pagesLeft += event.pages;
        this.pages = Math.max(this.pages, this.#pagesLeft);
        if (event.complete || this.#lastWarning?.sitemap.id !== event.sitemap.id) return;
        this.firstTruncation ??= this.#lastWarning;
        return;
      case "invalid":
        this.current = event.sitemap.url;
        return this.#addInvalid(event);
      case "warning":
        return this.#addWarning(event);
      case "note":
        return;
      case "finished":
        return this.#finish(event);
      case "sitemap-unchanged":
        if (isCounted(event.sitemap)) this.changes.unchangedSitemaps++;
        return;
      default:
        this.changes[event.type]++;
    }
  }

  #isByUser(code: WarningCode): boolean {
    return code === "max-pages" || code === "max-sitemaps" && this.limits.maxSitemaps !== undefined;
  }

  #addInvalid(event: InvalidEvent): void {
    if (event.code === "unfetched") {
      this.unfetched++;
      return;
    }
    this.invalid++;
    if (event.code === "too-deep") {
      this.tooDeep++;
      if (this.limits.maxDepth !== undefined) return;
    }
    this.firstInvalid ??= event;
  }

  #addWarning(event: WarningEvent): void {
    if (this.#isByUser(event.code)) {
      this.#warningsOfUser++;
      return;
    }
    this.warnings++;
    this.#lastWarning = event;
    if (OBSTACLE_CODES.has(event.code)) this.firstObstacle ??= event;
  }

  #finish(
    { verdict, stats, limited, endedBy, blockedBy }: FinishedEvent & {
      readonly stats: Partial<SyncFinishedEvent["stats"]>;
    },
  ): void {
    // saved events may be those of several walks
    this.verdict = WORST_FIRST.find((one) => one === this.verdict || one === verdict);
    this.endedBy ??= endedBy;
    if (blockedBy?.code === "login") this.loginPage ??= blockedBy.url;
    this.sitemaps = this.#sitemapsOfWalks += stats.sitemaps;
    this.warnings = stats.warnings - this.#warningsOfUser;
    const isLimited = limited === true && endedBy !== "deadline";
    if (verdict !== "complete" && !isLimited) this.#hasLost = true;
    this.isLimitedByUser = !this.#hasLost;
    const { added, changed, removed, unconfirmed, bytesSaved } = stats;
    if (added === undefined) return;
    Object.assign(this.changes, { added, changed, removed, unconfirmed, bytesSaved });
  }
}

const WORST_FIRST: readonly Verdict[] = ["blocked", "partial", "none", "complete"];

/** Warnings about the whole walk. */
const OBSTACLE_CODES: ReadonlySet<WarningCode> = new Set([
  "robots-unreadable",
  "probe-failed",
  "mass-removal",
  "max-sitemaps",
]);
