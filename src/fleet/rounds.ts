/**
 * Adds sites to runs, and begins their rounds.
 *
 * @module
 */

import { inChunks } from "../data/batches.ts";
import { isStorable } from "../data/text.ts";
import type { Connection, Postgres } from "../sync/postgres.ts";
import { INSERT_SITE, NEW_VALUES } from "../sync/postgres_store.ts";
import { FleetError, unknownRun } from "./errors.ts";
import { type EnteredSite, parseSite, type SiteEntry } from "./site_entry.ts";

const CHUNK_LENGTH = 5000;
const MAX_NAME_LENGTH = 200;
const MIN_EVERY = 1000;

type Sites = Iterable<string | SiteEntry> | AsyncIterable<string | SiteEntry>;

export async function keyOf(session: Connection, run: string): Promise<number> {
  const { rows: [row] } = await session.query<{ key: number }>(
    "select key from sitetree.fleet_run where name = $1",
    [run],
  );
  if (row === undefined) throw unknownRun(run);
  return row.key;
}

export async function enqueue(
  server: Postgres,
  run: string,
  sites: Sites,
  { every }: { readonly every?: number },
): Promise<number> {
  checkName(run);
  if (every !== undefined && !(every >= MIN_EVERY && Number.isFinite(every))) {
    throw new RangeError(`Invalid option "every": ${every}; expected at least ${MIN_EVERY}`);
  }
  const chunks = inChunks(sites, CHUNK_LENGTH, parseSite);
  try {
    // the first chunk is checked before the run is created
    const first = await chunks.next();
    // sites may come slowly, and another transaction may be adding the same ones
    return await server.transaction(async (session) => {
      const { key, round, isAgain } = await beginRound(session, run, every);
      let added = 0;
      for (let chunk = first; !chunk.done; chunk = await chunks.next()) {
        added += await insertSites(session, key, { round, isAgain }, chunk.value);
      }
      // those that a new round does not have
      if (isAgain) {
        await session.query("delete from sitetree.fleet_site where run = $1 and entered < $2", [
          key,
          round,
        ]);
      }
      await session.query(
        `update sitetree.fleet_run set total = case when $3 then 0 else total end + $2
         where key = $1`,
        [key, added, isAgain],
      );
      return added;
    });
  } finally {
    await chunks.return();
  }
}

function checkName(run: string): void {
  // deno-lint-ignore no-control-regex
  const isPlain = !/[\0-\x1f\x7f]/.test(run) && isStorable(run);
  if (run !== "" && run.length <= MAX_NAME_LENGTH && isPlain) return;
  throw new FleetError(
    "invalid-input",
    `Invalid name of a run ${JSON.stringify(run)}: expected 1 to ${MAX_NAME_LENGTH} characters`,
  );
}

/** Creates a run, or begins its next round if the last one is finished. */
async function beginRound(
  session: Connection,
  run: string,
  every: number | undefined,
): Promise<{ readonly key: number; readonly round: number; readonly isAgain: boolean }> {
  const { rows: [row] } = await session.query<
    { key: number; round: number; isAgain: boolean }
  >(
    `insert into sitetree.fleet_run as r (name, every, due)
     values ($1, $2::bigint, now() + $2::bigint * interval '1 ms')
     on conflict (name) do update set every = coalesce(excluded.every, r.every),
       due = coalesce(excluded.due, r.due),
       round = r.round + sitetree.is_finished(r)::int,
       began = case when sitetree.is_finished(r) then now() else r.began end
     returning key, round, r.total > 0 and sitetree.is_finished(r) as "isAgain"`,
    [run, every ?? null],
  );
  if (row!.isAgain) await session.query("delete from sitetree.tally where run = $1", [row!.key]);
  return row!;
}

/** Returns the number of sites that the round did not have. */
async function insertSites(
  session: Connection,
  key: number,
  { round, isAgain }: { readonly round: number; readonly isAgain: boolean },
  sites: readonly EnteredSite[],
): Promise<number> {
  await session.query(
    // numbered as given, inserted in an order that others have too
    `${INSERT_SITE} select id, homepage, ${NEW_VALUES}, 0 from (
       select nextval('sitetree.site_number') as id, homepage from (
         select homepage from unnest($1::text[]) with ordinality as t(homepage, at)
         where not exists (select from sitetree.stored_site s where s.homepage = t.homepage)
         group by homepage order by min(at)
       ) as given
     ) as numbered order by homepage on conflict do nothing`,
    [sites.map(({ homepage }) => homepage)],
  );
  const { count } = await session.query(
    `insert into sitetree.fleet_site as f (run, site, authority, host, options, entered)
     select distinct on (t.authority) $1::int, s.id, t.authority, t.host, t.options::json, $2::int
     from unnest($3::text[], $4::text[], $5::text[], $6::text[]) with ordinality
       as t(homepage, host, authority, options, at)
     join sitetree.stored_site s on s.homepage = t.homepage
     order by t.authority, t.at
     on conflict ${
      isAgain
        ? `(run, authority) do update set options = excluded.options, entered = $2
           where f.entered < $2`
        // rows that are not changed would be locked nevertheless
        : "do nothing"
    } returning site`,
    [
      key,
      round,
      sites.map(({ homepage }) => homepage),
      sites.map(({ host }) => host),
      sites.map(({ authority }) => authority),
      sites.map(({ options }) => options),
    ],
  );
  return count;
}
