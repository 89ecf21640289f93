/**
 * A run of a site: what is known of it, and how its changes are written.
 *
 * @module
 */

import type { Verdict } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { pageFromRow, type PageRow, type StoredValues } from "../data/page_row.ts";
import type { Send } from "../walk/event_stream.ts";
import type { ChangeCounts, SyncEvent, SyncFinishedEvent } from "./events.ts";
import { Hasher } from "./identity.ts";
import { type ListingPart, StoredListing } from "./listing.ts";
import type { ReadingGate } from "./reading_gate.ts";
import { type KnownSitemapRecord, SitemapGraph, type StoredSitemap } from "./sitemap_graph.ts";
import type {
  Batch,
  BegunRun,
  CommitOptions,
  SqlValue,
  Store,
  StoredPage,
  StoredRow,
  StoredSite,
} from "./store.ts";
import { readListing, sitemapFromRow } from "./stored_rows.ts";

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

/** A site whose run has begun, by a fleet. */
export interface HeldSite extends BegunRun {
  /** Adds to each commit of the run; to the last one, with its result. */
  amend(batch: Batch, run: RunState, finished?: SyncFinishedEvent): void;
}

export interface BeginOptions {
  readonly held?: HeldSite | undefined;
  /** Addresses that the walk begins with, in document order. */
  readonly starts: readonly string[];
  /** Takes the events of changes that are written. */
  readonly out: Send<SyncEvent>;
}

interface RunOptions extends BeginOptions {
  readonly now: () => number;
  readonly gate: ReadingGate;
  /** Milliseconds in which runs without changes are kept. */
  readonly keepQuietRuns: number;
  readonly end: () => Promise<void>;
}

/** Whether a run has no changes; an index has those. */
export const IS_QUIET = "added + changed + removed = 0";

const NEW_RUN = { finished: null, verdict: null, code: null, reason: null };

/** Contested pages whose numbers are kept; beyond it, all are looked at that several sitemaps list. */
const MAX_CONTESTED = 100_000;

export class SiteRun implements AsyncDisposable {
  readonly store: Store;
  readonly site: StoredSite;
  readonly run: RunState;
  readonly graph: SitemapGraph;
  readonly hasher: Hasher;
  readonly counts: RunCounts = {
    ...{ added: 0, changed: 0, removed: 0, unchanged: 0, unconfirmed: 0 },
    ...{ notModified: 0, bytesSaved: 0 },
  };
  readonly now: () => number;
  readonly gate: ReadingGate;
  readonly out: Send<SyncEvent>;
  /** Pages whose first sitemap may be another one; `undefined` if these are too many. */
  contested: Set<number> | undefined;
  readonly #options: RunOptions;
  readonly #touched = new Set<KnownSitemapRecord>();
  /** Sitemaps as they are stored, as JSON. */
  readonly #saved = new Map<number, string>();

  constructor(store: Store, { site, known }: BegunRun, options: RunOptions) {
    const { starts, now, gate, out } = options;
    this.#options = options;
    this.store = store;
    this.site = Object.assign(site, { is_forgotten: 0 });
    this.run = { ...NEW_RUN, id: site.fence, site: site.id, after: known.head, started: now() };
    this.now = now;
    this.gate = gate;
    this.out = out;
    // an interrupted walk has left some
    this.contested = site.is_unsettled === 1 ? undefined : new Set();
    const sitemaps = known.sitemaps.map(sitemapFromRow);
    this.graph = new SitemapGraph(sitemaps, starts);
    for (const sitemap of sitemaps) this.#saved.set(sitemap.id, JSON.stringify(sitemap));
    this.hasher = new Hasher(store.hashKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.end();
  }

  /** Notes a page whose first sitemap may be another one. */
  contest(page: number): void {
    this.site.is_unsettled = 1;
    if (this.contested?.add(page).size === MAX_CONTESTED) this.contested = undefined;
  }

  /** Whether a page was noted, or may have been. */
  isContested(page: number): boolean {
    return this.contested?.has(page) ?? true;
  }

  /** Returns the hashes of the identities of pages, others on each site. */
  keysOf(identities: readonly string[]): number[] {
    const hashes = this.hasher.texts(identities), salt = Math.imul(this.site.id, 0x9e3779b1);
    return identities.map((_, at) => hashes[2 * at]! ^ salt);
  }

  async listing({ id, pages }: StoredSitemap): Promise<StoredListing> {
    return StoredListing.of(pages === 0 ? [] : await this.listingParts(id));
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
    { numbers = 0, finished }: RunCommitOptions = {},
  ): Promise<void> {
    const { site, run } = this;
    const before = { site: { ...site }, counts: { ...this.counts } };
    let saving: (readonly [id: number, json: string])[] = [];
    await this.store.commit((batch) => {
      Object.assign(site, before.site, { last_run: run.id });
      Object.assign(this.counts, before.counts);
      const changes = new ChangeBatch(batch, this);
      build(changes);
      changes.finish();
      saving = this.#save(batch);
      const { notModified: not_modified, bytesSaved: bytes_saved, ...counts } = this.counts;
      batch.put("stored_site", [{ ...site }]);
      batch.put("stored_run", [{ ...run, ...counts, not_modified, bytes_saved }]);
      if (run.finished !== null) this.#deleteQuietRuns(batch);
      this.#options.held?.amend(batch, run, finished);
    }, { writer: site, numbers });
    for (const [id, json] of saving) this.#saved.set(id, json);
    this.#touched.clear();
  }

  /** Those of its site that are older than they are kept, except this one. */
  #deleteQuietRuns(batch: Batch): void {
    const cutoff = this.now() - this.#options.keepQuietRuns;
    if (cutoff <= 0) return;
    const { site, id } = this.run;
    batch.run(
      `DELETE FROM stored_run WHERE site = ? AND ${IS_QUIET} AND started < ? AND id <> ?`,
      ...[site, Math.floor(cutoff), id],
    );
  }

  /** Saves sitemaps with the next commit, if they differ from what is stored. */
  touch(sitemaps: Iterable<KnownSitemapRecord>): void {
    for (const sitemap of sitemaps) this.#touched.add(sitemap);
  }

  #save(batch: Batch): (readonly [id: number, json: string])[] {
    const rows: StoredRow[] = [];
    const saving: [number, string][] = [];
    for (const { answer: _, ref: _ref, ...stored } of this.#touched) {
      const json = JSON.stringify(stored);
      if (this.#saved.get(stored.id) === json) continue;
      saving.push([stored.id, json]);
      rows.push({
        ...stored,
        site: this.site.id,
        is_root: Number(stored.is_root),
        is_confirmed: Number(stored.is_confirmed),
        is_forgotten: Number(stored.is_forgotten),
        children: JSON.stringify(stored.children),
        parents: JSON.stringify(stored.parents),
      });
    }
    batch.put("stored_sitemap", rows);
    return saving;
  }
}

interface RunCommitOptions extends Pick<CommitOptions, "numbers"> {
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

  /** Takes pages from the listing of a sitemap. */
  lose(sitemap: number, pages: Iterable<number>): void {
    const rows: StoredRow[] = [];
    for (const page of pages) {
      rows.push({ site: this.#run.site.id, page, sitemap });
      this.#run.contest(page);
    }
    this.batch.put("lost_listing", rows);
    this.batch.remove("other_listing", rows);
  }

  /** Returns the number of the page. */
  add(page: PageRow, key: number, sitemap: number): number {
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
    page: PageRow,
    sitemap: string,
    previous?: PageRow,
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

function pageJson(page: PageRow): string {
  const { url: _, ...values } = pageFromRow(page.url, page);
  return JSON.stringify(values);
}

export function pageFromJson(url: string, json: string): SitemapPage {
  return { url, ...JSON.parse(json) as Omit<SitemapPage, "url"> };
}
