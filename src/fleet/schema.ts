/**
 * Tables of a fleet. They are meant to be queried: `docs/fleet-sql.md` has recipes.
 *
 * ```
 * run ─┬─ site ─┬─ sitemap ── page
 *      │        └─ unit            (parts of a huge site)
 *      └─ tally                    (counters by worker)
 * host, lease                      (politeness, across runs)
 * ```
 *
 * `site`, `sitemap` and `page` are partitioned by run, so that a run is dropped at once.
 *
 * @module
 */

import { DATE_LENGTHS } from "../data/date.ts";
import type { Database, Session } from "./database.ts";
import { FleetError } from "./errors.ts";

/** Lengths of the forms of a date, by the number in `page.precision`; NULL is the first. */
export const PRECISIONS: readonly number[] = [
  DATE_LENGTHS.time,
  DATE_LENGTHS.day,
  DATE_LENGTHS.month,
  DATE_LENGTHS.year,
];

/** Statements that lead from each version of the schema to the next. */
export const MIGRATIONS: readonly string[] = [
  `
  create table sitetree.run(
    id text primary key,
    key int generated always as identity,         -- in the names of partitions and queues
    total bigint not null default 0,
    created timestamptz not null default now(),
    paused boolean not null default false
  );
  create sequence sitetree.site_id;
  create sequence sitetree.sitemap_id;
  create table sitetree.site(
    run text not null,
    id bigint not null default nextval('sitetree.site_id'),
    homepage text not null,
    host text not null,                           -- host name, which leases are for
    authority text not null,                      -- host name and port, which make a site
    options jsonb,                                -- options of its walk
    fence int not null default 0,                 -- number of the attempt that may write
    crashes int not null default 0,               -- attempts in a row that ended without a word
    failures int not null default 0,              -- attempts in a row that failed
    units int not null default 0,                 -- units without a verdict
    outcome text,                                 -- verdict of the parts that are finished
    verdict text check (verdict in ('complete', 'partial', 'none', 'dead')),
    pages bigint not null default 0,
    sitemaps int not null default 0,
    error text,
    enqueued timestamptz not null default now(),
    started timestamptz,
    finished timestamptz,
    primary key (run, id),
    unique (run, authority)
  ) partition by list (run);
  create index site_dead on sitetree.site(run, id) where verdict = 'dead';
  create table sitetree.unit(
    id bigint generated always as identity primary key,
    run text not null,
    site bigint not null,
    sitemap_url text not null,
    level int not null,
    state text not null default 'waiting' check (state in ('waiting', 'queued', 'done')),
    fence int not null default 0,
    crashes int not null default 0,
    failures int not null default 0,
    verdict text,
    error text
  );
  create unique index unit_url on sitetree.unit(site, md5(sitemap_url));
  create index unit_waiting on sitetree.unit(site, id) where state = 'waiting';
  create table sitetree.host(
    host text primary key,
    not_before timestamptz not null
  );
  create table sitetree.lease(
    host text not null,
    slot int not null,
    run text not null,
    site bigint not null,
    unit bigint not null default 0,               -- 0 for the site itself
    fence int not null,
    owner text not null,
    since timestamptz not null default clock_timestamp(),
    until timestamptz not null,
    primary key (host, slot)
  );
  create index lease_site on sitetree.lease(site);
  create table sitetree.sitemap(
    run text not null,
    id bigint not null default nextval('sitetree.sitemap_id'),
    site bigint not null,
    unit bigint not null default 0,
    url text not null,
    requested_url text,                           -- if it was redirected
    type text not null,
    fence int not null,                           -- attempt that has seen it last
    complete boolean not null default false,
    pages int not null default 0,
    primary key (run, id)
  ) partition by list (run);
  -- URLs may be longer than an entry of an index
  create unique index sitemap_url on sitetree.sitemap(run, site, md5(url));
  create table sitetree.page(
    run text not null,
    sitemap bigint not null,
    seq int not null,
    url text not null,
    lastmod timestamptz,
    precision smallint,                           -- of lastmod; null for a time
    priority double precision,
    changefreq text,
    data jsonb,                                   -- news, images, videos, alternates
    primary key (run, sitemap, seq)
  ) partition by list (run);
  create table sitetree.tally(
    run text not null,
    worker text not null,
    sites int not null default 0,
    complete int not null default 0,
    partial int not null default 0,
    none int not null default 0,
    dead int not null default 0,
    failed int not null default 0,                -- sites that wait for another attempt
    pages bigint not null default 0,
    seen timestamptz not null default now(),
    primary key (run, worker)
  );
  `,
];

/** Tables with a partition for each run. */
const PARTITIONED = ["site", "sitemap", "page"] as const;

/** Key of the lock that creating and updating the schema takes. */
const MIGRATION_LOCK = 7_305_001;

/**
 * Creates or updates the tables.
 *
 * @throws {FleetError} if a newer version of sitetree has updated them
 */
export async function migrate(
  database: Database,
  migrations: readonly string[] = MIGRATIONS,
): Promise<void> {
  await database.transaction(async (session) => {
    await session.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    const { rows: [found] } = await session.query<{ meta: string | null }>(
      "select to_regclass('sitetree.meta')::text as meta",
    );
    if (found!.meta === null) {
      await session.query(
        "create schema if not exists sitetree; create table sitetree.meta(version int not null); insert into sitetree.meta values (0)",
      );
    }
    const { rows: [meta] } = await session.query<{ version: number }>(
      "select version from sitetree.meta",
    );
    const { version } = meta!;
    const latest = migrations.length;
    if (version > latest) {
      throw new FleetError(
        "newer-schema",
        `Cannot use this fleet: schema version ${version} is newer than ${latest}; update sitetree`,
      );
    }
    for (const sql of migrations.slice(version)) await session.query(sql);
    if (version < latest) await session.query("update sitetree.meta set version = $1", [latest]);
  });
}

/**
 * Creates the partitions of a run. They are attached, since creating a table as a partition waits for
 * all writers, and makes others wait.
 */
export async function createPartitions(session: Session, run: string, key: number): Promise<void> {
  for (const table of PARTITIONED) {
    const name = `sitetree.${table}_${key}`;
    await session.query(`create table ${name}(like sitetree.${table} including all)`);
    await session.query(
      `alter table sitetree.${table} attach partition ${name} for values in (${literal(run)})`,
    );
  }
}

/** Drops the partitions of a run, first that of its sites, which writers check. */
export async function dropPartitions(session: Session, key: number): Promise<void> {
  for (const table of PARTITIONED) {
    await session.query(`drop table if exists sitetree.${table}_${key}`);
  }
}

/** Returns a string literal; DDL has no parameters. */
function literal(text: string): string {
  return `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
