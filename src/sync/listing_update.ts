/**
 * A sitemap that is being read: compares its entries with its last listing, and writes what differs.
 *
 * @module
 */

import type { SitemapRef } from "../data/events.ts";
import { groupBy } from "../data/group_by.ts";
import type { SitemapPage } from "../data/page.ts";
import { pageRow } from "../data/page_row.ts";
import type { PageChangedEvent } from "./events.ts";
import { changeOf, identityOf, storableUrl } from "./identity.ts";
import { ListingIndex, StoredListing } from "./listing.ts";
import type { ChangeBatch, SiteRun } from "./site_run.ts";
import type { KnownSitemapRecord } from "./sitemap_graph.ts";
import type { FoundPage } from "./store.ts";

/** Entries compared at once: few, so that few are alive when memory is collected. */
const BATCH = 100;
const MAX_PENDING = 1000;
/** Page of an entry that has none yet, or is a duplicate. */
const NO_PAGE = 0;

/** An entry that differs from the last listing. */
interface PendingEntry {
  readonly page: SitemapPage;
  /** Its place in the new listing. */
  readonly at: number;
}

export class ListingUpdate {
  readonly ref: SitemapRef;
  readonly sitemap: KnownSitemapRecord;
  readonly #run: SiteRun;
  readonly #old: StoredListing;
  readonly #index: ListingIndex;
  readonly #listing = new StoredListing();
  /** Places in the new listing of the entries of the old one, each plus one; 0 if there is none. */
  readonly #places: Int32Array;
  /** Pages that are listed, and were not before. */
  readonly #arrived = new Set<number>();
  #pending: PendingEntry[] = [];
  #firstAdded = Infinity;
  #count = 0;
  #hasMoved = false;
  /** Parts that are stored, if more can be added; `undefined` if the listing has to be written anew. */
  #parts: number | undefined;

  constructor(run: SiteRun, ref: SitemapRef, sitemap: KnownSitemapRecord, old: StoredListing) {
    this.#parts = old.stored;
    this.ref = ref;
    this.sitemap = sitemap;
    this.#run = run;
    this.#old = old;
    this.#index = new ListingIndex(old);
    this.#places = new Int32Array(old.length);
  }

  get count(): number {
    return this.#count;
  }

  async take(pages: readonly SitemapPage[]): Promise<void> {
    this.#count += pages.length;
    for (let at = 0; at < pages.length; at += BATCH) {
      this.#compare(pages, at, Math.min(at + BATCH, pages.length));
      if (this.#pending.length >= MAX_PENDING) await this.#write(true);
    }
  }

  /**
   * Ends it, and saves sitemaps. Nothing is taken from the last listing unless all of it was read; else
   * only entries that it did not have are added.
   */
  async end(isWhole: boolean, sitemaps: Iterable<KnownSitemapRecord>): Promise<void> {
    await this.#write(isWhole, sitemaps);
  }

  #compare(pages: readonly SitemapPage[], start: number, end: number): void {
    const hashes = this.#run.hasher.pages(pages, start, end);
    for (let at = start; at < end; at++) {
      const high = hashes[2 * (at - start)]!, low = hashes[2 * (at - start) + 1]!;
      const found = this.#old.length === 0 ? -1 : this.#index.find(high, low);
      const place = this.#listing.length;
      if (found < 0) {
        this.#pending.push({ page: pages[at]!, at: place });
        this.#listing.add(high, low, NO_PAGE);
      } else if (this.#places[found] === 0) {
        this.#places[found] = place + 1;
        this.#hasMoved ||= found !== place;
        this.#listing.add(high, low, this.#old.page(found));
      }
    }
  }

  /**
   * Entries of pages that the sitemap listed before are changed only if `mayChange`. At the end, sitemaps
   * are saved too.
   */
  async #write(mayChange: boolean, sitemaps?: Iterable<KnownSitemapRecord>): Promise<void> {
    const run = this.#run;
    const pending = this.#pending;
    this.#pending = [];
    run.touch([this.sitemap, ...sitemaps ?? []]);
    const isCompared = sitemaps !== undefined && mayChange && this.#old.length > 0;
    // what is only about sitemaps is written with the next commit
    if (pending.length === 0 && !isCompared) return;
    const identities = pending.map(({ page }) => identityOf(page.url));
    const keys = run.keysOf(identities);
    const known = await this.#known(identities, keys);
    const { pages } = this.sitemap, parts = this.#parts;
    let events: PageChangedEvent[] = [], arrived: number[] = [];
    await run.commit((batch) => {
      [events, arrived] = [[], []];
      this.sitemap.pages = pages;
      this.#parts = parts;
      for (const [at, entry] of pending.entries()) {
        const page = known[at];
        const event = page === undefined
          ? this.#add(batch, entry, keys[at]!)
          : page === DUPLICATE
          ? undefined
          : this.#place(batch, entry, page, { mayChange, arrived });
        if (event !== undefined) events.push(event);
      }
      if (isCompared) {
        this.#loseRest(batch);
        this.#saveAll(batch, true);
      } else this.#saveMore(batch, pending);
    }, { numbers: pending.length });
    for (const id of arrived) this.#arrived.add(id);
    // what a first listing has is stored
    if (this.#old.length === 0) this.#listing.clear();
    if (events.length > 0) await run.out(events);
  }

  /** `undefined` for new entries. */
  async #known(
    identities: readonly string[],
    keys: readonly number[],
  ): Promise<(FoundPage | typeof DUPLICATE | undefined)[]> {
    const { store, site } = this.#run;
    const found = keys.length === 0 || site.pages === 0 ? [] : await store.find(site.id, keys);
    const byKey = groupBy(found, ({ key }) => key);
    const first = new Map<number, number>();
    return identities.map((identity, at) => {
      const key = keys[at]!;
      const page = found.length === 0
        ? undefined
        : byKey.get(key)?.find(({ url }) => identityOf(url) === identity);
      const before = first.get(key);
      if (before === undefined) first.set(key, at);
      // two identities with the same hash are compared again by the next run
      else if (identities[before] === identity) return DUPLICATE;
      return page;
    });
  }

  #add(batch: ChangeBatch, { page, at }: PendingEntry, key: number): PageChangedEvent {
    const stored = page.url.includes("\0") ? { ...page, url: storableUrl(page.url) } : page;
    const id = batch.add(pageRow(stored), key, this.sitemap.id);
    this.#firstAdded = Math.min(this.#firstAdded, id);
    this.#listing.setPage(at, id);
    return { type: "added", page: stored, sitemap: this.ref };
  }

  #place(
    batch: ChangeBatch,
    { page, at }: PendingEntry,
    known: FoundPage,
    { mayChange, arrived }: { readonly mayChange: boolean; readonly arrived: number[] },
  ): PageChangedEvent | undefined {
    const { sitemap } = this;
    const before = this.#index.findPage(known.id);
    if (before >= 0) {
      const place = this.#places[before]! - 1;
      // of two spellings of a page, the first counts
      if (!mayChange || (place >= 0 && place < at)) return undefined;
      if (place >= 0) this.#listing.setPage(place, NO_PAGE);
      this.#places[before] = at + 1;
      this.#parts = undefined;
    } else {
      const isAdded = known.sitemap === sitemap.id && known.id >= this.#firstAdded;
      if (isAdded || this.#arrived.has(known.id)) return undefined;
      arrived.push(known.id);
    }
    this.#listing.setPage(at, known.id);
    const { url: _, ...values } = pageRow(page);
    const site = this.#run.site.id;
    const row = { site, page: known.id, sitemap: sitemap.id };
    if (before < 0) batch.batch.remove("lost_listing", [row]);
    const isShared = known.is_shared === 1 || this.#run.isContested(known.id);
    if (known.sitemap !== sitemap.id || isShared) {
      // the first of its sitemaps is found when all of them were read
      batch.batch.put("other_listing", [{ ...row, ...values }]);
      this.#run.contest(known.id);
      return undefined;
    }
    if (known.dropped !== null) {
      batch.batch.update("stored_page", [{ id: known.id, dropped: null }]);
    }
    const change = changeOf(known.url, known, values);
    if (change === undefined) return undefined;
    batch.change(known, values, sitemap.url);
    return { type: "changed", ...change, sitemap: this.ref };
  }

  #loseRest(batch: ChangeBatch): void {
    const old = this.#old;
    const lost = new Set<number>();
    for (let at = 0; at < old.length; at++) if (this.#places[at] === 0) lost.add(old.page(at));
    if (lost.size > 0) {
      // one that broke off while it was written may have had a page twice
      for (let at = 0; at < this.#listing.length; at++) lost.delete(this.#listing.page(at));
    }
    batch.lose(this.sitemap.id, lost);
  }

  #saveMore(batch: ChangeBatch, entries: readonly PendingEntry[]): void {
    if (this.#parts === undefined) return this.#saveAll(batch, false);
    const more = new StoredListing();
    for (const { at } of entries) copyEntry(this.#listing, at, more);
    const { sitemap } = this;
    const first = this.#parts;
    this.#parts += putParts(batch, this.#run.site.id, sitemap.id, more, first);
    sitemap.pages += more.length;
  }

  /** Writes the listing: what was read, and unless that is all, what it had before. */
  #saveAll(batch: ChangeBatch, isWhole: boolean): void {
    const { sitemap } = this;
    const old = this.#old, listing = this.#listing;
    const isSame = isWhole && !this.#hasMoved && listing.length === old.length &&
      this.#parts === old.stored && this.#places.every((place) => place > 0);
    if (isSame) return;
    const whole = new StoredListing();
    for (let at = 0; at < listing.length; at++) copyEntry(listing, at, whole);
    for (let at = 0; !isWhole && at < old.length; at++) {
      if (this.#places[at] === 0) copyEntry(old, at, whole);
    }
    const site = this.#run.site.id;
    batch.batch.remove("stored_listing", [{ site, sitemap: sitemap.id }]);
    putParts(batch, site, sitemap.id, whole, 0);
    sitemap.pages = whole.length;
  }
}

const DUPLICATE = Symbol("duplicate");

function copyEntry(from: StoredListing, at: number, to: StoredListing): void {
  const page = from.page(at);
  if (page !== NO_PAGE) to.add(from.high(at), from.low(at), page);
}

/** Returns the number of parts. */
function putParts(
  { batch }: ChangeBatch,
  site: number,
  sitemap: number,
  listing: StoredListing,
  first: number,
): number {
  const parts = [...listing.parts()];
  const rows = parts.map(({ hashes, pages }, at) => ({
    site,
    sitemap,
    part: first + at,
    hashes,
    pages,
  }));
  batch.put("stored_listing", rows);
  return parts.length;
}
