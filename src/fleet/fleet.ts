/**
 * `openFleet()`: the walks of many sites, with their results, in a database.
 *
 * @module
 */

import {
  applyRules,
  callback,
  checkNames,
  number,
  type OptionRule,
  wholeNumber,
} from "../data/option_rules.ts";
import { workerName } from "../platform/environment.ts";
import { resolveOptions, type WalkOptions } from "../walk/options.ts";
import type { Database } from "./database.ts";
import { enqueue } from "./enqueue.ts";
import { openPostgres } from "./postgres.ts";
import { type FleetProgress, progress, type ProgressOptions } from "./progress.ts";
import { JobQueue } from "./queue.ts";
import {
  type ActiveHost,
  activeHosts,
  type DeadSite,
  deadSites,
  type FleetPage,
  fleetPages,
  type FleetRun,
  type FleetSite,
  fleetSites,
  listRuns,
} from "./reports.ts";
import { dropRun, redrive, setPaused } from "./runs.ts";
import { migrate } from "./schema.ts";
import type { SiteEntry } from "./site_entry.ts";
import { Worker } from "./worker.ts";

/** Options of {@linkcode openFleet}. */
export interface FleetOptions {
  /** Maximum number of sites that this worker walks at a time. Default: 10. */
  readonly slots?: number;
  /** Maximum number of workers on one host, across the fleet. Default: 1. */
  readonly perHost?: number;
  /**
   * Seconds after which the sites of a worker that has stopped are given to others, at least 10.
   * Default: 30.
   */
  readonly leaseSeconds?: number;
  /** Children of an index above which each becomes a unit of work of its own. Default: 200. */
  readonly splitAbove?: number;
  /** Seconds before a site that failed is walked again; four times as many after each. Default: 10. */
  readonly retrySeconds?: number;
  /**
   * Options of all walks; those of a site come first. Default: `retries` is 1, as sites that fail are
   * walked again.
   */
  readonly walk?: Omit<WalkOptions, "signal">;
  /** Called with what went wrong and will be repeated, for logs. Default: none. */
  readonly onWarning?: (message: string) => void;
}

/** Options of {@linkcode Fleet.work}. */
export interface WorkOptions {
  /** Signal that ends the work; sites in progress are handed back. Default: none. */
  readonly signal?: AbortSignal;
  /** Whether to end when every site of every run that is not paused has a verdict. Default: false. */
  readonly drain?: boolean;
}

/** The walks of many sites, with their results. */
export interface Fleet extends AsyncDisposable {
  /**
   * Adds sites to a run, which is created unless it exists; all of them or none. Sites that it has
   * already are ignored, and homepages that differ only in scheme or path are one site. Returns the
   * number of sites added.
   *
   * @throws {FleetError} `invalid-input` if an entry is not an http(s) URL or has invalid options
   */
  enqueue(
    run: string,
    sites: Iterable<string | SiteEntry> | AsyncIterable<string | SiteEntry>,
  ): Promise<number>;
  /** Walks sites until it is aborted, or until all of them are done with `drain`. */
  work(options?: WorkOptions): Promise<void>;
  /** Yields the progress of a run repeatedly, until every site has a verdict. */
  progress(run: string, options?: ProgressOptions): AsyncGenerator<FleetProgress, void, void>;
  /** Yields the pages of all sites of a run that have a verdict, sitemap by sitemap. */
  pages(run: string): AsyncGenerator<FleetPage, void, void>;
  /** Yields the sites of a run in the order in which they were added. */
  sites(run: string): AsyncGenerator<FleetSite, void, void>;
  /** Yields the sites that were given up. */
  dead(run: string): AsyncGenerator<DeadSite, void, void>;
  /** Returns the hosts that are being walked for a run, the longest first. */
  active(run: string, limit?: number): Promise<ActiveHost[]>;
  /** Returns the runs, the oldest first. */
  runs(): Promise<FleetRun[]>;
  /** Stops giving the sites of a run to workers; those in progress are finished. */
  pause(run: string): Promise<void>;
  /** Continues a run that was paused. */
  resume(run: string): Promise<void>;
  /** Walks the sites again that were given up. Returns their number. */
  redrive(run: string): Promise<number>;
  /** Removes a run with its pages. */
  drop(run: string): Promise<void>;
  /** Closes the database. Work must have ended. */
  close(): Promise<void>;
}

const RULES: { readonly [K in keyof FleetOptions]-?: OptionRule<FleetOptions[K]> } = {
  slots: wholeNumber(1, 10),
  perHost: wholeNumber(1, 1),
  leaseSeconds: number(1, 30),
  splitAbove: wholeNumber(1, 200),
  retrySeconds: number(0, 10),
  walk: { default: {}, expected: "an object", accepts: (value) => typeof value === "object" },
  onWarning: { ...callback(), default: () => {} },
};

const WORK_OPTIONS: Readonly<Record<keyof WorkOptions, true>> = { signal: true, drain: true };

type ResolvedFleetOptions = Required<FleetOptions>;

/**
 * Opens a fleet, and creates or updates its tables.
 *
 * @param url connection string of a PostgreSQL server, such as `postgres://user@host/name`
 * @param options how to work
 * @throws {FleetError} if the database cannot be used
 * @throws {TypeError} if an option is unknown or invalid
 * @throws {RangeError} if an option is out of range
 *
 * @example
 * ```ts ignore
 * import { openFleet } from "@sitetree/sitetree/fleet";
 *
 * await using fleet = await openFleet("postgres://user@db.example/fleet", { slots: 50 });
 * await fleet.enqueue("november", ["https://example.com/"]);
 * await fleet.work({ drain: true });
 * for await (const { site, url } of fleet.pages("november")) console.log(site, url);
 * ```
 */
export async function openFleet(
  url: string,
  options: FleetOptions = {},
): Promise<Fleet> {
  const resolved = resolveFleetOptions(options);
  const { slots, leaseSeconds } = resolved;
  const connections = Math.min(slots, MAX_CONNECTIONS) + SPARE_CONNECTIONS;
  return await openFleetOn(await openPostgres(url, { connections, leaseSeconds }), resolved);
}

/** Opens a fleet on a database, which it closes. */
export async function openFleetOn(
  database: Database,
  options: FleetOptions,
): Promise<Fleet> {
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return new DatabaseFleet(database, resolveFleetOptions(options));
}

/** Least seconds between heartbeats that pg-boss accepts. */
const MIN_HEARTBEAT = 10;
/** Connections of a worker with many slots. */
const MAX_CONNECTIONS = 10;
/** Connections for the queue and for leases, which must not wait for pages. */
const SPARE_CONNECTIONS = 3;

function resolveFleetOptions(options: FleetOptions): ResolvedFleetOptions {
  const resolved = applyRules(RULES, options) as unknown as ResolvedFleetOptions;
  resolveOptions(resolved.walk);
  return resolved;
}

class DatabaseFleet implements Fleet {
  readonly #database: Database;
  readonly #options: ResolvedFleetOptions;
  #opening: Promise<JobQueue> | undefined;

  constructor(database: Database, options: ResolvedFleetOptions) {
    this.#database = database;
    this.#options = options;
  }

  async enqueue(
    run: string,
    sites: Iterable<string | SiteEntry> | AsyncIterable<string | SiteEntry>,
  ): Promise<number> {
    return await enqueue(this.#database, await this.#queue(), run, sites);
  }

  async work(options: WorkOptions = {}): Promise<void> {
    checkNames(WORK_OPTIONS, options);
    const { signal = new AbortController().signal, drain = false } = options;
    const queue = await this.#queue();
    const name = `${workerName()}-${crypto.randomUUID().slice(0, 4)}`;
    const setting = { ...this.#options, database: this.#database, queue, name, signal, drain };
    await new Worker(setting).work();
  }

  progress(run: string, options?: ProgressOptions): AsyncGenerator<FleetProgress, void, void> {
    return progress(this.#database, run, options);
  }

  pages(run: string): AsyncGenerator<FleetPage, void, void> {
    return fleetPages(this.#database, run);
  }

  sites(run: string): AsyncGenerator<FleetSite, void, void> {
    return fleetSites(this.#database, run);
  }

  dead(run: string): AsyncGenerator<DeadSite, void, void> {
    return deadSites(this.#database, run);
  }

  active(run: string, limit = 10): Promise<ActiveHost[]> {
    return activeHosts(this.#database, run, limit);
  }

  runs(): Promise<FleetRun[]> {
    return listRuns(this.#database);
  }

  async pause(run: string): Promise<void> {
    await setPaused(this.#database, run, true);
  }

  async resume(run: string): Promise<void> {
    await setPaused(this.#database, run, false);
  }

  async redrive(run: string): Promise<number> {
    return await redrive(this.#database, await this.#queue(), run, this.#options.perHost);
  }

  async drop(run: string): Promise<void> {
    await dropRun(this.#database, await this.#queue(), run);
  }

  async close(): Promise<void> {
    const queue = await this.#opening?.catch(() => undefined);
    await queue?.close();
    await this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Opens the queue when it is needed first: those who only read do without. */
  async #queue(): Promise<JobQueue> {
    this.#opening ??= this.#openQueue();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #openQueue(): Promise<JobQueue> {
    const { leaseSeconds, onWarning } = this.#options;
    const heartbeatSeconds = Math.max(MIN_HEARTBEAT, Math.ceil(leaseSeconds));
    return await JobQueue.open(this.#database, { heartbeatSeconds, onWarning });
  }
}
