/**
 * One operand being read: its figures and its outcome.
 *
 * @module
 */

import type { WalkOptions } from "../../../mod.ts";
import type { WarningCode } from "../../data/codes.ts";
import type { Mutable } from "../../data/page.ts";
import {
  type FinishedEvent,
  type InvalidEvent,
  isCounted,
  type SitemapLeftEvent,
  type SitemapRef,
  type Verdict,
  type WarningEvent,
} from "../../data/events.ts";
import type { SyncFinishedEvent } from "../../sync/events.ts";
import type { RecordedRun } from "../../sync/history.ts";
import type { PageGate } from "../../walk/page_selection.ts";
import type { SourceEvent } from "./event_writer.ts";
import { EXIT_CODES, type Failure } from "./failure.ts";
import type { Log } from "./log.ts";
import { RequestWatch } from "./request_watch.ts";
import type { PageFilter } from "./selection.ts";

export type Ending = Verdict | "interrupted";

export type UserLimits = Pick<WalkOptions, "maxDepth" | "maxPages" | "maxSitemaps">;

interface ReadContext {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Prints a line on standard error. */
  readonly note: (line: string) => void;
  /** Returns how many requests this operand may have under way. */
  readonly share: () => number;
  readonly limits: UserLimits;
  readonly retries: number;
  /** Time since the command started. */
  readonly elapsed: number;
}

export interface Source {
  /** A URL or a path. */
  readonly name: string;
  /** Site whose origin `--strip-url` omits; final once there are events. */
  readonly site: URL | undefined;
  /** The same with user info, if it was given. */
  readonly home?: URL | undefined;
  /** Returns a path with forward slashes: from the folder read, or as the operand has it. */
  readonly fileOf?: (url: string) => string | undefined;
  read(reading: Reading): AsyncIterable<readonly SourceEvent[]>;
  /** Returns the runs of a snapshot, the oldest first. */
  runs?(): AsyncIterable<RecordedRun>;
}

export class Reading {
  readonly context: ReadContext;
  name!: string;
  tally!: WalkTally;
  watch!: RequestWatch;
  /**
   * Sitemaps that `--include`, except an index, and `--exclude` left out, and those that `--since`
   * did because their index declares them as older.
   */
  leftOut!: { readonly include: Set<string>; exclude: number; since: number };
  readonly refusedHosts: Set<string> = new Set();
  ending: Ending | undefined;
  failure: Failure | undefined;
  noneAdvice = "";
  /** The same if all responses were 404. */
  missingAdvice = "";
  /** Advice about sitemaps that an option refuses. */
  blockedAdvice: string | undefined;
  readonly advice: string[] = [];
  /** Requests under way when a deadline ended the walk. */
  pendingAtEnd: readonly string[] = [];
  readonly #filter: PageFilter;
  readonly #started = performance.now();

  /** Several operands may share a filter. */
  constructor(name: string, filter: PageFilter, context: ReadContext) {
    this.#filter = filter;
    this.context = context;
    this.reset(name);
  }

  reset(name: string): void {
    this.name = name;
    this.tally = new WalkTally(this.context.limits);
    this.leftOut = { include: new Set(), exclude: 0, since: 0 };
    this.watch = new RequestWatch(this.context.retries);
  }

  /** Pages that are taken, of which `tally` counts the others; `undefined` if all are. */
  get pages(): PageGate | undefined {
    const filter = this.#filter;
    if (filter.isOpen) return undefined;
    return {
      full: filter.full,
      takes: (page) => {
        const isTaken = filter.takes(page);
        if (!isTaken && !filter.full.aborted) this.tally.pages++;
        return isTaken;
      },
    };
  }

  add(event: SourceEvent): void {
    this.tally.add(event);
    if (event.type === "sitemap-entered" && this.leftOut.include.size > 0) {
      const { url, requestedUrl = url } = event.sitemap;
      this.leftOut.include.delete(requestedUrl);
    } else if (event.type === "finished" && event.endedBy === "deadline") {
      this.pendingAtEnd = this.watch.pending(this.name);
    }
  }

  get elapsed(): number {
    return performance.now() - this.#started;
  }

  get isProbing(): boolean {
    return this.watch.isProbing && !this.tally.isReading;
  }

  get exitCode(): number {
    if (this.failure !== undefined) return this.failure.exitCode;
    const { ending = "partial" } = this;
    const isByUser = ending === "partial" ? this.tally.isLimitedByUser : this.leftOutAll;
    return isByUser ? EXIT_CODES.complete : EXIT_CODES[ending];
  }

  get leftOutAll(): boolean {
    const { include, exclude, since } = this.leftOut;
    const isNone = this.ending === "none" || this.ending === "complete" && this.tally.pages === 0;
    return isNone && include.size + exclude + since > 0;
  }
}

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
