/**
 * Process that synchronises a site, walks it, or writes the same rows as fast as SQLite can, and
 * reports the result.
 *
 *     deno run -A sync_client.ts sync ORIGIN FILE
 *     deno run -A sync_client.ts walk ORIGIN
 *     deno run -A sync_client.ts sites ORIGIN FILE SITES SLOTS
 *     deno run -A sync_client.ts bare FILE SITEMAPS PAGES
 *
 * @module
 */

import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { parseSitemap, walk } from "../../mod.ts";
import { openSnapshot, sync, syncAll, type SyncFinishedEvent } from "../../src/sync/mod.ts";
import { creation } from "../../src/sync/schema.ts";
import { pageRow } from "../../src/data/page_row.ts";
import { sitemapFile } from "./bench_data.ts";
import { peakRss } from "../../tests/support/peak_rss.ts";

/** Result of a process. */
export interface SyncResult {
  readonly seconds: number;
  /** Seconds of CPU time of the whole process. */
  readonly cpu: number;
  /** In MiB. */
  readonly peakRss: number;
  /** Bytes of the database. */
  readonly bytes: number;
  /** Statistics of a synchronisation. */
  readonly stats?: SyncFinishedEvent["stats"];
  /** Events by type. */
  readonly events?: Readonly<Record<string, number>>;
}

async function syncSite(origin: string, file: string): Promise<SyncResult> {
  const start = performance.now();
  const events: Record<string, number> = {};
  let stats: SyncFinishedEvent["stats"] | undefined;
  {
    await using snapshot = await openSnapshot(file);
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
  return { seconds, cpu: cpu(), peakRss: peakRss(), bytes, events, ...(stats && { stats }) };
}

/** Synchronises the site at so many addresses of loopback. */
async function syncSites(
  origin: string,
  file: string,
  sites: number,
  slots: number,
): Promise<SyncResult> {
  const { port } = new URL(origin);
  const homepages = Array.from({ length: sites }, (_, at) => `http://127.0.1.${at + 1}:${port}/`);
  const start = performance.now();
  const events: Record<string, number> = {};
  {
    await using snapshot = await openSnapshot(file);
    for await (const batch of syncAll(homepages, { snapshot, slots }).batches()) {
      for (const { type } of batch) events[type] = (events[type] ?? 0) + 1;
    }
  }
  const seconds = (performance.now() - start) / 1000;
  const bytes = (await Deno.stat(file)).size;
  return { seconds, cpu: cpu(), peakRss: peakRss(), bytes, events };
}

async function walkSite(origin: string): Promise<SyncResult> {
  const start = performance.now();
  let pages = 0;
  for await (const batch of walk(origin).batches()) {
    for (const { type } of batch) if (type === "page") pages++;
  }
  const seconds = (performance.now() - start) / 1000;
  return { seconds, cpu: cpu(), peakRss: peakRss(), bytes: 0, events: { page: pages } };
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Rows of one statement. */
const BATCH = 100;
const ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";

/** Loads the rows of all sitemaps; only the statements of SQLite are timed. */
async function loadRows(file: string, sitemaps: number, pages: number): Promise<SyncResult> {
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = OFF;
  `);
  database.exec(creation("sqlite", [1, 2]));
  const insert = (rows: number) =>
    database.prepare(
      `INSERT INTO stored_page (id, site, sitemap, key, url, lastmod, priority, changefreq, extensions)
       VALUES ${new Array(rows).fill(ROW).join(", ")}`,
    );
  const insertBatch = insert(BATCH);
  const list = database.prepare("INSERT INTO stored_listing VALUES (1, ?, 0, ?, ?)");
  let seconds = 0, id = 0;
  for (let sitemap = 0; sitemap < sitemaps; sitemap++) {
    const rows: (string | number | null)[][] = [];
    const source = await Deno.readFile(await sitemapFile(sitemap, pages, false));
    for await (const event of parseSitemap(source)) {
      if (event.type !== "page") continue;
      const { lastmod, priority, changefreq, extensions } = pageRow(event.page);
      const key = Math.trunc(Math.random() * 2 ** 32) - 2 ** 31;
      rows.push([++id, 1, sitemap, key, event.page.url, lastmod, priority, changefreq, extensions]);
    }
    const start = performance.now();
    database.exec("BEGIN");
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH);
      (batch.length === BATCH ? insertBatch : insert(batch.length)).run(...batch.flat());
    }
    list.run(sitemap, new Uint8Array(8 * rows.length), new Uint8Array(16));
    database.exec("COMMIT");
    seconds += (performance.now() - start) / 1000;
  }
  const start = performance.now();
  database.exec("INSERT INTO page_key SELECT key, id FROM stored_page ORDER BY key, id");
  database.close();
  seconds += (performance.now() - start) / 1000;
  return { seconds, cpu: cpu(), peakRss: peakRss(), bytes: (await Deno.stat(file)).size };
}

if (import.meta.main) {
  const [mode, first = "", second = "", third, fourth] = Deno.args;
  const result = mode === "sync"
    ? await syncSite(first, second)
    : mode === "sites"
    ? await syncSites(first, second, Number(third), Number(fourth))
    : mode === "walk"
    ? await walkSite(first)
    : await loadRows(first, Number(second), Number(third));
  console.log(JSON.stringify(result));
}
