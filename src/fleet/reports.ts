/**
 * Reads a fleet: its runs, their sites, and the hosts that are being walked.
 *
 * @module
 */

import type { Verdict } from "../data/events.ts";
import type { Postgres } from "../sync/postgres.ts";
import { keyOf } from "./rounds.ts";

/** Run of a fleet. */
export interface FleetRun {
  /** Name of the run. */
  readonly id: string;
  /** Number of its sites. */
  readonly total: number;
  /** When its first sites were added. */
  readonly created: Date;
  /** Whether its sites are withheld from workers. */
  readonly paused: boolean;
  /** Number of its current round, from 1 on. */
  readonly round: number;
  /** Milliseconds from one round to the next, if they begin by themselves. */
  readonly every: number | undefined;
  /** When the next round begins, if it does so by itself. */
  readonly due: Date | undefined;
}

/** Site of a run. */
export interface FleetSite {
  /** URL that its walk starts from. */
  readonly homepage: string;
  /** Verdict of this round, `failed` if its workers were stopped by it; `undefined` until then. */
  readonly verdict: Verdict | "failed" | undefined;
  /** Number of its pages. */
  readonly pages: number;
  /** Walks of this round that failed, if there will be another. */
  readonly tries: number;
  /** Why it is not complete, as a code. */
  readonly code: string | undefined;
  /** The same as a sentence. */
  readonly reason: string | undefined;
  /** When it got its verdict. */
  readonly finished: Date | undefined;
}

/** Host that a worker is on. */
export interface ActiveHost {
  /** Name of the host, without port. */
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

const CHUNK = 1000;

/** Sites of the run `$1` with a code and a verdict of its round, in the order of an index. */
const IS_FAILURE = `f.run = $1 and f.verdict <> 'complete' and f.code is not null
  and f.round = (select round from sitetree.fleet_run where key = $1)`;

export async function* fleetSites(
  server: Postgres,
  run: string,
  { verdict, code }: { readonly verdict?: Verdict | "failed"; readonly code?: string },
): AsyncGenerator<FleetSite, void, void> {
  const key = await keyOf(server, run);
  // apart, so that the statement for all sites is not planned for few
  const ofCode = code === undefined ? "" : `and f.code = $4 and ${IS_FAILURE}`;
  for (let last = 0;;) {
    const { rows } = await server.query(
      `select f.site, s.homepage, s.pages, f.tries, f.code, f.reason, f.finished,
         case when f.round = r.round then f.verdict end as verdict
       from sitetree.fleet_site f join sitetree.fleet_run r on r.key = f.run
       join sitetree.stored_site s on s.id = f.site
       where f.run = $1 and f.site > $2
         and ($3::text is null or f.round = r.round and f.verdict = $3) ${ofCode}
       order by f.site limit ${CHUNK}`,
      [key, last, verdict ?? null, ...(code === undefined ? [] : [code])],
    );
    if (rows.length === 0) return;
    last = rows.at(-1)!.site;
    for (const { homepage, pages, tries, ...row } of rows) {
      yield {
        homepage,
        pages,
        tries,
        verdict: row.verdict ?? undefined,
        code: row.code ?? undefined,
        reason: row.reason ?? undefined,
        finished: row.verdict === null ? undefined : row.finished,
      };
    }
  }
}

/** Takes a scan of an index, whose length is the number of failures. */
export async function failureCounts(
  server: Postgres,
  run: string,
  limit: number,
): Promise<{ readonly code: string; readonly sites: number }[]> {
  const key = await keyOf(server, run);
  const { rows } = await server.query<{ code: string; sites: number }>(
    `select f.code, count(*) as sites from sitetree.fleet_site f where ${IS_FAILURE}
     group by f.code order by sites desc, f.code limit $2`,
    [key, limit],
  );
  return rows;
}

export async function activeHosts(
  server: Postgres,
  run: string,
  limit: number,
): Promise<ActiveHost[]> {
  const key = await keyOf(server, run);
  const { rows } = await server.query(
    `select l.host, s.homepage, l.owner as worker, l.since, h.not_before
     from sitetree.lease l join sitetree.stored_site s on s.id = l.site
     left join sitetree.host h on h.host = l.host and h.not_before > clock_timestamp()
     where l.run = $1 and l.until > clock_timestamp()
     order by l.since, l.host, l.slot limit $2`,
    [key, limit],
  );
  return rows.map(({ not_before, ...fields }) => ({
    ...fields,
    notBefore: not_before ?? undefined,
  } as ActiveHost));
}

export async function listRuns(server: Postgres): Promise<FleetRun[]> {
  const { rows } = await server.query(
    `select name as id, total, created, paused, round, every, due from sitetree.fleet_run
     order by created, key`,
  );
  return rows.map(({ every, due, ...fields }) => ({
    ...fields,
    every: every ?? undefined,
    due: due ?? undefined,
  } as FleetRun));
}
