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
import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { Verdict } from "../data/events.ts";
import { workerName } from "../platform/environment.ts";
import type { Postgres, PostgresOptions } from "../sync/postgres.ts";
import { PostgresStore } from "../sync/postgres_store.ts";
import { KEEP_QUIET_RUNS, Snapshot } from "../sync/snapshot.ts";
import { resolveSyncOptions, type SyncOptions } from "../sync/options.ts";
import { unknownRun } from "./errors.ts";
import { type FleetProgress, progress, type ProgressOptions } from "./progress.ts";
import type { ActiveHost, FleetRun, FleetSite } from "./reports.ts";
import { enqueue, keyOf } from "./rounds.ts";
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

/** Which sites to walk again. */
export interface RetryOptions {
  /** Verdict of the sites. Default: `failed`. */
  readonly verdict?: Verdict | "failed";
  /** Homepage of one site, whatever its verdict unless `verdict` is given. Default: all sites. */
  readonly site?: string | URL;
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

/** Sites of the run `$1` with a code and a verdict of its round, in the order of an index. */
const IS_FAILURE = `f.run = $1 and f.verdict <> 'complete' and f.code is not null
  and f.round = (select round from sitetree.fleet_run where key = $1)`;

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

  get #server(): Postgres {
    return this.#store.server;
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
    return await enqueue(this.#server, run, sites, options);
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
    if (run !== undefined) await keyOf(this.#server, run);
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
    return progress(this.#server, run, options);
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
    return this.#sites(run, options);
  }

  async *#sites(
    run: string,
    { verdict, code }: { readonly verdict?: Verdict | "failed"; readonly code?: string },
  ): AsyncGenerator<FleetSite, void, void> {
    const key = await keyOf(this.#server, run);
    // apart, so that the statement for all sites is not planned for few
    const ofCode = code === undefined ? "" : `and f.code = $4 and ${IS_FAILURE}`;
    for (let last = 0;;) {
      const { rows } = await this.#server.query(
        `select f.site, s.homepage, s.pages, f.tries, f.code, f.reason, f.finished,
           case when f.round = r.round then f.verdict end as verdict
         from sitetree.fleet_site f join sitetree.fleet_run r on r.key = f.run
         join sitetree.stored_site s on s.id = f.site
         where f.run = $1 and f.site > $2
           and ($3::text is null or f.round = r.round and f.verdict = $3) ${ofCode}
         order by f.site limit ${MAX_BATCH_ITEMS}`,
        [key, last, verdict ?? null, ...(code === undefined ? [] : [code])],
      );
      if (rows.length === 0) return;
      last = rows.at(-1)!.site;
      for (const { homepage, pages, tries, ...row } of rows) {
        yield {
          homepage,
          pages,
          tries,
          verdict: row.verdict ?? undefined,
          code: row.code ?? undefined,
          reason: row.reason ?? undefined,
          finished: row.verdict === null ? undefined : row.finished,
        };
      }
    }
  }

  /**
   * Returns why sites are not complete in this round, the most frequent code first.
   *
   * @param run name of the run
   * @param limit how many codes at most
   */
  async failures(
    run: string,
    limit = 20,
  ): Promise<{
    /** Code of the sites. */
    readonly code: string;
    /** Number of the sites. */
    readonly sites: number;
  }[]> {
    // takes a scan of an index, whose length is the number of failures
    const { rows } = await this.#server.query<{ code: string; sites: number }>(
      `select f.code, count(*) as sites from sitetree.fleet_site f where ${IS_FAILURE}
       group by f.code order by sites desc, f.code limit $2`,
      [await keyOf(this.#server, run), limit],
    );
    return rows;
  }

  /**
   * Returns the hosts that are being walked for a run, the longest first.
   *
   * @param run name of the run
   * @param limit how many at most
   */
  async active(run: string, limit = 20): Promise<ActiveHost[]> {
    const { rows } = await this.#server.query(
      `select l.host, s.homepage, l.owner as worker, l.since, h.not_before
       from sitetree.lease l join sitetree.stored_site s on s.id = l.site
       left join sitetree.host h on h.host = l.host and h.not_before > clock_timestamp()
       where l.run = $1 and l.until > clock_timestamp()
       order by l.since, l.host, l.slot limit $2`,
      [await keyOf(this.#server, run), limit],
    );
    return rows.map(({ not_before, ...fields }) => ({
      ...fields,
      notBefore: not_before ?? undefined,
    } as ActiveHost));
  }

  /** Returns the runs, the oldest first. */
  async runs(): Promise<FleetRun[]> {
    const { rows } = await this.#server.query(
      `select name as id, total, created, paused, round, every, due from sitetree.fleet_run
       order by created, key`,
    );
    return rows.map(({ every, due, ...fields }) => ({
      ...fields,
      every: every ?? undefined,
      due: due ?? undefined,
    } as FleetRun));
  }

  /**
   * Stops giving the sites of a run to workers; those in progress are finished.
   *
   * @param run name of the run
   */
  async pause(run: string): Promise<void> {
    await this.#setPaused(run, true);
  }

  /**
   * Continues a run that was paused.
   *
   * @param run name of the run
   */
  async resume(run: string): Promise<void> {
    await this.#setPaused(run, false);
  }

  async #setPaused(run: string, paused: boolean): Promise<void> {
    const sql = "update sitetree.fleet_run set paused = $2 where name = $1";
    const { count } = await this.#server.query(sql, [run, paused]);
    if (count === 0) throw unknownRun(run);
  }

  /**
   * Walks sites of this round again. Returns their number.
   *
   * @param run name of the run
   * @param options which sites. Default: those that failed
   */
  async retry(run: string, options: RetryOptions = {}): Promise<number> {
    checkNames({ verdict: true, site: true }, options);
    const { site, verdict = site === undefined ? "failed" : null } = options;
    const { rows } = await this.#server.query<{ count: number }>(
      `with again as (
         update sitetree.fleet_site f set round = f.round - 1, tries = 0, crashes = 0, due = null
         from sitetree.fleet_run r, sitetree.stored_site s
         where f.run = $1 and r.key = f.run and f.round = r.round and s.id = f.site
           and ($2::text is null or f.verdict = $2) and ($3::text is null or s.homepage = $3)
         returning f.verdict, s.pages
       ), counted as (
         select sitetree.count_site($1::int, 'retry', verdict, -count(*)::int, 0,
           -sum(pages)::bigint), count(*) as count
         from again group by verdict
       )
       select coalesce(sum(count), 0)::bigint as count from counted`,
      [await keyOf(this.#server, run), verdict, site?.toString() ?? null],
    );
    return rows[0]!.count;
  }

  /**
   * Removes a run. What is known of its sites stays in the snapshot. Workers on them find that the run is
   * gone when they settle them.
   *
   * @param run name of the run
   */
  async drop(run: string): Promise<void> {
    const key = await keyOf(this.#server, run);
    await this.#setPaused(run, true);
    // one message, so that the transaction never waits for this process; the run itself is removed last,
    // so that an interrupted removal can be repeated
    await this.#server.queryAll(
      ["delete from sitetree.fleet_site where run = $1", key],
      ["delete from sitetree.tally where run = $1", key],
      ["delete from sitetree.fleet_run where key = $1", key],
    );
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
