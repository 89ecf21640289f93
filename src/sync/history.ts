/**
 * Reads what a snapshot holds: sites, runs, changes, and the pages as the events of a walk.
 *
 * Changes and pages are read in chunks, each by a statement of its own, and no transaction is open
 * between them: one that stays open while a slow consumer reads would keep the write-ahead log from
 * being truncated. Each chunk is consistent; a run that writes meanwhile is visible from the next
 * chunk on.
 *
 * @module
 */

import { type EventStream, MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { InvalidCode } from "../data/codes.ts";
import {
  type FinishedEvent,
  isCounted,
  type SitemapRef,
  type TreeEvent,
  type Verdict,
} from "../data/events.ts";
import { checkNames } from "../data/option_rules.ts";
import type { SitemapPage } from "../data/page.ts";
import { addressKey, withoutPassword, withoutUserInfo } from "../data/url.ts";
import type { Database } from "../platform/sqlite.ts";
import { EventQueue } from "../walk/event_stream.ts";
import type { ChangeCounts } from "./events.ts";
import type { StoredSitemap } from "./store.ts";
import { pageOf, type StoredValues } from "../data/page_row.ts";

/** The part of a database that reading needs. */
type Reader = Pick<Database, "prepare">;

/** Rows of a chunk. */
const CHUNK_ROWS = MAX_BATCH_ITEMS;

/** Run of `sync()`. */
export interface RecordedRun extends ChangeCounts {
  /** Number of the run, ascending over all sites of the snapshot. */
  readonly id: number;
  /** Homepage of its site. */
  readonly site: string;
  /** When it began. */
  readonly started: Date;
  /** When it ended; absent if it was interrupted, or is still in progress. */
  readonly finished?: Date;
  /** Verdict, once it has ended. */
  readonly verdict?: Verdict;
}

/** Site of a snapshot. */
export interface RecordedSite {
  /** Its homepage. */
  readonly homepage: string;
  /** Number of its pages. */
  readonly pages: number;
  /** Its last run. */
  readonly lastRun?: RecordedRun;
}

/** Change of a page. */
export interface RecordedChange {
  /** Kind of change. */
  readonly type: "added" | "changed" | "removed";
  /** Run that found it. */
  readonly run: number;
  /** Homepage of the site. */
  readonly site: string;
  /** URL of the first sitemap that listed the page; of the last one if it was removed. */
  readonly sitemap: string;
  /** The page after the change, or as it was before it was removed. */
  readonly page: SitemapPage;
  /** The page before; only if it changed. */
  readonly previous?: SitemapPage;
}

/** Which changes to read. */
export interface ChangesOptions {
  /** Homepage of a site. Default: all sites. */
  readonly site?: string | URL;
  /** Number of a run, to read the runs after it, or the earliest start of a run. Default: all. */
  readonly since?: number | Date;
}

/** Options of {@linkcode readChanges}. */
export const CHANGES_OPTIONS: Readonly<Record<keyof ChangesOptions, true>> = {
  site: true,
  since: true,
};

interface RunRow {
  readonly id: number;
  readonly homepage: string;
  readonly started: string;
  readonly finished: string | null;
  readonly verdict: Verdict | null;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly unconfirmed: number;
  readonly not_modified: number;
  readonly bytes_saved: number;
}

/** Row of a page, or of a change with the values that its page has now. */
type PageRow = StoredValues & { readonly id: number; readonly url: string };

type ChangeRow = PageRow & {
  readonly type: RecordedChange["type"];
  readonly sitemap: string;
  readonly data: string | null;
  readonly previous: string | null;
};

/** Returns the sites, in the order in which they were added. */
export function readSites(database: Reader): RecordedSite[] {
  const rows = database.prepare(
    "SELECT homepage, pages, (SELECT max(run.id) FROM run WHERE run.site = site.id) AS run " +
      "FROM site ORDER BY id",
  ).all() as { homepage: string; pages: number; run: number | null }[];
  const find = database.prepare(`${SELECT_RUN} WHERE run.id = ?`);
  return rows.map(({ homepage, pages, run }) => ({
    homepage,
    pages,
    ...(run === null ? {} : { lastRun: runOf(find.get(run) as unknown as RunRow) }),
  }));
}

const SELECT_RUN = "SELECT run.*, site.homepage FROM run JOIN site ON site.id = run.site";

/** Returns the runs of a site, or of all, oldest first. */
export function readRuns(database: Reader, site?: string | URL): RecordedRun[] {
  const rows = site === undefined
    ? database.prepare(`${SELECT_RUN} ORDER BY run.id`).all()
    : database.prepare(`${SELECT_RUN} WHERE run.site = ? ORDER BY run.id`)
      .all(siteId(database, site));
  return (rows as unknown as RunRow[]).map(runOf);
}

function runOf(row: RunRow): RecordedRun {
  const { id, started, finished, verdict, added, changed, removed, unchanged, unconfirmed } = row;
  return {
    id,
    site: row.homepage,
    started: new Date(started),
    ...(finished === null ? {} : { finished: new Date(finished) }),
    ...(verdict === null ? {} : { verdict }),
    ...{ added, changed, removed, unchanged, unconfirmed },
    notModified: row.not_modified,
    bytesSaved: row.bytes_saved,
  };
}

/**
 * Returns the id of a site.
 *
 * @throws {RangeError} If the snapshot does not have it.
 */
function siteId(database: Reader, site: string | URL): number {
  const url = URL.parse(String(site));
  const homepage = url === null ? String(site) : addressKey(withoutUserInfo(url).href);
  const row = database.prepare("SELECT id FROM site WHERE homepage = ?").get(homepage);
  if (row === undefined) {
    throw new RangeError(`Unknown site "${withoutPassword(homepage)}"`);
  }
  return (row as { id: number }).id;
}

/** A change with the values that its page has now. */
const SELECT_CHANGES =
  "SELECT c.page AS id, c.type, c.url, c.data, c.previous, coalesce(s.final_url, '') AS sitemap, " +
  "p.lastmod, p.priority, p.changefreq, p.extensions FROM change AS c " +
  "LEFT JOIN page AS p ON p.id = c.page LEFT JOIN sitemap AS s ON s.id = c.sitemap " +
  `WHERE c.run = ? AND c.page > ? ORDER BY c.page LIMIT ${CHUNK_ROWS}`;

/**
 * Yields changes, those of earlier runs first. A run in progress is left out, even if it was
 * interrupted: its changes are final once it has ended, or once another run has begun.
 */
export function* readChanges(
  database: Reader,
  { site, since = 0 }: ChangesOptions = {},
): Generator<RecordedChange, void, void> {
  const runs = readRuns(database, site);
  const latest = new Map(runs.map(({ id, site }) => [site, id]));
  const select = database.prepare(SELECT_CHANGES);
  for (const { id, site, started, finished } of runs) {
    const isWanted = typeof since === "number" ? id > since : started >= since;
    if (!isWanted || finished === undefined && latest.get(site) === id) continue;
    let rows: ChangeRow[];
    let last = 0;
    do {
      rows = select.all(id, last) as unknown as ChangeRow[];
      for (const row of rows) yield changeOf(row, id, site);
      last = rows.at(-1)?.id ?? 0;
    } while (rows.length === CHUNK_ROWS);
  }
}

function changeOf(row: ChangeRow, run: number, site: string): RecordedChange {
  const { type, url, sitemap, data } = row;
  const previous = row.previous === null ? undefined : pageFromJson(url, row.previous);
  const page = data === null ? undefined : pageFromJson(url, data);
  if (type === "removed") {
    return { type, run, site, sitemap, page: page ?? previous ?? { url } };
  }
  return {
    type,
    run,
    site,
    sitemap,
    page: page ?? pageOf(url, row),
    ...(previous === undefined ? {} : { previous }),
  };
}

function pageFromJson(url: string, json: string): SitemapPage {
  return { url, ...JSON.parse(json) as Omit<SitemapPage, "url"> };
}

/** Options of {@linkcode snapshotEvents}. */
const EVENTS_OPTIONS = { signal: true } as const;

/**
 * Returns a site as the events of a walk in document order, below the website itself. The pages of a
 * sitemap are in the order in which they were added. A sitemap that could not be read by the last
 * run has its former pages, and is not `complete`; the verdict is that of the last run that ended,
 * `partial` if there is none, or if it read nothing and the site has sitemaps nevertheless.
 */
export function snapshotEvents(
  database: Reader,
  site: string | URL,
  options: { readonly signal?: AbortSignal } = {},
): EventStream<TreeEvent> {
  return new EventQueue(async (send) => {
    checkNames(EVENTS_OPTIONS, options);
    let last: TreeEvent | undefined;
    for (const batch of readEvents(database, site)) {
      await send(batch);
      last = batch.at(-1);
    }
    return last as FinishedEvent;
  }, options.signal);
}

/**
 * Pages of a sitemap: those with its values, and those whose values are another sitemap's. Deno 2.2
 * does not know numbered parameters.
 */
const SELECT_PAGES = "SELECT id, url, lastmod, priority, changefreq, extensions FROM page " +
  "WHERE sitemap = ? AND id > ? UNION ALL " +
  "SELECT l.page, p.url, l.lastmod, l.priority, l.changefreq, l.extensions " +
  "FROM listing AS l JOIN page AS p ON p.id = l.page WHERE l.sitemap = ? AND l.page > ? " +
  `ORDER BY 1 LIMIT ${CHUNK_ROWS}`;

/** Id of the website itself; the ids of its sitemaps are those of the table. */
const ROOT_ID = 0;

/** Yields the events of a site in batches. */
function* readEvents(
  database: Reader,
  site: string | URL,
): Generator<readonly TreeEvent[], void, void> {
  const id = siteId(database, site);
  const { homepage, verdict } = database.prepare(
    "SELECT homepage, (SELECT verdict FROM run WHERE site = ? AND finished IS NOT NULL " +
      "ORDER BY id DESC LIMIT 1) AS verdict FROM site WHERE id = ?",
  ).get(id, id) as { homepage: string; verdict: Verdict | null };
  const children = childrenOf(database, id);
  const findSitemap = database.prepare("SELECT * FROM sitemap WHERE id = ?");
  const selectPages = database.prepare(SELECT_PAGES);
  const counts = { sitemaps: 0, pages: 0, invalid: 0, bytes: 0 };
  let batch: TreeEvent[] = [];

  function* visit(id: number, parent: SitemapRef): Generator<readonly TreeEvent[], void, void> {
    const row = findSitemap.get(id) as unknown as StoredSitemap | undefined;
    // a run in progress has removed it
    if (row === undefined) return;
    if (batch.length >= MAX_BATCH_ITEMS) yield* flush();
    const ref = refOf(row, parent);
    const { code, reason } = row;
    // one that could be read before has its former content
    if (code !== null && row.pages === 0 && !children.has(id)) {
      counts.invalid++;
      const sitemap: SitemapRef = { ...ref, type: "InvalidSitemap" };
      batch.push({ type: "invalid", sitemap, code: code as InvalidCode, reason: reason ?? "" });
      return;
    }
    batch.push({ type: "sitemap-entered", sitemap: ref });
    let pages = 0, last = 0;
    let rows: PageRow[];
    do {
      rows = selectPages.all(id, last, id, last) as unknown as PageRow[];
      for (const row of rows) {
        batch.push({ type: "page", page: pageOf(row.url, row), sitemap: ref });
        if (batch.length >= MAX_BATCH_ITEMS) yield* flush();
      }
      pages += rows.length;
      last = rows.at(-1)?.id ?? 0;
    } while (rows.length === CHUNK_ROWS);
    for (const child of children.get(id) ?? []) yield* visit(child, ref);
    const bytes = row.bytes ?? 0;
    const complete = row.state === "read" || row.state === "unchanged";
    batch.push({ type: "sitemap-left", sitemap: ref, pages, bytes, complete, warnings: {} });
    if (isCounted(ref)) counts.sitemaps++;
    counts.pages += pages;
    counts.bytes += bytes;
  }

  function* flush(): Generator<readonly TreeEvent[], void, void> {
    const full = batch;
    batch = [];
    yield full;
  }

  const root: SitemapRef = {
    id: ROOT_ID,
    type: "IndexWebsiteSitemap",
    url: homepage,
    level: -1,
    parent: null,
    index: 0,
  };
  batch.push({ type: "sitemap-entered", sitemap: root });
  for (const child of children.get(ROOT_ID) ?? []) yield* visit(child, root);
  batch.push({
    type: "sitemap-left",
    sitemap: root,
    pages: 0,
    bytes: 0,
    complete: true,
    warnings: {},
  });
  const stats = { ...counts, warnings: 0, requests: 0, retries: 0, probes: 0, durationMs: 0 };
  const isComplete = verdict === "complete";
  const isEmpty = counts.sitemaps === 0 && verdict !== null;
  batch.push({ type: "finished", verdict: isComplete || isEmpty ? verdict : "partial", stats });
  yield batch;
}

/**
 * Returns the ids of the sitemaps below each sitemap, in document order. One that is gone is left out,
 * unless it is still listed.
 */
function childrenOf(database: Reader, site: number): Map<number, number[]> {
  const rows = database.prepare(
    "SELECT id, parent FROM sitemap AS s WHERE site = ? AND (state <> 'gone' OR EXISTS " +
      "(SELECT 1 FROM child AS c WHERE c.url = s.url AND c.parent = s.parent)) " +
      "ORDER BY position, id",
  ).all(site) as { id: number; parent: number | null }[];
  const ids = new Set(rows.map(({ id }) => id));
  const children = new Map<number, number[]>();
  for (const { id, parent } of rows) {
    // below a sitemap that is gone, as below the website itself
    const above = parent !== null && ids.has(parent) ? parent : ROOT_ID;
    const siblings = children.get(above);
    if (siblings === undefined) children.set(above, [id]);
    else siblings.push(id);
  }
  return children;
}

function refOf(row: StoredSitemap, parent: SitemapRef): SitemapRef {
  return {
    id: row.id,
    type: row.type,
    url: row.final_url,
    ...(row.final_url === row.url ? {} : { requestedUrl: row.url }),
    level: parent.level + 1,
    parent: parent.id,
    index: row.place,
    ...(row.lastmod === null ? {} : { lastModified: row.lastmod }),
  };
}
