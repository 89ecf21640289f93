/**
 * How an attempt ends, each in one transaction with the last of its pages:
 *
 * ```
 *           ┌─ finish ──► verdict, or units of a huge site
 * attempt ──┼─ fail ────► another attempt later; after three in a row it is given up
 *           ├─ put off ─► another attempt later, which does not count
 *           └─ (crash) ─► pg-boss gives the task to another worker; after five in a row it is given up
 * ```
 *
 * @module
 */

import type { Verdict } from "../data/events.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { type Claim, idOf, tableOf } from "./attempt.ts";
import { type Session, storable } from "./database.ts";
import { LostError } from "./errors.ts";
import { releaseLeases } from "./lease.ts";
import type { JobQueue } from "./queue.ts";

/** Attempts in a row that may fail without progress. */
const MAX_FAILURES = 3;
/** Factor of the delay after each further failure. */
const BACKOFF = 4;
/** Maximum characters of a reason. */
const MAX_REASON_LENGTH = 2000;

/** Sitemap of a huge site that becomes a unit. */
export interface NewUnit {
  readonly url: string;
  readonly level: number;
}

/** Result of a walk. */
export interface Outcome {
  readonly verdict: Verdict;
  /** What is missing; `undefined` if nothing is. */
  readonly loss: string | undefined;
  readonly units: readonly NewUnit[];
}

/**
 * Checks that this attempt may still write, and keeps others from claiming the task until the
 * transaction ends.
 *
 * @throws {LostError} if another attempt has begun
 */
export async function checkFence(session: Session, claim: Claim): Promise<void> {
  const { count } = await session.query(
    `select fence from sitetree.${tableOf(claim)}
    where run = $1 and id = $2 and fence = $3 for update`,
    [claim.run, idOf(claim), claim.fence],
  );
  if (count !== 1) throw new LostError("another attempt has begun");
}

/** Forgets earlier crashes after progress. */
export async function resetCrashes(session: Session, claim: Claim): Promise<void> {
  await session.query(
    `update sitetree.${tableOf(claim)} set crashes = 1 where run = $1 and id = $2`,
    [claim.run, idOf(claim)],
  );
}

/** Ends the job of an attempt, and writes what is left of its pages. */
async function end(
  session: Session,
  queue: JobQueue,
  claim: Claim,
  checkpoint: Checkpoint | undefined,
): Promise<void> {
  await queue.complete(session, claim.key, claim.job);
  await checkFence(session, claim);
  await checkpoint?.write(session);
}

/** Ends an attempt with the result of its walk. */
export async function finish(
  session: Session,
  queue: JobQueue,
  claim: Claim,
  { checkpoint, outcome, perHost }: {
    readonly checkpoint: Checkpoint;
    readonly outcome: Outcome;
    readonly perHost: number;
  },
): Promise<void> {
  await end(session, queue, claim, checkpoint);
  const counts = await checkpoint.sweep(session);
  if (claim.unit !== 0) await finishUnit(session, claim, outcome);
  const units = await insertUnits(session, claim, outcome.units);
  await fold(session, claim, outcome, units, counts);
  // of a huge site, as many units are queued as can be in progress: each is followed by another
  await queueUnits(session, queue, claim, units > 0 ? perHost : claim.unit === 0 ? 0 : 1);
  await releaseLeases(session, claim);
}

async function finishUnit(session: Session, { run, unit }: Claim, outcome: Outcome): Promise<void> {
  await session.query(
    "update sitetree.unit set state = 'done', verdict = $3, error = $4 where run = $1 and id = $2",
    [run, unit, outcome.verdict, stored(outcome.loss)],
  );
}

/** Adds units of a huge site, without those that it has already. Returns their number. */
async function insertUnits(
  session: Session,
  { run, site }: Claim,
  units: readonly NewUnit[],
): Promise<number> {
  if (units.length === 0) return 0;
  const { count } = await session.query(
    `insert into sitetree.unit(run, site, sitemap_url, level)
    select $1, $2, url, level
    from unnest($3::text[], $4::int[]) with ordinality as t(url, level, at)
    where not exists (
      select from sitetree.sitemap s
      where s.run = $1 and s.site = $2 and md5(s.url) = md5(t.url) and s.complete
    )
    order by at
    on conflict (site, md5(sitemap_url)) do nothing
    returning id`,
    [run, site, units.map(({ url }) => storable(url)), units.map(({ level }) => level)],
  );
  return count;
}

/** Verdict of a site with another part, whose verdict is $3. */
const FOLDED = `case
  when $3 in ('partial', 'blocked') or outcome = 'partial' then 'partial'
  when $3 = 'complete' or outcome = 'complete' then 'complete'
  else 'none'
end`;

/** Adds the outcome of a part to its site, which has a verdict after the last part. */
async function fold(
  session: Session,
  claim: Claim,
  { verdict, loss }: Pick<Outcome, "verdict" | "loss">,
  units: number,
  { pages, sitemaps }: { readonly pages: number; readonly sitemaps: number },
): Promise<void> {
  const isUnit = claim.unit !== 0;
  // a site that was given up has at least the unit left that made it so
  const { rows: [site] } = await session.query<{ outcome: string; verdict: string | null }>(
    `update sitetree.site set outcome = ${FOLDED},
      verdict = case when units + $4 = 0 then ${FOLDED} else verdict end,
      finished = case when units + $4 = 0 then clock_timestamp() else finished end,
      units = units + $4, pages = pages + $5, sitemaps = sitemaps + $6, crashes = 0, failures = 0,
      error = case when outcome is null then $7 else coalesce(error, $7) end
    where run = $1 and id = $2
    returning outcome, verdict`,
    [
      ...[claim.run, claim.site, verdict, units - (isUnit ? 1 : 0), pages, sitemaps],
      stored(loss),
    ],
  );
  const isFinished = site!.verdict === site!.outcome;
  await count(session, claim, {
    ...(isFinished && { sites: 1, [site!.outcome]: 1 }),
    pages,
    failed: !isUnit && claim.failures > 0 ? -1 : 0,
  });
}

/** Queues waiting units of the site of a task. */
export async function queueUnits(
  session: Session,
  queue: JobQueue,
  { key, site, host }: Pick<Claim, "key" | "site" | "host">,
  limit: number,
): Promise<void> {
  if (limit === 0) return;
  const { rows } = await session.query<{ id: number }>(
    `update sitetree.unit set state = 'queued' where id in (
      select id from sitetree.unit where site = $1 and state = 'waiting'
      order by id limit $2 for update skip locked
    ) returning id`,
    [site, limit],
  );
  const tasks = rows.map(({ id }) => ({ site, unit: id, host, isUrgent: true }));
  await queue.insert(session, key, tasks);
}

/** Ends an attempt that failed: there is another one later, or the task is given up. */
export async function fail(
  session: Session,
  queue: JobQueue,
  claim: Claim,
  { checkpoint, reason, delay, minDelay = 0 }: {
    readonly checkpoint: Checkpoint | undefined;
    readonly reason: string;
    /** Seconds before the second attempt. */
    readonly delay: number;
    /** Seconds before any further attempt. */
    readonly minDelay?: number;
  },
): Promise<void> {
  await end(session, queue, claim, checkpoint);
  const failures = checkpoint?.hasProgress ? 1 : claim.failures + 1;
  await session.query(
    `update sitetree.${tableOf(claim)} set failures = $3, crashes = 0, error = $4
    where run = $1 and id = $2`,
    [claim.run, idOf(claim), failures, stored(reason)],
  );
  if (failures < MAX_FAILURES) {
    const { site, unit, host } = claim;
    const seconds = Math.max(minDelay, delay * BACKOFF ** (failures - 1));
    await queue.insert(session, claim.key, [{ site, unit, host, isUrgent: true, delay: seconds }]);
    if (unit === 0 && claim.failures === 0) await count(session, claim, { failed: 1 });
  } else if (claim.unit === 0) await bury(session, queue, claim, reason);
  else {
    // a sitemap that cannot be read leaves the site partial, as in any other walk
    const outcome = { verdict: "blocked", loss: reason, units: [] } as const;
    const counts = await checkpoint?.sweep(session) ?? { pages: 0, sitemaps: 0 };
    await finishUnit(session, claim, outcome);
    await fold(session, claim, outcome, 0, counts);
    await queueUnits(session, queue, claim, 1);
  }
  await releaseLeases(session, claim);
}

/** Gives a site up. Its job must have been completed. */
export async function bury(
  session: Session,
  queue: JobQueue,
  claim: Claim,
  reason: string,
): Promise<void> {
  const named = claim.part === undefined ? reason : `${claim.part.url}: ${reason}`;
  const { rows: [site] } = await session.query<{ failures: number }>(
    `update sitetree.site set verdict = 'dead', error = $3, finished = clock_timestamp()
    where run = $1 and id = $2 and verdict is null returning failures`,
    [claim.run, claim.site, stored(named)],
  );
  // another of its units was given up before
  if (site === undefined) return;
  await queue.bury(session, claim.key, claim, stored(named)!);
  await count(session, claim, { dead: 1, failed: site.failures > 0 ? -1 : 0 });
}

/** Ends an attempt that does not count, and queues its task again. */
export async function handBack(
  session: Session,
  queue: JobQueue,
  claim: Claim,
  { checkpoint, delay = 0 }: {
    readonly checkpoint: Checkpoint | undefined;
    /** Seconds before the next attempt. */
    readonly delay?: number;
  },
): Promise<void> {
  await end(session, queue, claim, checkpoint);
  await session.query(
    `update sitetree.${tableOf(claim)} set crashes = $3 where run = $1 and id = $2`,
    [claim.run, idOf(claim), claim.crashes - 1],
  );
  await requeue(session, queue, claim, delay);
  await releaseLeases(session, claim);
}

/** Puts a task off before its attempt begins. */
export async function putOff(
  session: Session,
  queue: JobQueue,
  claim: Claim,
  delay: number,
): Promise<void> {
  await queue.complete(session, claim.key, claim.job);
  await requeue(session, queue, claim, delay);
}

async function requeue(
  session: Session,
  queue: JobQueue,
  { key, site, unit, host }: Claim,
  delay: number,
): Promise<void> {
  await queue.insert(session, key, [{ site, unit, host, isUrgent: true, delay }]);
}

/** Counters that only ever grow, but for `failed`. */
type Counts = Partial<
  Record<"sites" | "complete" | "partial" | "none" | "dead" | "failed" | "pages", number>
>;

/** Adds to the counters of a worker. */
async function count(session: Session, { run, owner }: Claim, counts: Counts): Promise<void> {
  const { sites = 0, complete = 0, partial = 0, none = 0, dead = 0, failed = 0, pages = 0 } =
    counts;
  await session.query(
    `insert into sitetree.tally as t(
      run, worker, sites, complete, partial, none, dead, failed, pages
    )
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (run, worker) do update set sites = t.sites + excluded.sites,
      complete = t.complete + excluded.complete, partial = t.partial + excluded.partial,
      none = t.none + excluded.none, dead = t.dead + excluded.dead,
      failed = t.failed + excluded.failed, pages = t.pages + excluded.pages, seen = now()`,
    [run, owner, sites, complete, partial, none, dead, failed, pages],
  );
}

/** Returns a reason that PostgreSQL can store. */
function stored(reason: string | undefined): string | null {
  return reason === undefined ? null : storable(reason).slice(0, MAX_REASON_LENGTH);
}
