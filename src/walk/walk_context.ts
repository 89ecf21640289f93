/**
 * What all parts of one walk share: how it fetches, what it counts, and how it ends.
 *
 * @module
 */

import { InvalidSitemapError } from "../data/errors.ts";
import { ReaderPool } from "../formats/document.ts";
import { type Clock, EventLoopTurns } from "../http/clock.ts";
import { Fetcher } from "../http/fetcher.ts";
import type { HostCheck } from "../http/hosts.ts";
import type { DocumentLimits } from "../data/limits.ts";
import { ChildBudget } from "./tally.ts";
import type { ReadingContext } from "./document_visit.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Probes } from "./known_paths.ts";
import { type RobotsGate, robotsGate } from "./robots_gate.ts";
import { Slots } from "./prefetch.ts";
import { Tally, type WalkCeiling } from "./tally.ts";
import { TreeAddresses } from "./addresses.ts";

/** What all parts of one walk share. */
export class WalkContext implements ReadingContext {
  /** How to walk. */
  readonly options: ResolvedOptions;
  /** Fetches for the walk. */
  readonly fetcher: Fetcher;
  /** Counts for the walk. */
  readonly tally: Tally = new Tally();
  /** Requests that may be under way. */
  readonly slots: Slots;
  /** What robots.txt forbids. */
  readonly robots: RobotsGate;
  /** Sitemap addresses that the tree holds. */
  readonly addresses: TreeAddresses = new TreeAddresses();
  /** What reading documents takes. */
  readonly readers: ReaderPool;
  /** Room for the addresses of sub-sitemaps. */
  readonly childBudget: ChildBudget;
  /** The known paths, while they are probed. */
  probes: Probes | undefined;
  readonly #homepage: URL;
  #isSameSite: HostCheck | undefined;
  readonly #stopTimer: () => void;
  readonly #clock: Clock;
  readonly #turns: EventLoopTurns;
  readonly #deadline: number;
  #ended = false;
  #lastId = -1;
  #asked = 0;

  /** Starts the deadline. `share` returns the number of requests that may be under way. */
  constructor(homepage: URL, options: ResolvedOptions, clock: Clock, share: () => number) {
    this.options = options;
    this.#homepage = homepage;
    this.#clock = clock;
    this.#turns = new EventLoopTurns(clock);
    this.#deadline = clock.elapsed() + options.deadline;
    this.childBudget = new ChildBudget(options.maxSitemaps);
    this.readers = new ReaderPool(options);
    this.slots = new Slots(share);
    this.fetcher = new Fetcher(homepage, {
      ...options,
      hosts: options.hosts === "same-site" ? (url) => this.#isSameSite!(url) : options.hosts,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      isRuntimeFetch: options.fetch === undefined,
    }, clock);
    this.robots = robotsGate({
      respectRobots: options.respectRobots,
      userAgent: new Headers(options.headers).get("user-agent") ?? options.userAgent,
      maxCrawlDelay: options.maxRetryDelay,
    });
    this.#stopTimer = options.deadline === Infinity
      ? () => {}
      : clock.meanwhile(options.deadline, () => this.#end("deadline"));
  }

  /** Loads what this walk needs and most do not. To be waited for before anything is fetched. */
  prepare(): Promise<void> | undefined {
    return this.options.hosts === "same-site" ? this.#loadSites() : undefined;
  }

  get limits(): DocumentLimits {
    return this.options;
  }

  get maxPages(): number {
    return this.options.maxPages;
  }

  /** Declared sitemaps that may still be asked for. */
  get sitemapsLeft(): number {
    return this.options.maxSitemaps - this.#asked;
  }

  /** A number for the next sitemap. */
  newId(): number {
    return ++this.#lastId;
  }

  /** Counts a declared sitemap: whether it may be visited. */
  admitSitemap(): boolean {
    // those that are refused unread count too: they are held in the tree as well
    if (++this.#asked <= this.options.maxSitemaps) return true;
    // those that are being read are read to their end
    this.tally.endedBy ??= "max-sitemaps";
    return false;
  }

  turn(): Promise<void> | undefined {
    return this.#turns.due();
  }

  isEnded(): boolean {
    // its timer does not fire while work in memory keeps the event loop busy
    if (this.#clock.elapsed() >= this.#deadline) this.#end("deadline");
    if (this.tally.pages >= this.options.maxPages) this.#end("max-pages");
    return this.#ended;
  }

  /** Whether no more sitemaps are to be visited, for whatever reason. */
  isStopped(): boolean {
    return this.isEnded() || this.tally.endedBy !== undefined ||
      this.fetcher.cancellation.cancelled;
  }

  /** Stops everything that is under way, at once. */
  stop(reason: unknown): void {
    this.#stopTimer();
    this.fetcher.stop(reason);
    this.slots.close();
  }

  async #loadSites(): Promise<void> {
    const { hostAllowed } = await import("../http/hosts.ts");
    this.#isSameSite = hostAllowed("same-site", this.#homepage);
  }

  /** A ceiling ends the walk at once: what is under way is stopped, what is open is left. */
  #end(by: WalkCeiling): void {
    if (this.#ended) return;
    this.#ended = true;
    this.tally.endedBy ??= by;
    this.stop(new InvalidSitemapError("network", `Stopped by ${by}`));
  }
}
