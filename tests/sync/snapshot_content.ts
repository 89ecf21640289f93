/** Reads a site of a snapshot through its readers, as plain data that can be compared. @module */

import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { SitemapPage } from "../../src/data/page.ts";
import {
  type ChangeCounts,
  openSnapshot,
  type RecordedChange,
  type RecordedPage,
  type RecordedSitemap,
  type Snapshot,
} from "../../src/sync/mod.ts";

/** A run, without its dates. */
export interface StoredRun extends ChangeCounts {
  readonly id: number;
  readonly isFinished: boolean;
  readonly verdict: string | undefined;
}

/** A sitemap; its URL is the one that was requested. */
export type StoredSitemap = Pick<RecordedSitemap, "url" | "state" | "pages">;

export type StoredPage = Omit<RecordedPage, "site">;

/** A change, without its date; `previous` only if the page changed. */
export interface StoredChange
  extends Omit<RecordedChange, "time" | "site" | "fields" | "previous"> {
  readonly previous: SitemapPage | undefined;
}

/** A site of a snapshot, without its dates. */
export interface SnapshotContent {
  /** Number of its pages by `sites()`; `undefined` for an unknown site. */
  readonly count: number | undefined;
  readonly runs: readonly StoredRun[];
  readonly sitemaps: readonly StoredSitemap[];
  /** Pages by URL. */
  readonly pages: readonly StoredPage[];
  readonly changes: readonly StoredChange[];
}

/** Returns the content of one site; `rename` is applied to every text. */
export async function readContent(
  snapshot: Snapshot,
  homepage: string,
  rename: (text: string) => string = (text) => text,
): Promise<SnapshotContent> {
  const plain = async <T>(rows: AsyncIterable<T>): Promise<T[]> =>
    JSON.parse(rename(JSON.stringify(await Array.fromAsync(rows))));
  const sites = await Array.fromAsync(snapshot.sites());
  const site = sites.find((site) => site.homepage === homepage);
  if (site === undefined) {
    return { count: undefined, runs: [], sitemaps: [], pages: [], changes: [] };
  }
  const runs = (await plain(snapshot.runs(homepage))).map((run): StoredRun => {
    const { id, finished, verdict, added, changed, removed, unchanged, unconfirmed } = run;
    const { notModified, bytesSaved } = run;
    const counts = { added, changed, removed, unchanged, unconfirmed, notModified, bytesSaved };
    return { id, isFinished: finished !== undefined, verdict, ...counts };
  });
  const sitemaps = (await plain(snapshot.sitemaps(homepage))).map((
    { url, requestedUrl, state, pages },
  ): StoredSitemap => ({ url: requestedUrl ?? url, state, pages }));
  const pages = (await plain(snapshot.pages(homepage))).map((
    { page, sitemap, unconfirmed },
  ): StoredPage => ({ page, sitemap, unconfirmed }));
  const changes = (await plain(snapshot.changes({ site: homepage }))).map((
    { sequence, run, type, sitemap, page, previous },
  ): StoredChange => ({
    ...{ sequence, run, type, sitemap, page },
    previous: type === "changed" ? previous : undefined,
  }));
  return {
    count: site.pages,
    runs,
    sitemaps: sitemaps.sort((one, other) => order(one.url, other.url)),
    pages: pages.sort((one, other) => order(one.page.url, other.page.url)),
    changes,
  };
}

/**
 * Checks and reads a copy of a snapshot, so that the next process finds the files as they were left.
 * Returns `undefined` if its process was killed before the schema was written.
 */
export async function readCopy<T>(
  path: string,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T | undefined> {
  // the schema is written before the log begins, and only that has a journal
  if (existsSync(`${path}-journal`)) return undefined;
  const folder = await Deno.makeTempDir();
  const copy = `${folder}/copy.db`;
  try {
    for (const suffix of ["", "-wal"]) {
      try {
        await Deno.copyFile(path + suffix, copy + suffix);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    await using snapshot = await openSnapshot(copy, { readOnly: true });
    const database = new DatabaseSync(copy, { readOnly: true });
    try {
      const rows = database.prepare("SELECT integrity_check AS fault FROM pragma_integrity_check");
      assertEquals(rows.all().map(({ fault }) => fault), ["ok"]);
    } finally {
      database.close();
    }
    return await read(snapshot);
  } catch (error) {
    if (error instanceof Error && /no such file|empty database/.test(error.message)) {
      return undefined;
    }
    throw error;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Compares texts by their code units, for `sort()`. */
export function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
