/**
 * Snapshots of `sitetree sync` as operands: files, recognised by their content, and databases, with one
 * or several sites.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import { count, excerpt, grouped, quotedWord } from "../data/text.ts";
import { withoutPassword, withoutUserInfo } from "../data/url.ts";
import { hasPermission } from "../platform/environment.ts";
import { readStart, statSync } from "../platform/host.ts";
import { isPermissionError, withoutWarnings } from "../platform/process.ts";
import type {
  RecordedRun,
  RecordedSite,
  RowStream,
  Snapshot,
  SnapshotOptions,
} from "../sync/mod.ts";
import { selectPages } from "../walk/page_selection.ts";
import type { Arguments } from "./arguments.ts";
import type { CommandName } from "./commands.ts";
import { connectionOptions, isDatabase, opening } from "./database.ts";
import { Failure, fileFailure, UsageError } from "./run/failure.ts";
import { openFleetAt, sitesOfRun } from "./commands/fleet/open.ts";
import type { Source } from "./run/reading.ts";

const SQLITE_START = "SQLite format 3\0";
/** Sites that a message names. */
const MAX_NAMED = 10;

/** False without permission to look. */
export function isSnapshot(path: string): boolean {
  if (isDatabase(path)) return true;
  if (!hasPermission({ name: "read", path })) return false;
  try {
    return statSync(path).isFile() && readStart(path, SQLITE_START.length) === SQLITE_START;
  } catch {
    return false;
  }
}

export async function openSnapshotAt(
  path: string,
  args: Arguments,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const { openSnapshot } = await import("../sync/mod.ts");
  const connection = connectionOptions(args);
  const all = { ...options, ...args.given<SnapshotOptions>("keep-quiet-runs") };
  if (isDatabase(path)) return await opening(() => openSnapshot(path, { ...connection, ...all }));
  const [unused] = Object.keys(connection);
  if (unused !== undefined) {
    throw new UsageError(`Option "--${unused}" does not apply to a file`);
  }
  try {
    return await withoutWarnings(() => openSnapshot(path, all));
  } catch (error) {
    const { cause } = error as Error;
    if (!isPermissionError(error) && !isPermissionError(cause)) throw error;
    throw fileFailure(options.readOnly ? "read" : "write", path, cause ?? error);
  }
}

/** Opens a snapshot that exists, to write to it. */
export async function openExisting(path: string, args: Arguments): Promise<Snapshot> {
  await (await openSnapshotAt(path, args, { readOnly: true })).close();
  return await openSnapshotAt(path, args);
}

export async function rowsOf<T>(stream: RowStream<T>): Promise<T[]> {
  const rows: T[] = [];
  for await (const row of stream) rows.push(row);
  return rows;
}

export async function wantedSite(
  snapshot: Snapshot,
  path: string,
  wanted: string | undefined,
): Promise<RecordedSite> {
  const sites = await rowsOf(snapshot.sites());
  const homepages = sites.map(({ homepage }) => homepage);
  if (wanted !== undefined) {
    const found = sites.find(({ homepage }) => isSite(homepage, wanted));
    if (found !== undefined) return found;
    throw new UsageError(
      `Unknown site "${withoutPassword(wanted)}" in "${path}"`,
      `expected ${namedSites(homepages)}`,
    );
  }
  const [only, other] = await readSites(snapshot, path);
  if (other === undefined) return only;
  throw new UsageError(
    `Cannot choose between the ${count(sites.length, "site")} in "${path}"`,
    `expected --site with ${namedSites(homepages)}`,
  );
}

/** Returns the sites that have been read: not a typing error that could never be connected to. */
async function readSites(
  snapshot: Snapshot,
  path: string,
): Promise<readonly [RecordedSite, ...RecordedSite[]]> {
  const [first, ...others] = (await rowsOf(snapshot.sites()))
    .filter(({ pages, lastRun }) => pages > 0 || hasRead(lastRun));
  if (first === undefined) throw new Failure(`Cannot read "${path}": no site in it`);
  return [first, ...others];
}

function hasEnded(run: RecordedRun | undefined): boolean {
  return run?.verdict !== undefined && run.verdict !== "forgotten";
}

function hasRead(run: RecordedRun | undefined): boolean {
  return run?.verdict === "complete" || run?.verdict === "partial";
}

function namedSites(homepages: readonly string[]): string {
  const named = homepages.slice(0, MAX_NAMED).map(excerpt).join(", ");
  const more = homepages.length > MAX_NAMED ? ` and ${homepages.length - MAX_NAMED} more` : "";
  return `one of ${named}${more}`;
}

function isSite(homepage: string, wanted: string): boolean {
  const url = URL.parse(wanted);
  return url !== null && homepage === withoutUserInfo(url).href ||
    new URL(homepage).host === wanted;
}

/** Options of `ls` that need a single site. */
const SINGLE_SITE_OPTIONS = ["site", "strip-url"];

const ALL_SITES: readonly CommandName[] = ["ls", "report"];

export function snapshotSource(args: Arguments, path: string): Source {
  const run = args.value("run");
  const isSingle = !ALL_SITES.includes(args.command) ||
    SINGLE_SITE_OPTIONS.some((name) => args.has(name));
  let site: URL | undefined;
  return {
    name: withoutPassword(path),
    get site() {
      return site;
    },
    async *read({ context: { signal, note }, advice, pages }) {
      await using snapshot = await openSnapshotAt(path, args, { readOnly: true });
      async function* sites(): AsyncGenerator<{ readonly homepage: string }, void, void> {
        if (run !== undefined) {
          await using fleet = await openFleetAt(path, args);
          return yield* sitesOfRun(fleet, run, { note, advice });
        }
        const found = isSingle
          ? [await wantedSite(snapshot, path, args.value("site"))]
          : await readSites(snapshot, path);
        advice.push(...await verdictAdvice(snapshot, found, path));
        yield* found;
      }
      async function* events(): AsyncGenerator<readonly TreeEvent[], void, void> {
        for await (const { homepage } of sites()) {
          site = new URL(homepage);
          yield* snapshot.events(homepage, { signal }).batches();
        }
      }
      yield* selectPages(events(), pages);
    },
    async *runs() {
      await using snapshot = await openSnapshotAt(path, args, { readOnly: true });
      const wanted = args.value("site");
      yield* snapshot.runs(wanted && (await wantedSite(snapshot, path, wanted)).homepage);
    },
  };
}

async function verdictAdvice(
  snapshot: Snapshot,
  sites: readonly RecordedSite[],
  path: string,
): Promise<string[]> {
  const incomplete: string[] = [];
  for (const { homepage, lastRun } of sites) {
    // one that was interrupted, or only forgot a sitemap, says nothing of the site
    const run = hasEnded(lastRun)
      ? lastRun
      : (await rowsOf(snapshot.runs(homepage))).findLast(hasEnded);
    if (run === undefined) incomplete.push("no run of sync has ended yet");
    else if (run.verdict !== "complete") incomplete.push(`the last run of sync was ${run.verdict}`);
  }
  if (sites.length === 1 || incomplete.length === 0) return incomplete;
  return [
    `the last run of sync was not complete for ${grouped(incomplete.length)} of ` +
    `${count(sites.length, "site")}: "sitetree snapshot sites ${
      quotedWord(withoutPassword(path))
    }" lists them`,
  ];
}
