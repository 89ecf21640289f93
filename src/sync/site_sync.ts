/**
 * Compares a walk with what is known of its site.
 *
 * Each sitemap is compared with its last listing when it is read, and what differs is written at once.
 * When the walk has ended, the rules of truth decide what is gone and which pages are removed.
 *
 * @module
 */

import { DAY, HOUR, MINUTE } from "../data/calendar.ts";
import { DATE_LENGTHS, timeOfDate } from "../data/date.ts";
import {
  type FinishedEvent,
  type InvalidEvent,
  isCounted,
  type SitemapLeftEvent,
  type SitemapRef,
  type TreeEvent,
  type Verdict,
} from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { addressKey, withoutUserInfoIn } from "../data/url.ts";
import type { FetchedDocument } from "../http/fetched_document.ts";
import type { Send } from "../walk/event_stream.ts";
import type {
  BodyCheck,
  KnownSitemap,
  KnownSitemaps,
  SettledSitemap,
} from "../walk/known_sitemaps.ts";
import {
  HARMLESS_CODES,
  isPassing,
  MISSING_STATUSES,
  type SitemapFailure,
} from "../walk/verdict.ts";
import { BodyDigest } from "./body_check.ts";
import type { SyncEvent, SyncFinishedEvent } from "./events.ts";
import { Judgement, type JudgementOptions } from "./judgement.ts";
import { ListingUpdate } from "./listing_update.ts";
import type { RunState, SiteRun } from "./site_run.ts";
import {
  type Answer,
  type KnownSitemapRecord,
  NO_VALIDATORS,
  type StoredSitemap,
} from "./sitemap_graph.ts";

interface SiteSyncOptions extends JudgementOptions {
  readonly trustLastmod: boolean;
  readonly full: boolean;
  readonly maxBytes: number;
  readonly robotsUrl: string;
  /** Sitemaps that the caller gave. */
  readonly given: readonly string[];
}

/** A `Last-Modified` so little before the response may hide a change in the same second. */
const MIN_AGE = MINUTE;
const LARGE_BODY = 256 * 1024;
/** Time after the end of a day in UTC when it has ended everywhere. */
const DAY_ENDED = 12 * HOUR;

export class SiteSync implements KnownSitemaps {
  readonly #run: SiteRun;
  readonly #options: SiteSyncOptions;
  readonly #judgement: Judgement;
  #update: ListingUpdate | undefined;
  #invalid: InvalidEvent | undefined;
  /** Whether something failed for a reason that may pass. */
  #isPassing = false;
  finished: SyncFinishedEvent | undefined;

  constructor(run: SiteRun, options: SiteSyncOptions) {
    this.#run = run;
    this.#options = options;
    this.#judgement = new Judgement(run, options);
  }

  readonly take: Send<TreeEvent> = async (events) => {
    let passed: SyncEvent[] = [];
    let pages: SitemapPage[] = [];
    const flush = async () => {
      if (passed.length > 0) await this.#run.out(passed);
      if (pages.length > 0) await this.#update!.take(pages);
      passed = [];
      pages = [];
    };
    for (const event of events) {
      if (event.type === "page") {
        if (this.#update?.ref !== event.sitemap) {
          await flush();
          await this.#open(event.sitemap);
        }
        pages.push(event.page);
        continue;
      }
      if (pages.length > 0) await flush();
      if (event.type === "finished") passed.push(this.finished = await this.#finish(event));
      else if (event.type === "sitemap-left" && event.sitemap.level < 0) {
        await flush();
        passed.push(...await this.#judge(event));
      } else {
        if (event.type === "invalid") this.#invalid ??= event;
        passed.push(event);
      }
    }
    await flush();
  };

  // ----------------------------------------------------------------------------------- before a read

  recall(key: string, listed: string | undefined): KnownSitemap | undefined {
    const sitemap = this.#run.graph.find(key);
    if (sitemap === undefined || this.#options.full) return undefined;
    const { etag, last_modified, digest, lastmod } = sitemap;
    const isTrusted = this.#options.trustLastmod && lastmod !== null && lastmod === listed &&
      hasEnded(lastmod, sitemap.read_at) && sitemap.read_at! <= this.#run.now();
    if ((etag ?? last_modified ?? digest) === null && !isTrusted) return undefined;
    return {
      url: sitemap.final_url,
      type: sitemap.type,
      pages: sitemap.pages,
      etag: etag ?? undefined,
      lastModified: last_modified ?? undefined,
      digest: digest ?? undefined,
      skippedBy: isTrusted ? "lastmod" : undefined,
      children: () =>
        sitemap.children.map(([id, lastmod]) => ({
          url: this.#run.graph.get(id)!.url,
          lastModified: lastmod ?? undefined,
        })),
    };
  }

  check(document: FetchedDocument, known: KnownSitemap | undefined): BodyCheck {
    const { etag, last_modified } = validatorsOf(document, this.#run.now());
    // validators tell the same, and the body need not be held back
    const isHashed = (etag ?? last_modified) === null;
    const { maxBytes } = this.#options;
    const isLarge = Number(document.headers.get("content-length")) > LARGE_BODY;
    return new BodyDigest(document, isHashed ? known?.digest : undefined, {
      maxBytes,
      isHashed,
      // not begun before, since its first bytes would wait in memory
      beforeOpen: isLarge ? () => this.#run.gate.enter(this) : undefined,
    });
  }

  // -------------------------------------------------------------------------------------- settlement

  #sitemapOf(ref: SitemapRef): KnownSitemapRecord {
    const { graph, now } = this.#run;
    const key = withoutUserInfoIn(addressKey(ref.requestedUrl ?? ref.url));
    const sitemap = graph.find(key) ?? graph.add(key, now());
    sitemap.ref = ref;
    return sitemap;
  }

  async #open(ref: SitemapRef): Promise<ListingUpdate> {
    const sitemap = this.#sitemapOf(ref);
    const old = await this.#run.listing(sitemap);
    return this.#update = new ListingUpdate(this.#run, ref, sitemap, old);
  }

  async settle(settled: SettledSitemap, send: () => Promise<boolean>): Promise<void> {
    const { ref, recalled, children } = settled;
    const complete = await send();
    this.#run.gate.leave(this);
    if (recalled !== undefined) return await this.#settleRecalled(settled);
    const update = this.#update?.ref === ref ? this.#update : undefined;
    this.#update = undefined;
    const isEmpty = children.length === 0 && (update?.count ?? 0) === 0;
    const { graph } = this.#run;
    // robots.txt without sitemaps, or an empty known path, is not part of the site
    if (isEmpty && ref.level === 0 && graph.find(settled.key) === undefined) return;
    await this.#settleRead({ ...settled, complete }, update, isEmpty);
  }

  async #settleRead(
    { ref, complete, children, read }: SettledSitemap & { readonly complete: boolean },
    update: ListingUpdate | undefined,
    isEmpty: boolean,
  ): Promise<void> {
    const { graph, now } = this.#run;
    const sitemap = update?.sitemap ?? this.#sitemapOf(ref);
    if (ref.level === 0) sitemap.is_root = true;
    if (isEmpty && complete) return this.#answer(sitemap, "gone", "empty", "No entries");
    this.#answer(sitemap, complete ? "listing" : "unknown", null, null);
    if (!complete) this.#isPassing = true;
    const time = now();
    sitemap.final_url = ref.url;
    sitemap.type = ref.type;
    const listed = children.map(({ url, lastModified }) =>
      [withoutUserInfoIn(addressKey(url)), lastModified ?? null] as const
    );
    graph.list(sitemap, listed, complete, time);
    const check = read?.check as BodyDigest | undefined;
    Object.assign(sitemap, NO_VALIDATORS);
    if (complete) {
      this.#keepValidators(sitemap, ref, read!.document);
      sitemap.bytes = check?.transferred ?? null;
      sitemap.digest = check?.value ?? null;
    }
    const ending = update ??
      new ListingUpdate(this.#run, ref, sitemap, await this.#run.listing(sitemap));
    await ending.end(complete, sitemap.children.map(([id]) => graph.get(id)!));
  }

  async #settleRecalled({ key, ref, recalled }: SettledSitemap): Promise<void> {
    const { known, by, document } = recalled!;
    const { counts, graph } = this.#run;
    const sitemap = graph.find(key)!;
    sitemap.ref = ref;
    if (ref.level === 0) sitemap.is_root = true;
    this.#answer(sitemap, "listing", null, null);
    if (by === "same-bytes") {
      const { read_at } = sitemap;
      this.#keepValidators(sitemap, ref, document!);
      // of a sitemap without a date, such as robots.txt, nothing uses the time: its row stays as it is
      if (sitemap.lastmod === null) sitemap.read_at = read_at;
    }
    if (by === "not-modified" && isCounted(ref)) counts.notModified++;
    if (by !== "same-bytes") counts.bytesSaved += sitemap.bytes ?? 0;
    await this.#run.out([{ type: "sitemap-unchanged", sitemap: ref, pages: known.pages, by }]);
  }

  #keepValidators(sitemap: KnownSitemapRecord, ref: SitemapRef, document: FetchedDocument): void {
    const now = this.#run.now();
    const lastmod = ref.lastModified ?? null;
    Object.assign(sitemap, { read_at: now, lastmod }, validatorsOf(document, now));
  }

  fail(key: string, failure: SitemapFailure, ref: SitemapRef): void {
    const { code, reason, status } = failure;
    this.#run.gate.leave(this);
    if (isPassing(failure)) this.#isPassing = true;
    const isGone = code === "empty" || status !== undefined && MISSING_STATUSES.has(status);
    const sitemap = this.#run.graph.find(key);
    if (sitemap === undefined) {
      // a known path that was never read does not matter, but robots.txt and given sitemaps do
      const { robotsUrl, given } = this.#options;
      if (!isGone && (key === robotsUrl || given.includes(key))) this.#judgement.isUncertain = true;
    } else if (sitemap.answer === undefined) {
      sitemap.ref = ref;
      this.#answer(sitemap, isGone ? "gone" : "unknown", code, reason);
      if (HARMLESS_CODES.has(code)) this.#judgement.aliases.add(sitemap);
    }
  }

  #answer(
    sitemap: KnownSitemapRecord,
    answer: Answer,
    code: string | null,
    reason: string | null,
  ): void {
    Object.assign(sitemap, { answer, code, reason });
  }

  // --------------------------------------------------------------------------------------------- end

  /** Returns the last events of the root. */
  async #judge(left: SitemapLeftEvent): Promise<SyncEvent[]> {
    await this.#judgement.pass();
    const { refusal } = this.#judgement;
    if (refusal === undefined) return [left];
    return [
      { type: "warning", code: "mass-removal", message: refusal, sitemap: left.sitemap },
      { ...left, warnings: { ...left.warnings, "mass-removal": 1 } },
    ];
  }

  async #finish({ limited, ...event }: FinishedEvent): Promise<SyncFinishedEvent> {
    const { run, counts, site } = this.#run;
    const { refusal } = this.#judgement;
    const verdict: Verdict = refusal === undefined ? event.verdict : "partial";
    counts.unconfirmed = await this.#judgement.countUnconfirmed();
    counts.unchanged = site.pages - counts.added - counts.changed - counts.unconfirmed;
    counts.unchanged = Math.max(0, counts.unchanged);
    const warnings = event.stats.warnings + (refusal === undefined ? 0 : 1);
    const reason = this.#reasonOf(event);
    const finished: SyncFinishedEvent = {
      ...event,
      ...(limited && refusal === undefined && { limited }),
      verdict,
      stats: { ...event.stats, warnings, ...counts },
      run: run.id,
      ...(this.#mayPass(verdict, event) && { passing: true }),
    };
    this.#run.touch(this.#run.graph.all);
    await this.#run.commit(() => {
      Object.assign(run, { finished: this.#run.now(), verdict, ...reason });
    }, { finished });
    return finished;
  }

  #mayPass(verdict: Verdict, { endedBy }: FinishedEvent): boolean {
    return this.#isPassing && endedBy === undefined && this.#judgement.refusal === undefined &&
      (verdict === "partial" || verdict === "blocked");
  }

  #reasonOf({ blockedBy, endedBy }: FinishedEvent): Pick<RunState, "code" | "reason"> {
    const { refusal } = this.#judgement;
    if (refusal !== undefined) return { code: "mass-removal", reason: refusal };
    const { code, reason } = blockedBy ?? this.#invalid ?? {};
    return { code: endedBy ?? code ?? null, reason: reason ?? null };
  }
}

function validatorsOf(
  { headers }: FetchedDocument,
  now: number,
): Pick<StoredSitemap, "etag" | "last_modified"> {
  const modified = headers.get("last-modified");
  const date = Date.parse(headers.get("date") ?? "") || now;
  const isOld = modified !== null && date - Date.parse(modified) >= MIN_AGE;
  return { etag: headers.get("etag"), last_modified: isOld ? modified : null };
}

/** Whether a date, or the period that it names, had ended everywhere before a time. */
function hasEnded(date: string, time: number | null): boolean {
  if (time === null) return false;
  if (date.length > DATE_LENGTHS.day) return timeOfDate(date) < time;
  const start = new Date(timeOfDate(date));
  if (date.length === DATE_LENGTHS.year) start.setUTCFullYear(start.getUTCFullYear() + 1);
  else if (date.length === DATE_LENGTHS.month) start.setUTCMonth(start.getUTCMonth() + 1);
  else start.setTime(start.getTime() + DAY);
  return start.getTime() + DAY_ENDED < time;
}
