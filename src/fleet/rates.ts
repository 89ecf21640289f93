import type { Verdict } from "../data/events.ts";

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

const RATE_WINDOW = 30_000;

export type FleetCounts = Omit<FleetProgress, "pagesPerSecond" | "sitesPerSecond" | "etaMs">;

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
