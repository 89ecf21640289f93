/**
 * Finds the pages of a site by their URLs.
 *
 * @module
 */

import type { SqlValue } from "../platform/sqlite.ts";
import type { ListedPage } from "../data/page_row.ts";
import type { StoredPage } from "./stored_page.ts";
import type { Transaction } from "./transaction.ts";
import { UrlTable } from "./url_table.ts";

/** Pages that are looked up by one statement. */
const BATCH = 100;
const MARKS = new Array(BATCH).fill("?").join(", ");

/** Statements that look {@linkcode BATCH} pages up. */
const SELECTS = {
  id: `SELECT * FROM page WHERE site = ? AND id IN (${MARKS})`,
  url: `SELECT * FROM page WHERE site = ? AND url IN (${MARKS})`,
} as const;

/** Pages of a sitemap that are read ahead at least, and kept at most. */
const MIN_AHEAD = 1000;
const MAX_AHEAD = 5000;

/**
 * Finds pages by the index of URLs. While pages are loaded into a table without indexes, it keeps their
 * ids in memory.
 */
export class PageFinder {
  readonly #transaction: Transaction;
  readonly #site: number;
  /** Ids of pages by URL, while there are no indexes. */
  #urls: UrlTable | undefined;
  /** Pages of a sitemap that are read ahead, and the last id. */
  #ahead:
    | { readonly sitemap: number; last: number; readonly pages: Map<string, StoredPage> }
    | undefined;

  constructor(transaction: Transaction, site: number) {
    this.#transaction = transaction;
    this.#site = site;
    if (!this.#isIndexed) this.#urls = this.#loadUrls();
  }

  /** Whether the indexes of pages are missing. */
  get lacksIndexes(): boolean {
    return this.#urls !== undefined;
  }

  /**
   * Returns the pages that are known. The others have to be added next, with ids from `nextPage` on.
   */
  find(
    sitemap: number,
    pages: readonly ListedPage[],
    options: { readonly run: number; readonly nextPage: number },
  ): Map<string, StoredPage> {
    return this.#urls === undefined
      ? this.#findOf(sitemap, pages.map(({ url }) => url), options.run)
      : this.#findTabled(this.#urls, pages, options.nextPage);
  }

  /** Forgets the pages that were read ahead, since they may have changed. */
  forget(): void {
    this.#ahead = undefined;
  }

  /** Frees the table of URLs, since there will be indexes. */
  freeTable(): void {
    this.#urls?.[Symbol.dispose]();
    this.#urls = undefined;
  }

  /** Returns the pages that are known by the table of URLs, and adds the others to it. */
  #findTabled(
    urls: UrlTable,
    pages: readonly ListedPage[],
    nextPage: number,
  ): Map<string, StoredPage> {
    const hashes = pages.map(({ url }) => urls.hash(url));
    const ids: number[] = [];
    for (const hash of hashes) urls.find(hash, ids);
    const known = this.#lookUp("id", ids);
    let next = nextPage;
    for (const [at, { url }] of pages.entries()) {
      if (known.size === 0 || !known.has(url)) urls.add(hashes[at]!, next++);
    }
    return known;
  }

  /**
   * Returns the pages that are known. Those of the same sitemap are read ahead in the order in which
   * they were added, which takes a fraction of the time of looking each up.
   */
  #findOf(sitemap: number, urls: readonly string[], run: number): Map<string, StoredPage> {
    const ahead = this.#readAhead(sitemap, urls.length, run);
    const known = new Map<string, StoredPage>();
    const others: string[] = [];
    for (const url of urls) {
      const page = ahead.get(url);
      if (page === undefined) {
        others.push(url);
        continue;
      }
      known.set(url, page);
      ahead.delete(url);
    }
    for (const [url, page] of this.#lookUp("url", others)) known.set(url, page);
    return known;
  }

  #readAhead(sitemap: number, count: number, run: number): Map<string, StoredPage> {
    if (this.#ahead?.sitemap !== sitemap) this.#ahead = { sitemap, last: 0, pages: new Map() };
    const ahead = this.#ahead;
    const { pages } = ahead;
    // what is left over is not listed any more, or in another order
    for (const url of pages.keys()) {
      if (pages.size <= MAX_AHEAD) break;
      pages.delete(url);
    }
    for (let left = count + MIN_AHEAD - pages.size; left > 0 && ahead.last < Infinity;) {
      const rows = this.#transaction.all<StoredPage>(
        "SELECT * FROM page WHERE sitemap = ? AND id > ? AND added < ? ORDER BY id LIMIT 1000",
        sitemap,
        ahead.last,
        run,
      );
      for (const page of rows) pages.set(page.url, page);
      ahead.last = rows.at(-1)?.id ?? Infinity;
      left -= rows.length;
    }
    return pages;
  }

  /** Returns pages by their ids or URLs. */
  #lookUp(column: "id" | "url", keys: readonly SqlValue[]): Map<string, StoredPage> {
    const found = new Map<string, StoredPage>();
    for (let at = 0; at < keys.length; at += BATCH) {
      const batch = keys.slice(at, at + BATCH);
      while (batch.length < BATCH) batch.push(null);
      for (const page of this.#transaction.all<StoredPage>(SELECTS[column], this.#site, ...batch)) {
        found.set(page.url, page);
      }
    }
    return found;
  }

  get #isIndexed(): boolean {
    return this.#transaction.get("SELECT 1 FROM sqlite_schema WHERE name = 'page_url'") !==
      undefined;
  }

  #loadUrls(): UrlTable {
    const urls = new UrlTable();
    const sql = "SELECT id, url FROM page WHERE site = ?";
    for (const { id, url } of this.#transaction.iterate<StoredPage>(sql, this.#site)) {
      urls.add(urls.hash(url), id);
    }
    return urls;
  }
}
