/**
 * The progress of a fleet: its line on a terminal, and the summary of a run.
 *
 * @module
 */

import { count, grouped } from "../../data/text.ts";
import type { Fleet, FleetProgress } from "../../fleet/mod.ts";
import { sleep, SYSTEM_CLOCK } from "../../http/clock.ts";
import { escapeControls } from "../../write/escape.ts";
import type { FleetSession } from "./session.ts";
import { duration, fittingLine } from "../terminal.ts";

/** Milliseconds between two looks for runs. */
const RUNS_INTERVAL = 3000;

/** Figures of one run, or of several together. */
export type FleetFigures = Pick<
  FleetProgress,
  "total" | "done" | "dead" | "failed" | "active" | "pages" | "pagesPerSecond" | "sitesPerSecond"
>;

/** Returns the first value of the progress of a run. */
export async function progressNow(fleet: Fleet, run: string): Promise<FleetProgress> {
  for await (const progress of fleet.progress(run)) return progress;
  throw new Error(`Cannot read the progress of run "${run}"`);
}

/** Whether every site of a run has a verdict. */
export function isDone({ done, dead, total }: FleetFigures): boolean {
  return done + dead >= total;
}

/** Returns the figures of several runs together. */
export function sumOf(all: Iterable<FleetFigures>): FleetFigures {
  const sum = {
    total: 0,
    done: 0,
    dead: 0,
    failed: 0,
    active: 0,
    pages: 0,
    pagesPerSecond: 0,
    sitesPerSecond: 0,
  };
  for (const figures of all) {
    for (const name of Object.keys(sum) as (keyof FleetFigures)[]) sum[name] += figures[name];
  }
  return sum;
}

/** Returns the milliseconds until all sites have a verdict; `undefined` if the rate is unknown. */
function remainingTime({ total, done, dead, sitesPerSecond }: FleetFigures): number | undefined {
  return sitesPerSecond === 0 ? undefined : (total - done - dead) / sitesPerSecond * 1000;
}

/** Returns the parts of the progress line, the most important first. */
export function figureParts(figures: FleetFigures): string[] {
  const { total, done, dead, failed, active, pages, pagesPerSecond } = figures;
  const left = isDone(figures) ? undefined : remainingTime(figures);
  return [
    `${grouped(done + dead)}/${count(total, "site")}`,
    count(pages, "page"),
    ...(left === undefined ? [] : [`${duration(left)} left`]),
    `${grouped(Math.round(pagesPerSecond))}/s`,
    `${grouped(active)} active`,
    ...(dead > 0 ? [`${grouped(dead)} dead`] : []),
    ...(failed > 0 ? [`${grouped(failed)} to retry`] : []),
  ];
}

/**
 * Shows a line of parts, on a terminal or after long silence, until the command ends or the function that it returns is
 * called.
 */
export function showProgress(
  session: FleetSession,
  parts: () => readonly string[],
): () => void {
  const { screen, quiet } = session;
  if (quiet) return () => {};
  const stop = screen.follow((elapsed, width) =>
    fittingLine([duration(elapsed), ...parts().map(escapeControls)], width)
  );
  session.onEnd(stop);
  return stop;
}

/** The progress of all runs that are not done when they are first seen. */
export class OpenRuns {
  readonly #fleet: Fleet;
  readonly #onFault: (error: unknown) => void;
  readonly #latest = new Map<string, FleetProgress>();
  readonly #followed = new Set<string>();

  /** Creates a list that is empty until it follows; `onFault` is called with failures to do so. */
  constructor(fleet: Fleet, onFault: (error: unknown) => void) {
    this.#fleet = fleet;
    this.#onFault = onFault;
  }

  /** Names of the runs. */
  get names(): readonly string[] {
    return [...this.#latest.keys()];
  }

  /** Figures of all runs together. */
  get figures(): FleetFigures {
    return sumOf(this.#latest.values());
  }

  /** Looks at all runs once. */
  async load(): Promise<void> {
    for (const { id } of await this.#fleet.runs()) {
      const progress = await progressNow(this.#fleet, id);
      if (!isDone(progress)) this.#latest.set(id, progress);
    }
  }

  /** Follows all runs until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for (const { id } of await this.#fleet.runs()) void this.#followRun(id, signal);
      } catch (error) {
        this.#onFault(error);
      }
      await sleep(RUNS_INTERVAL, SYSTEM_CLOCK, [signal]).catch(() => {});
    }
  }

  async #followRun(run: string, signal: AbortSignal): Promise<void> {
    if (this.#followed.has(run)) return;
    this.#followed.add(run);
    try {
      for await (const progress of this.#fleet.progress(run, { signal })) {
        if (!isDone(progress) || this.#latest.has(run)) this.#latest.set(run, progress);
      }
    } catch (error) {
      // it may have been dropped
      this.#latest.delete(run);
      if (!signal.aborted) this.#onFault(error);
    } finally {
      this.#followed.delete(run);
    }
  }
}

/** How a run ended. */
export type FleetEnding = "complete" | "partial" | "none";

/** Returns how a run ended: without sitemaps only if no site has one. */
export function endingOf({ verdicts, total }: FleetProgress): FleetEnding {
  if (verdicts.partial + verdicts.dead > 0) return "partial";
  return verdicts.none === total ? "none" : "complete";
}

/** Returns numbers of sites by verdict, such as `9 complete, 1 dead`. */
export function verdictCounts({ verdicts }: Pick<FleetProgress, "verdicts">): string {
  const counts = Object.entries(verdicts).filter(([, number]) => number > 0)
    .map(([verdict, number]) => `${grouped(number)} ${verdict}`);
  return counts.join(", ");
}

/** Returns a line such as `complete: 10 sites (9 complete, 1 none), 1,234 pages, 0.4 s`. */
export function summaryOf(
  ending: FleetEnding | "paused" | "interrupted",
  progress: FleetProgress,
  elapsed: number,
): string {
  const { total, done, dead, pages } = progress;
  const walked = done + dead;
  const sites = walked === total
    ? count(total, "site")
    : `${grouped(walked)} of ${count(total, "site")}`;
  const counts = verdictCounts(progress);
  // "complete: 10 sites" are all complete
  const isOne = counts === `${grouped(walked)} ${ending}` || walked === 0;
  return `${ending}: ${sites}${isOne ? "" : ` (${counts})`}, ${count(pages, "page")}, ${
    duration(elapsed)
  }`;
}
