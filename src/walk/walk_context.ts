/**
 * State that all parts of one walk share: requests, counts, and how the walk ends.
 *
 * @module
 */

import { InvalidSitemapError } from "../data/errors.ts";
import type { FinishedEvent } from "../data/events.ts";
import { type Clock, SYSTEM_CLOCK, type Timer } from "../http/clock.ts";
import { Fetcher } from "../http/fetcher.ts";
import type { HostCheck } from "../http/hosts.ts";
import type { SharedPace } from "../http/pace.ts";
import { TreeAddresses } from "./addresses.ts";
import { type ReadingContext, readingContext } from "./document_visit.ts";
import type { KnownSitemaps } from "./known_sitemaps.ts";
import type { Homepage, ResolvedWalkOptions } from "./options.ts";
import { limitOf, type PageGate, type PageLimit } from "./page_selection.ts";
import { type Siblings, Slots } from "./prefetch.ts";
import { RobotsGate } from "./robots_gate.ts";
import { type GivenLimits, Tally, type WalkLimit } from "./verdict.ts";

export interface PreparedWalk {
  readonly homepage: Homepage;
  readonly options: ResolvedWalkOptions;
  readonly isHostAllowed: HostCheck;
  readonly given: GivenLimits;
}

export interface WalkSetting {
  readonly clock?: Clock;
  /**
   * Returns the number of concurrent requests, which may change while several walks share a limit.
   * Default: `concurrency`.
   */
  readonly share?: () => number;
  /** What earlier walks found. Default: none. */
  readonly knownSitemaps?: KnownSitemaps;
  /** Pace of hosts that several walks share. Default: none. */
  readonly pace?: SharedPace;
  /** Sitemaps that earlier walks have found, visited last, as if they were given. Default: none. */
  readonly remembered?: readonly string[];
  /** Whether a sitemap is read only until its kind is known. Default: false. */
  readonly onlyKinds?: boolean;
  /** Pages that are taken. Default: those of `includePage`, up to `maxPages`. */
  readonly pages?: PageGate | undefined;
  readonly source?: FinishedEvent["source"];
}

export class WalkContext {
  readonly options: ResolvedWalkOptions;
  readonly fetcher: Fetcher;
  readonly setting: WalkSetting;
  readonly clock: Clock;
  readonly tally: Tally;
  readonly limit: PageLimit | undefined;
  readonly pages: PageGate | undefined;
  readonly slots: Slots;
  readonly robots: RobotsGate;
  readonly addresses: TreeAddresses = new TreeAddresses();
  readonly knownSitemaps: KnownSitemaps | undefined;
  readonly reading: ReadingContext;
  readonly #started: number;
  /** Known paths, while they are probed. */
  probes: Siblings | undefined;
  readonly #timer: Timer | undefined;
  #isEnded = false;
  #lastId = -1;
  #admitted = 0;

  constructor(
    { homepage, options, isHostAllowed, given }: PreparedWalk,
    setting: WalkSetting = {},
  ) {
    const { clock = SYSTEM_CLOCK, share = () => options.concurrency } = setting;
    this.options = options;
    this.setting = setting;
    this.clock = clock;
    this.tally = new Tally(given);
    this.limit = limitOf(options);
    this.pages = setting.pages ?? this.limit;
    this.knownSitemaps = setting.knownSitemaps;
    this.#started = clock.elapsed();
    this.slots = new Slots(share);
    this.fetcher = new Fetcher(
      homepage.url,
      { ...options, isHostAllowed },
      clock,
      setting.pace,
    );
    this.robots = new RobotsGate(options);
    const own = { tally: this.tally, clock, isEnded: () => this.isEnded() };
    this.reading = readingContext(options, own, options.maxSitemaps);
    // its signal is aborted when the walk ends
    const { signal } = this.fetcher;
    this.pages?.full.addEventListener("abort", () => this.#end("max-pages"), { signal });
    if (options.deadline === Infinity) return;
    this.#timer = clock.startBackgroundTimer(options.deadline, () => this.#end("deadline"));
  }

  get sitemapsLeft(): number {
    return this.options.maxSitemaps - this.#admitted;
  }

  /** Returns the milliseconds since the walk was started. */
  elapsed(): number {
    return this.clock.elapsed() - this.#started;
  }

  newId(): number {
    return ++this.#lastId;
  }

  /** Counts a declared sitemap, refused or not; returns whether it may be visited. */
  admitSitemap(): boolean {
    if (++this.#admitted <= this.options.maxSitemaps) return true;
    // sitemaps that are being read are still read to their end
    this.tally.endedBy ??= "max-sitemaps";
    return false;
  }

  /** Whether a limit has ended the walk, so that nothing more is read. */
  isEnded(): boolean {
    // the timer does not fire while the event loop is busy
    const { deadline } = this.options;
    if (deadline < Infinity && this.elapsed() >= deadline) this.#end("deadline");
    if (this.pages?.full.aborted) this.#end("max-pages");
    return this.#isEnded;
  }

  /** Whether no more sitemaps are visited, for any reason. */
  isStopped(): boolean {
    return this.isEnded() || this.tally.endedBy !== undefined ||
      this.fetcher.signal.aborted;
  }

  stop(reason: unknown): void {
    this.#timer?.clear();
    this.fetcher.stop(reason);
    this.slots.close();
  }

  /** Ends the walk by a limit: open sitemaps are incomplete. */
  #end(limit: WalkLimit): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.tally.endedBy ??= limit;
    this.stop(new InvalidSitemapError("network", `Stopped by ${limit}`));
  }
}
