import type { EventStream } from "../data/batches.ts";
import { DAY } from "../data/calendar.ts";
import type { FinishedEvent, TreeEvent } from "../data/events.ts";
import {
  applyRules,
  CALLBACK,
  checkNames,
  checkOption,
  flag,
  number,
  type OptionRule,
  type OptionRules,
  wholeNumber,
} from "../data/option_rules.ts";
import { addressKey } from "../data/url.ts";
import { EventQueue } from "../walk/event_stream.ts";
import {
  type ChangesOptions,
  CONSUMER,
  type PagesOptions,
  prunedChanges,
  readChanges,
  readPages,
  readRunChanges,
  readRuns,
  readSitemapRows,
  readSites,
  type RecordedChange,
  type RecordedPage,
  type RecordedRun,
  type RecordedSite,
  type RecordedSitemap,
  type SitesOptions,
} from "./history.ts";
import { Judgement } from "./judgement.ts";
import { OLDEST_VERSION, STEPS } from "./migrations.ts";
import type { PostgresOptions } from "./postgres.ts";
import { ReadingGate } from "./reading_gate.ts";
import type { RowStream } from "./row_stream.ts";
import { type BeginOptions, IS_QUIET, SiteRun } from "./site_run.ts";
import { siteEvents } from "./snapshot_events.ts";
import { SqliteStore } from "./sqlite_store.ts";
import type { Store } from "./store.ts";
import { findSite } from "./stored_rows.ts";

/** Access, clock and connections of {@linkcode openSnapshot}. */
export interface SnapshotOptions extends PostgresOptions {
  /** Whether to only read, also while another process writes. Default: false. */
  readonly readOnly?: boolean;
  /** Returns the time of everything in the snapshot, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /**
   * Milliseconds in which runs without changes are kept, unfinished ones too; the last one of a site is
   * never deleted. `Infinity` deletes none. Default: 30 days.
   */
  readonly keepQuietRuns?: number;
}

export const KEEP_QUIET_RUNS: OptionRule<number> = number(0, 30 * DAY);

const OPTIONS = {
  readOnly: flag(false),
  now: CALLBACK,
  keepQuietRuns: KEEP_QUIET_RUNS,
  connections: wholeNumber(1),
  pooled: flag(),
} satisfies OptionRules<SnapshotOptions>;

/** What {@linkcode Snapshot.prune} keeps. */
export interface PruneOptions {
  /** Milliseconds in which changes are kept, with their runs. */
  readonly keepChanges?: number;
  /** Number of runs of each site that are kept, with all changes since the oldest of them. */
  readonly keepRuns?: number;
  /** Milliseconds in which runs without changes are kept. Default: as the snapshot was opened. */
  readonly keepQuietRuns?: number;
  /** Whether to remove changes that a consumer has not acknowledged. Default: false. */
  readonly ignoreConsumers?: boolean;
}

const PRUNE_OPTIONS = {
  keepChanges: number(0),
  keepRuns: wholeNumber(1),
  keepQuietRuns: { ...KEEP_QUIET_RUNS, default: undefined },
  ignoreConsumers: flag(false),
} satisfies OptionRules<PruneOptions>;

/** What is known of sites, in a database. */
export class Snapshot implements AsyncDisposable {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #keepQuietRuns: number;
  /** Homepages. */
  readonly #running = new Set<string>();
  readonly #gate = new ReadingGate();
  /** Ends the dry runs in progress. */
  #endPretending: Promise<() => Promise<void>> | undefined;

  /** Use {@linkcode openSnapshot}. */
  constructor(store: Store, now: () => number, keepQuietRuns: number) {
    this.#store = store;
    this.#now = now;
    this.#keepQuietRuns = keepQuietRuns;
  }

  /**
   * Begins a run of a site, until it is disposed of.
   *
   * @internal
   * @throws {Error} If another run of the site is in progress.
   */
  async begin(
    homepage: string,
    { dryRun, ...options }: BeginOptions & { readonly dryRun: boolean },
  ): Promise<SiteRun> {
    const running = this.#running;
    this.#checkWritable();
    if (running.has(homepage)) {
      throw new Error(`Cannot sync "${homepage}": another run of it is in progress`);
    }
    if (running.size > 0 && dryRun !== (this.#endPretending !== undefined)) {
      throw new Error(`Cannot sync "${homepage}": dry and other runs exclude each other`);
    }
    running.add(homepage);
    const end = async () => {
      running.delete(homepage);
      if (running.size > 0) return;
      const pretending = this.#endPretending;
      this.#endPretending = undefined;
      await (await pretending)?.();
    };
    try {
      if (dryRun) await (this.#endPretending ??= this.#store.pretend());
      const begun = options.held ?? await this.#store.beginRun(homepage);
      const rest = { now: this.#now, gate: this.#gate, keepQuietRuns: this.#keepQuietRuns, end };
      return new SiteRun(this.#store, begun, { ...options, ...rest });
    } catch (error) {
      await end();
      throw error;
    }
  }

  #checkWritable(): void {
    const { isReadOnly, name } = this.#store;
    if (isReadOnly) throw new Error(`Cannot write "${name}": opened to be read`);
  }

  /**
   * Reads the sites, in the order in which they were added.
   *
   * @param options Only those whose last run has a verdict or a code.
   */
  sites(options: SitesOptions = {}): RowStream<RecordedSite> {
    checkNames({ verdict: true, code: true }, options);
    return readSites(this.#store, options);
  }

  /**
   * Reads the runs of a site, or of all, oldest first.
   *
   * @param site Homepage of the site.
   * @throws {RangeError} At the first `next()`, if the snapshot does not have it.
   */
  runs(site?: string | URL): RowStream<RecordedRun> {
    return readRuns(this.#store, site);
  }

  /**
   * Reads the sitemaps of a site, in document order.
   *
   * @param site Homepage of the site.
   * @throws {RangeError} At the first `next()`, if the snapshot does not have it.
   */
  sitemaps(site: string | URL): RowStream<RecordedSitemap> {
    return readSitemapRows(this.#store, site);
  }

  /**
   * Reads the pages of a site in document order, or of all sites in the order in which they were added.
   *
   * @param site Homepage of the site.
   * @param options Only those of a sitemap, or only unconfirmed ones.
   * @throws {RangeError} At the first `next()`, if the snapshot does not have the site.
   */
  pages(site?: string | URL, options: PagesOptions = {}): RowStream<RecordedPage> {
    checkNames({ sitemap: true, unconfirmed: true }, options);
    if (site === undefined && options.sitemap !== undefined) {
      throw new TypeError('Cannot use option "sitemap" without a site');
    }
    return readPages(this.#store, site, options);
  }

  /**
   * Reads a site as the events of a walk in document order, without using the network.
   *
   * @param site Homepage of the site.
   * @param options Signal that ends it.
   * @throws {RangeError} At the first `next()`, if the snapshot does not have the site.
   */
  events(
    site: string | URL,
    options: { readonly signal?: AbortSignal } = {},
  ): EventStream<TreeEvent> {
    return new EventQueue(async (send) => {
      checkNames({ signal: true }, options);
      let last: TreeEvent | undefined;
      for await (const batch of siteEvents(this.#store, site)) {
        await send(batch);
        last = batch.at(-1);
      }
      return last as FinishedEvent;
    }, options.signal);
  }

  /**
   * Reads changes in the order in which they were committed.
   *
   * @example
   * ```ts
   * import { openSnapshot, sync } from "@sitetree/sitetree/sync";
   * import { assertEquals } from "@std/assert";
   *
   * const fetch = (url: string) =>
   *   Promise.resolve(
   *     url.endsWith("/sitemap.txt")
   *       ? new Response("https://example.com/a\n")
   *       : new Response(null, { status: 404 }),
   *   );
   *
   * const snapshot = await openSnapshot(":memory:"); // In real life: a file
   * await Array.fromAsync(sync("https://example.com/", { snapshot, fetch }));
   *
   * for await (const { sequence, type, page } of snapshot.changes({ consumer: "indexer" })) {
   *   assertEquals([type, page.url], ["added", "https://example.com/a"]);
   *   await snapshot.ack("indexer", sequence);
   * }
   * await snapshot.close();
   * ```
   *
   * @param options Which changes.
   * @throws {RangeError} At the first `next()`, if the snapshot does not have the site, or does not keep
   * all of these changes any more.
   */
  changes(options: ChangesOptions = {}): RowStream<RecordedChange> {
    return readChanges(this.#store, options);
  }

  /**
   * Reads the changes of runs that are kept, all of which have higher numbers than `after`.
   *
   * @internal
   */
  changesOf(runs: ReadonlySet<number>, after: number): RowStream<RecordedChange> {
    return readRunChanges(this.#store, runs, after);
  }

  /** Returns the number of the last change, 0 if there is none. */
  head(): Promise<number> {
    return this.#store.head();
  }

  /**
   * Says that a consumer has dealt with all changes up to a number. It never goes back. This is
   * possible with a snapshot that is only read, while another process writes to it.
   *
   * @param consumer Name of the consumer.
   * @param sequence Number of the last change.
   * @throws {RangeError} If the last change has a lower number.
   */
  async ack(consumer: string, sequence: number): Promise<void> {
    const head = await this.head();
    checkOption("consumer", consumer, CONSUMER);
    if (!Number.isInteger(sequence) || sequence < 0 || sequence > head) {
      throw new RangeError(`Cannot acknowledge change ${sequence}: the last one is ${head}`);
    }
    await this.#store.acknowledge(consumer, sequence);
  }

  /**
   * Forgets a site, or one of its sitemaps. Pages that leave are recorded as removed.
   *
   * @param site Homepage of the site.
   * @param options Only this sitemap, and what only it leads to.
   * @throws {RangeError} If the snapshot does not have it.
   */
  async forget(
    site: string | URL,
    options: { readonly sitemap?: string | URL } = {},
  ): Promise<void> {
    checkNames({ sitemap: true }, options);
    const { homepage } = await findSite(this.#store, site);
    const starts: string[] = [], out = () => undefined;
    await using run = await this.begin(homepage, { dryRun: false, starts, out });
    const { graph } = run;
    const reached = graph.reached();
    let leaving = [...graph.all];
    if (options.sitemap !== undefined) {
      const key = addressKey(String(options.sitemap));
      const sitemap = leaving.find(({ url, final_url }) => url === key || final_url === key);
      if (sitemap === undefined) throw new RangeError(`Unknown sitemap "${key}"`);
      const left = graph.reached((other) => other !== sitemap);
      leaving = leaving.filter(({ id }) => id === sitemap.id || reached.has(id) && !left.has(id));
    }
    const judgement = new Judgement(run, {
      allowMassRemoval: true,
      confirmAfter: 0,
      acceptAfter: 0,
    });
    await judgement.forget(leaving);
    run.touch(graph.all);
    await run.commit(() => {
      Object.assign(run.run, { finished: run.now(), verdict: "forgotten" });
      if (options.sitemap === undefined) run.site.is_forgotten = 1;
    });
  }

  /**
   * Removes old changes and runs. What is known of sites stays.
   *
   * @param options What is kept. Changes that a consumer has not acknowledged are kept too.
   * @throws {TypeError} If none of `keepChanges`, `keepRuns` and `keepQuietRuns` is given.
   */
  async prune(options: PruneOptions): Promise<void> {
    this.#checkWritable();
    const resolved = applyRules(PRUNE_OPTIONS, options);
    const { keepChanges, keepRuns, keepQuietRuns } = resolved;
    if (keepChanges !== undefined || keepRuns !== undefined) await this.#pruneChanges(resolved);
    else if (keepQuietRuns === undefined) {
      throw new TypeError(
        'Cannot prune without option "keepChanges", "keepRuns" or "keepQuietRuns"',
      );
    }
    const cutoff = this.#now() - (keepQuietRuns ?? this.#keepQuietRuns);
    await this.#store.commit((batch) =>
      batch.run(
        `DELETE FROM stored_run WHERE ${IS_QUIET} AND started < ?
         AND id NOT IN (SELECT last_run FROM stored_site WHERE last_run IS NOT NULL)`,
        Math.floor(Math.max(0, cutoff)),
      )
    );
  }

  async #pruneChanges({ keepChanges, keepRuns, ignoreConsumers }: PruneOptions): Promise<void> {
    const store = this.#store;
    const head = await store.head();
    const oldest = async (sql: string, ...values: number[]) => {
      const [row] = await store.read<{ first: number | null }>(sql, ...values);
      return row?.first == null ? head : row.first - 1;
    };
    const limits: number[] = [];
    const cutoff = Math.floor(Math.max(0, this.#now() - (keepChanges ?? 0)));
    if (keepChanges !== undefined) {
      limits.push(
        await oldest("SELECT min(first) AS first FROM stored_commit WHERE time >= ?", cutoff),
      );
    }
    const keptRuns = `SELECT id FROM stored_run AS r WHERE
      (SELECT count(*) FROM stored_run AS o WHERE o.site = r.site AND o.id > r.id) < ?`;
    const count = Math.min(keepRuns ?? 1, Number.MAX_SAFE_INTEGER);
    if (keepRuns !== undefined) {
      limits.push(
        await oldest(
          `SELECT min(first) AS first FROM stored_commit WHERE run IN (${keptRuns})`,
          count,
        ),
      );
    }
    if (!ignoreConsumers) {
      const rows = await store.read<{ acknowledged: number }>("SELECT acknowledged FROM consumer");
      for (const { acknowledged } of rows) limits.push(acknowledged);
    }
    const { pruned, time } = await prunedChanges(store);
    const last = Math.max(pruned, Math.min(...limits));
    const [commit] = await store.read<{ time: number }>(
      "SELECT time FROM stored_commit WHERE first <= ? ORDER BY first DESC LIMIT 1",
      last,
    );
    await store.commit((batch) => {
      batch.run("DELETE FROM stored_change WHERE sequence <= ?", last);
      batch.run(
        `DELETE FROM stored_commit WHERE first <
         (SELECT max(first) FROM stored_commit WHERE first <= ?)`,
        last + 1,
      );
      batch.run("UPDATE setting SET value = ? WHERE name = 'pruned'", last);
      batch.run("UPDATE setting SET value = ? WHERE name = 'pruned_time'", commit?.time ?? time);
      const isOld = keepChanges === undefined ? "" : "AND started < ?";
      batch.run(
        `DELETE FROM stored_run WHERE id NOT IN (${keptRuns})
         AND id NOT IN (SELECT run FROM stored_commit) ${isOld}`,
        count,
        ...(keepChanges === undefined ? [] : [cutoff]),
      );
    });
  }

  /**
   * Returns the steps that bring what an earlier version has stored up to date, and when they were
   * applied. Opening a snapshot to write applies those that are pending; before, this is all that can be
   * read.
   */
  async migrations(): Promise<{ readonly name: string; readonly applied?: Date }[]> {
    const records = this.#store.version === OLDEST_VERSION
      ? []
      : await this.#store.read<{ name: string; applied: number }>("SELECT * FROM migration");
    const times = new Map(records.map(({ name, applied }) => [name, new Date(applied)]));
    return STEPS.map(({ name }) => {
      const applied = times.get(name);
      return { name, ...(applied !== undefined && { applied }) };
    });
  }

  /**
   * Commits that were repeated since the server had rolled them back.
   *
   * @internal
   */
  get repeats(): number {
    return this.#store.repeats;
  }

  /** Closes the snapshot, and lets another process write to its file. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  /** Same as `close()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Opens a snapshot, and creates it if it does not exist.
 *
 * A file has one process that writes to it, with the file `PATH.lock` as its lock; any number of others
 * can read it at the same time. A database of PostgreSQL 15 or later has any number of writers, one at a
 * time for each site; it needs the package `pg`.
 *
 * @param location A file, `:memory:`, or the connection string of a database, `postgres://…`.
 * @param options Whether to only read, the clock, and how to connect.
 * @throws {TypeError} If an option is unknown or invalid.
 * @throws {Error} If the file is not a snapshot, another process writes to it, the runtime has no
 * SQLite (it needs Deno, Node 22.13 or later, or Bun), or the database cannot be used.
 */
export async function openSnapshot(
  location: string,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const resolved = applyRules(OPTIONS, options);
  const { readOnly, now = Date.now, keepQuietRuns, connections, pooled } = resolved;
  if (!POSTGRES_REGEXP.test(location)) {
    if ((connections ?? pooled) !== undefined) {
      throw new TypeError('Cannot use options "connections" and "pooled" with a file');
    }
    return new Snapshot(new SqliteStore(location, readOnly), now, keepQuietRuns);
  }
  const { PostgresStore } = await import("./postgres_store.ts");
  return new Snapshot(await PostgresStore.open(location, resolved), now, keepQuietRuns);
}

const POSTGRES_REGEXP = /^postgres(?:ql)?:/;
