import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { InvalidCode } from "../data/codes.ts";
import { isCounted, type SitemapRef, type TreeEvent, type Verdict } from "../data/events.ts";
import { pageFromRow, type StoredValues } from "../data/page_row.ts";
import { findSite, inOrder, listedPages } from "./history.ts";
import { readListing } from "./site_run.ts";
import type { StoredSitemap } from "./sitemap_graph.ts";
import type { Store, StoredPage } from "./store.ts";

/** Id of the website itself; the ids of its sitemaps are their numbers. */
const ROOT_ID = 0;

/**
 * Yields a site as the events of a walk in document order, below the website itself. A sitemap that
 * could not be read by the last run has its last listing, and is not `complete`; the verdict is that of
 * the last run that ended, `partial` if there is none, or if it read nothing and the site has sitemaps
 * nevertheless.
 */
export async function* siteEvents(
  store: Store,
  site: string | URL,
): AsyncGenerator<readonly TreeEvent[], void, void> {
  const { id: siteId, homepage } = await findSite(store, site);
  const rows = (await inOrder(store, siteId)).filter(({ is_forgotten }) => !is_forgotten);
  const sitemaps = new Map(rows.map((row) => [row.id, row]));
  const seen = new Set<number>();
  const counts = { sitemaps: 0, pages: 0, invalid: 0, bytes: 0 };
  let batch: TreeEvent[] = [];

  async function* visit(
    row: StoredSitemap,
    parent: SitemapRef,
    index: number,
    lastmod: string | null,
  ): AsyncGenerator<readonly TreeEvent[], void, void> {
    seen.add(row.id);
    const ref = refOf(row, parent, index, lastmod);
    const { code, reason } = row;
    // one that could be read before has its former content
    if (row.pages === 0 && row.children.length === 0) {
      if (code === null || code === "already-visited" || code === "recursion") return;
      counts.invalid++;
      const sitemap: SitemapRef = { ...ref, type: "InvalidSitemap" };
      batch.push({ type: "invalid", sitemap, code: code as InvalidCode, reason: reason ?? "" });
      return;
    }
    batch.push({ type: "sitemap-entered", sitemap: ref });
    let pages = 0;
    for await (const rows of listedPages(store, await readListing(store, siteId, row.id))) {
      const values = await valuesIn(store, row, siteId, rows);
      for (const page of rows) {
        const event = pageFromRow(page.url, values.get(page.id) ?? page);
        if (batch.push({ type: "page", page: event, sitemap: ref }) >= MAX_BATCH_ITEMS) {
          yield batch;
          batch = [];
        }
      }
      pages += rows.length;
    }
    for (const [at, [child, lastmod]] of row.children.entries()) {
      const below = sitemaps.get(child);
      if (below !== undefined && !seen.has(child)) yield* visit(below, ref, at, lastmod);
    }
    const bytes = row.bytes ?? 0;
    const complete = row.state === "listing";
    batch.push({ type: "sitemap-left", sitemap: ref, pages, bytes, complete, warnings: {} });
    if (isCounted(ref)) counts.sitemaps++;
    counts.pages += pages;
    counts.bytes += bytes;
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
  // what nothing leads to any more comes last
  const starts = [...sitemaps.values()].sort((one, other) =>
    Number(other.is_root) - Number(one.is_root)
  );
  let index = 0;
  for (const row of starts) if (!seen.has(row.id)) yield* visit(row, root, index++, null);
  const left = { sitemap: root, pages: 0, bytes: 0, complete: true, warnings: {} };
  batch.push({ type: "sitemap-left", ...left });
  const stats = { ...counts, warnings: 0, requests: 0, retries: 0, probes: 0, durationMs: 0 };
  const { verdict, finished } = await lastRun(store, siteId);
  const isEmpty = counts.sitemaps === 0 && verdict !== undefined;
  const shown = verdict === "complete" || isEmpty ? verdict : "partial";
  batch.push({
    type: "finished",
    verdict: shown,
    stats,
    source: "snapshot",
    ...(finished !== undefined && { endedAt: new Date(finished).toISOString() }),
    discovery: [],
  });
  yield batch;
}

interface LastRun {
  readonly verdict?: Verdict;
  readonly finished?: number;
}

async function lastRun(store: Store, site: number): Promise<LastRun> {
  const [row = {}] = await store.read<LastRun>(
    `SELECT verdict, finished FROM stored_run WHERE site = ? AND finished IS NOT NULL
     AND verdict <> 'forgotten' ORDER BY id DESC LIMIT 1`,
    site,
  );
  return row;
}

/** Returns the values that pages have in a sitemap which is not their first. */
async function valuesIn(
  store: Store,
  { id }: StoredSitemap,
  site: number,
  pages: readonly StoredPage[],
): Promise<Map<number, StoredValues>> {
  if (pages.every(({ sitemap }) => sitemap === id)) return new Map();
  const others = pages.filter(({ sitemap }) => sitemap !== id).map((page) => page.id);
  const rows = await store.read<StoredValues & { page: number }>(
    `SELECT * FROM other_listing WHERE site = ? AND sitemap = ?
     AND page IN (${others.map(() => "?").join(", ")})`,
    site,
    id,
    ...others,
  );
  return new Map(rows.map((row) => [row.page, row]));
}

function refOf(
  { id, type, url, final_url }: StoredSitemap,
  parent: SitemapRef,
  index: number,
  lastmod: string | null,
): SitemapRef {
  return {
    id,
    type,
    url: final_url,
    ...(final_url !== url && { requestedUrl: url }),
    level: parent.level + 1,
    parent: parent.id,
    index,
    ...(lastmod !== null && { lastModified: lastmod }),
  };
}
