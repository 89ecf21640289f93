/**
 * Compares a walk with a snapshot.
 *
 * Sitemaps are settled in document order, each in one transaction. A page belongs to the first sitemap
 * that lists it; a sitemap claims the pages that it lists unless they belong to one that was settled
 * before it in the same run. Sitemaps that failed, or are missing for the first time, are settled as
 * they were, so that their pages neither change nor vanish:
 *
 * ```
 *                 ┌────────── read to its end ◄───────────┐
 *                 ▼                                       │
 *  new ──► read, unchanged ──► missing ──► gone ──────────┤
 *                 │  ▲            │    (pages dropped)    │
 *                 ▼  │            ▼                       │
 *           truncated, failed ◄───┴───────────────────────┘
 * ```
 *
 * @module
 */

import { timeOfDate } from "../data/date.ts";
import {
  type FinishedEvent,
  isCounted,
  type SitemapLeftEvent,
  type SitemapRef,
  type TreeEvent,
  type Verdict,
} from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { addressKey } from "../data/url.ts";
import type { FetchedDocument } from "../http/fetcher.ts";
import type { ListedAddress } from "../walk/addresses.ts";
import type { Send } from "../walk/event_stream.ts";
import type {
  BodyCheck,
  KnownSitemap,
  KnownSitemaps,
  Recalled,
  SettledSitemap,
} from "../walk/known_sitemaps.ts";
import { HARMLESS_CODES, MISSING_STATUSES, type SitemapFailure } from "../walk/verdict.ts";
import { BodyDigest } from "./body_check.ts";
import { ChangeBuffer } from "./change_buffer.ts";
import type { SyncEvent, SyncFinishedEvent } from "./events.ts";
import { SeenIds } from "./seen_ids.ts";
import type { ChildSitemap, SnapshotRun, StoredSitemap } from "./store.ts";
import { listedPage, pageOf, type StoredValues } from "../data/page_row.ts";
import { sameValues, type StoredPage } from "./stored_page.ts";

/** How a site is compared with its snapshot. */
export interface SiteSyncOptions {
  /** Whether a sitemap with the same declared date as last time is not requested. */
  readonly trustLastmod: boolean;
  /** Whether more than half of the pages may be removed. */
  readonly allowMassRemoval: boolean;
  /** Whether everything is read, whatever is known of it. */
  readonly full: boolean;
  /** Number of runs that are kept, with their changes. */
  readonly keepRuns: number;
  /** Maximum bytes of a sitemap. */
  readonly maxBytes: number;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Pages that are compared at once: few, so that little of them is alive when memory is collected. */
const BATCH = 100;
/** Pages that are removed at once. */
const REMOVED_BATCH = 1000;
/** Removals up to this number are never a mass removal. */
const MIN_MASS = 100;

/** A sitemap that is being read. */
interface Reading {
  readonly ref: SitemapRef;
  /** Its row before this run; `undefined` if it is new. */
  readonly before: StoredSitemap | undefined;
  readonly id: number;
  /** Id of the first page that was added while it was read. */
  readonly firstNew: number;
  /** Pages that belong to it now, except those. */
  readonly own: SeenIds;
  /** Pages that it lists and that belong to an earlier one. */
  readonly others: SeenIds;
  /** Number of its pages. */
  pages: number;
}

/** Position of a sitemap in the tree and in document order. */
type Placement = Pick<StoredSitemap, "parent" | "level" | "place" | "position">;

/** Fields of a sitemap that was never read. */
const UNREAD = {
  lastmod: null,
  code: null,
  reason: null,
  pages: 0,
  bytes: null,
  etag: null,
  last_modified: null,
  digest: null,
} as const;

/** One run of a site: takes the events of a walk, sends those of the synchronisation. */
export class SiteSync implements KnownSitemaps, Disposable {
  readonly #run: SnapshotRun;
  readonly #options: SiteSyncOptions;
  readonly #out: Send<SyncEvent>;
  /** Ids of the sitemaps that are settled in this run. */
  readonly #settled: Set<number>;
  /** References of this walk by id of the sitemap. */
  readonly #refs = new Map<number, SitemapRef>();
  /** Ids of sitemaps by id of their reference. */
  readonly #ids = new Map<number, number>();
  #reading: Reading | undefined;
  /** Changes that are not sent yet. */
  readonly #changes = new ChangeBuffer();
  #position = 0;
  /** Ids of pages that a truncated sitemap may still list. */
  readonly #unread: number[] = [];
  /** Ids of pages that a truncated sitemap lists, and that belong to others. */
  readonly #arrived: number[] = [];
  #isMassRemoval = false;
  /** Last event, once the walk has ended. */
  finished: SyncFinishedEvent | undefined;

  constructor(run: SnapshotRun, options: SiteSyncOptions, out: Send<SyncEvent>) {
    this.#run = run;
    this.#options = options;
    this.#out = out;
    const settled = run.settled();
    this.#settled = new Set(settled.map(({ id }) => id));
    // what was settled before an interruption precedes the rest in document order
    for (const { position } of settled) this.#position = Math.max(this.#position, position + 1);
  }

  /** Drops the changes that were not sent. */
  [Symbol.dispose](): void {
    this.#changes[Symbol.dispose]();
  }

  /** Takes events of the walk. */
  readonly take: Send<TreeEvent> = async (events) => {
    const passed: SyncEvent[] = [];
    const pages: SitemapPage[] = [];
    for (const event of events) {
      if (event.type === "page") {
        this.#open(event.sitemap);
        pages.push(event.page);
      } else if (event.type === "finished") {
        this.finished = this.#finish(event);
        passed.push(this.finished);
      } else if (event.type === "sitemap-left" && event.sitemap.level < 0) {
        await this.#out(passed.splice(0));
        passed.push(...await this.#end(event));
      } else passed.push(event);
    }
    for (let at = 0; at < pages.length; at += BATCH) {
      this.#compare(this.#reading!, pages.slice(at, at + BATCH));
    }
    if (passed.length > 0) await this.#out(passed);
  };

  // ----------------------------------------------------------------------------------- before a read

  recall(key: string, listed: string | undefined): KnownSitemap | undefined {
    const sitemap = this.#run.sitemap(key);
    if (sitemap === undefined) return undefined;
    const { etag, last_modified, digest, lastmod } = sitemap;
    const isFinished = this.#isFinished(sitemap);
    if (!isFinished && (this.#options.full || digest === null)) return undefined;
    const isTrusted = this.#options.trustLastmod && isIntact(sitemap) && lastmod !== null &&
      listed !== undefined && timeOfDate(lastmod) === timeOfDate(listed);
    return {
      url: sitemap.final_url,
      type: sitemap.type,
      pages: sitemap.pages,
      etag: etag ?? undefined,
      lastModified: last_modified ?? undefined,
      digest: digest ?? undefined,
      skippedBy: isFinished ? "finished" : isTrusted ? "lastmod" : undefined,
      children: () => this.#run.children(sitemap.id).map(listedAddress),
    };
  }

  check(document: FetchedDocument, known: KnownSitemap | undefined): BodyCheck {
    return new BodyDigest(document, known?.digest, this.#options.maxBytes);
  }

  // ------------------------------------------------------------------------------------------- pages

  /** Returns the sitemap that is being read. */
  #open(ref: SitemapRef): Reading {
    if (this.#reading?.ref.id === ref.id) return this.#reading;
    const url = ref.requestedUrl ?? ref.url;
    const before = this.#run.sitemap(url);
    const id = before?.id ?? this.#run.saveSitemap({
      ...UNREAD,
      ...this.#placement(ref),
      url,
      final_url: ref.url,
      type: ref.type,
      run: 0,
      state: "failed",
    });
    return this.#reading = {
      ref,
      before,
      id,
      firstNew: this.#run.nextPage,
      own: new SeenIds(),
      others: new SeenIds(),
      pages: 0,
    };
  }

  /** Compares pages of a sitemap with those of the snapshot. */
  #compare(reading: Reading, pages: readonly SitemapPage[]): void {
    const { ref, id, own, others } = reading;
    const run = this.#run;
    const listed = pages.map(listedPage);
    const knownPages = run.addUnknown(id, listed);
    reading.pages += pages.length;
    for (const [at, page] of pages.entries()) {
      // a lookup, even in an empty map, moves the URL to old space
      const known = knownPages.size === 0 ? undefined : knownPages.get(page.url);
      if (known === undefined) {
        this.#changes.added(page, ref);
        continue;
      }
      const isOwned = known.sitemap === id || !this.#settled.has(known.sitemap);
      if (isOwned || known.dropped !== null) {
        own.add(known.id);
        this.#claim(known, listed[at]!, id, ref, page);
      } else {
        others.add(known.id);
        run.list(id, known.id, listed[at]!);
      }
    }
  }

  /** Gives a page to a sitemap, with the values that it has there. */
  #claim(
    known: StoredPage,
    values: StoredValues,
    sitemap: number,
    ref: SitemapRef,
    page?: SitemapPage,
  ): void {
    const run = this.#run;
    if (known.sitemap !== sitemap) {
      if (known.dropped === null) run.list(known.sitemap, known.id, known);
      run.unlist(sitemap, [known.id]);
    }
    if (known.sitemap !== sitemap || known.dropped !== null) run.move(known, sitemap);
    if (sameValues(known, values)) return;
    this.#changes.changed(page ?? pageOf(known.url, values), pageOf(known.url, known), ref);
    run.change(known, values, sitemap);
  }

  // -------------------------------------------------------------------------------------- settlement

  async settle(settled: SettledSitemap): Promise<void> {
    const { ref, recalled } = settled;
    if (recalled !== undefined) await this.#settleRecalled(settled, recalled);
    else await this.#settleRead(this.#open(ref), settled);
  }

  async #settleRead(reading: Reading, { ref, complete, children, read }: SettledSitemap) {
    const { id, before } = reading;
    const run = this.#run;
    this.#reading = undefined;
    this.#keepRef(id, ref);
    const check = read?.check as BodyDigest | undefined;
    const isWhole = complete && check?.value !== undefined;
    const sitemap: StoredSitemap = {
      id,
      url: ref.requestedUrl ?? ref.url,
      final_url: ref.url,
      type: ref.type,
      ...this.#placement(ref, before),
      lastmod: ref.lastModified ?? null,
      run: run.id,
      state: complete ? "read" : "truncated",
      code: null,
      reason: null,
      pages: reading.pages,
      bytes: check?.transferred ?? null,
      etag: isWhole ? read?.document.headers.get("etag") ?? null : null,
      last_modified: isWhole ? read?.document.headers.get("last-modified") ?? null : null,
      digest: isWhole ? check.value! : null,
    };
    const isEmptied = complete && reading.pages === 0 && (before?.pages ?? 0) > 0;
    this.#saveChildren(sitemap, children, complete);
    if (isEmptied && !this.#isMissingAgain(before!)) {
      this.#settleMissing(sitemap, before!, children);
    } else {
      const kept = this.#dropUnseen(reading, complete);
      // what did not arrive counts as it was
      if (!complete) { for (const page of this.#claimListed(id)) this.#unread.push(page); }
      run.saveSitemap({ ...sitemap, pages: reading.pages + kept });
    }
    await this.#commit(id);
  }

  /** Settles a sitemap that has become empty: it counts as it was, for one run. */
  #settleMissing(
    sitemap: StoredSitemap,
    before: StoredSitemap,
    children: readonly ListedAddress[],
  ): void {
    const { position, parent, level, place, run } = sitemap;
    const placement = { position, parent, level, place };
    const reason = { state: "missing", code: "empty", reason: "No pages any more" } as const;
    this.#claimListed(sitemap.id);
    this.#run.saveSitemap(
      children.length === 0 ? { ...before, ...placement, ...reason, run } : {
        ...sitemap,
        ...reason,
        pages: before.pages,
        etag: null,
        last_modified: null,
        digest: null,
      },
    );
  }

  /** Drops pages that a sitemap does not list any more. Returns the number of those that are kept. */
  #dropUnseen({ id, before, own, others, firstNew }: Reading, complete: boolean): number {
    if (!complete) { for (const page of others.values()) this.#arrived.push(page); }
    if (before === undefined) return 0;
    const run = this.#run;
    const dropped = own.missing(run.pageIds(id, firstNew));
    const unlisted = others.missing(run.listedIds(id));
    if (complete) {
      run.drop(dropped);
      run.unlist(id, unlisted);
      return 0;
    }
    for (const page of dropped) this.#unread.push(page);
    return dropped.length + unlisted.length;
  }

  async #settleRecalled({ key, ref }: SettledSitemap, { known, by, document }: Recalled) {
    const run = this.#run;
    const sitemap = run.sitemap(key)!;
    this.#keepRef(sitemap.id, ref);
    // also if another index lists it again
    if (by === "finished" || this.#isFinished(sitemap)) return;
    this.#claimListed(sitemap.id);
    const { headers } = document ?? {};
    run.saveSitemap({
      ...sitemap,
      ...this.#placement(ref, sitemap),
      lastmod: ref.lastModified ?? null,
      run: run.id,
      state: "unchanged",
      code: null,
      reason: null,
      etag: headers?.get("etag") ?? sitemap.etag,
      last_modified: headers?.get("last-modified") ?? sitemap.last_modified,
    });
    if (by === "not-modified" && isCounted(ref)) run.counts.notModified++;
    if (by !== "same-bytes") run.counts.bytesSaved += sitemap.bytes ?? 0;
    await this.#out([{ type: "sitemap-unchanged", sitemap: ref, pages: known.pages, by }]);
    await this.#commit(sitemap.id);
  }

  async fail(
    key: string,
    failure: SitemapFailure,
    ref: SitemapRef,
    isDeclared: boolean,
  ): Promise<void> {
    const { code, reason, status } = failure;
    const sitemap = this.#run.sitemap(key);
    const isMissing = code === "empty" || status !== undefined && MISSING_STATUSES.has(status);
    if (sitemap === undefined) {
      if (!isDeclared) return;
      const id = this.#run.saveSitemap({
        ...UNREAD,
        ...this.#placement(ref),
        url: key,
        final_url: ref.url,
        type: ref.type,
        run: this.#run.id,
        state: isMissing ? "missing" : "failed",
        code,
        reason,
      });
      this.#keepRef(id, ref);
      return await this.#commit(id);
    }
    // listed again, after it was read, or below itself
    const isElsewhere = HARMLESS_CODES.has(code) && this.#refs.has(sitemap.id);
    if (isElsewhere || this.#isFinished(sitemap)) return;
    this.#keepRef(sitemap.id, ref);
    const placed = { ...sitemap, ...this.#placement(ref, sitemap), code, reason };
    this.#settleAsItWas(placed, isMissing);
    await this.#commit(sitemap.id);
  }

  /** Settles a sitemap that was not read, and those below it. */
  #settleAsItWas(sitemap: StoredSitemap, isMissing: boolean): void {
    const run = this.#run;
    const { id } = sitemap;
    const children = run.children(id);
    this.#settled.add(id);
    if (isMissing && this.#isMissingAgain(sitemap)) {
      run.drop(run.pageIds(id));
      run.unlist(id, run.listedIds(id));
      run.setChildren(id, []);
      const { code, reason } = sitemap;
      run.saveSitemap({ ...sitemap, ...UNREAD, code, reason, run: run.id, state: "gone" });
    } else {
      this.#claimListed(id);
      run.saveSitemap({ ...sitemap, run: run.id, state: isMissing ? "missing" : "failed" });
    }
    for (const { url } of children) {
      const child = run.sitemap(url);
      if (child === undefined || this.#settled.has(child.id) || child.state === "gone") continue;
      // another sitemap may list it, which is settled later
      if (isMissing && !this.#isUnlisted(child)) continue;
      const placed = { ...child, position: this.#position++, code: null, reason: null };
      this.#settleAsItWas(placed, isMissing);
    }
  }

  /** Whether a sitemap was read to its end, or known to be unchanged, in this run. */
  #isFinished(sitemap: StoredSitemap): boolean {
    return isIntact(sitemap) && sitemap.run === this.#run.id;
  }

  /** Whether a sitemap was missing in the run before, or is gone. */
  #isMissingAgain({ state, run }: StoredSitemap): boolean {
    return state === "gone" || state === "missing" && run === this.#run.previous;
  }

  /** Claims the pages that a sitemap lists and that do not belong to one before it. Returns their ids. */
  #claimListed(sitemap: number): number[] {
    const claimed: number[] = [];
    for (const { page, values } of this.#run.claimable(sitemap)) {
      claimed.push(page.id);
      this.#claim(page, values, sitemap, this.#refOf(sitemap));
    }
    return claimed;
  }

  /** Saves what an index lists; of one that is truncated also what it listed before. */
  #saveChildren(
    { id }: StoredSitemap,
    children: readonly ListedAddress[],
    complete: boolean,
  ): void {
    const before = this.#run.children(id);
    if (before.length === 0 && children.length === 0) return;
    const dates = new Map(
      children.map(({ url, lastModified = null }) => [addressKey(url), lastModified]),
    );
    if (!complete) {
      for (const { url, lastmod } of before) if (!dates.has(url)) dates.set(url, lastmod);
    }
    this.#run.setChildren(id, Array.from(dates, ([url, lastmod]) => ({ url, lastmod })));
  }

  /** Keeps the reference of a sitemap in this walk. */
  #keepRef(id: number, ref: SitemapRef): void {
    this.#refs.set(id, ref);
    this.#ids.set(ref.id, id);
  }

  /** Sends the changes of a sitemap, and commits them once they were taken. */
  async #commit(sitemap: number): Promise<void> {
    this.#settled.add(sitemap);
    for (const batch of this.#changes.take()) await this.#out(batch);
    this.#run.commit();
  }

  /** Returns the place of a sitemap; one that was settled before in this run keeps its position. */
  #placement({ level, parent, index }: SitemapRef, before?: StoredSitemap): Placement {
    const above = parent === null ? undefined : this.#ids.get(parent);
    const position = before?.run === this.#run.id ? before.position : this.#position++;
    return { parent: above ?? null, level, place: index, position };
  }

  // --------------------------------------------------------------------------------------------- end

  /** Settles what the walk did not reach, removes pages, and returns the last events of the root. */
  async #end(left: SitemapLeftEvent): Promise<SyncEvent[]> {
    const run = this.#run;
    run.index();
    run.commit();
    const unsettled = run.unsettled();
    const unreached = this.#unreached(unsettled);
    for (const sitemap of unsettled) {
      if (this.#settled.has(sitemap.id)) continue;
      const placed = { ...sitemap, position: this.#position++, code: null, reason: null };
      this.#settleAsItWas(placed, !unreached.has(sitemap.id));
    }
    for (const batch of this.#changes.take()) await this.#out(batch);
    const count = run.countDropped();
    this.#isMassRemoval = count > MIN_MASS && count > run.known / 2 &&
      !this.#options.allowMassRemoval;
    if (!this.#isMassRemoval) {
      await this.#remove();
      return [left];
    }
    const message = `${count} of ${run.known} pages would be removed`;
    return [
      { type: "warning", code: "mass-removal", message, sitemap: left.sitemap },
      { ...left, warnings: { ...left.warnings, "mass-removal": 1 } },
    ];
  }

  /** Whether all sitemaps that list a sitemap are known to be missing or gone in this run. */
  #isUnlisted({ url, parent }: StoredSitemap): boolean {
    if (parent === null) return false;
    return this.#run.parentsOf(url).every((above) => this.#settled.has(above.id) && isLost(above));
  }

  /**
   * Returns the ids of sitemaps that were not visited, although a sitemap that is not missing lists
   * them, or one of those. The others are not listed any more, even if they list each other.
   */
  #unreached(unsettled: readonly StoredSitemap[]): Set<number> {
    const run = this.#run;
    const ids = new Set<number>();
    const pending = unsettled.filter(({ url, parent }) =>
      parent === null ||
      run.parentsOf(url).some((above) => this.#settled.has(above.id) && !isLost(above))
    );
    for (let sitemap = pending.pop(); sitemap !== undefined; sitemap = pending.pop()) {
      if (ids.has(sitemap.id)) continue;
      ids.add(sitemap.id);
      for (const { url } of run.children(sitemap.id)) {
        const child = run.sitemap(url);
        if (child !== undefined && !this.#settled.has(child.id)) pending.push(child);
      }
    }
    return ids;
  }

  async #remove(): Promise<void> {
    for (let last = 0;;) {
      const pages = this.#run.dropped(last, REMOVED_BATCH);
      if (pages.length === 0) return;
      last = pages.at(-1)!.id;
      await this.#out(pages.map((page): SyncEvent => ({
        type: "removed",
        page: pageOf(page.url, page),
        sitemap: this.#refOf(page.sitemap),
      })));
      this.#run.remove(pages);
    }
  }

  /** Returns the reference of a sitemap, also of one that is not in this walk. */
  #refOf(id: number): SitemapRef {
    let ref = this.#refs.get(id);
    if (ref === undefined) {
      const { type, url, final_url, level, place } = this.#run.sitemapById(id)!;
      const requested = url === final_url ? {} : { requestedUrl: url };
      // no other id of this walk is negative
      ref = { id: -id, type, url: final_url, ...requested, level, parent: 0, index: place };
      this.#refs.set(id, ref);
    }
    return ref;
  }

  /** Ends the run, and returns its last event. */
  #finish(event: FinishedEvent): SyncFinishedEvent {
    const { stats, verdict } = event;
    const run = this.#run;
    const { counts } = run;
    counts.unconfirmed = run.countUnconfirmed(this.#unread, this.#arrived);
    counts.unchanged = Math.max(0, run.pages - counts.added - counts.changed - counts.unconfirmed);
    const judged: Verdict = this.#isMassRemoval ? "partial" : verdict;
    run.finish(judged, this.#options.now(), this.#options.keepRuns);
    const warnings = stats.warnings + (this.#isMassRemoval ? 1 : 0);
    return { ...event, verdict: judged, stats: { ...stats, warnings, ...counts } };
  }
}

/** Whether a sitemap, and what it lists, does not exist any more. */
function isLost({ state }: StoredSitemap): boolean {
  return state === "missing" || state === "gone";
}

function listedAddress({ url, lastmod }: ChildSitemap): ListedAddress {
  return { url, lastModified: lastmod ?? undefined };
}

/** Whether the pages of a sitemap are those of its last body. */
function isIntact({ state }: StoredSitemap): boolean {
  return state === "read" || state === "unchanged";
}
