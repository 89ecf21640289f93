/**
 * What a walk changes besides the entries that it read: which sitemaps are gone, to which sitemap a page
 * belongs, and which pages are removed.
 *
 * @module
 */

import { DAY } from "../data/calendar.ts";
import type { SitemapRef } from "../data/events.ts";
import { pageFromRow, type StoredValues } from "../data/page_row.ts";
import type { SyncEvent } from "./events.ts";
import { changeOf, identityOf } from "./identity.ts";
import { pagesIn } from "./listing.ts";
import type { ChangeBatch, SiteRun } from "./site_run.ts";
import { type KnownSitemapRecord, NO_VALIDATORS } from "./sitemap_graph.ts";
import type { StoredPage } from "./store.ts";
import { chunks, listedPages, type OtherListing, pagesById, rowsByPage } from "./stored_rows.ts";

export interface JudgementOptions {
  readonly allowMassRemoval: boolean;
  readonly confirmAfter: number;
  readonly acceptAfter: number;
}

const CHUNK = 500;
/** Time in which a page may have moved to a sitemap that was never read. */
const NEW_FOR = 7 * DAY;
/** Missing pages up to this number are never a mass removal. */
const MIN_MASS = 100;

export class Judgement {
  /** Whether a sitemap is unknown that is not among the known ones. */
  isUncertain = false;
  /** Sitemaps that lead to others of the walk by redirects. */
  readonly aliases: Set<KnownSitemapRecord> = new Set();
  /** Why nothing was removed, if so many pages are missing. */
  refusal: string | undefined;
  readonly #run: SiteRun;
  readonly #options: JudgementOptions;

  constructor(run: SiteRun, options: JudgementOptions) {
    this.#run = run;
    this.#options = options;
  }

  async pass(): Promise<void> {
    const { graph, site } = this.#run;
    const now = this.#run.now();
    // times in the future begin again
    for (const sitemap of graph.all) sitemap.listed_at = Math.min(sitemap.listed_at, now);
    this.#settleAliases();
    for (const sitemap of graph.confirm(now, this.#options.confirmAfter)) {
      await this.#empty(sitemap);
    }
    const hasMoved = graph.place();
    await this.#elect(hasMoved ? undefined : this.#run.contested, now);
    site.is_unsettled = 0;
    const leaving = await this.#leaving(now);
    await this.#accept(now);
    if (this.refusal === undefined) await this.#remove(leaving);
    await this.#forget();
  }

  async forget(sitemaps: readonly KnownSitemapRecord[]): Promise<void> {
    const { graph, site } = this.#run;
    for (const sitemap of sitemaps) await this.#empty(sitemap);
    for (const sitemap of sitemaps) graph.remove(sitemap);
    for (const sitemap of graph.all) {
      const children = sitemap.children.filter(([id]) => graph.get(id) !== undefined);
      // what lists one of them is read again
      if (children.length < sitemap.children.length) {
        Object.assign(sitemap, NO_VALIDATORS, { children });
      }
    }
    graph.place();
    await this.#elect(undefined, this.#run.now());
    const rows = await this.#run.store.read<{ id: number }>(
      "SELECT id FROM stored_page WHERE site = ? AND dropped IS NOT NULL ORDER BY id",
      site.id,
    );
    await this.#remove(rows.map(({ id }) => id));
    await this.#run.commit(({ batch }) => {
      batch.remove("stored_sitemap", sitemaps.map(({ id }) => ({ site: site.id, id })));
      Object.assign(site, { is_unsettled: 0, base: Math.min(site.base, site.pages) });
    });
  }

  async countUnconfirmed(): Promise<number> {
    const { site } = this.#run;
    if (site.unconfirmed === 0) return 0;
    const [row] = await this.#run.store.read<{ count: number }>(
      "SELECT count(*) AS count FROM stored_page WHERE site = ? AND dropped IS NOT NULL",
      site.id,
    );
    return site.unconfirmed = row!.count;
  }

  get #isFull(): boolean {
    return !this.isUncertain &&
      [...this.#run.graph.all].every(({ answer }) => answer !== "unknown");
  }

  /** Answers for sitemaps whose content is elsewhere in the walk, if all of that was read. */
  #settleAliases(): void {
    const others = [...this.#run.graph.all].filter((sitemap) => !this.aliases.has(sitemap));
    const isRead = others.every(({ answer }) => answer !== "unknown");
    for (const sitemap of this.aliases) {
      const isKnown = sitemap.pages > 0 || sitemap.children.length > 0;
      sitemap.answer = !isKnown ? "listing" : isRead ? "gone" : "unknown";
    }
  }

  async #empty(sitemap: KnownSitemapRecord): Promise<void> {
    const parts = await this.#run.listingParts(sitemap.id);
    await this.#run.commit((batch) => {
      for (const { pages } of parts) batch.lose(sitemap.id, pagesIn(pages));
      batch.batch.remove("stored_listing", [{ site: this.#run.site.id, sitemap: sitemap.id }]);
      sitemap.pages = 0;
      this.#run.touch([sitemap]);
    });
  }

  // --------------------------------------------------------------------------- where a page belongs

  /** Gives pages to the first sitemap that lists them, and marks those that none lists as dropped. */
  async #elect(contested: ReadonlySet<number> | undefined, now: number): Promise<void> {
    const { store, site } = this.#run;
    if (contested !== undefined) {
      const ids = [...contested];
      for (let at = 0; at < ids.length; at += CHUNK) {
        await this.#electSome(ids.slice(at, at + CHUNK), now);
      }
      return;
    }
    for (let last = 0;;) {
      const rows = await store.read<{ page: number }>(
        `SELECT page FROM other_listing WHERE site = ? AND page > ? UNION
         SELECT page FROM lost_listing WHERE site = ? AND page > ? ORDER BY page LIMIT ${CHUNK}`,
        ...[site.id, last, site.id, last],
      );
      if (rows.length === 0) return;
      last = rows.at(-1)!.page;
      await this.#electSome(rows.map(({ page }) => page), now);
    }
  }

  async #electSome(ids: readonly number[], now: number): Promise<void> {
    const site = this.#run.site.id;
    const pages = await pagesById(this.#run.store, ids);
    const others = await rowsByPage<OtherListing>(this.#run, "other_listing", ids);
    const lost = await rowsByPage<{ page: number; sitemap: number }>(
      this.#run,
      "lost_listing",
      ids,
    );
    let events: SyncEvent[] = [];
    await this.#run.commit((batch) => {
      events = [];
      for (const page of pages) {
        const { id, sitemap } = page;
        const listings = [...others.get(id) ?? []];
        const isListed = !lost.get(id)?.some((row) => row.sitemap === sitemap);
        if (isListed && !listings.some((listing) => listing.sitemap === sitemap)) {
          listings.push({ ...page, page: id });
        }
        const first = this.#first(listings);
        if (first === undefined) {
          if (page.dropped === null) batch.batch.update("stored_page", [{ id, dropped: now }]);
          this.#run.site.unconfirmed++;
          continue;
        }
        if (lost.has(id)) batch.batch.remove("lost_listing", [{ site, page: id }]);
        if (page.dropped !== null) batch.batch.update("stored_page", [{ id, dropped: null }]);
        const own = listings.find((listing) => listing.sitemap === sitemap);
        const event = this.#give(batch, page, first, own);
        if (event !== undefined) events.push(event);
      }
    }, { numbers: pages.length });
    if (events.length > 0) await this.#run.out(events);
  }

  #first(listings: readonly OtherListing[]): OtherListing | undefined {
    let first: OtherListing | undefined;
    for (const listing of listings) {
      if (first === undefined || this.#position(listing) < this.#position(first)) first = listing;
    }
    return first;
  }

  #position({ sitemap }: OtherListing): number {
    return this.#run.graph.get(sitemap)?.position ?? Infinity;
  }

  #give(
    changes: ChangeBatch,
    page: StoredPage,
    first: OtherListing,
    own: OtherListing | undefined,
  ): SyncEvent | undefined {
    const { batch } = changes;
    const { sitemap } = first;
    const row = { site: this.#run.site.id, page: page.id };
    const values = valuesOf(first);
    batch.remove("other_listing", [{ ...row, sitemap }]);
    if (sitemap !== page.sitemap) {
      if (own !== undefined) {
        batch.put("other_listing", [{ ...row, sitemap: page.sitemap, ...valuesOf(own) }]);
      }
      batch.update("stored_page", [{ id: page.id, sitemap }]);
    }
    const change = changeOf(page.url, page, values);
    if (change === undefined) return undefined;
    changes.change(page, values, this.#run.graph.get(sitemap)!.url);
    return { type: "changed", ...change, sitemap: this.#refOf(sitemap) };
  }

  // ---------------------------------------------------------------------------------------- removal

  /** Returns the dropped pages that are removed, unless so many are missing. */
  async #leaving(now: number): Promise<number[]> {
    const { graph, site, store } = this.#run;
    const isFull = this.#isFull;
    const isNewUnread = [...graph.all].some(({ read_at, answer, listed_at }) =>
      read_at === null && answer === "unknown" && now - listed_at < NEW_FOR
    );
    const leaving: number[] = [];
    if (site.unconfirmed === 0) return leaving;
    const dropped = chunks<StoredPage>(
      store,
      ({ id }) => id,
      `SELECT * FROM stored_page WHERE id > ? AND site = ? AND dropped IS NOT NULL
       ORDER BY id LIMIT ${CHUNK}`,
      site.id,
    );
    for await (const rows of dropped) {
      const ids = rows.map(({ id }) => id);
      const lost = isFull
        ? undefined
        : await rowsByPage<{ sitemap: number; page: number }>(this.#run, "lost_listing", ids);
      // times in the future begin again
      const future = rows.filter(({ dropped }) => dropped! > now);
      if (future.length > 0) {
        await this.#run.commit(({ batch }) =>
          batch.update("stored_page", future.map(({ id }) => ({ id, dropped: now })))
        );
      }
      for (const { id, dropped } of rows) {
        const isOld = dropped! < now && now - dropped! >= this.#options.confirmAfter;
        const isUnknown = lost?.get(id)?.some(({ sitemap }) =>
          graph.get(sitemap)?.answer === "unknown"
        );
        if (isFull || (isOld && !isUnknown && !isNewUnread)) leaving.push(id);
      }
    }
    return leaving;
  }

  async #remove(leaving: readonly number[]): Promise<void> {
    const site = this.#run.site.id;
    for (let at = 0; at < leaving.length; at += CHUNK) {
      const pages = await pagesById(this.#run.store, leaving.slice(at, at + CHUNK));
      const events = pages.map((page): SyncEvent => ({
        type: "removed",
        page: pageFromRow(page.url, page),
        sitemap: this.#refOf(page.sitemap),
      }));
      await this.#run.commit((batch) => {
        for (const page of pages) {
          batch.remove(page, this.#run.graph.named(page.sitemap)?.url ?? "");
          batch.batch.remove("lost_listing", [{ site, page: page.id }]);
        }
      }, { numbers: pages.length });
      await this.#run.out(events);
    }
  }

  /** Forgets sitemaps that are gone for good, but not their names while a page has them. */
  async #forget(): Promise<void> {
    const { graph, site, store } = this.#run;
    for (const sitemap of graph.lost()) {
      graph.remove(Object.assign(sitemap, { is_forgotten: true }));
    }
    const forgotten = [...graph.forgotten];
    if (forgotten.length === 0) return;
    const rows = await store.read<{ sitemap: number }>(
      "SELECT DISTINCT sitemap FROM stored_page WHERE site = ? AND dropped IS NOT NULL",
      site.id,
    );
    const named = new Set(rows.map(({ sitemap }) => sitemap));
    this.#run.touch(forgotten.filter(({ id }) => named.has(id)));
    const unnamed = forgotten.filter(({ id }) => !named.has(id));
    await this.#run.commit(({ batch }) =>
      batch.remove("stored_sitemap", unnamed.map(({ id }) => ({ site: site.id, id })))
    );
  }

  // ----------------------------------------------------------------------------------- mass removal

  /**
   * Accepts a walk, or refuses it if more than half of the pages are missing that were not when the last
   * accepted walk ended.
   */
  async #accept(now: number): Promise<void> {
    const { graph, site, store } = this.#run;
    const present = graph.reached(({ gone_since }) => gone_since === null);
    const missing = await this.#missing(present);
    const isBase = ({ id, is_absent }: StoredPage) => is_absent === null && id <= site.accepted;
    let count = 0;
    for (const page of missing.values()) if (isBase(page)) count++;
    if (isMass(count, site.base)) count -= await this.#countSecured(missing, isBase);
    const { acceptAfter, allowMassRemoval } = this.#options;
    const isWaitOver = this.#isFull && site.refused_at !== null &&
      now - site.refused_at >= acceptAfter;
    if (isMass(count, site.base) && !allowMassRemoval && !isWaitOver) {
      site.refused_at = Math.min(site.refused_at ?? now, now);
      this.refusal = `${count} of ${site.base} pages would be removed`;
      return;
    }
    const absent = site.absent === 0 ? [] : await store.read<{ id: number }>(
      "SELECT id FROM stored_page WHERE site = ? AND is_absent IS NOT NULL",
      site.id,
    );
    const returned = absent.filter(({ id }) => !missing.has(id));
    const lost = [...missing.values()].filter(({ is_absent }) => is_absent === null);
    const accept = () => {
      const base = site.pages - missing.size;
      Object.assign(site, { refused_at: null, accepted: site.last, base, absent: missing.size });
    };
    // what is only about the site is written with the end of the run
    if (returned.length === 0 && lost.length === 0) return accept();
    await this.#run.commit(({ batch }) => {
      batch.update("stored_page", returned.map(({ id }) => ({ id, is_absent: null })));
      batch.update("stored_page", lost.map(({ id }) => ({ id, is_absent: 1 })));
      accept();
    });
  }

  /** Returns the pages that are dropped, or that only sitemaps lead to that are not present. */
  async #missing(
    present: ReadonlyMap<number, KnownSitemapRecord>,
  ): Promise<Map<number, StoredPage>> {
    const { graph, site, store } = this.#run;
    const missing = new Map<number, StoredPage>();
    const dropped = site.unconfirmed === 0 ? [] : await store.read<StoredPage>(
      "SELECT * FROM stored_page WHERE site = ? AND dropped IS NOT NULL",
      site.id,
    );
    for (const page of dropped) missing.set(page.id, page);
    for (const sitemap of graph.all) {
      if (present.has(sitemap.id) || sitemap.pages === 0) continue;
      const parts = await this.#run.listingParts(sitemap.id);
      for await (const pages of listedPages(store, parts)) {
        const others = await rowsByPage<OtherListing>(
          this.#run,
          "other_listing",
          pages.map(({ id }) => id),
        );
        const isPresent = ({ id, sitemap }: StoredPage) =>
          present.has(sitemap) || others.get(id)?.some((other) => present.has(other.sitemap));
        for (const page of pages) if (!isPresent(page)) missing.set(page.id, page);
      }
    }
    return missing;
  }

  /** Returns the number of missing pages whose URL with https instead of http is listed. */
  async #countSecured(
    missing: ReadonlyMap<number, StoredPage>,
    isBase: (page: StoredPage) => boolean,
  ): Promise<number> {
    const { store, site } = this.#run;
    const plain = [...missing.values()].filter((page) => isBase(page) && /^http:/i.test(page.url));
    let count = 0;
    for (let at = 0; at < plain.length; at += CHUNK) {
      const secured = plain.slice(at, at + CHUNK)
        .map(({ url }) => identityOf(url.replace(/^http:/i, "https:")));
      const keys = this.#run.keysOf(secured);
      const found = await store.find(site.id, keys);
      const listed = new Set(
        found.filter(({ id }) => !missing.has(id)).map(({ url }) => identityOf(url)),
      );
      count += secured.filter((identity) => listed.has(identity)).length;
    }
    return count;
  }

  /** Also for a sitemap that is not in this walk. */
  #refOf(id: number): SitemapRef {
    const sitemap = this.#run.graph.named(id);
    if (sitemap?.ref !== undefined) return sitemap.ref;
    const { url = "", final_url = url, type = "InvalidSitemap" as const } = sitemap ?? {};
    const requested = url === final_url ? {} : { requestedUrl: url };
    // no other id of this walk is negative
    return { id: -id, type, url: final_url, ...requested, level: 0, parent: 0, index: 0 };
  }
}

function valuesOf({ lastmod, priority, changefreq, extensions }: StoredValues): {
  [K in keyof StoredValues]: StoredValues[K];
} {
  return { lastmod, priority, changefreq, extensions };
}

function isMass(missing: number, base: number): boolean {
  return missing > MIN_MASS && missing > base / 2;
}
