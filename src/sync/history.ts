/**
 * Reads what a snapshot holds: sites, runs, sitemaps, pages and changes.
 *
 * Rows are read in chunks, each by a statement of its own, and no transaction is open between them: one
 * that stays open while a slow consumer reads would keep the write-ahead log from being truncated. Each
 * chunk is consistent; a run that writes meanwhile is visible from the next chunk on.
 *
 * @module
 */

import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import { ANYTHING, checkThat } from "../data/checks.ts";
import type { SitemapType, Verdict } from "../data/events.ts";
import {
  applyRules,
  option,
  type OptionRule,
  type OptionRules,
  wholeNumber,
} from "../data/option_rules.ts";
import type { SitemapPage } from "../data/page.ts";
import { pageFromRow, type StoredValues } from "../data/page_row.ts";
import { isStorable } from "../data/text.ts";
import { addressKey } from "../data/url.ts";
import type { ChangeCounts } from "./events.ts";
import { changedFields, type PageField } from "./identity.ts";
import { type RowStream, rowStream } from "./row_stream.ts";
import { pageFromJson, type StoredRun } from "./site_run.ts";
import { chunks, findSite, listedPages, readListing, readSitemaps } from "./stored_rows.ts";
import { checkReadable, type Store, type StoredPage, type StoredSite } from "./store.ts";

/** Run of a site, with the changes that it found. */
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
  readonly verdict?: Verdict | "forgotten";
  /** Why it is not complete, as a code. */
  readonly code?: string;
  /** The same as a sentence. */
  readonly reason?: string;
  /** Sequence number of the last change before it. */
  readonly after: number;
}

/** Site of a snapshot. */
export interface RecordedSite {
  /** Homepage, which identifies the site. */
  readonly homepage: string;
  /** Number of its pages. */
  readonly pages: number;
  /** Its last run; absent before the first. */
  readonly lastRun?: RecordedRun;
}

/** Which sites to read. */
export interface SitesOptions {
  /** Verdict of their last run. Default: any. */
  readonly verdict?: Verdict;
  /** Code of their last run. Default: any. */
  readonly code?: string;
}

/** Sitemap of a snapshot. */
export interface RecordedSitemap {
  /** URL after redirects. */
  readonly url: string;
  /** URL as requested, if redirects led to another one. */
  readonly requestedUrl?: string;
  /** Type of the sitemap. */
  readonly type: SitemapType;
  /** What the last walk found out: it was read or is unchanged, it is gone for good, or neither. */
  readonly state: "listing" | "gone" | "unknown";
  /** Why it has no listing, as a code. */
  readonly code?: string;
  /** The same as a sentence. */
  readonly reason?: string;
  /** Number of pages that it lists. */
  readonly pages: number;
  /** URL of the first sitemap that lists it. */
  readonly parent?: string;
  /** Date that was declared for it when it was read last. */
  readonly lastModified?: string;
  /** When its content was read; an unchanged one need not be read again. */
  readonly read?: Date;
  /** Since when it is gone. */
  readonly goneSince?: Date;
}

/** Page of a snapshot. */
export interface RecordedPage {
  /** Homepage of its site. */
  readonly site: string;
  /** The page, with the values that this sitemap has for it. */
  readonly page: SitemapPage;
  /** URL of the first sitemap that lists it; of the last one that did if it is unconfirmed. */
  readonly sitemap: string;
  /** Whether no sitemap lists it any more, and that is not confirmed yet. */
  readonly unconfirmed: boolean;
}

/** Which pages to read. */
export interface PagesOptions {
  /** URL of a sitemap that lists them. */
  readonly sitemap?: string | URL;
  /** Whether to read only unconfirmed pages, or only others. Default: all. */
  readonly unconfirmed?: boolean;
}

/** Change of a page. */
export interface RecordedChange {
  /** Number of the change, ascending over all sites of the snapshot, in the order of commits. */
  readonly sequence: number;
  /** Kind of change. */
  readonly type: "added" | "changed" | "removed";
  /** Number of the run that found it. */
  readonly run: number;
  /** When it was committed. */
  readonly time: Date;
  /** Homepage of the site. */
  readonly site: string;
  /** URL of the sitemap that lists the page, or listed it last. */
  readonly sitemap: string;
  /** The page after the change, or as it was before it was removed. */
  readonly page: SitemapPage;
  /** The page before; only if it changed. */
  readonly previous?: SitemapPage;
  /** Fields whose values changed; only if it changed. */
  readonly fields?: readonly PageField[];
}

const isName = (value: unknown) => typeof value === "string" && value !== "" && isStorable(value);

export const CONSUMER: OptionRule<undefined> = option(checkThat("a name", isName));

/** Which changes to read: by one of `after`, `since` and `consumer`. Default: all that are kept. */
export interface ChangesOptions {
  /** Sequence number of the last change before. */
  readonly after?: number;
  /** Earliest time of commit. */
  readonly since?: Date;
  /** Name of a consumer, to read what it has not acknowledged. */
  readonly consumer?: string;
  /** Homepage of a site. Default: all sites. */
  readonly site?: string | URL;
}

const CHANGES_RULES = {
  after: wholeNumber(0),
  since: option(checkThat("a Date", (value) => value instanceof Date && !isNaN(value.getTime()))),
  consumer: CONSUMER,
  // an unknown one is an error of its own
  site: option(ANYTHING),
} satisfies OptionRules<ChangesOptions>;

function storedRows<T>(
  store: Store,
  batches: () => AsyncGenerator<readonly T[], void, void>,
): RowStream<T> {
  return rowStream(async function* () {
    checkReadable(store);
    yield* batches();
  });
}

export function readSites(store: Store, { verdict, code }: SitesOptions): RowStream<RecordedSite> {
  return storedRows(store, async function* () {
    const isWanted = (row: SiteRow) =>
      row.is_forgotten === 0 && (verdict === undefined || row.verdict === verdict) &&
      (code === undefined || row.code === code);
    const all = chunks<SiteRow>(
      store,
      ({ number }) => number,
      `SELECT r.*, s.id AS number, s.homepage, s.pages, s.is_forgotten
       FROM stored_site AS s LEFT JOIN stored_run AS r ON r.id = s.last_run
       WHERE s.id > ? ORDER BY s.id LIMIT ${MAX_BATCH_ITEMS}`,
    );
    for await (const rows of all) {
      yield rows.filter(isWanted).map((row) => {
        const { homepage, pages } = row;
        return { homepage, pages, ...(row.id !== null && { lastRun: runOf(row) }) };
      });
    }
  });
}

/** A site with its last run, of which all is NULL before the first. */
type SiteRow = StoredRun & Pick<StoredSite, "homepage" | "pages" | "is_forgotten"> & {
  readonly number: number;
};

export function readRuns(store: Store, site?: string | URL): RowStream<RecordedRun> {
  return storedRows(store, async function* () {
    const values = site === undefined ? [] : [(await findSite(store, site)).id];
    const where = site === undefined ? "" : "AND r.site = ?";
    const all = chunks<StoredRun & { homepage: string }>(
      store,
      ({ id }) => id,
      `SELECT r.*, s.homepage FROM stored_run AS r JOIN stored_site AS s ON s.id = r.site
       WHERE r.id > ? ${where} ORDER BY r.id LIMIT ${MAX_BATCH_ITEMS}`,
      ...values,
    );
    for await (const rows of all) yield rows.map(runOf);
  });
}

function runOf(row: StoredRun & { readonly homepage: string }): RecordedRun {
  const { id, after, started, finished, verdict, code, reason, added, changed, removed } = row;
  const { unchanged, unconfirmed, not_modified: notModified, bytes_saved: bytesSaved } = row;
  return {
    id,
    site: row.homepage,
    started: new Date(started),
    ...(finished !== null && { finished: new Date(finished) }),
    ...(verdict !== null && { verdict }),
    ...(code !== null && { code }),
    ...(reason !== null && { reason }),
    after,
    ...{ added, changed, removed, unchanged, unconfirmed, notModified, bytesSaved },
  };
}

export function readSitemapRows(store: Store, site: string | URL): RowStream<RecordedSitemap> {
  return storedRows(store, async function* () {
    const all = await readSitemaps(store, (await findSite(store, site)).id);
    const sitemaps = all.filter(({ is_forgotten }) => !is_forgotten);
    const urls = new Map(sitemaps.map(({ id, url }) => [id, url]));
    yield sitemaps.map((sitemap): RecordedSitemap => {
      const { url, final_url, type, state, code, reason, pages, lastmod } = sitemap;
      const { parent, read_at, gone_since } = sitemap;
      const above = parent === null ? undefined : urls.get(parent);
      return {
        url: final_url,
        ...(final_url !== url && { requestedUrl: url }),
        type,
        state,
        ...(code !== null && { code }),
        ...(reason !== null && { reason }),
        pages,
        ...(above !== undefined && { parent: above }),
        ...(lastmod !== null && { lastModified: lastmod }),
        ...(read_at !== null && { read: new Date(read_at) }),
        ...(gone_since !== null && { goneSince: new Date(gone_since) }),
      };
    });
  });
}

// ------------------------------------------------------------------------------------------- pages

/** In document order; those of all sites in the order in which they came. */
export function readPages(
  store: Store,
  site: string | URL | undefined,
  { sitemap, unconfirmed }: PagesOptions,
): RowStream<RecordedPage> {
  return storedRows(store, async function* () {
    const isWanted = ({ dropped }: StoredPage) =>
      unconfirmed === undefined || unconfirmed === (dropped !== null);
    if (site === undefined) {
      for await (const pages of chunks<PageOfAll>(store, ({ id }) => id, SELECT_PAGES)) {
        yield pages.filter(isWanted).map((page) => recordedPage(page, page.homepage, page.listed));
      }
      return;
    }
    const { id, homepage } = await findSite(store, site);
    const sitemaps = await readSitemaps(store, id);
    const urls = new Map(sitemaps.map(({ id, url }) => [id, url]));
    const toRow = (page: StoredPage) => recordedPage(page, homepage, urls.get(page.sitemap) ?? "");
    const key = sitemap === undefined ? undefined : addressKey(String(sitemap));
    for (const listed of sitemaps) {
      if (key !== undefined && listed.url !== key && listed.final_url !== key) continue;
      for await (const pages of listedPages(store, await readListing(store, id, listed.id))) {
        yield pages.filter((page) =>
          isWanted(page) && (key !== undefined || page.sitemap === listed.id)
        ).map(toRow);
      }
    }
    if (key !== undefined) return;
    // those that their sitemap does not list any more
    const lost = await store.read<StoredPage>(
      `SELECT p.* FROM lost_listing AS l JOIN stored_page AS p
       ON p.id = l.page AND p.sitemap = l.sitemap WHERE l.site = ? ORDER BY p.id`,
      id,
    );
    yield lost.filter(isWanted).map(toRow);
  });
}

function recordedPage(page: StoredPage, site: string, sitemap: string): RecordedPage {
  return { site, page: pageFromRow(page.url, page), sitemap, unconfirmed: page.dropped !== null };
}

interface PageOfAll extends StoredPage {
  readonly homepage: string;
  /** URL of its sitemap. */
  readonly listed: string;
}

const SELECT_PAGES = `SELECT p.*, s.homepage, coalesce(m.url, '') AS listed FROM (
  SELECT * FROM stored_page WHERE id > ? ORDER BY id LIMIT ${MAX_BATCH_ITEMS}
) AS p JOIN stored_site AS s ON s.id = p.site
LEFT JOIN stored_sitemap AS m ON m.site = p.site AND m.id = p.sitemap ORDER BY p.id`;

// ----------------------------------------------------------------------------------------- changes

interface ChangeRow extends StoredValues {
  readonly sequence: number;
  readonly type: RecordedChange["type"];
  readonly site: string;
  readonly url: string;
  readonly sitemap: string;
  readonly page: string | null;
  readonly previous: string | null;
  readonly run: number;
  readonly time: number;
}

const commitOf = (column: string) =>
  `(SELECT ${column} FROM stored_commit WHERE first <= c.sequence ORDER BY first DESC LIMIT 1)`;

/** Changes, those of pages that are as they were added by their own rows. */
const SELECT_CHANGES = `
SELECT c.*, s.homepage AS site, ${commitOf("run")} AS run, ${commitOf("time")} AS time FROM (
  SELECT p.id AS sequence, 'added' AS type, p.site AS site_id, p.url, coalesce(m.url, '') AS sitemap,
    NULL AS page, NULL AS previous, p.lastmod, p.priority, p.changefreq, p.extensions
  FROM stored_page AS p LEFT JOIN stored_sitemap AS m ON m.site = p.site AND m.id = p.sitemap
  WHERE p.id > ? AND p.id <= ? AND p.changed IS NULL
  UNION ALL
  SELECT sequence, type, site, url, sitemap, page, previous, NULL, NULL, NULL, NULL
  FROM stored_change WHERE sequence > ? AND sequence <= ?
  ORDER BY 1 LIMIT ${MAX_BATCH_ITEMS}
) AS c JOIN stored_site AS s ON s.id = c.site_id ORDER BY c.sequence`;

export function readChanges(store: Store, options: ChangesOptions): RowStream<RecordedChange> {
  const resolved = applyRules(CHANGES_RULES, options);
  return storedRows(store, async function* () {
    const { site, since } = resolved;
    const only = site === undefined ? undefined : (await findSite(store, site)).homepage;
    yield* changesAfter(
      store,
      await firstChange(store, resolved),
      (row) =>
        (only === undefined || row.site === only) &&
        (since === undefined || row.time >= since.getTime()),
    );
  });
}

/** Reads the changes of runs that are still kept, of which all have higher numbers than `after`. */
export function readRunChanges(
  store: Store,
  runs: ReadonlySet<number>,
  after: number,
): RowStream<RecordedChange> {
  return storedRows(store, async function* () {
    if (runs.size === 0) return;
    const { pruned } = await prunedChanges(store);
    yield* changesAfter(store, Math.max(after, pruned), ({ run }) => runs.has(run));
  });
}

async function* changesAfter(
  store: Store,
  last: number,
  isWanted: (row: ChangeRow) => boolean,
): AsyncGenerator<RecordedChange[], void, void> {
  for (;;) {
    // changes with lower numbers may be committed later
    const head = await store.head();
    const rows = await store.read<ChangeRow>(SELECT_CHANGES, last, head, last, head);
    if (rows.length === 0) return;
    last = rows.at(-1)!.sequence;
    yield rows.filter(isWanted).map(recordedChange);
  }
}

/** Returns the number of the last change before those that are wanted. */
async function firstChange(
  store: Store,
  { after, since, consumer }: ChangesOptions,
): Promise<number> {
  if ([after, since, consumer].filter((value) => value !== undefined).length > 1) {
    throw new TypeError('Cannot use more than one of the options "after", "since" and "consumer"');
  }
  const { pruned, time } = await prunedChanges(store);
  let from = after && Math.min(after, Number.MAX_SAFE_INTEGER);
  if (consumer !== undefined) {
    const [row] = await store.read<{ acknowledged: number }>(
      "SELECT acknowledged FROM consumer WHERE name = ?",
      consumer,
    );
    // a new one begins with all
    from = row?.acknowledged;
  }
  if (since !== undefined) {
    if (pruned > 0 && since.getTime() <= time) {
      throw new RangeError(
        `Changes up to ${new Date(time).toISOString()} are not kept any more`,
      );
    }
    const [row] = await store.read<{ first: number | null }>(
      "SELECT min(first) AS first FROM stored_commit WHERE time >= ?",
      since.getTime(),
    );
    return Math.max(pruned, row?.first == null ? await store.head() : row.first - 1);
  }
  const last = from ?? pruned;
  const head = await store.head();
  if (last > head) {
    throw new RangeError(
      `Cannot read changes after ${last}: the last one is ${head}; this may be an older copy`,
    );
  }
  if (last >= pruned) return last;
  throw new RangeError(`Changes from ${last + 1} to ${pruned} are not kept any more`);
}

/** Returns the last change that is not kept any more, and when it was. */
export async function prunedChanges(store: Store): Promise<{ pruned: number; time: number }> {
  const rows = await store.read<{ name: string; value: number }>("SELECT * FROM setting");
  const settings = new Map(rows.map(({ name, value }) => [name, value]));
  return { pruned: settings.get("pruned") ?? 0, time: settings.get("pruned_time") ?? 0 };
}

function recordedChange(row: ChangeRow): RecordedChange {
  const { sequence, type, run, time, site, sitemap, url } = row;
  const page = row.page === null ? pageFromRow(url, row) : pageFromJson(url, row.page);
  const previous = row.previous === null ? undefined : pageFromJson(url, row.previous);
  return {
    sequence,
    type,
    run,
    time: new Date(time),
    site,
    sitemap,
    page,
    ...(previous !== undefined && { previous, fields: changedFields(page, previous) }),
  };
}
