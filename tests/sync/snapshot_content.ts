/**
 * Reads a snapshot as a user would, by SQL, and replaces its ids by URLs, so that two snapshots can
 * be compared.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import type { SitemapPage } from "../../src/data/page.ts";

/** Row of a query. */
type Row = Readonly<Record<string, string | number | null>>;

/** A page with its values. */
export interface StoredPage {
  readonly url: string;
  /** URL of the sitemap that its values are from. */
  readonly sitemap: string;
  readonly fields: SitemapPage;
  /** Columns as they are. */
  readonly row: Row;
}

/** A row of `change`. */
export interface StoredChange {
  readonly run: number;
  readonly type: string;
  readonly url: string;
  readonly sitemap: string;
  /** Values after it; those of `page` while that has them. */
  readonly fields: SitemapPage | undefined;
  readonly previous: SitemapPage | undefined;
}

/** A site of a snapshot, without its dates. */
export interface SnapshotContent {
  /** Value of `site.pages`; undefined for an unknown site. */
  readonly count: number | undefined;
  readonly runs: readonly Row[];
  readonly sitemaps: readonly Row[];
  readonly children: readonly Row[];
  readonly pages: readonly StoredPage[];
  readonly listings: readonly StoredPage[];
  readonly changes: readonly StoredChange[];
}

const VALUES = "lastmod, priority, changefreq, extensions";

const QUERIES = {
  site: "SELECT id, pages FROM site WHERE homepage = ?",
  runs: `SELECT id, finished IS NOT NULL AS is_finished, verdict, known, added, changed, removed,
      unchanged, unconfirmed, not_modified, bytes_saved
    FROM run WHERE site = ? ORDER BY id`,
  sitemaps: `SELECT s.url, s.final_url, s.type, parent.url AS parent, s.level, s.place, s.position,
      s.lastmod, s.run, s.state, s.code, s.reason, s.pages, s.bytes, s.etag,
      s.last_modified, s.digest
    FROM sitemap s LEFT JOIN sitemap parent ON parent.id = s.parent
    WHERE s.site = ? ORDER BY s.url`,
  children: `SELECT parent.url AS parent, c.place, c.url, c.lastmod
    FROM child c JOIN sitemap parent ON parent.id = c.parent
    WHERE parent.site = ? ORDER BY parent.url, c.place`,
  pages: `SELECT p.url, s.url AS sitemap, ${VALUES.replaceAll(/\w+/g, "p.$&")},
      p.added, p.changed, p.dropped
    FROM page p JOIN sitemap s ON s.id = p.sitemap WHERE p.site = ? ORDER BY p.url`,
  listings: `SELECT p.url, s.url AS sitemap, ${VALUES.replaceAll(/\w+/g, "l.$&")}
    FROM listing l JOIN page p ON p.id = l.page JOIN sitemap s ON s.id = l.sitemap
    WHERE s.site = ? ORDER BY p.url, s.url`,
  changes: `SELECT c.run, c.type, c.url, s.url AS sitemap, c.data, c.previous,
      p.id IS NOT NULL AS is_current, ${VALUES.replaceAll(/\w+/g, "p.$&")}
    FROM change c JOIN run r ON r.id = c.run JOIN sitemap s ON s.id = c.sitemap
      LEFT JOIN page p ON p.id = c.page
    WHERE r.site = ? ORDER BY c.run, c.url, c.type`,
};

/** Returns the content of one site; `rename` is applied to every text. */
export function readSnapshot(
  path: string,
  homepage: string,
  rename: (text: string) => string = (text) => text,
): SnapshotContent {
  using database = new DatabaseSync(path);
  const query = (name: keyof typeof QUERIES, parameter: string | number): Row[] => {
    const rows = database.prepare(QUERIES[name]).all(parameter);
    return JSON.parse(rename(JSON.stringify(rows)));
  };
  const [site] = query("site", homepage);
  const id = Number(site?.id ?? -1);
  return {
    count: site === undefined ? undefined : Number(site.pages),
    runs: query("runs", id),
    sitemaps: query("sitemaps", id),
    children: query("children", id),
    pages: query("pages", id).map(storedPage),
    listings: query("listings", id).map(storedPage),
    changes: query("changes", id).map(storedChange),
  };
}

function storedPage(row: Row): StoredPage {
  return { url: String(row.url), sitemap: String(row.sitemap), fields: fieldsOf(row), row };
}

function storedChange(row: Row): StoredChange {
  const { run, type, url, sitemap, data, previous } = row;
  return {
    run: Number(run),
    type: String(type),
    url: String(url),
    sitemap: String(sitemap),
    fields: type === "removed"
      ? undefined
      : data !== null
      ? JSON.parse(String(data))
      : row.is_current
      ? fieldsOf(row)
      : undefined,
    previous: previous === null ? undefined : JSON.parse(String(previous)),
  };
}

/** Returns the values of a row of `page` or `listing`. */
function fieldsOf({ url, lastmod, priority, changefreq, extensions }: Row): SitemapPage {
  const others = extensions === null ? {} : JSON.parse(String(extensions));
  return {
    url: String(url),
    ...(lastmod !== null && { lastModified: String(lastmod) }),
    ...(priority !== null && { priority: Number(priority) }),
    ...(changefreq !== null && { changeFrequency: changefreq as "daily" }),
    ...others,
  };
}
