/**
 * Snapshots: what is known of sites, in one SQLite file.
 *
 * @module
 */

import type { EventStream } from "../data/batches.ts";
import { isoTime } from "../data/date.ts";
import type { TreeEvent } from "../data/events.ts";
import {
  applyRules,
  checkNames,
  flag,
  type OptionRule,
  wholeNumber,
} from "../data/option_rules.ts";
import { type Database, rollBack } from "../platform/sqlite.ts";
import {
  CHANGES_OPTIONS,
  type ChangesOptions,
  readChanges,
  readRuns,
  readSites,
  type RecordedChange,
  type RecordedRun,
  type RecordedSite,
  snapshotEvents,
} from "./history.ts";
import { openSnapshotFile, snapshotError, type SnapshotFile } from "./snapshot_file.ts";
import { SqliteRun, type StoredRun } from "./sqlite_run.ts";
import type { RunOptions, SnapshotRun } from "./store.ts";

/** Options of {@linkcode openSnapshot}. */
export interface SnapshotOptions {
  /** Whether to only read, also while another process writes. Default: false. */
  readonly readOnly?: boolean;
  /** Number of runs of each site that are kept, with their changes. Default: all. */
  readonly keepRuns?: number;
}

const OPTIONS: { readonly [K in keyof SnapshotOptions]-?: OptionRule<SnapshotOptions[K]> } = {
  readOnly: flag(false),
  keepRuns: wholeNumber(1, Infinity),
};

/** A snapshot of sites in a SQLite file. */
export class Snapshot implements Disposable {
  /** Number of runs of each site that are kept, with their changes. */
  readonly keepRuns: number;
  readonly #path: string;
  readonly #file: SnapshotFile;
  #isInUse = false;

  /** Use {@linkcode openSnapshot}. */
  constructor(path: string, options: SnapshotOptions = {}) {
    const { keepRuns, readOnly } = applyRules(OPTIONS, options);
    this.keepRuns = keepRuns as number;
    this.#path = path;
    this.#file = openSnapshotFile(path, { readOnly: readOnly as boolean });
  }

  /**
   * Begins a run of a site, or continues one that was interrupted.
   *
   * @internal
   * @throws {Error} If another run is in progress.
   */
  begin(homepage: string, options: RunOptions): SnapshotRun {
    if (this.#isInUse) throw new Error(`Cannot sync "${homepage}": the snapshot is in use`);
    const { database } = this.#file;
    const errorOf = (error: unknown) => snapshotError(this.#path, error);
    try {
      database.exec("BEGIN IMMEDIATE");
      const site = siteOf(database, homepage);
      const open = openRun(database, site.id, options);
      const run = open ?? newRun(database, site, options.now);
      if (!options.dryRun) database.exec("COMMIT");
      this.#isInUse = true;
      return new SqliteRun(database, run, {
        previous: previousRun(database, site.id, run.id),
        pages: site.pages,
        dryRun: options.dryRun,
        errorOf,
        onClose: () => this.#isInUse = false,
      });
    } catch (error) {
      this.#isInUse = false;
      rollBack(database);
      throw errorOf(error);
    }
  }

  /** Returns the sites, in the order in which they were added. */
  sites(): RecordedSite[] {
    return readSites(this.#file.database);
  }

  /**
   * Returns the runs of a site, or of all, oldest first.
   *
   * @param site Homepage of the site.
   * @throws {RangeError} If the snapshot does not have it.
   */
  runs(site?: string | URL): RecordedRun[] {
    return readRuns(this.#file.database, site);
  }

  /**
   * Yields changes, those of earlier runs first. A run in progress is left out, even if it was
   * interrupted: its changes are final once it has ended, or once another run has begun.
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
   * const snapshot = openSnapshot(":memory:"); // In real life: a file
   * await Array.fromAsync(sync("https://example.com/", { snapshot, fetch }));
   *
   * const [run] = snapshot.runs("https://example.com/");
   * assertEquals([run?.verdict, run?.added], ["complete", 1]);
   *
   * const changes = [...snapshot.changes({ since: new Date("2024-05-01") })];
   * assertEquals(changes.map(({ type, page }) => [type, page.url]), [
   *   ["added", "https://example.com/a"],
   * ]);
   * snapshot.close();
   * ```
   *
   * @param options Which changes.
   * @throws {RangeError} If the snapshot does not have the site.
   */
  changes(options: ChangesOptions = {}): Generator<RecordedChange, void, void> {
    checkNames(CHANGES_OPTIONS, options);
    return readChanges(this.#file.database, options);
  }

  /**
   * Returns a site as the events of a walk in document order, without using the network.
   *
   * @param site Homepage of the site.
   * @param options Signal that ends it.
   * @throws {RangeError} At the first `next()`, if the snapshot does not have the site.
   */
  events(
    site: string | URL,
    options: { readonly signal?: AbortSignal } = {},
  ): EventStream<TreeEvent> {
    return snapshotEvents(this.#file.database, site, options);
  }

  /** Closes the file, and lets another process write to it. */
  close(): void {
    this.#file[Symbol.dispose]();
  }

  /** Same as `close()`, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * Opens a snapshot, and creates the file if it does not exist.
 *
 * Only one process can write to a snapshot; the file `PATH.lock` is its lock. Any number of processes
 * can read it at the same time.
 *
 * @param path The file, or `:memory:`.
 * @param options Whether to only read, and how many runs are kept.
 * @throws {TypeError} If an option is unknown or invalid.
 * @throws {RangeError} If `keepRuns` is out of range.
 * @throws {Error} If the file is not a snapshot, another process writes to it, or the runtime has no
 * SQLite: it needs Deno, Node 22.13 or later, or Bun.
 */
export function openSnapshot(path: string, options: SnapshotOptions = {}): Snapshot {
  return new Snapshot(path, options);
}

interface StoredSite {
  readonly id: number;
  readonly pages: number;
}

function siteOf(database: Database, homepage: string): StoredSite {
  database.prepare("INSERT OR IGNORE INTO site (homepage) VALUES (?)").run(homepage);
  const select = database.prepare("SELECT id, pages FROM site WHERE homepage = ?");
  return select.get(homepage) as unknown as StoredSite;
}

/** Returns the last run of a site if it was interrupted and may be continued. */
function openRun(
  database: Database,
  site: number,
  { now, resumeWithin }: RunOptions,
): StoredRun | undefined {
  const last = database.prepare(
    `SELECT id, site, known, added, changed, removed, unchanged, unconfirmed,
       not_modified AS notModified, bytes_saved AS bytesSaved, started, finished
     FROM run WHERE site = ? ORDER BY id DESC LIMIT 1`,
  ).get(site) as unknown as StoredRun & { started: string; finished: string | null } | undefined;
  if (last === undefined || last.finished !== null) return undefined;
  return now - Date.parse(last.started) < resumeWithin ? last : undefined;
}

function newRun(database: Database, { id, pages }: StoredSite, now: number): StoredRun {
  const { lastInsertRowid } = database
    .prepare("INSERT INTO run (site, started, known) VALUES (?, ?, ?)")
    .run(id, isoTime(now), pages);
  return {
    id: Number(lastInsertRowid),
    site: id,
    known: pages,
    added: 0,
    changed: 0,
    removed: 0,
    unchanged: 0,
    unconfirmed: 0,
    notModified: 0,
    bytesSaved: 0,
  };
}

function previousRun(database: Database, site: number, run: number): number {
  const select = database.prepare("SELECT max(id) AS id FROM run WHERE site = ? AND id < ?");
  return (select.get(site, run) as { id: number | null }).id ?? 0;
}
