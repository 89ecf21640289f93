/**
 * A run of a site: what is known of it, and how its changes are written.
 *
 * @module
 */

import type { Verdict } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { type ListedPage, pageFromRow, type StoredValues } from "../data/page_row.ts";
import type { ChangeCounts, SyncFinishedEvent } from "./events.ts";
import { Hasher } from "./identity.ts";
import { Listing, type ListingPart } from "./listing.ts";
import type { ReadingGate } from "./reading_gate.ts";
import {
  type ChildSitemap,
  type KnownSitemapRecord,
  SitemapGraph,
  type StoredSitemap,
} from "./sitemap_graph.ts";
import {
  type Batch,
  type KnownSite,
  SELECT_SITEMAPS,
  type SqlValue,
  type Store,
  type StoredPage,
  type StoredRow,
  type StoredSite,
} from "./store.ts";

type RunCounts = { -readonly [K in keyof ChangeCounts]: number };

/** A run without its counts. */
export interface RunState {
  readonly id: number;
  readonly site: number;
  readonly after: number;
  readonly started: number;
  finished: number | null;
  verdict: Verdict | "forgotten" | null;
  code: string | null;
  reason: string | null;
}

export interface StoredRun extends RunState {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly unconfirmed: number;
  readonly not_modified: number;
  readonly bytes_saved: number;
}

interface BegunSite {
  readonly site: StoredSite;
  readonly run: number;
}

/** A site whose run has begun, by a fleet. */
export interface HeldSite extends BegunSite {
  /** What is known of it, if that was read already. */
  readonly known?: KnownSite | undefined;
  /** Adds to each commit of the run; to the last one, with its result. */
  amend(batch: Batch, run: RunState, finished?: SyncFinishedEvent): void;
}

interface RunOptions {
  readonly held?: HeldSite | undefined;
  /** Addresses that the walk begins with, in document order. */
  readonly starts: readonly string[];
  readonly now: () => number;
  readonly gate: ReadingGate;
  /** Milliseconds in which runs without changes are kept. */
  readonly keepQuietRuns: number;
}

/** Whether a run has no changes; an index has those. */
export const IS_QUIET = "added + changed + removed = 0";

const NO_COUNTS: RunCounts = {
  added: 0,
  changed: 0,
  removed: 0,
  unchanged: 0,
  unconfirmed: 0,
  notModified: 0,
  bytesSaved: 0,
};

export class SiteRun {
  readonly store: Store;
  readonly site: StoredSite;
  readonly run: RunState;
  readonly graph: SitemapGraph;
  readonly hasher: Hasher;
  readonly counts: RunCounts = { ...NO_COUNTS };
  readonly now: () => number;
  readonly gate: ReadingGate;
  readonly #held: HeldSite | undefined;
  readonly #keepQuietRuns: number;
  readonly #touched = new Set<KnownSitemapRecord>();
  /** Sitemaps as they are stored, as JSON. */
  readonly #saved = new Map<number, string>();
  /** Those that the commit in progress writes. */
  readonly #saving = new Map<number, string>();

  private constructor(
    store: Store,
    site: StoredSite,
    run: RunState,
    sitemaps: readonly StoredSitemap[],
    { starts, now, gate, held, keepQuietRuns }: RunOptions,
  ) {
    this.#held = held;
    this.#keepQuietRuns = keepQuietRuns;
    this.store = store;
    this.site = site;
    this.run = run;
    this.now = now;
    this.gate = gate;
    this.graph = new SitemapGraph(sitemaps, starts);
    for (const sitemap of sitemaps) this.#saved.set(sitemap.id, JSON.stringify(sitemap));
    this.hasher = new Hasher(store.hashKey);
  }

  static async begin(store: Store, homepage: string, options: RunOptions): Promise<SiteRun> {
    const { site, run: id } = options.held ?? await store.beginRun(homepage);
    site.is_forgotten = 0;
    const { sitemaps, head } = options.held?.known ?? await store.load(site.id);
    return new SiteRun(
      store,
      site,
      newRun(id, site.id, head, options.now()),
      (sitemaps as readonly SitemapRow[]).map(sitemapOf),
      options,
    );
  }

  async listing({ id, pages }: StoredSitemap): Promise<Listing> {
    return Listing.of(pages === 0 ? [] : await this.listingParts(id));
  }

  listingParts(sitemap: number): Promise<ListingPart[]> {
    return readListing(this.store, this.site.id, sitemap);
  }

  /**
   * The state of the run is written with it. A commit that was rolled back is built again, from the same
   * state of the site and its counts.
   */
  async commit(
    build: (batch: ChangeBatch) => void,
    { numbers = 0, finished }: CommitOptions = {},
  ): Promise<void> {
    const { site, run } = this;
    const before = { site: { ...site }, counts: { ...this.counts } };
    await this.store.commit((batch) => {
      Object.assign(site, before.site, { last_run: run.id });
      Object.assign(this.counts, before.counts);
      this.#saving.clear();
      const changes = new ChangeBatch(batch, this);
      build(changes);
      changes.finish();
      this.save(batch, this.#touched);
      const { notModified: not_modified, bytesSaved: bytes_saved, ...counts } = this.counts;
      batch.put("stored_site", [{ ...site }]);
      batch.put("stored_run", [{ ...run, ...counts, not_modified, bytes_saved }]);
      if (run.finished !== null) this.#deleteQuietRuns(batch);
      this.#held?.amend(batch, run, finished);
    }, { writer: site, numbers });
    for (const [id, json] of this.#saving) this.#saved.set(id, json);
    this.#touched.clear();
  }

  /** Those of its site that are older than they are kept, except this one. */
  #deleteQuietRuns(batch: Batch): void {
    const cutoff = this.now() - this.#keepQuietRuns;
    if (cutoff <= 0) return;
    const { site, id } = this.run;
    batch.run(
      `DELETE FROM stored_run WHERE site = ? AND ${IS_QUIET} AND started < ? AND id <> ?`,
      ...[site, Math.floor(cutoff), id],
    );
  }

  /** Saves sitemaps with the next commit. */
  touch(sitemaps: Iterable<KnownSitemapRecord>): void {
    for (const sitemap of sitemaps) this.#touched.add(sitemap);
  }

  /** Writes those of some sitemaps that differ from what is stored. */
  save(batch: Batch, sitemaps: Iterable<KnownSitemapRecord>): void {
    const rows: StoredRow[] = [];
    for (const sitemap of sitemaps) {
      const { answer: _, ref: _ref, ...stored } = sitemap;
      const json = JSON.stringify(stored);
      if ((this.#saving.get(sitemap.id) ?? this.#saved.get(sitemap.id)) === json) continue;
      this.#saving.set(sitemap.id, json);
      rows.push({
        ...stored,
        site: this.site.id,
        is_root: Number(stored.is_root),
        is_confirmed: Number(stored.is_confirmed),
        is_forgotten: Number(stored.is_forgotten),
        children: JSON.stringify(stored.children.map(({ id, lastmod }) => [id, lastmod])),
        parents: JSON.stringify(stored.parents),
      });
    }
    batch.put("stored_sitemap", rows);
  }
}

interface CommitOptions {
  /** Most changes. Default: 0. */
  readonly numbers?: number;
  /** Result of the run, if it is the last commit. */
  readonly finished?: SyncFinishedEvent;
}

/** Each of the changes gets a sequence number. */
export class ChangeBatch {
  readonly batch: Batch;
  readonly #run: SiteRun;
  #first: number | undefined;
  readonly #added: SqlValue[] = [];
  readonly #updated: StoredRow[] = [];
  readonly #changes: StoredRow[] = [];
  readonly #removed: StoredRow[] = [];

  constructor(batch: Batch, run: SiteRun) {
    this.batch = batch;
    this.#run = run;
  }

  get site(): number {
    return this.#run.site.id;
  }

  /** Returns the number of the page. */
  add(page: ListedPage, key: number, sitemap: number): number {
    const { url, lastmod, priority, changefreq, extensions } = page;
    const id = this.#next();
    const site = this.#run.site.id;
    this.#added.push(id, site, sitemap, key, url, lastmod, priority, changefreq, extensions);
    this.#run.counts.added++;
    this.#run.site.pages++;
    return id;
  }

  change(page: StoredPage, values: StoredValues, sitemap: string): void {
    const { lastmod, priority, changefreq, extensions } = values;
    this.#writeOut(page, sitemap);
    const changed = this.#next();
    const next = { url: page.url, lastmod, priority, changefreq, extensions };
    this.#record(changed, "changed", next, sitemap, page);
    this.#updated.push({ id: page.id, lastmod, priority, changefreq, extensions, changed });
    this.#run.counts.changed++;
  }

  remove(page: StoredPage, sitemap: string): void {
    this.#writeOut(page, sitemap);
    this.#record(this.#next(), "removed", page, sitemap);
    this.#removed.push({ id: page.id, key: page.key });
    this.#run.counts.removed++;
    this.#run.site.pages--;
  }

  finish(): void {
    const { batch } = this;
    batch.addPages(this.#added);
    batch.update("stored_page", this.#updated);
    batch.put("stored_change", this.#changes);
    batch.remove("stored_page", this.#removed);
    if (this.#first === undefined) return;
    const { run, now } = this.#run;
    batch.put("stored_commit", [{ first: this.#first, run: run.id, time: now() }]);
  }

  /** Records the `added` of a page before its row changes. */
  #writeOut(page: StoredPage, sitemap: string): void {
    if (page.changed === null) this.#record(page.id, "added", page, sitemap);
  }

  #record(
    sequence: number,
    type: string,
    page: ListedPage,
    sitemap: string,
    previous?: ListedPage,
  ): void {
    this.#changes.push({
      sequence,
      site: this.#run.site.id,
      type,
      url: page.url,
      sitemap,
      page: pageJson(page),
      previous: previous === undefined ? null : pageJson(previous),
    });
  }

  #next(): number {
    const number = this.batch.next();
    this.#first ??= number;
    this.#run.site.last = number;
    return number;
  }
}

function pageJson(page: ListedPage): string {
  const { url: _, ...values } = pageFromRow(page.url, page);
  return JSON.stringify(values);
}

export function pageFromJson(url: string, json: string): SitemapPage {
  return { url, ...JSON.parse(json) as Omit<SitemapPage, "url"> };
}

function newRun(id: number, site: number, after: number, started: number): RunState {
  return { id, site, after, started, finished: null, verdict: null, code: null, reason: null };
}

type SitemapRow = StoredRow & { readonly children: string; readonly parents: string };

export async function readSitemaps(store: Store, site: number): Promise<StoredSitemap[]> {
  return (await store.read<SitemapRow>(SELECT_SITEMAPS, site)).map(sitemapOf);
}

function sitemapOf({ site: _, ...row }: SitemapRow): StoredSitemap {
  const children: [number, string | null][] = JSON.parse(row.children);
  return {
    ...row,
    is_root: row.is_root === 1,
    is_confirmed: row.is_confirmed === 1,
    is_forgotten: row.is_forgotten === 1,
    children: children.map(([id, lastmod]): ChildSitemap => ({ id, lastmod })),
    parents: JSON.parse(row.parents),
  } as unknown as StoredSitemap;
}

export function readListing(store: Store, site: number, sitemap: number): Promise<ListingPart[]> {
  return store.read<ListingPart>(
    "SELECT hashes, pages FROM stored_listing WHERE site = ? AND sitemap = ? ORDER BY part",
    site,
    sitemap,
  );
}
