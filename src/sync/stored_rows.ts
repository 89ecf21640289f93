/**
 * Reads rows of the tables: sites, sitemaps and their listings, and pages.
 *
 * @module
 */

import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import { groupBy } from "../data/group_by.ts";
import type { StoredValues } from "../data/page_row.ts";
import { addressKey, withoutPassword, withoutUserInfo } from "../data/url.ts";
import { type ListingPart, runsIn } from "./listing.ts";
import type { StoredSitemap } from "./sitemap_graph.ts";
import {
  checkReadable,
  SELECT_SITEMAPS,
  type SqlValue,
  type Store,
  type StoredPage,
  type StoredRow,
  type StoredSite,
} from "./store.ts";

/** Pages that are looked up by one statement if they are not consecutive. */
const SCATTERED = 500;

/** Yields rows in chunks; the first value of the statement is the number of the last row before. */
export async function* chunks<T>(
  store: Store,
  numberOf: (row: T) => number,
  sql: string,
  ...values: readonly SqlValue[]
): AsyncGenerator<T[], void, void> {
  for (let last = 0;;) {
    const rows = await store.read<T>(sql, last, ...values);
    if (rows.length === 0) return;
    last = numberOf(rows.at(-1)!);
    yield rows;
  }
}

/** Throws a `RangeError` if the snapshot does not have the site. */
export async function findSite(store: Store, site: string | URL): Promise<StoredSite> {
  checkReadable(store);
  const url = URL.parse(String(site));
  const homepage = url === null ? String(site) : addressKey(withoutUserInfo(url).href);
  // no homepage is another text, which may be one that a database does not take
  const [row] = url === null ? [] : await store.read<StoredSite>(
    "SELECT * FROM stored_site WHERE homepage = ? AND is_forgotten = 0",
    homepage,
  );
  if (row === undefined) throw new RangeError(`Unknown site "${withoutPassword(homepage)}"`);
  return row;
}

/** Returns the sitemaps of a site in document order. */
export async function readSitemaps(store: Store, site: number): Promise<StoredSitemap[]> {
  const rows = await store.read<StoredRow>(SELECT_SITEMAPS, site);
  return rows.map(sitemapFromRow).sort((one, other) => one.position - other.position);
}

export function sitemapFromRow({ site: _, ...row }: StoredRow): StoredSitemap {
  return {
    ...row,
    is_root: row["is_root"] === 1,
    is_confirmed: row["is_confirmed"] === 1,
    is_forgotten: row["is_forgotten"] === 1,
    children: JSON.parse(row["children"] as string),
    parents: JSON.parse(row["parents"] as string),
  } as unknown as StoredSitemap;
}

export function readListing(store: Store, site: number, sitemap: number): Promise<ListingPart[]> {
  return store.read<ListingPart>(
    "SELECT hashes, pages FROM stored_listing WHERE site = ? AND sitemap = ? ORDER BY part",
    site,
    sitemap,
  );
}

/** In the order of the listing. */
export async function* listedPages(
  store: Store,
  parts: readonly ListingPart[],
): AsyncGenerator<StoredPage[], void, void> {
  let scattered: number[] = [];
  for (const { pages } of parts) {
    for (const [first, count] of runsIn(pages)) {
      if (count < SCATTERED / 10) {
        for (let at = 0; at < count; at++) scattered.push(first + at);
        if (scattered.length < SCATTERED) continue;
      }
      yield await pagesById(store, scattered);
      scattered = [];
      if (count < SCATTERED / 10) continue;
      for (let start = first; start < first + count; start += MAX_BATCH_ITEMS) {
        yield await store.read<StoredPage>(
          "SELECT * FROM stored_page WHERE id BETWEEN ? AND ? ORDER BY id",
          start,
          Math.min(start + MAX_BATCH_ITEMS, first + count) - 1,
        );
      }
    }
  }
  yield await pagesById(store, scattered);
}

export async function pagesById(store: Store, ids: readonly number[]): Promise<StoredPage[]> {
  if (ids.length === 0) return [];
  const rows = await store.read<StoredPage>(
    `SELECT * FROM stored_page WHERE id IN (${ids.map(() => "?").join(", ")})`,
    ...ids,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** A page that a sitemap after the first lists. */
export interface OtherListing extends StoredValues {
  readonly page: number;
  readonly sitemap: number;
}

/** Returns the rows of pages in a table, by page. */
export async function rowsByPage<T extends { readonly page: number }>(
  { store, site }: { readonly store: Store; readonly site: Pick<StoredSite, "id"> },
  table: "other_listing" | "lost_listing",
  pages: readonly number[],
): Promise<Map<number, readonly T[]>> {
  if (pages.length === 0) return new Map();
  const rows = await store.read<T>(
    `SELECT * FROM ${table} WHERE site = ? AND page IN (${pages.map(() => "?").join(", ")})`,
    ...[site.id, ...pages],
  );
  return groupBy(rows, ({ page }) => page);
}
