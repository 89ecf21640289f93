/**
 * Snapshots as sources of events: files, recognised by their content, and databases, with one or several
 * sites.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { withoutPassword, withoutUserInfo } from "../data/url.ts";
import { isSqlite } from "../disk/content.ts";
import { hasPermission } from "../platform/environment.ts";
import { isPermissionError, withoutWarnings } from "../platform/process.ts";
import type {
  RecordedRun,
  RecordedSite,
  RowStream,
  Snapshot,
  SnapshotOptions,
} from "../sync/mod.ts";
import { selectPages } from "../walk/page_selection.ts";
import type { Operand, Reader } from "./reader.ts";
import { fileError, SourceError } from "./source_error.ts";

/** Sites that a message names. */
const MAX_NAMED = 10;

const PERMISSIONS = ["net", "read", "write", "env"] as const;

export function isDatabase(word: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(word);
}

/** Opens a database of PostgreSQL; throws a {@linkcode SourceError} without permission. */
export async function opening<T>(open: () => Promise<T>): Promise<T> {
  const missing = PERMISSIONS.filter((name) => !hasPermission({ name }));
  if (missing.length > 0) throw refused(`no permission for ${missing.join(", ")}`);
  try {
    return await open();
  } catch (error) {
    if (!isPermissionError(error)) throw error;
    throw refused((error as Error).message);
  }
}

function refused(reason: string): SourceError {
  return new SourceError("permission", `Cannot open the database: ${reason}`);
}

export function isSnapshot(path: string): boolean {
  return isDatabase(path) || isSqlite(path);
}

/** Opens a snapshot with the parts of the library that it needs, which are loaded only now. */
export async function openSnapshotAt(path: string, options: SnapshotOptions): Promise<Snapshot> {
  const { openSnapshot } = await import("../sync/mod.ts");
  if (isDatabase(path)) return await opening(() => openSnapshot(path, options));
  try {
    return await withoutWarnings(() => openSnapshot(path, options));
  } catch (error) {
    const { cause } = error as Error;
    if (!isPermissionError(error) && !isPermissionError(cause)) throw error;
    throw fileError(options.readOnly ? "read" : "write", path, cause ?? error);
  }
}

export async function rowsOf<T>(stream: RowStream<T>): Promise<T[]> {
  const rows: T[] = [];
  for await (const row of stream) rows.push(row);
  return rows;
}

/** Returns the wanted site of a snapshot, or the only one. */
export async function wantedSite(
  snapshot: Snapshot,
  path: string,
  wanted: string | undefined,
): Promise<RecordedSite> {
  const sites = await rowsOf(snapshot.sites());
  if (wanted !== undefined) {
    const found = sites.find(({ homepage }) => isSite(homepage, wanted));
    if (found !== undefined) return found;
    throw new SourceError(
      "unknown-site",
      `Unknown site "${withoutPassword(wanted)}" in "${path}"`,
      `expected ${namedSites(sites)}`,
    );
  }
  const [only, other] = readSites(sites, path);
  if (other === undefined) return only;
  throw new SourceError(
    "several-sites",
    `Cannot choose between the ${count(sites.length, "site")} in "${path}"`,
    namedSites(sites),
  );
}

/** Returns the sites that have been read: not a typing error that could never be connected to. */
function readSites(
  sites: readonly RecordedSite[],
  path: string,
): readonly [RecordedSite, ...RecordedSite[]] {
  const [first, ...others] = sites.filter(({ pages, lastRun }) => pages > 0 || hasRead(lastRun));
  if (first === undefined) throw new SourceError("file", `Cannot read "${path}": no site in it`);
  return [first, ...others];
}

function hasEnded(run: RecordedRun | undefined): boolean {
  return run?.verdict !== undefined && run.verdict !== "forgotten";
}

function hasRead(run: RecordedRun | undefined): boolean {
  return run?.verdict === "complete" || run?.verdict === "partial";
}

function namedSites(sites: readonly RecordedSite[]): string {
  const named = sites.slice(0, MAX_NAMED).map(({ homepage }) => excerpt(homepage)).join(", ");
  const more = sites.length > MAX_NAMED ? ` and ${sites.length - MAX_NAMED} more` : "";
  return `one of ${named}${more}`;
}

function isSite(homepage: string, wanted: string): boolean {
  const url = URL.parse(wanted);
  return url !== null && homepage === withoutUserInfo(url).href ||
    new URL(homepage).host === wanted;
}

interface WantedSites {
  /** A site, by its homepage or its host. Default: all. */
  readonly site: string | undefined;
  /** Whether there must be only one. */
  readonly isSingle: boolean;
  /** Yields the sites to read, in place of all of them. */
  readonly homepages?: ((reader: Reader) => AsyncIterable<Homepage>) | undefined;
}

export interface Homepage {
  readonly homepage: string;
}

export function snapshotOperand(
  path: string,
  { site: wanted, isSingle, homepages }: WantedSites,
  options: SnapshotOptions,
): Operand {
  const open = () => openSnapshotAt(path, { ...options, readOnly: true });
  let site: URL | undefined;
  return {
    name: withoutPassword(path),
    kind: "snapshot",
    get site() {
      return site;
    },
    async *read(reader) {
      const { signal, pages } = reader;
      await using snapshot = await open();
      async function* sites(): AsyncGenerator<Homepage, void, void> {
        if (homepages !== undefined) return yield* homepages(reader);
        const found = isSingle || wanted !== undefined
          ? [await wantedSite(snapshot, path, wanted)]
          : readSites(await rowsOf(snapshot.sites()), path);
        await noteVerdicts(snapshot, found, reader);
        yield* found;
      }
      async function* events(): AsyncGenerator<readonly TreeEvent[], void, void> {
        for await (const { homepage } of sites()) {
          site = new URL(homepage);
          yield* snapshot.events(homepage, signal === undefined ? {} : { signal }).batches();
        }
      }
      yield* selectPages(events(), pages);
    },
    async *runs() {
      await using snapshot = await open();
      yield* snapshot.runs(wanted && (await wantedSite(snapshot, path, wanted)).homepage);
    },
  };
}

async function noteVerdicts(
  snapshot: Snapshot,
  sites: readonly RecordedSite[],
  reader: Reader,
): Promise<void> {
  const incomplete: string[] = [];
  for (const { homepage, lastRun } of sites) {
    // one that was interrupted, or only forgot a sitemap, says nothing of the site
    const run = hasEnded(lastRun)
      ? lastRun
      : (await rowsOf(snapshot.runs(homepage))).findLast(hasEnded);
    if (run === undefined) incomplete.push("no run of sync has ended yet");
    else if (run.verdict !== "complete") incomplete.push(`the last run of sync was ${run.verdict}`);
  }
  if (incomplete.length === 0) return;
  const [first] = incomplete as [string];
  if (sites.length === 1) return reader.note({ code: "not-complete", message: first });
  reader.note({
    code: "sites-not-complete",
    message: `the last run of sync was not complete for ${grouped(incomplete.length)} of ` +
      count(sites.length, "site"),
  });
}
