/**
 * The progress of a run, from its counters.
 *
 * @module
 */

import { type Clock, sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import { applyRules, number, type OptionRule, SIGNAL } from "../data/option_rules.ts";
import { type Database, isTransient, type Session } from "./database.ts";
import { unknownRun } from "./reports.ts";

/** Progress of a run. */
export interface FleetProgress {
  /** Name of the run. */
  readonly run: string;
  /** Whether the run is paused. */
  readonly paused: boolean;
  /** Number of sites. */
  readonly total: number;
  /** Sites that were walked to their end. */
  readonly done: number;
  /** Sites whose last attempt failed, and that wait for another one. */
  readonly failed: number;
  /** Sites that were given up. */
  readonly dead: number;
  /** Workers on its hosts. */
  readonly active: number;
  /** Pages of sites and units that are done. */
  readonly pages: number;
  /** Number of sites by verdict. */
  readonly verdicts: Readonly<Record<"complete" | "partial" | "none" | "dead", number>>;
  /** Pages per second, lately. */
  readonly pagesPerSecond: number;
  /** Sites per second, lately. */
  readonly sitesPerSecond: number;
  /** Milliseconds until the run is done; `undefined` if that cannot be said yet. */
  readonly etaMs: number | undefined;
}

/** Options of {@linkcode Fleet.progress}. */
export interface ProgressOptions {
  /** Signal that ends the generator. Default: none. */
  readonly signal?: AbortSignal;
  /** Milliseconds between two values. Default: 1,000. */
  readonly interval?: number;
}

/** Milliseconds of values that rates are computed from. */
const RATE_WINDOW = 30_000;
/** Milliseconds for which a database that cannot be reached is asked again. */
const MAX_OUTAGE = 60_000;
/** Shortest interval in milliseconds. */
const MIN_INTERVAL = 10;

const RULES: { readonly [K in keyof ProgressOptions]-?: OptionRule<ProgressOptions[K]> } = {
  signal: SIGNAL,
  interval: number(MIN_INTERVAL, 1000),
};

/** The progress of a run without rates, which need two of them. */
type Counts = Omit<FleetProgress, "pagesPerSecond" | "sitesPerSecond" | "etaMs">;

/** Counts at a time. */
interface Sample extends Counts {
  readonly time: number;
}

/** See `Fleet.progress()`. */
export async function* progress(
  database: Database,
  run: string,
  options: ProgressOptions = {},
  clock: Clock = SYSTEM_CLOCK,
): AsyncGenerator<FleetProgress, void, void> {
  const { signal } = options;
  const interval = applyRules(RULES, options)["interval"] as number;
  const signals = signal === undefined ? [] : [signal];
  let samples: Sample[] = [];
  while (!signal?.aborted) {
    const counts = await readIfReachable(database, run, clock, samples.at(-1));
    const time = clock.elapsed();
    if (counts !== undefined) {
      samples = [...samples.filter((sample) => time - sample.time <= RATE_WINDOW), {
        ...counts,
        time,
      }];
      yield withRates(counts, samples);
      if (isDone(counts)) return;
    }
    try {
      await sleep(interval, clock, signals);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
}

/** Reads the counts; `undefined` if the database cannot be reached and it was recently. */
async function readIfReachable(
  database: Database,
  run: string,
  clock: Clock,
  last: Sample | undefined,
): Promise<Counts | undefined> {
  try {
    return await readProgress(database, run);
  } catch (error) {
    const isOutage = last !== undefined && clock.elapsed() - last.time < MAX_OUTAGE;
    if (isOutage && isTransient(error)) return undefined;
    throw error;
  }
}

/**
 * Reads the counts of a run, from counters alone: sites are never counted.
 *
 * @throws {FleetError} if the run does not exist
 */
export async function readProgress(session: Session, run: string): Promise<Counts> {
  const { rows: [row] } = await session.query(
    `select run.total, run.paused, tally.*, (
      select count(*) from sitetree.lease where run = $1 and until > clock_timestamp()
    ) as active
    from sitetree.run
    cross join lateral (
      select coalesce(sum(sites), 0)::bigint as done,
        coalesce(sum(failed), 0)::bigint as failed,
        coalesce(sum(pages), 0)::bigint as pages,
        coalesce(sum(complete), 0)::bigint as complete,
        coalesce(sum(partial), 0)::bigint as partial,
        coalesce(sum(none), 0)::bigint as none,
        coalesce(sum(dead), 0)::bigint as dead
      from sitetree.tally where tally.run = run.id
    ) as tally
    where run.id = $1`,
    [run],
  );
  if (row === undefined) throw unknownRun(run);
  const { total, paused, done, failed, dead, active, pages, complete, partial, none } = row;
  const verdicts = { complete, partial, none, dead };
  return { run, paused, total, done, failed, dead, active, pages, verdicts };
}

/** Whether every site of a run has a verdict. */
export function isDone({ done, dead, total }: Counts): boolean {
  return done + dead >= total;
}

function withRates(counts: Counts, samples: readonly Sample[]): FleetProgress {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const seconds = (last.time - first.time) / 1000;
  const rate = (before: number, after: number) =>
    seconds > 0 ? Math.max(0, after - before) / seconds : 0;
  const sitesPerSecond = rate(first.done + first.dead, last.done + last.dead);
  return {
    ...counts,
    pagesPerSecond: rate(first.pages, last.pages),
    sitesPerSecond,
    etaMs: etaOf(counts, sitesPerSecond),
  };
}

function etaOf(counts: Counts, sitesPerSecond: number): number | undefined {
  if (isDone(counts)) return 0;
  if (sitesPerSecond === 0 || counts.paused) return undefined;
  return Math.round((counts.total - counts.done - counts.dead) / sitesPerSecond * 1000);
}
