import type { Verdict } from "../data/events.ts";
import { type Clock, sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import { applyRules, number, type OptionRules, SIGNAL } from "../data/option_rules.ts";
import type { Connection, Postgres } from "../sync/postgres.ts";
import { isTransient } from "../sync/postgres_errors.ts";
import { unknownRun } from "./errors.ts";

/** How far a run is in its current round, and how fast. */
export interface FleetProgress {
  /** Name of the run. */
  readonly run: string;
  /** Whether the run is paused. */
  readonly paused: boolean;
  /** Number of sites of the run. */
  readonly total: number;
  /** Number of the round, from 1 on. */
  readonly round: number;
  /** Sites with a verdict. */
  readonly done: number;
  /** Sites that failed for a reason that may pass, and are walked again. */
  readonly waiting: number;
  /** Sites that were on a worker when it died, walked one at a time; 1,000 if there are more. */
  readonly suspects: number;
  /** Walks in progress. */
  readonly active: number;
  /** Pages of sites with a verdict. */
  readonly pages: number;
  /** Number of sites by verdict; `failed` are those that their workers were stopped by. */
  readonly verdicts: Readonly<Record<Verdict | "failed", number>>;
  /** Pages per second, over the last 30 seconds. */
  readonly pagesPerSecond: number;
  /** Sites per second, over the last 30 seconds. */
  readonly sitesPerSecond: number;
  /** Milliseconds until the run is done; `undefined` if that cannot be said yet. */
  readonly etaMs: number | undefined;
}

/** How often {@linkcode Fleet.progress} yields, and until when. */
export interface ProgressOptions {
  /** Signal that ends the generator. Default: none. */
  readonly signal?: AbortSignal;
  /** Milliseconds between two values. Default: 1,000. */
  readonly interval?: number;
}

/** Milliseconds for which a database that cannot be reached is asked again. */
const MAX_OUTAGE = 60_000;
const MIN_INTERVAL = 10;
const MAX_SUSPECTS = 1000;

const RULES = {
  signal: SIGNAL,
  interval: number(MIN_INTERVAL, 1000),
} satisfies OptionRules<ProgressOptions>;

export async function* progress(
  server: Postgres,
  run: string,
  options: ProgressOptions = {},
  clock: Clock = SYSTEM_CLOCK,
): AsyncGenerator<FleetProgress, void, void> {
  const { signal, interval } = applyRules(RULES, options);
  const signals = signal === undefined ? [] : [signal];
  const rates = new Rates();
  while (!signal?.aborted) {
    const counts = await readIfReachable(server, run, clock, rates.lastTime);
    if (counts !== undefined) {
      yield rates.add(counts, clock.elapsed());
      if (isDone(counts)) return;
    }
    try {
      await sleep(interval, clock, signals);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
}

/** `undefined` if the database cannot be reached and it was recently. */
async function readIfReachable(
  server: Postgres,
  run: string,
  clock: Clock,
  last: number | undefined,
): Promise<FleetCounts | undefined> {
  try {
    return await readProgress(server, run);
  } catch (error) {
    const isOutage = last !== undefined && clock.elapsed() - last < MAX_OUTAGE;
    if (isOutage && isTransient(error)) return undefined;
    throw error;
  }
}

/** Reads counters alone: sites are never counted, except some suspects. */
async function readProgress(session: Connection, run: string): Promise<FleetCounts> {
  const { rows: [row] } = await session.query(
    `select r.total, r.paused, r.round, t.*, (
       select count(*) from sitetree.lease
       where run = r.key and is_own and until > clock_timestamp()
     ) as active, (
       select count(*) from (
         select from sitetree.fleet_site where run = r.key and crashes > 0 limit ${MAX_SUSPECTS}
       ) as s
     ) as suspects
     from sitetree.fleet_run r cross join lateral (
       select coalesce(sum(complete), 0)::bigint as complete,
         coalesce(sum(partial), 0)::bigint as partial, coalesce(sum(none), 0)::bigint as none,
         coalesce(sum(blocked), 0)::bigint as blocked, coalesce(sum(failed), 0)::bigint as failed,
         coalesce(sum(waiting), 0)::bigint as waiting, coalesce(sum(pages), 0)::bigint as pages
       from sitetree.tally where run = r.key
     ) as t where r.name = $1`,
    [run],
  );
  if (row === undefined) throw unknownRun(run);
  const { total, paused, round, waiting, suspects, active, pages, ...verdicts } = row;
  const { complete, partial, none, blocked, failed } = verdicts;
  const done = complete + partial + none + blocked + failed;
  return {
    ...{ run, paused, round, total, done, waiting, suspects, active, pages },
    verdicts: { complete, partial, none, blocked, failed },
  };
}

const RATE_WINDOW = 30_000;

type FleetCounts = Omit<FleetProgress, "pagesPerSecond" | "sitesPerSecond" | "etaMs">;

export type FleetVerdict = keyof FleetProgress["verdicts"];

interface Sample extends FleetCounts {
  readonly time: number;
}

export class Rates {
  #samples: Sample[] = [];

  get lastTime(): number | undefined {
    return this.#samples.at(-1)?.time;
  }

  add(counts: FleetCounts, time: number): FleetProgress {
    this.#samples = this.#samples.filter((sample) => time - sample.time <= RATE_WINDOW);
    this.#samples.push({ ...counts, time });
    const [first] = this.#samples as [Sample];
    const seconds = (time - first.time) / 1000;
    const rate = (name: "done" | "pages") =>
      seconds > 0 ? Math.max(0, counts[name] - first[name]) / seconds : 0;
    const sitesPerSecond = rate("done");
    const etaMs = etaOf(counts, sitesPerSecond);
    return { ...counts, pagesPerSecond: rate("pages"), sitesPerSecond, etaMs };
  }
}

export function isDone({ done, total }: Pick<FleetCounts, "done" | "total">): boolean {
  return done >= total;
}

function etaOf(counts: FleetCounts, sitesPerSecond: number): number | undefined {
  if (isDone(counts)) return 0;
  if (sitesPerSecond === 0 || counts.paused) return undefined;
  return Math.round((counts.total - counts.done) / sitesPerSecond * 1000);
}
