/**
 * One operand being read: its figures and its outcome.
 *
 * @module
 */

import type { TreeEvent } from "../events.ts";
import { EXIT_CODES, type Failure } from "./failure.ts";
import { RequestWatch } from "./request_watch.ts";
import { type PageFilter, Selection } from "./selection.ts";
import { type UserLimits, WalkTally } from "./walk_tally.ts";

/** How a run ended. */
export type Ending = "complete" | "partial" | "none" | "blocked" | "interrupted";

/** Sitemaps that options left out. */
export interface LeftOut {
  /** By `--include`; those that turned out to be an index are not among them. */
  readonly include: Set<string>;
  /** By `--exclude`. */
  exclude: number;
  /** By `--since`, since their index declares them as older. */
  since: number;
}

/** One operand being read. */
export class Reading {
  /** A URL or a path. */
  name: string;
  /** Figures of the events. */
  tally: WalkTally;
  /** The pages that are kept. */
  readonly selection: Selection;
  /** Requests of the walk. */
  watch: RequestWatch;
  /** Sitemaps that options left out. */
  readonly leftOut: LeftOut = { include: new Set(), exclude: 0, since: 0 };
  /** Hosts that Deno has no permission for. */
  readonly refusedHosts: Set<string> = new Set();
  /** How it ended, once it has. */
  ending: Ending | undefined;
  /** What ended it, if it failed. */
  failure: Failure | undefined;
  /** Whether reading is stopped after `--max-pages`; a walk may end by itself. */
  stopsWhenFull = true;
  /** Advice for a site without sitemaps. */
  noneAdvice = "";
  /** Requests under way when a deadline ended the walk. */
  pendingAtEnd: readonly string[] = [];
  /** When it began. */
  readonly started: number = performance.now();
  readonly #retries: number;

  /** Reads nothing yet. */
  constructor(name: string, filter: PageFilter, limits: UserLimits, retries: number) {
    this.name = name;
    this.tally = new WalkTally(limits);
    this.selection = new Selection(filter);
    this.watch = new RequestWatch(retries);
    this.#retries = retries;
  }

  /** Begins again under another name: what was read so far is not written. */
  reset(name: string): void {
    this.name = name;
    this.tally = new WalkTally(this.tally.limits);
    this.watch = new RequestWatch(this.#retries);
  }

  /** Takes an event. */
  see(event: TreeEvent): void {
    this.tally.see(event);
    if (event.type === "sitemap-entered" && this.leftOut.include.size > 0) {
      const { url, requestedUrl = url } = event.sitemap;
      this.leftOut.include.delete(requestedUrl);
    } else if (event.type === "warning" && event.code === "deadline") {
      this.pendingAtEnd = this.watch.pending(this.name);
    }
  }

  /** Milliseconds since it began. */
  get elapsed(): number {
    return performance.now() - this.started;
  }

  /** Exit code for it alone. */
  get exitCode(): number {
    if (this.failure !== undefined) return this.failure.exitCode;
    const { ending = "partial" } = this;
    const isByUser = ending === "partial" ? this.tally.isLimitedByUser : this.leftOutAll;
    return isByUser ? EXIT_CODES.complete : EXIT_CODES[ending];
  }

  /** Whether options left out all sitemaps that there are. */
  get leftOutAll(): boolean {
    const { include, exclude, since } = this.leftOut;
    const isNone = this.ending === "none" || this.ending === "complete" && this.tally.pages === 0;
    return isNone && include.size + exclude + since > 0;
  }
}
