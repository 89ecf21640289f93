/**
 * The results of a run: its pages, its sites, and those that were given up.
 *
 * @module
 */

import { type DatePrecision, TO_TIME } from "../data/calendar.ts";
import { isoDate } from "../data/date.ts";
import type { Verdict } from "../data/events.ts";
import { SitemapPage } from "../data/page.ts";
import type { ChangeFrequency, SitemapPageFields } from "../data/page_schema.ts";
import { fieldsOf } from "../sync/stored_page.ts";
import type { Database, Row, Session } from "./database.ts";
import { FleetError } from "./errors.ts";

/** Verdict of a site: that of its walk, or `dead` if it was given up. */
export type FleetVerdict = Exclude<Verdict, "blocked"> | "dead";

/** Page of a site of a run. */
export class FleetPage extends SitemapPage {
  /** Homepage of its site. */
  readonly site: string;
  /** URL of its sitemap. */
  readonly sitemap: string;

  /** Creates a page of a site. */
  constructor(fields: SitemapPageFields, site: string, sitemap: string) {
    super(fields);
    this.site = site;
    this.sitemap = sitemap;
  }

  /** Returns the page as plain data, with its site and sitemap. */
  override toJSON(): SitemapPageFields & Pick<FleetPage, "site" | "sitemap"> {
    return { ...super.toJSON(), site: this.site, sitemap: this.sitemap };
  }
}

/** Run of a fleet. */
export interface FleetRun {
  readonly id: string;
  readonly total: number;
  readonly created: Date;
  readonly paused: boolean;
}

/** Site of a run. */
export interface FleetSite {
  readonly homepage: string;
  readonly host: string;
  /** `undefined` until it is finished. */
  readonly verdict: FleetVerdict | undefined;
  readonly pages: number;
  readonly sitemaps: number;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** Reason of the last failure. */
  readonly error: string | undefined;
  readonly enqueued: Date;
  readonly finished: Date | undefined;
}

/** Site that was given up. */
export interface DeadSite {
  readonly homepage: string;
  readonly reason: string;
  readonly failures: number;
  readonly crashes: number;
  readonly since: Date;
}

/** Host that a worker is on. */
export interface ActiveHost {
  readonly host: string;
  readonly homepage: string;
  /** Name of the worker. */
  readonly worker: string;
  readonly since: Date;
  /** Time before which the host gets no request, if it is in the future. */
  readonly notBefore: Date | undefined;
}

/** Run with what its reports need. */
export interface KnownRun {
  /** Number in the names of its partitions and queues. */
  readonly key: number;
  readonly total: number;
  readonly paused: boolean;
}

/**
 * Returns a run.
 *
 * @throws {FleetError} if there is no such run
 */
export async function requireRun(session: Session, run: string): Promise<KnownRun> {
  const { rows: [known] } = await session.query<KnownRun>(
    "select key, total, paused from sitetree.run where id = $1",
    [run],
  );
  if (known === undefined) throw unknownRun(run);
  return known;
}

/** Returns the error for a run that does not exist. */
export function unknownRun(run: string): FleetError {
  return new FleetError("unknown-run", `Unknown run "${run}"`);
}

/**
 * Rows of the first chunk, which is small as readers may want only a few, and of the largest one; each
 * has so many times as many as the one before.
 */
const CHUNK = { first: 100, growth: 5, max: 5000 } as const;

/**
 * Yields the rows of a statement in chunks, each of which continues after the last row of the one
 * before. Fails if the run is removed in the meantime, as rows would be missing.
 *
 * @param first values that come before those of all rows
 */
async function* chunksOf<R extends Row>(
  database: Database,
  run: string,
  { sql, first, position }: {
    readonly sql: string;
    readonly first: readonly number[];
    readonly position: (row: R) => readonly number[];
  },
): AsyncGenerator<R[], void, void> {
  const { key } = await requireRun(database, run);
  let after = first;
  for (let limit: number = CHUNK.first;; limit = Math.min(limit * CHUNK.growth, CHUNK.max)) {
    const { rows } = await database.query<R>(sql, [run, limit, ...after]);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) break;
    after = position(rows.at(-1)!);
  }
  if ((await requireRun(database, run)).key !== key) throw unknownRun(run);
}

/** A row of {@linkcode PAGES}. */
interface PageRow {
  readonly sitemap: number;
  readonly seq: number;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly lastmod: number | null;
  readonly precision: DatePrecision | null;
  readonly priority: number | null;
  readonly changefreq: ChangeFrequency | null;
  readonly extensions: string | null;
  readonly homepage: string;
  readonly sitemap_url: string;
  readonly is_finished: boolean;
}

/**
 * Next pages of a run. The chunk is cut before sites are looked up, so that it walks the primary key
 * whatever the planner expects of the join; pages of unfinished sites are left out by the reader.
 */
const PAGES = `
  with chunk as materialized (
    select sitemap, seq, url, lastmod, precision, priority, changefreq, data from sitetree.page
    where run = $1 and (sitemap, seq) > ($3::bigint, $4::int) order by sitemap, seq limit $2
  )
  select chunk.sitemap, chunk.seq, chunk.url,
    (extract(epoch from chunk.lastmod) * 1000)::bigint as lastmod, chunk.precision, chunk.priority,
    chunk.changefreq, chunk.data::text as extensions, site.homepage, sitemap.url as sitemap_url,
    site.verdict is not null as is_finished
  from chunk
  left join sitetree.sitemap on sitemap.run = $1 and sitemap.id = chunk.sitemap
  left join sitetree.site on site.run = $1 and site.id = sitemap.site
  order by chunk.sitemap, chunk.seq`;

/** See `Fleet.pages()`. */
export async function* fleetPages(
  database: Database,
  run: string,
): AsyncGenerator<FleetPage, void, void> {
  const chunks = chunksOf<PageRow>(database, run, {
    sql: PAGES,
    first: [0, 0],
    position: ({ sitemap, seq }) => [sitemap, seq],
  });
  for await (const rows of chunks) {
    for (const row of rows) if (row.is_finished) yield fleetPage(row);
  }
}

function fleetPage(row: PageRow): FleetPage {
  const { url, lastmod, precision, homepage, sitemap_url } = row;
  const date = lastmod === null ? null : isoDate(lastmod, precision ?? TO_TIME);
  return new FleetPage(fieldsOf(url, { ...row, lastmod: date }), homepage, sitemap_url);
}

const SITES = `
  select id, homepage, host, verdict, pages, sitemaps, failures, error, enqueued, finished
  from sitetree.site where run = $1 and id > $3 order by id limit $2`;

/** See `Fleet.sites()`. */
export async function* fleetSites(
  database: Database,
  run: string,
): AsyncGenerator<FleetSite, void, void> {
  const chunks = chunksOf(database, run, { sql: SITES, first: [0], position: ({ id }) => [id] });
  for await (const rows of chunks) {
    for (const { id: _, verdict, error, finished, ...fields } of rows) {
      yield {
        ...fields,
        verdict: verdict ?? undefined,
        error: error ?? undefined,
        finished: finished ?? undefined,
      } as FleetSite;
    }
  }
}

/** Sites by the partial index of those that were given up. */
const DEAD_SITES = `
  select id, homepage, coalesce(error, '') as reason, failures, crashes,
    coalesce(finished, enqueued) as since
  from sitetree.site where run = $1 and verdict = 'dead' and id > $3 order by id limit $2`;

/** See `Fleet.dead()`. */
export async function* deadSites(
  database: Database,
  run: string,
): AsyncGenerator<DeadSite, void, void> {
  const chunks = chunksOf(database, run, {
    sql: DEAD_SITES,
    first: [0],
    position: ({ id }) => [id],
  });
  for await (const rows of chunks) {
    for (const { id: _, ...fields } of rows) yield fields as DeadSite;
  }
}

/** Hosts that `Fleet.active()` returns by default. */
const ACTIVE_HOSTS = 20;

/** See `Fleet.active()`. */
export async function activeHosts(
  database: Database,
  run: string,
  limit: number = ACTIVE_HOSTS,
): Promise<ActiveHost[]> {
  await requireRun(database, run);
  const { rows } = await database.query(
    `select lease.host, site.homepage, lease.owner as worker, lease.since, host.not_before
    from sitetree.lease
    join sitetree.site on site.run = lease.run and site.id = lease.site
    left join sitetree.host on host.host = lease.host and host.not_before > clock_timestamp()
    where lease.run = $1 and lease.until > clock_timestamp()
    order by lease.since, lease.host, lease.slot limit $2`,
    [run, limit],
  );
  return rows.map(({ not_before, ...fields }) => ({
    ...fields,
    notBefore: not_before ?? undefined,
  } as ActiveHost));
}

/** See `Fleet.runs()`. */
export async function listRuns(database: Database): Promise<FleetRun[]> {
  const { rows } = await database.query<FleetRun>(
    "select id, total, created, paused from sitetree.run order by created, key",
  );
  return rows;
}
