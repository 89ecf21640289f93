import { count, grouped } from "../data/text.ts";
import { rate } from "../data/words.ts";
import { sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import type { Fleet } from "./fleet.ts";
import { type FleetProgress, isDone, Rates } from "./progress.ts";
import { progressNow, progressParts } from "./run_status.ts";

/** Milliseconds between two looks at the runs. */
const INTERVAL = 3000;

/** How far a command is. */
export interface WorkProgress {
  /** Name of the run, if there is only one that is not done; of a fleet. */
  readonly run?: string | undefined;
  readonly round?: number | undefined;
  /** Number of runs that are not done; of a fleet. */
  readonly runs?: number;
  /** Sites with a verdict. */
  readonly sites: number;
  readonly total: number;
  readonly pages: number;
  readonly pagesPerSecond: number;
  /** Sites that are walked again. */
  readonly waiting: number;
  /** Sites that were on a worker when it died; of a fleet. */
  readonly suspects?: number;
}

/** Returns a line such as `nov, round 2: 3 of 10 sites, 620 pages, 71 pages/s, 2 waiting`. */
export function progressText(
  { run, round, runs, sites, total, pages, pagesPerSecond, waiting, suspects }: WorkProgress,
): string {
  if (runs === 0) return "waiting for sites";
  const name = run === undefined ? count(runs ?? 0, "run") : `${run}, round ${round}`;
  return (runs === undefined ? "" : `${name}: `) + [
    `${grouped(sites)} of ${count(total, "site")}`,
    count(pages, "page"),
    rate(pagesPerSecond, "page"),
    `${grouped(waiting)} waiting`,
    ...(suspects === undefined ? [] : [count(suspects, "suspect")]),
  ].join(", ");
}

/** The progress of all runs that are not done when they are first seen, or of one run. */
export class OpenRuns {
  readonly #fleet: Fleet;
  readonly #only: string | undefined;
  readonly #seen = new Map<string, { readonly rates: Rates; readonly progress: FleetProgress }>();

  constructor(fleet: Fleet, only: string | undefined) {
    this.#fleet = fleet;
    this.#only = only;
  }

  get all(): FleetProgress[] {
    return [...this.#seen.values()].map(({ progress }) => progress);
  }

  /** Those that are not done, the oldest first. */
  get open(): FleetProgress[] {
    return this.all.filter((progress) => !isDone(progress));
  }

  /** Parts of the progress line: those of the oldest run that is not done. */
  get parts(): readonly string[] {
    const [first, ...others] = this.open;
    if (first === undefined) return ["waiting for sites"];
    const more = others.length === 0 ? [] : [`and ${count(others.length, "run")} more`];
    return [...progressParts(first), ...more];
  }

  /** The sum of all that are not done. */
  get progress(): WorkProgress {
    const { open } = this;
    const [{ run, round } = {}] = open.length === 1 ? open : [];
    const sum = (read: (progress: FleetProgress) => number) =>
      open.reduce((sum, progress) => sum + read(progress), 0);
    return {
      ...{ run, round, runs: open.length },
      sites: sum(({ done }) => done),
      total: sum(({ total }) => total),
      pages: sum(({ pages }) => pages),
      pagesPerSecond: sum(({ pagesPerSecond }) => pagesPerSecond),
      waiting: sum(({ waiting }) => waiting),
      suspects: sum(({ suspects }) => suspects),
    };
  }

  async look(): Promise<void> {
    const all = (await this.#fleet.runs()).map(({ id }) => id);
    const runs = all.filter((id) => this.#only === undefined || id === this.#only);
    for (const id of this.#seen.keys()) if (!runs.includes(id)) this.#seen.delete(id);
    for (const id of runs) {
      const progress = await progressNow(this.#fleet, id);
      const known = this.#seen.get(id);
      if (known === undefined && isDone(progress)) continue;
      const { rates } = known ?? { rates: new Rates() };
      this.#seen.set(id, { rates, progress: rates.add(progress, performance.now()) });
    }
  }

  async follow(signal: AbortSignal, onFault: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(INTERVAL, SYSTEM_CLOCK, [signal]).catch(() => {});
      if (!signal.aborted) await this.look().catch(onFault);
    }
  }
}
