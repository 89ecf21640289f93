/**
 * A run of a site in a SQLite database.
 *
 * @module
 */

import type { Verdict } from "../data/events.ts";
import type { Database, SqlValue } from "../platform/sqlite.ts";
import { isoTime } from "../data/date.ts";
import { PageFinder } from "./page_finder.ts";
import { PAGE_INDEXES } from "./schema.ts";
import type { ChildSitemap, OtherListing, RunCounts, SnapshotRun, StoredSitemap } from "./store.ts";
import { type ListedPage, pageOf, type StoredValues } from "../data/page_row.ts";
import type { StoredPage } from "./stored_page.ts";
import { Transaction, type TransactionOptions } from "./transaction.ts";

/** Rows of one statement: more take longer to prepare than they save. */
const BATCH = 100;

/** Columns of a row in a table, in the order of its statements. */
const SITEMAP_COLUMNS = [
  "url",
  "final_url",
  "type",
  "parent",
  "level",
  "place",
  "position",
  "lastmod",
  "run",
  "state",
  "code",
  "reason",
  "pages",
  "bytes",
  "etag",
  "last_modified",
  "digest",
] as const satisfies readonly (keyof StoredSitemap)[];

/** Statements that insert so many pages. */
const INSERTS: readonly string[] = Array.from(
  { length: BATCH + 1 },
  (_, rows) =>
    `INSERT INTO page (id, site, sitemap, url, lastmod, priority, changefreq, extensions, added, changed)
   VALUES ${new Array(rows).fill("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
);

/**
 * Pages that were dropped by a sitemap which is known not to list them. One that dropped them in an
 * earlier run, in which they were not removed, may have failed since.
 */
const REMOVABLE = `page JOIN sitemap ON sitemap.id = page.sitemap
  WHERE page.site = ? AND page.dropped IS NOT NULL
    AND sitemap.state IN ('read', 'unchanged', 'gone')`;

/** A row of the table `run`. */
export interface StoredRun extends RunCounts {
  readonly id: number;
  readonly site: number;
  /** Pages when it began. */
  readonly known: number;
}

/** Options of {@linkcode SqliteRun}. */
export interface SqliteRunOptions extends TransactionOptions {
  /** Number of the run before, 0 for none. */
  readonly previous: number;
  /** Pages of the site. */
  readonly pages: number;
  /** Called when the run is closed. */
  readonly onClose: () => void;
}

/** A run of a site in a SQLite database. A transaction is open from the first change to `commit()`. */
export class SqliteRun implements SnapshotRun {
  readonly id: number;
  readonly previous: number;
  readonly known: number;
  readonly counts: RunCounts;
  pages: number;
  nextPage: number;
  readonly #options: SqliteRunOptions;
  readonly #site: number;
  readonly #transaction: Transaction;
  readonly #finder: PageFinder;

  constructor(database: Database, run: StoredRun, options: SqliteRunOptions) {
    this.#transaction = new Transaction(database, options);
    this.#options = options;
    this.#site = run.site;
    this.id = run.id;
    this.previous = options.previous;
    this.known = run.known;
    this.pages = options.pages;
    const { added, changed, removed, unchanged, unconfirmed, notModified, bytesSaved } = run;
    this.counts = { added, changed, removed, unchanged, unconfirmed, notModified, bytesSaved };
    const last = this.#transaction.get<{ seq: number }>(
      "SELECT seq FROM sqlite_sequence WHERE name = 'page'",
    );
    this.nextPage = (last?.seq ?? 0) + 1;
    this.#finder = new PageFinder(this.#transaction, run.site);
  }

  // --------------------------------------------------------------------------------------- sitemaps

  sitemap(url: string): StoredSitemap | undefined {
    return this.#transaction.get<StoredSitemap>(
      "SELECT * FROM sitemap WHERE site = ? AND url = ?",
      this.#site,
      url,
    );
  }

  sitemapById(id: number): StoredSitemap | undefined {
    return this.#transaction.get<StoredSitemap>("SELECT * FROM sitemap WHERE id = ?", id);
  }

  unsettled(): StoredSitemap[] {
    return this.#transaction.all<StoredSitemap>(
      "SELECT * FROM sitemap WHERE site = ? AND run <> ? AND state <> 'gone' ORDER BY position",
      this.#site,
      this.id,
    );
  }

  settled(): Pick<StoredSitemap, "id" | "position">[] {
    return this.#transaction.all<Pick<StoredSitemap, "id" | "position">>(
      "SELECT id, position FROM sitemap WHERE site = ? AND run = ?",
      this.#site,
      this.id,
    );
  }

  parentsOf(url: string): StoredSitemap[] {
    return this.#transaction.all<StoredSitemap>(
      `SELECT DISTINCT sitemap.* FROM child JOIN sitemap ON sitemap.id = child.parent
       WHERE child.url = ? AND sitemap.site = ?`,
      url,
      this.#site,
    );
  }

  saveSitemap(sitemap: Omit<StoredSitemap, "id"> & { readonly id?: number }): number {
    const { id } = sitemap;
    const values = SITEMAP_COLUMNS.map((column) => sitemap[column]);
    if (id === undefined) {
      const columns = SITEMAP_COLUMNS.join(", ");
      const marks = SITEMAP_COLUMNS.map(() => "?").join(", ");
      const sql = `INSERT INTO sitemap (site, ${columns}) VALUES (?, ${marks})`;
      return Number(this.#transaction.run(sql, this.#site, ...values).lastInsertRowid);
    }
    const columns = SITEMAP_COLUMNS.map((column) => `${column} = ?`).join(", ");
    this.#transaction.run(`UPDATE sitemap SET ${columns} WHERE id = ?`, ...values, id);
    return id;
  }

  children(sitemap: number): ChildSitemap[] {
    const sql = "SELECT url, lastmod FROM child WHERE parent = ? ORDER BY place";
    return this.#transaction.all<ChildSitemap>(sql, sitemap);
  }

  setChildren(sitemap: number, children: readonly ChildSitemap[]): void {
    this.#transaction.run("DELETE FROM child WHERE parent = ?", sitemap);
    for (const [place, { url, lastmod }] of children.entries()) {
      this.#transaction.run(
        "INSERT INTO child (parent, place, url, lastmod) VALUES (?, ?, ?, ?)",
        sitemap,
        place,
        url,
        lastmod,
      );
    }
  }

  // ------------------------------------------------------------------------------------------ pages

  addUnknown(sitemap: number, pages: readonly ListedPage[]): Map<string, StoredPage> {
    const known = this.#finder.find(sitemap, pages, { run: this.id, nextPage: this.nextPage });
    const added = known.size === 0 ? pages : pages.filter(({ url }) => !known.has(url));
    if (added.length > 0) this.#add(sitemap, added);
    return known;
  }

  #add(sitemap: number, pages: readonly ListedPage[]): void {
    const first = this.nextPage;
    for (let at = 0; at < pages.length; at += BATCH) {
      const batch = pages.slice(at, at + BATCH);
      const values: SqlValue[] = [];
      for (const { url, lastmod, priority, changefreq, extensions } of batch) {
        values.push(this.nextPage++, this.#site, sitemap, url, lastmod, priority, changefreq);
        values.push(extensions, this.id, this.id);
      }
      this.#transaction.run(INSERTS[batch.length]!, ...values);
    }
    this.#transaction.run(
      `INSERT INTO change (run, page, type, url, sitemap)
       SELECT ?, id, 'added', url, sitemap FROM page WHERE id >= ?`,
      this.id,
      first,
    );
    this.pages += pages.length;
    this.counts.added += pages.length;
  }

  change(page: StoredPage, values: StoredValues, sitemap: number): void {
    const { lastmod, priority, changefreq, extensions } = values;
    const previous = JSON.stringify(pageOf(page.url, page));
    this.#keepData(page, previous);
    this.#transaction.run(
      `UPDATE page SET lastmod = ?, priority = ?, changefreq = ?, extensions = ?, changed = ?
       WHERE id = ?`,
      lastmod,
      priority,
      changefreq,
      extensions,
      this.id,
      page.id,
    );
    // what was added or changed earlier in this run stays one change
    if (page.changed === this.id) return;
    this.#record(page, "changed", sitemap, previous);
    this.counts.changed++;
  }

  move({ id }: StoredPage, sitemap: number): void {
    this.#transaction.run("UPDATE page SET sitemap = ?, dropped = NULL WHERE id = ?", sitemap, id);
  }

  remove(pages: readonly StoredPage[]): void {
    for (const page of pages) {
      const previous = JSON.stringify(pageOf(page.url, page));
      if (page.added === this.id) {
        // added earlier in this run
        this.#transaction.run("DELETE FROM change WHERE run = ? AND page = ?", this.id, page.id);
        this.counts.added--;
      } else {
        if (page.changed === this.id) this.counts.changed--;
        this.#keepData(page, previous);
        this.#record(page, "removed", page.sitemap, previous);
        this.counts.removed++;
      }
      this.#transaction.run("DELETE FROM listing WHERE page = ?", page.id);
      this.#transaction.run("DELETE FROM page WHERE id = ?", page.id);
    }
    // kept as long as the changes that mention it
    for (const sitemap of new Set(pages.map(({ sitemap }) => sitemap))) {
      this.#transaction.run(
        "UPDATE sitemap SET run = ? WHERE id = ? AND state = 'gone'",
        this.id,
        sitemap,
      );
    }
    this.pages -= pages.length;
  }

  drop(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#transaction.run("UPDATE page SET dropped = ? WHERE id = ?", this.id, id);
    }
  }

  countDropped(): number {
    const sql = `SELECT count(*) AS count FROM ${REMOVABLE}`;
    return this.#transaction.get<{ count: number }>(sql, this.#site)!.count;
  }

  dropped(after: number, limit: number): StoredPage[] {
    const sql = `SELECT page.* FROM ${REMOVABLE} AND page.id > ? ORDER BY page.id LIMIT ?`;
    return this.#transaction.all<StoredPage>(sql, this.#site, after, limit);
  }

  // --------------------------------------------------------------------------------------- listings

  pageIds(sitemap: number, end: number = this.nextPage): Iterable<number> {
    return this.#ids(
      `SELECT id FROM page WHERE sitemap = ? AND id > ? AND id < ? AND dropped IS NULL`,
      sitemap,
      end,
    );
  }

  listedIds(sitemap: number): Iterable<number> {
    return this.#ids("SELECT page AS id FROM listing WHERE sitemap = ? AND page > ?", sitemap);
  }

  /** Returns ids in ascending order. One value with many of them is read faster than many rows. */
  *#ids(sql: string, sitemap: number, ...values: SqlValue[]): Generator<number, void, undefined> {
    const select = `SELECT json_group_array(id) AS ids FROM (${sql} ORDER BY id LIMIT 10000)`;
    for (let last = 0;;) {
      const { ids } = this.#transaction.get<{ ids: string }>(select, sitemap, last, ...values)!;
      const parsed: number[] = JSON.parse(ids);
      if (parsed.length === 0) return;
      last = parsed.at(-1)!;
      yield* parsed;
    }
  }

  list(sitemap: number, page: number, values: StoredValues): void {
    const { lastmod, priority, changefreq, extensions } = values;
    this.#transaction.run(
      `INSERT OR REPLACE INTO listing (sitemap, page, lastmod, priority, changefreq, extensions)
       VALUES (?, ?, ?, ?, ?, ?)`,
      sitemap,
      page,
      lastmod,
      priority,
      changefreq,
      extensions,
    );
  }

  unlist(sitemap: number, pages: Iterable<number>): void {
    for (const page of pages) {
      this.#transaction.run("DELETE FROM listing WHERE sitemap = ? AND page = ?", sitemap, page);
    }
  }

  claimable(sitemap: number): OtherListing[] {
    const rows = this.#transaction.all<
      StoredPage & { readonly [K in keyof StoredValues as `new_${K}`]: StoredValues[K] }
    >(
      `SELECT page.*, listing.lastmod AS new_lastmod, listing.priority AS new_priority,
         listing.changefreq AS new_changefreq, listing.extensions AS new_extensions
       FROM listing
       JOIN page ON page.id = listing.page
       JOIN sitemap ON sitemap.id = page.sitemap
       WHERE listing.sitemap = ? AND (sitemap.run <> ? OR page.dropped IS NOT NULL)
       ORDER BY page.id`,
      sitemap,
      this.id,
    );
    return rows.map((page) => ({
      page,
      values: {
        lastmod: page.new_lastmod,
        priority: page.new_priority,
        changefreq: page.new_changefreq,
        extensions: page.new_extensions,
      },
    }));
  }

  countUnconfirmed(unread: readonly number[], arrived: readonly number[]): number {
    const { count } = this.#transaction.get<{ count: number }>(
      `WITH suspect (id) AS (
         SELECT page.id FROM sitemap JOIN page ON page.sitemap = sitemap.id
         WHERE sitemap.site = ? AND sitemap.state IN ('failed', 'missing')
         UNION SELECT id FROM page WHERE site = ? AND dropped IS NOT NULL
         UNION SELECT value FROM json_each(?)
         EXCEPT SELECT value FROM json_each(?)
       )
       SELECT count(*) AS count FROM suspect JOIN page USING (id)
       WHERE page.changed <> ? AND (page.dropped IS NOT NULL OR NOT EXISTS (
         SELECT 1 FROM listing JOIN sitemap ON sitemap.id = listing.sitemap
         WHERE listing.page = page.id AND sitemap.state IN ('read', 'unchanged')
       ))`,
      this.#site,
      this.#site,
      JSON.stringify(unread),
      JSON.stringify(arrived),
      this.id,
    )!;
    return count;
  }

  // -------------------------------------------------------------------------------------------- run

  index(): void {
    if (!this.#finder.lacksIndexes) return;
    this.commit();
    this.#finder.freeTable();
    // one transaction each, or the write-ahead log would become as large as all of them
    for (const sql of PAGE_INDEXES) this.#transaction.exec(sql);
  }

  commit(): void {
    if (!this.#transaction.isOpen) return;
    const { added, changed, removed, unchanged, unconfirmed, notModified, bytesSaved } =
      this.counts;
    this.#transaction.run(
      `UPDATE run SET added = ?, changed = ?, removed = ?, unchanged = ?, unconfirmed = ?,
       not_modified = ?, bytes_saved = ? WHERE id = ?`,
      added,
      changed,
      removed,
      unchanged,
      unconfirmed,
      notModified,
      bytesSaved,
      this.id,
    );
    this.#transaction.run("UPDATE site SET pages = ? WHERE id = ?", this.pages, this.#site);
    this.#finder.forget();
    this.#transaction.commit();
  }

  finish(verdict: Verdict, now: number, keepRuns: number): void {
    this.#transaction.run(
      "UPDATE run SET finished = ?, verdict = ? WHERE id = ?",
      isoTime(now),
      verdict,
      this.id,
    );
    if (keepRuns < Infinity) this.#prune(keepRuns);
    this.commit();
  }

  close(): void {
    this.#transaction.rollBack();
    this.#options.onClose();
  }

  /** Removes the changes of all but the last runs, and sitemaps that only they mention. */
  #prune(keepRuns: number): void {
    const oldest = this.#transaction.get<{ id: number }>(
      "SELECT id FROM run WHERE site = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
      this.#site,
      Math.max(0, keepRuns - 1),
    )?.id;
    if (oldest === undefined) return;
    this.#transaction.run(
      "DELETE FROM change WHERE run IN (SELECT id FROM run WHERE site = ? AND id < ?)",
      this.#site,
      oldest,
    );
    this.#transaction.run("DELETE FROM run WHERE site = ? AND id < ?", this.#site, oldest);
    this.#transaction.run(
      `DELETE FROM sitemap WHERE site = ? AND state = 'gone' AND run < ?
       AND NOT EXISTS (SELECT 1 FROM page WHERE page.sitemap = sitemap.id)`,
      this.#site,
      oldest,
    );
  }

  /** Writes what a page was into the change that made it so, before it changes again. */
  #keepData({ id, changed }: StoredPage, data: string): void {
    if (changed === this.id) return;
    this.#transaction.run(
      "UPDATE change SET data = ? WHERE run = ? AND page = ?",
      data,
      changed,
      id,
    );
  }

  #record({ id, url }: StoredPage, type: string, sitemap: number, previous: string): void {
    this.#transaction.run(
      `INSERT INTO change (run, page, type, url, sitemap, previous) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET type = excluded.type, sitemap = excluded.sitemap`,
      this.id,
      id,
      type,
      url,
      sitemap,
      previous,
    );
  }
}
