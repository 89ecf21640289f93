/**
 * The pages of an attempt on their way to the database, and the sitemaps that were read to their end:
 * later attempts do not read those again.
 *
 * @module
 */

import { timeOfDate } from "../data/date.ts";
import type { SitemapRef, SitemapType, TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { SYSTEM_CLOCK } from "../http/clock.ts";
import { listedPage } from "../data/page_row.ts";
import type { KnownSitemap, KnownSitemaps } from "../walk/known_sitemaps.ts";
import { type Session, storable } from "./database.ts";
import type { Holder } from "./lease.ts";
import { PRECISIONS } from "./schema.ts";

/** Pages that are written at a time. */
const BATCH_LENGTH = 1000;
/** Milliseconds after which fewer are written, so that little of a slow site is read twice. */
const BATCH_INTERVAL = 2000;

/** A sitemap that an earlier attempt has read to its end. */
interface FinishedSitemap {
  readonly url: string;
  readonly requested_url: string | null;
  readonly type: SitemapType;
  readonly pages: number;
}

/** A sitemap of this attempt. */
interface SitemapState {
  readonly ref: SitemapRef;
  /** Number of pages so far. */
  pages: number;
  isLeft: boolean;
  complete: boolean;
  /** Whether an earlier attempt has read it. */
  readonly isKnown: boolean;
}

/** Sitemaps and pages of one attempt. */
export class Checkpoint {
  readonly #holder: Holder;
  readonly #finished = new Map<string, FinishedSitemap>();
  /** URLs of the sitemaps so far. */
  readonly #urls = new Set<string>();
  /** Sitemaps that are being read, by the id of their reference. */
  readonly #open = new Map<number, SitemapState>();
  /** Sitemaps that differ from their rows. */
  readonly #changed = new Set<SitemapState>();
  #pages: { readonly sitemap: SitemapState; readonly seq: number; readonly page: SitemapPage }[] =
    [];
  /** Number of all pages so far. */
  #count = 0;
  #written = SYSTEM_CLOCK.elapsed();
  /** Whether a sitemap was read to its end that no earlier attempt had read. */
  hasProgress = false;

  private constructor(holder: Holder, finished: readonly FinishedSitemap[]) {
    this.#holder = holder;
    for (const sitemap of finished) {
      this.#finished.set(sitemap.requested_url ?? sitemap.url, sitemap);
    }
  }

  /** Loads what earlier attempts have read. */
  static async load(session: Session, holder: Holder): Promise<Checkpoint> {
    const { run, site, unit, fence } = holder;
    if (fence === 1) return new Checkpoint(holder, []);
    const { rows } = await session.query<FinishedSitemap>(
      `select url, requested_url, type, pages from sitetree.sitemap
      where run = $1 and site = $2 and unit = $3 and complete and type not like 'Index%'`,
      [run, site, unit],
    );
    return new Checkpoint(holder, rows);
  }

  /** Whether enough pages were added for a transaction, or enough time has passed since the last. */
  get isDue(): boolean {
    return this.#pages.length >= BATCH_LENGTH ||
      this.#changed.size > 0 && SYSTEM_CLOCK.elapsed() - this.#written >= BATCH_INTERVAL;
  }

  /** Lets a walk skip the sitemaps that earlier attempts have read. */
  get knownSitemaps(): KnownSitemaps {
    return {
      recall: (key) => this.#recall(key),
      check: () => ({ open: (body) => Promise.resolve(body), finish: () => Promise.resolve() }),
      settle: () => Promise.resolve(),
      fail: () => Promise.resolve(),
    };
  }

  #recall(key: string): KnownSitemap | undefined {
    const finished = this.#finished.get(key);
    if (finished === undefined) return undefined;
    return { ...NO_VALIDATORS, ...finished, skippedBy: "finished", children: () => [] };
  }

  /** Adds events of the walk. */
  add(events: readonly TreeEvent[]): void {
    for (const event of events) {
      if (event.type === "page") {
        this.#addPage(event.sitemap, event.page);
      } else if (event.type === "sitemap-entered") this.#enter(event.sitemap);
      else if (event.type === "sitemap-left") this.#leave(event.sitemap, event.complete);
    }
  }

  #addPage({ id }: SitemapRef, page: SitemapPage): void {
    const sitemap = this.#open.get(id);
    if (sitemap === undefined) return;
    this.#pages.push({ sitemap, seq: sitemap.pages++, page });
    this.#count++;
    this.#changed.add(sitemap);
  }

  #enter(ref: SitemapRef): void {
    // a sitemap that is reached twice is stored once, where it was reached first
    if (!isStored(ref) || this.#urls.has(ref.url)) return;
    this.#urls.add(ref.url);
    const finished = this.#finished.get(ref.requestedUrl ?? ref.url);
    const isKnown = finished !== undefined;
    const sitemap = { ref, pages: finished?.pages ?? 0, isLeft: false, complete: false, isKnown };
    this.#open.set(ref.id, sitemap);
    this.#changed.add(sitemap);
  }

  #leave(ref: SitemapRef, complete: boolean): void {
    const sitemap = this.#open.get(ref.id);
    if (sitemap === undefined) return;
    this.#open.delete(ref.id);
    sitemap.isLeft = true;
    sitemap.complete = complete;
    this.#changed.add(sitemap);
    if (complete && !sitemap.isKnown && !ref.type.startsWith("Index")) this.hasProgress = true;
  }

  /** Writes what was added since {@linkcode clear}. May be repeated until it is committed. */
  async write(session: Session): Promise<void> {
    // not kept: after a rollback they would be those of other rows, or of none
    const ids = await this.#writeSitemaps(session);
    await this.#writePages(session, ids);
    if (this.#holder.fence > 1) await this.#trim(session, ids);
  }

  /** Forgets what was written, once it is committed. */
  clear(): void {
    this.#changed.clear();
    this.#pages = [];
    this.#written = SYSTEM_CLOCK.elapsed();
  }

  async #writeSitemaps(session: Session): Promise<Map<string, number>> {
    const all = [...this.#changed];
    if (all.length === 0) return new Map();
    const { run, site, unit, fence } = this.#holder;
    const { rows } = await session.query<{ id: number; url: string }>(
      `insert into sitetree.sitemap as s(
        run, site, unit, fence, url, requested_url, type, complete, pages
      )
      select $1, $2, $3, $4, url, requested_url, type, complete, pages
      from unnest($5::text[], $6::text[], $7::text[], $8::boolean[], $9::int[])
        as t(url, requested_url, type, complete, pages)
      on conflict (run, site, md5(url)) do update set fence = excluded.fence,
        requested_url = excluded.requested_url, type = excluded.type,
        complete = excluded.complete, pages = excluded.pages
      where s.unit = excluded.unit
      returning id, url`,
      [
        ...[run, site, unit, fence],
        all.map(({ ref }) => ref.url),
        all.map(({ ref }) => ref.requestedUrl ?? null),
        all.map(({ ref }) => ref.type),
        all.map(({ complete }) => complete),
        all.map(({ pages }) => pages),
      ],
    );
    return new Map(rows.map(({ id, url }) => [url, id]));
  }

  async #writePages(session: Session, ids: ReadonlyMap<string, number>): Promise<void> {
    // pages of sitemaps that another unit reads as well are written by that one
    const own = this.#pages.filter(({ sitemap }) => ids.has(sitemap.ref.url));
    if (own.length === 0) return;
    const rows = own.map(({ page }) => listedPage(page));
    await session.query(
      `insert into sitetree.page(
        run, sitemap, seq, url, lastmod, precision, priority, changefreq, data
      )
      select $1, sitemap, seq, url, to_timestamp(lastmod / 1000), precision, priority, changefreq,
        data::jsonb
      from unnest($2::bigint[], $3::int[], $4::text[], $5::float8[], $6::smallint[], $7::float8[],
        $8::text[], $9::text[])
        as t(sitemap, seq, url, lastmod, precision, priority, changefreq, data)
      on conflict (run, sitemap, seq) do update set url = excluded.url,
        lastmod = excluded.lastmod, precision = excluded.precision, priority = excluded.priority,
        changefreq = excluded.changefreq, data = excluded.data`,
      [
        this.#holder.run,
        own.map(({ sitemap }) => ids.get(sitemap.ref.url)),
        own.map(({ seq }) => seq),
        rows.map(({ url }) => storable(url)),
        rows.map(({ lastmod }) => lastmod === null ? null : timeOfDate(lastmod)),
        rows.map(({ lastmod }) => lastmod && (PRECISIONS.indexOf(lastmod.length) || null)),
        rows.map(({ priority }) => priority),
        rows.map(({ changefreq }) => changefreq),
        rows.map(({ extensions }) => storableJson(extensions)),
      ],
    );
  }

  /** Removes what an earlier attempt has found beyond the end of sitemaps. */
  async #trim(session: Session, ids: ReadonlyMap<string, number>): Promise<void> {
    const left = [...this.#changed].filter(({ isLeft, ref }) => isLeft && ids.has(ref.url));
    if (left.length === 0) return;
    await session.query(
      `delete from sitetree.page p using unnest($2::bigint[], $3::int[]) as t(sitemap, pages)
      where p.run = $1 and p.sitemap = t.sitemap and p.seq >= t.pages`,
      [this.#holder.run, left.map(({ ref }) => ids.get(ref.url)), left.map(({ pages }) => pages)],
    );
  }

  /** Removes sitemaps that only earlier attempts have found. Returns the counts of the others. */
  async sweep(session: Session): Promise<{ readonly pages: number; readonly sitemaps: number }> {
    const { run, site, unit, fence } = this.#holder;
    // a first attempt finds nothing of earlier ones, nor of units
    if (fence === 1 && unit === 0) return { pages: this.#count, sitemaps: this.#urls.size };
    const stale = "run = $1 and site = $2 and unit = $3 and fence <> $4";
    const values = [run, site, unit, fence];
    await session.query(
      `delete from sitetree.page where run = $1
        and sitemap in (select id from sitetree.sitemap where ${stale})`,
      values,
    );
    await session.query(`delete from sitetree.sitemap where ${stale}`, values);
    const { rows: [counts] } = await session.query<{ pages: number; sitemaps: number }>(
      `select coalesce(sum(pages), 0)::bigint as pages, count(*) as sitemaps
      from sitetree.sitemap where run = $1 and site = $2 and unit = $3`,
      [run, site, unit],
    );
    return counts!;
  }
}

/** A sitemap that is skipped is not requested, so that it needs none. */
const NO_VALIDATORS = { etag: undefined, lastModified: undefined, digest: undefined };

/** Whether a sitemap has a row: the website and robots.txt have none. */
function isStored({ type }: SitemapRef): boolean {
  return type !== "IndexWebsiteSitemap" && type !== "IndexRobotsTxtSitemap";
}

/** Returns JSON that PostgreSQL can store: without NUL, and without halves of surrogate pairs. */
function storableJson(json: string | null): string | null {
  if (json === null || !/\\u(?:0000|d[89a-f])/i.test(json)) return json;
  return JSON.stringify(
    JSON.parse(json, (_, value) => typeof value === "string" ? wellFormed(value) : value),
  );
}

function wellFormed(text: string): string {
  return storable(new TextDecoder().decode(new TextEncoder().encode(text)));
}
