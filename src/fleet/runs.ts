/**
 * Pausing, repeating and removing runs.
 *
 * @module
 */

import { sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import { type Database, isTransient, type Session } from "./database.ts";
import type { JobQueue, RunKey } from "./queue.ts";
import { requireRun, unknownRun } from "./reports.ts";
import { dropPartitions } from "./schema.ts";
import { queueUnits } from "./settle.ts";

/** Stops giving the sites of a run to workers, or continues to. */
export async function setPaused(database: Database, run: string, paused: boolean): Promise<void> {
  const { count } = await database.query(
    "update sitetree.run set paused = $2 where id = $1",
    [run, paused],
  );
  if (count === 0) throw unknownRun(run);
}

/** Sites that are queued again in one transaction. */
const REDRIVE_LENGTH = 1000;
/** First half of the key of the lock that queueing sites again takes; the other is that of the run. */
const REDRIVE_LOCK = 7_305_002;
/** Name of the counters of sites that were queued again. */
const REDRIVE_TALLY = "redrive";

/** See `Fleet.redrive()`. The units of a huge site are queued for so many workers at a time. */
export async function redrive(
  database: Database,
  queue: JobQueue,
  run: string,
  perHost: number = 1,
): Promise<number> {
  const { key } = await requireRun(database, run);
  await queue.prepare(key);
  let total = 0;
  let after = 0;
  while (true) {
    const { sites, last } = await database.transaction((session) =>
      redriveChunk(session, queue, { id: run, key }, { after, perHost })
    );
    if (last === undefined) return total;
    total += sites;
    after = last;
  }
}

/** Queues the next sites again. Returns their number, and the last id unless there are none. */
async function redriveChunk(
  session: Session,
  queue: JobQueue,
  key: RunKey,
  { after, perHost }: { readonly after: number; readonly perHost: number },
): Promise<{ readonly sites: number; readonly last: number | undefined }> {
  await session.query("select pg_advisory_xact_lock($1::int, $2::int)", [REDRIVE_LOCK, key.key]);
  const { rows } = await session.query<{ id: number }>(
    `select id from sitetree.site where run = $1 and verdict = 'dead' and id > $2
    order by id limit $3`,
    [key.id, after, REDRIVE_LENGTH],
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return { sites: 0, last: undefined };
  await queue.clearDead(session, key, ids);
  await session.query(
    `update sitetree.unit set state = 'waiting', crashes = 0, failures = 0
    where run = $1 and site = any($2::bigint[]) and state <> 'done'`,
    [key.id, ids],
  );
  const { rows: sites } = await session.query<{ id: number; host: string; units: number }>(
    `update sitetree.site set verdict = null, finished = null, crashes = 0, failures = 0
    where run = $1 and id = any($2::bigint[]) and verdict = 'dead'
    returning id, host, units`,
    [key.id, ids],
  );
  const whole = sites.filter(({ units }) => units === 0);
  await queue.insert(session, key, whole.map(({ id, host }) => ({ site: id, unit: 0, host })));
  for (const { id, host } of sites.filter(({ units }) => units > 0)) {
    await queueUnits(session, queue, { key, site: id, host }, perHost);
  }
  await session.query(
    `insert into sitetree.tally as t(run, worker, dead) values ($1, $2, $3)
    on conflict (run, worker) do update set dead = t.dead + excluded.dead, seen = now()`,
    [key.id, REDRIVE_TALLY, -sites.length],
  );
  return { sites: sites.length, last: ids.at(-1) };
}

/** Longest wait of one attempt for a lock, for which others wait as well. */
const LOCK_TIMEOUT = "2s";
/** Attempts to get a lock, and milliseconds between two of them. */
const LOCK_ATTEMPTS = { count: 25, delay: 400 } as const;

/**
 * See `Fleet.drop()`. Works while workers are busy with the run: once its sites are gone, none of
 * them passes its fence. The run itself is removed last, so that an interrupted removal can be
 * repeated. Leases that workers still have are left to them, since other runs have the same hosts.
 */
export async function dropRun(database: Database, queue: JobQueue, run: string): Promise<void> {
  const { key } = await requireRun(database, run);
  await setPaused(database, run, true);
  await database.query("delete from sitetree.unit where run = $1", [run]);
  // one lock at a time cannot cause a deadlock
  await dropPartitions({ query: (sql) => withShortLocks(database, sql) }, key);
  await queue.dropFor(key);
  await database.transaction(async (session) => {
    // a site may have been split in the meantime
    await session.query("delete from sitetree.unit where run = $1", [run]);
    await session.query("delete from sitetree.tally where run = $1", [run]);
    await session.query(
      "delete from sitetree.lease where run = $1 and until <= clock_timestamp()",
      [run],
    );
    await session.query("delete from sitetree.run where id = $1", [run]);
  });
}

/**
 * Runs a statement in a transaction of its own that gives way after a short wait for a lock: other
 * transactions wait behind one that wants to lock a table.
 */
async function withShortLocks<R>(
  database: Database,
  sql: string,
): ReturnType<typeof database.query<R>> {
  for (let attempt = 1;; attempt++) {
    try {
      return await database.transaction(async (session) => {
        await session.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
        return await session.query<R>(sql);
      });
    } catch (error) {
      if (!isTransient(error) || attempt === LOCK_ATTEMPTS.count) throw error;
    }
    await sleep(LOCK_ATTEMPTS.delay, SYSTEM_CLOCK, []);
  }
}
