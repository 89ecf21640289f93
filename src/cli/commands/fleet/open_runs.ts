import { count } from "../../../data/text.ts";
import type { Fleet, FleetProgress } from "../../../fleet/mod.ts";
import { isDone, Rates } from "../../../fleet/rates.ts";
import { sleep, SYSTEM_CLOCK } from "../../../http/clock.ts";
import type { WorkProgress } from "../../run/work_log.ts";
import { progressNow, progressParts } from "./progress.ts";

/** Milliseconds between two looks at the runs. */
const INTERVAL = 3000;

/** The progress of all runs that are not done when they are first seen, or of one run. */
export class OpenRuns {
  readonly latest: Map<string, FleetProgress> = new Map();
  readonly #fleet: Fleet;
  readonly #only: string | undefined;
  readonly #rates = new Map<string, Rates>();

  constructor(fleet: Fleet, only: string | undefined) {
    this.#fleet = fleet;
    this.#only = only;
  }

  /** Those that are not done, the oldest first. */
  get open(): FleetProgress[] {
    return [...this.latest.values()].filter((progress) => !isDone(progress));
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
    for (const id of this.latest.keys()) if (!runs.includes(id)) this.latest.delete(id);
    for (const id of runs) {
      const progress = await progressNow(this.#fleet, id);
      if (isDone(progress) && !this.latest.has(id)) continue;
      const rates = this.#rates.get(id) ?? new Rates();
      this.#rates.set(id, rates);
      this.latest.set(id, rates.add(progress, performance.now()));
    }
  }

  async follow(signal: AbortSignal, onFault: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(INTERVAL, SYSTEM_CLOCK, [signal]).catch(() => {});
      if (!signal.aborted) await this.look().catch(onFault);
    }
  }
}
