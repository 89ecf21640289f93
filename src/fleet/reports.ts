/**
 * The results of a run: its pages, its sites, and those that were given up.
 *
 * @module
 */

import { isoTime } from "../data/date.ts";
import type { Verdict } from "../data/events.ts";
import type { ChangeFrequency, SitemapPage } from "../data/page.ts";
import { pageOf } from "../data/page_row.ts";
import type { Database, Row, Session } from "./database.ts";
import { FleetError } from "./errors.ts";
import { PRECISIONS } from "./schema.ts";

/** Verdict of a site: that of its walk, or `dead` if it was given up. */
export type FleetVerdict = Exclude<Verdict, "blocked"> | "dead";

/** Page of a site of a run. */
export interface FleetPage extends SitemapPage {
  /** Homepage of its site. */
  readonly site: string;
  /** URL of its sitemap. */
  readonly sitemap: string;
}

/** Run of a fleet. */
export interface FleetRun {
  /** Its name. */
  readonly id: string;
  /** Number of its sites. */
  readonly total: number;
  /** When its first sites were added. */
  readonly created: Date;
  /** Whether its sites are withheld from workers. */
  readonly paused: boolean;
}

/** Site of a run. */
export interface FleetSite {
  /** URL that its walk starts from. */
  readonly homepage: string;
  /** Name of its host. */
  readonly host: string;
  /** `undefined` until it is finished. */
  readonly verdict: FleetVerdict | undefined;
  /** Number of its pages. */
  readonly pages: number;
  /** Number of its sitemaps. */
  readonly sitemaps: number;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** Reason of the last failure, or what is missing of a site that is not complete. */
  readonly error: string | undefined;
  /** When it was added. */
  readonly enqueued: Date;
  /** When it got its verdict. */
  readonly finished: Date | undefined;
}

/** Site that was given up. */
export interface DeadSite {
  /** URL that its walk starts from. */
  readonly homepage: string;
  /** Reason, for people. */
  readonly reason: string;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** Attempts in a row whose worker stopped. */
  readonly crashes: number;
  /** When it was given up. */
  readonly since: Date;
}

/** Host that a worker is on. */
export interface ActiveHost {
  /** Its name. */
  readonly host: string;
  /** Homepage of the site that is walked. */
  readonly homepage: string;
  /** Name of the worker. */
  readonly worker: string;
  /** When the worker began. */
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
 * @throws {FleetError} if the run does not exist
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
 * Rows that are read in chunks, each of which continues after the last row of the one before.
 *
 * The statements name the partitions of the run and compare whole keys, so that the planner has no
 * other choice than to walk the index: new tables have no statistics.
 */
interface ChunkedRows<R> {
  /** Returns the statement, with the run and the limit as its first parameters. */
  readonly sql: (key: number) => string;
  /** Further parameters of the first chunk, which come before those of all rows. */
  readonly first: readonly number[];
  /** Returns the further parameters of the chunk after a row. */
  readonly after: (row: R) => readonly number[];
}

/** Code of an error about a table that does not exist. */
const UNDEFINED_TABLE = "42P01";

/**
 * Yields rows in chunks.
 *
 * @throws {FleetError} if the run does not exist, or is removed before all rows are read
 */
async function* chunksOf<R extends Row>(
  database: Database,
  run: string,
  { sql, first, after }: ChunkedRows<R>,
): AsyncGenerator<R[], void, void> {
  const { key } = await requireRun(database, run);
  const statement = sql(key);
  let position = first;
  for (let limit: number = CHUNK.first;; limit = Math.min(limit * CHUNK.growth, CHUNK.max)) {
    let rows: R[];
    try {
      ({ rows } = await database.query<R>(statement, [run, limit, ...position]));
    } catch (error) {
      throw Object(error).code === UNDEFINED_TABLE ? unknownRun(run) : error;
    }
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    position = after(rows.at(-1)!);
  }
}

/** A row of {@linkcode PAGES}. */
interface PageRow {
  readonly sitemap: number;
  readonly seq: number;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly lastmod: number | null;
  readonly precision: number | null;
  readonly priority: number | null;
  readonly changefreq: ChangeFrequency | null;
  readonly extensions: string | null;
  readonly homepage: string;
  readonly sitemap_url: string;
  readonly is_finished: boolean;
}

/** Pages in the order of their key, also those of sites without a verdict, which are left out later. */
const PAGES: ChunkedRows<PageRow> = {
  sql: (key) => `
    select chunk.sitemap, chunk.seq, chunk.url,
      (extract(epoch from chunk.lastmod) * 1000)::bigint as lastmod, chunk.precision,
      chunk.priority, chunk.changefreq, chunk.data::text as extensions,
      site.homepage, sitemap.url as sitemap_url, site.verdict is not null as is_finished
    from (
      select * from sitetree.page_${key} where (run, sitemap, seq) > ($1, $3::bigint, $4::int)
      order by run, sitemap, seq limit $2
    ) as chunk
    left join lateral (
      select * from sitetree.sitemap_${key} where run = $1 and id = chunk.sitemap limit 1
    ) as sitemap on true
    left join lateral (
      select * from sitetree.site_${key} where run = $1 and id = sitemap.site limit 1
    ) as site on true
    order by chunk.sitemap, chunk.seq`,
  first: [0, 0],
  after: ({ sitemap, seq }) => [sitemap, seq],
};

/** See `Fleet.pages()`. */
export async function* fleetPages(
  database: Database,
  run: string,
): AsyncGenerator<FleetPage, void, void> {
  for await (const rows of chunksOf(database, run, PAGES)) {
    for (const row of rows) if (row.is_finished) yield fleetPage(row);
  }
}

function fleetPage(row: PageRow): FleetPage {
  const { url, lastmod, precision, homepage, sitemap_url } = row;
  const date = lastmod === null ? null : isoTime(lastmod).slice(0, PRECISIONS[precision ?? 0]);
  return { ...pageOf(url, { ...row, lastmod: date }), site: homepage, sitemap: sitemap_url };
}

const SITES: ChunkedRows<Row> = {
  sql: (key) => `
    select id, homepage, host, verdict, pages, sitemaps, failures, error, enqueued, finished
    from sitetree.site_${key} where (run, id) > ($1, $3::bigint) order by run, id limit $2`,
  first: [0],
  after: ({ id }) => [id],
};

/** See `Fleet.sites()`. */
export async function* fleetSites(
  database: Database,
  run: string,
): AsyncGenerator<FleetSite, void, void> {
  for await (const rows of chunksOf(database, run, SITES)) {
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
const DEAD_SITES: ChunkedRows<Row> = {
  sql: (key) => `
    select id, homepage, coalesce(error, '') as reason, failures, crashes,
      coalesce(finished, enqueued) as since
    from sitetree.site_${key} where (run, id) > ($1, $3::bigint) and verdict = 'dead'
    order by run, id limit $2`,
  first: [0],
  after: ({ id }) => [id],
};

/** See `Fleet.dead()`. */
export async function* deadSites(
  database: Database,
  run: string,
): AsyncGenerator<DeadSite, void, void> {
  for await (const rows of chunksOf(database, run, DEAD_SITES)) {
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
