/**
 * Process that synchronises a site, or writes the same rows as fast as SQLite can, and reports the
 * result.
 *
 *     deno run -A sync_client.ts sync ORIGIN FILE
 *     deno run -A sync_client.ts bare FILE SITEMAPS PAGES
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { parseSitemap } from "../../mod.ts";
import { openSnapshot, sync, type SyncStats } from "../../src/sync/mod.ts";
import { MIGRATIONS, PAGE_INDEXES } from "../../src/sync/schema.ts";
import { listedPage } from "../../src/data/page_row.ts";
import { sitemapFile } from "./bench_data.ts";
import { peakRss } from "./peak_rss.ts";

/** Result of a process. */
export interface SyncResult {
  readonly seconds: number;
  /** In MiB. */
  readonly peakRss: number;
  /** Bytes of the database. */
  readonly bytes: number;
  /** Statistics of a synchronisation. */
  readonly stats?: SyncStats;
  /** Events by type. */
  readonly events?: Readonly<Record<string, number>>;
}

async function syncSite(origin: string, file: string): Promise<SyncResult> {
  const start = performance.now();
  const events: Record<string, number> = {};
  let stats: SyncStats | undefined;
  {
    using snapshot = openSnapshot(file);
    for await (const batch of sync(origin, { snapshot }).batches()) {
      for (const event of batch) {
        events[event.type] = (events[event.type] ?? 0) + 1;
        if (event.type !== "finished") continue;
        if (event.verdict !== "complete") throw new Error(`The run ended "${event.verdict}"`);
        stats = event.stats;
      }
    }
  }
  const seconds = (performance.now() - start) / 1000;
  const bytes = (await Deno.stat(file)).size;
  return { seconds, peakRss: peakRss(), bytes, events, ...(stats && { stats }) };
}

/** Rows of one statement. */
const BATCH = 100;
const ROW = "(?, 1, ?, ?, ?, ?, ?, ?, 1, 1)";

/** Loads the rows of all sitemaps; only the statements of SQLite are timed. */
async function loadRows(file: string, sitemaps: number, pages: number): Promise<SyncResult> {
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = OFF;
  `);
  for (const migration of MIGRATIONS) database.exec(migration);
  const insert = (rows: number) =>
    database.prepare(
      `INSERT INTO page (id, site, sitemap, url, lastmod, priority, changefreq, extensions, added,
       changed) VALUES ${new Array(rows).fill(ROW).join(", ")}`,
    );
  const insertBatch = insert(BATCH);
  const record = database.prepare(
    `INSERT INTO change (run, page, type, url, sitemap)
     SELECT 1, id, 'added', url, sitemap FROM page WHERE id >= ?`,
  );
  let seconds = 0, id = 0;
  for (let sitemap = 0; sitemap < sitemaps; sitemap++) {
    const rows: (string | number | null)[][] = [];
    const source = await Deno.readFile(await sitemapFile(sitemap, pages, false));
    for await (const event of parseSitemap(source)) {
      if (event.type !== "page") continue;
      const { lastmod, priority, changefreq, extensions } = listedPage(event.page);
      rows.push([++id, sitemap, event.page.url, lastmod, priority, changefreq, extensions]);
    }
    const start = performance.now();
    database.exec("BEGIN");
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH);
      (batch.length === BATCH ? insertBatch : insert(batch.length)).run(...batch.flat());
    }
    record.run(id - rows.length + 1);
    database.exec("COMMIT");
    seconds += (performance.now() - start) / 1000;
  }
  const start = performance.now();
  for (const index of PAGE_INDEXES) database.exec(index);
  database.close();
  seconds += (performance.now() - start) / 1000;
  return { seconds, peakRss: peakRss(), bytes: (await Deno.stat(file)).size };
}

if (import.meta.main) {
  const [mode, first = "", second = "", third] = Deno.args;
  const result = mode === "sync"
    ? await syncSite(first, second)
    : await loadRows(first, Number(second), Number(third));
  console.log(JSON.stringify(result));
}
