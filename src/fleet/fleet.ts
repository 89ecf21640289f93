import {
  applyRules,
  CALLBACK,
  checkNames,
  flag,
  number,
  option,
  type OptionRules,
  SIGNAL,
  STRING,
  wholeNumber,
} from "../data/option_rules.ts";
import { MINUTE } from "../data/calendar.ts";
import { checkList, checkRecord } from "../data/checks.ts";
import type { Verdict } from "../data/events.ts";
import { workerName } from "../platform/environment.ts";
import type { PostgresOptions } from "../sync/postgres.ts";
import { PostgresStore } from "../sync/postgres_store.ts";
import { KEEP_QUIET_RUNS, Snapshot } from "../sync/snapshot.ts";
import { resolveSyncOptions, type SyncOptions } from "../sync/options.ts";
import { progress, type ProgressOptions } from "./progress.ts";
import type { FleetProgress } from "./rates.ts";
import {
  type ActiveHost,
  activeHosts,
  failureCounts,
  type FleetRun,
  type FleetSite,
  fleetSites,
  listRuns,
} from "./reports.ts";
import { drop, enqueue, keyOf, retry, type RetryOptions, setPaused } from "./rounds.ts";
import { createTables } from "./schema.ts";
import { resolveWalkOptions } from "../walk/options.ts";
import type { SiteEntry } from "./site_entry.ts";
import type { WorkEvent } from "./work_event.ts";
import { Worker } from "./worker.ts";

/** How the workers of a fleet walk, and how {@linkcode openFleet} connects. */
export interface FleetOptions extends PostgresOptions {
  /** Maximum number of workers on one host, across the fleet. Default: 1. */
  readonly perHost?: number;
  /** Seconds after which the sites of a worker that has stopped are given to others. Default: 30. */
  readonly leaseSeconds?: number;
  /**
   * Milliseconds before a site is walked again that failed for a reason that may pass; after the last of
   * them, its verdict is final. Default: one, five and 25 minutes.
   */
  readonly retryDelays?: readonly number[];
  /** Milliseconds in which runs without changes are kept, as for {@linkcode openSnapshot}. */
  readonly keepQuietRuns?: number;
  /** Options of all walks; those of a site come first. */
  readonly walk?: Omit<SyncOptions, "signal" | "snapshot" | "dryRun">;
  /** Called with what happens during work, for logs and metrics. Default: none. */
  readonly onEvent?: (event: WorkEvent) => void;
}

/** How much {@linkcode Fleet.work} does at a time, and when it ends. */
export interface WorkOptions {
  /** Maximum number of sites that this worker walks at a time. Default: 50. */
  readonly slots?: number;
  /** Signal that ends the work; sites in progress are handed back. Default: none. */
  readonly signal?: AbortSignal;
  /** Whether to end when every site of every run that is not paused has a verdict. Default: false. */
  readonly drain?: boolean;
  /** Name of the only run whose sites are walked. Default: all runs. */
  readonly run?: string;
}

const RULES = {
  connections: wholeNumber(2, 10),
  pooled: flag(false),
  perHost: wholeNumber(1, 1),
  leaseSeconds: number(1, 30),
  retryDelays: option(
    checkList(number(0).check, "a list of milliseconds"),
    [MINUTE, 5 * MINUTE, 25 * MINUTE],
  ),
  walk: option(checkRecord({}), {}),
  keepQuietRuns: KEEP_QUIET_RUNS,
  onEvent: { ...CALLBACK, default: () => {} },
} satisfies OptionRules<FleetOptions>;

const WORK_RULES = {
  slots: wholeNumber(1, 50),
  signal: SIGNAL,
  drain: flag(false),
  run: STRING,
} satisfies OptionRules<WorkOptions>;

/** Many workers that keep one snapshot up to date. */
export class Fleet implements AsyncDisposable {
  /** What is known of all sites. It is closed with the fleet. */
  readonly snapshot: Snapshot;
  readonly #store: PostgresStore;
  readonly #options: Required<FleetOptions>;

  /** Use {@linkcode openFleet}. */
  constructor(store: PostgresStore, snapshot: Snapshot, options: Required<FleetOptions>) {
    this.#store = store;
    this.snapshot = snapshot;
    this.#options = options;
  }

  /**
   * Adds sites to a run, which is created unless it exists; all of them or none. If all sites of the run
   * have a verdict, a new round begins, with these sites and what is known of them. Otherwise sites that
   * it has already are ignored. Homepages that differ only in scheme or path are one site. Returns the
   * number of sites added.
   *
   * @param run name of the run
   * @param sites homepages, perhaps with options of their walks
   * @param options whether rounds begin by themselves
   * @throws {FleetError} `invalid-input` if an entry is not an http(s) URL or has invalid options
   */
  async enqueue(
    run: string,
    sites: Iterable<string | SiteEntry> | AsyncIterable<string | SiteEntry>,
    options: {
      /** Milliseconds after which the next round begins by itself. Default: never. */
      readonly every?: number;
    } = {},
  ): Promise<number> {
    checkNames({ every: true }, options);
    return await enqueue(this.#store.server, run, sites, options);
  }

  /**
   * Walks sites until it is aborted, or until all of them are done with `drain`.
   *
   * @param options how many at a time, of which run, and when to end
   * @throws {FleetError} `unknown-run` if the run does not exist
   * @throws {PostgresError} `newer-schema` if the tables were brought up to a newer version; its sites
   * are handed back before
   */
  async work(options: WorkOptions = {}): Promise<void> {
    const resolved = applyRules(WORK_RULES, options);
    const { slots, drain, signal = new AbortController().signal, run } = resolved;
    if (run !== undefined) await keyOf(this.#store.server, run);
    const { snapshot } = this;
    const worker = `${workerName()}-${crypto.randomUUID().slice(0, 4)}`;
    const setting = { ...this.#options, store: this.#store, snapshot, worker };
    await new Worker({ ...setting, slots, signal, drain, run }).work();
  }

  /**
   * Yields the progress of a run repeatedly, until every site has a verdict.
   *
   * @param run name of the run
   * @param options how often
   */
  progress(run: string, options?: ProgressOptions): AsyncGenerator<FleetProgress, void, void> {
    return progress(this.#store.server, run, options);
  }

  /**
   * Yields the sites of a run, in the order in which they were added.
   *
   * @param run name of the run
   * @param options only those with a verdict or a code
   */
  sites(
    run: string,
    options: {
      /** Verdict of the sites. Default: any, or none yet. */
      readonly verdict?: Verdict | "failed";
      /** Why the sites are not complete in this round, as a code. Default: any, or none. */
      readonly code?: string;
    } = {},
  ): AsyncGenerator<FleetSite, void, void> {
    checkNames({ verdict: true, code: true }, options);
    return fleetSites(this.#store.server, run, options);
  }

  /**
   * Returns why sites are not complete in this round, the most frequent code first.
   *
   * @param run name of the run
   * @param limit how many codes at most
   */
  failures(
    run: string,
    limit = 20,
  ): Promise<{
    /** Code of the sites. */
    readonly code: string;
    /** Number of the sites. */
    readonly sites: number;
  }[]> {
    return failureCounts(this.#store.server, run, limit);
  }

  /**
   * Returns the hosts that are being walked for a run, the longest first.
   *
   * @param run name of the run
   * @param limit how many at most
   */
  active(run: string, limit = 20): Promise<ActiveHost[]> {
    return activeHosts(this.#store.server, run, limit);
  }

  /** Returns the runs, the oldest first. */
  runs(): Promise<FleetRun[]> {
    return listRuns(this.#store.server);
  }

  /**
   * Stops giving the sites of a run to workers; those in progress are finished.
   *
   * @param run name of the run
   */
  async pause(run: string): Promise<void> {
    await setPaused(this.#store.server, run, true);
  }

  /**
   * Continues a run that was paused.
   *
   * @param run name of the run
   */
  async resume(run: string): Promise<void> {
    await setPaused(this.#store.server, run, false);
  }

  /**
   * Walks sites of this round again. Returns their number.
   *
   * @param run name of the run
   * @param options which sites. Default: those that failed
   */
  async retry(run: string, options: RetryOptions = {}): Promise<number> {
    checkNames({ verdict: true, site: true }, options);
    return await retry(this.#store.server, run, options);
  }

  /**
   * Removes a run. What is known of its sites stays in the snapshot.
   *
   * @param run name of the run
   */
  async drop(run: string): Promise<void> {
    await drop(this.#store.server, run);
  }

  /** Closes the database. Work must have ended. */
  async close(): Promise<void> {
    await this.snapshot.close();
  }

  /** Same as `close()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Opens a fleet, and creates its tables unless they exist.
 *
 * @param url connection string of a PostgreSQL server, such as `postgres://user@host/name`
 * @param options how to work
 * @throws {PostgresError} if the database cannot be used
 * @throws {TypeError} if an option is unknown or invalid
 * @throws {RangeError} if an option is out of range
 *
 * @example
 * ```ts ignore
 * import { openFleet } from "@sitetree/sitetree/fleet";
 *
 * await using fleet = await openFleet("postgres://user@db.example/fleet");
 * await fleet.enqueue("nightly", ["https://example.com/"]);
 * await fleet.work({ slots: 50, drain: true });
 * for await (const { homepage } of fleet.sites("nightly")) {
 *   for await (const { page } of fleet.snapshot.pages(homepage)) console.log(homepage, page.url);
 * }
 * ```
 */
export async function openFleet(url: string, options: FleetOptions = {}): Promise<Fleet> {
  const resolved = applyRules(RULES, options);
  const { connections, pooled, walk, keepQuietRuns } = resolved;
  resolveWalkOptions(resolveSyncOptions(walk).walkOptions);
  const store = await PostgresStore.open(url, { connections, pooled });
  try {
    await createTables(store.server);
    return new Fleet(store, new Snapshot(store, Date.now, keepQuietRuns), resolved);
  } catch (error) {
    await store.close();
    throw error;
  }
}
