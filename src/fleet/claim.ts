/**
 * Claiming a task: one transaction takes it from the queue, leases its host and raises its fence.
 *
 * Transactions lock job, unit, site, sitemaps, pages, host and lease in this order.
 *
 * @module
 */

import type { Database, Row, Session } from "./database.ts";
import { type Claim, idOf, tableOf } from "./attempt.ts";
import { acquireLease, DELAY, type LeaseTerms, releaseLeases, reserveRequest } from "./lease.ts";
import type { Job, JobQueue, RunKey } from "./queue.ts";
import { bury, putOff } from "./settle.ts";

/** Attempts in a row that may end without a word and without progress. */
const MAX_CRASHES = 5;
/** Attempts in a row after which a task is a suspect: it may be what stops its workers. */
const SUSPECT_CRASHES = 2;
/** Milliseconds that a claimed task may wait for its host. */
const MAX_WAIT = 1000;
/** Seconds after which a task whose host is busy is tried again, at least and at most. */
const BUSY_DELAY = { min: 1, max: 3 } as const;

/** What claims need. */
export interface ClaimSetting extends Omit<LeaseTerms, "owner"> {
  readonly database: Database;
  readonly queue: JobQueue;
}

/** Whether a task is suspected to stop its workers. */
export function isSuspect({ crashes }: Claim): boolean {
  return crashes > SUSPECT_CRASHES;
}

/**
 * Claims the next task of a run. With `hasSuspect`, other suspects are put off, so that few tasks share
 * the fate of the one that stops their worker. Returns `undefined` if it has none, and `"skipped"` if one was put
 * off, given up or is done already.
 */
export async function claim(
  setting: ClaimSetting,
  key: RunKey,
  { owner, hasSuspect }: { readonly owner: string; readonly hasSuspect: boolean },
): Promise<Claim | "skipped" | undefined> {
  const { database, queue, perHost } = setting;
  return await database.transaction(async (session) => {
    const job = await queue.fetch(session, key, perHost);
    if (job === undefined) return undefined;
    const locked = await readTask(session, key, job, "for update of t skip locked");
    // a worker may have been stopped in the middle of a transaction
    const row = locked ?? await readTask(session, key, job, "");
    if (row === undefined) {
      await queue.complete(session, key, job);
      return "skipped";
    }
    const candidate = toClaim(key, job, row, owner);
    if (locked !== undefined && row.crashes >= MAX_CRASHES) {
      const reason = `its worker stopped ${row.crashes} times without progress`;
      await queue.complete(session, key, job);
      await bury(session, queue, candidate, reason);
      return "skipped";
    }
    const mayBegin = locked !== undefined && !(hasSuspect && isSuspect(candidate)) &&
      candidate.delay <= MAX_WAIT &&
      await acquireLease(session, candidate.host, candidate, { ...setting, owner });
    if (!mayBegin) {
      await putOff(session, queue, candidate, Math.max(candidate.delay / 1000, busyDelay()));
      return "skipped";
    }
    // read again: the worker that had the host before may have written a pause since
    const delay = await reserveRequest(session, candidate.host, 0);
    if (delay > MAX_WAIT) {
      await releaseLeases(session, candidate);
      await putOff(session, queue, candidate, delay / 1000);
      return "skipped";
    }
    await queue.begin(session, key, job);
    await session.query(
      `update sitetree.${tableOf(candidate)} set fence = $3, crashes = $4
      ${candidate.unit === 0 ? ", started = coalesce(started, clock_timestamp())" : ""}
      where run = $1 and id = $2`,
      [key.id, idOf(candidate), candidate.fence, candidate.crashes],
    );
    return { ...candidate, delay };
  });
}

function busyDelay(): number {
  const { min, max } = BUSY_DELAY;
  return min + Math.random() * (max - min);
}

/** Returns the row of a task that has no verdict yet. */
async function readTask(
  session: Session,
  key: RunKey,
  { data }: Job,
  lock: string,
): Promise<Row | undefined> {
  const { site, unit } = data;
  const s = unit === 0 ? "t" : "s";
  const columns = `${s}.homepage, ${s}.host, ${s}.options, coalesce(${DELAY}, 0) as delay`;
  const { rows: [row] } = unit === 0
    ? await session.query(
      `select ${columns}, t.fence, t.crashes, t.failures, t.error
      from sitetree.site t left join sitetree.host h on h.host = t.host
      where t.run = $1 and t.id = $2 and t.verdict is null and t.outcome is null
      ${lock}`,
      [key.id, site],
    )
    : await session.query(
      `select ${columns}, t.fence, t.crashes, t.failures, t.error, t.sitemap_url, t.level
      from sitetree.unit t
      join sitetree.site s on s.run = t.run and s.id = t.site
      left join sitetree.host h on h.host = s.host
      where t.run = $1 and t.id = $2 and t.state = 'queued' and s.verdict is null
      ${lock}`,
      [key.id, unit],
    );
  return row;
}

function toClaim(key: RunKey, job: Job, row: Row, owner: string): Claim {
  const { site, unit } = job.data;
  const { homepage, host, options, fence, crashes, failures, delay } = row;
  return {
    ...{ key, run: key.id, job, site, unit, owner, homepage, host, options, failures },
    fence: fence + 1,
    crashes: crashes + 1,
    delay: Math.max(0, delay),
    part: unit === 0 ? undefined : { url: row.sitemap_url, level: row.level },
  };
}
