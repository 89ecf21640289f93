/**
 * Writes all pages of a site to a table of SQLite; a second run updates it.
 *
 *     deno run --allow-net --allow-read --allow-write pages_to_sqlite.ts https://example.com/ site.db
 *
 * @module
 */

import { pages } from "@sitetree/sitetree";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

const [homepage, path] = process.argv.slice(2);
if (homepage === undefined || path === undefined) throw new TypeError("Usage: HOMEPAGE DATABASE");

const database = new DatabaseSync(path);
database.exec(`
  CREATE TABLE IF NOT EXISTS page (
    url TEXT PRIMARY KEY,
    priority REAL,
    last_modified TEXT,
    change_frequency TEXT,
    title TEXT
  ) WITHOUT ROWID
`);
const insert = database.prepare(`
  INSERT INTO page VALUES (?, ?, ?, ?, ?) ON CONFLICT (url) DO UPDATE SET
    priority = excluded.priority,
    -- a page may be in several sitemaps, of which only one has its date or title
    last_modified = coalesce(excluded.last_modified, last_modified),
    change_frequency = coalesce(excluded.change_frequency, change_frequency),
    title = coalesce(excluded.title, title)
`);

// one transaction: a failed walk does not change the table
database.exec("BEGIN");
try {
  for await (const page of pages(homepage)) {
    insert.run(
      page.url,
      page.priority ?? null,
      page.lastModified ?? null,
      page.changeFrequency ?? null,
      page.newsStory?.title ?? null,
    );
  }
  database.exec("COMMIT");
} finally {
  database.close();
}
