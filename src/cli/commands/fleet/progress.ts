/**
 * The progress of a run as text: its line on a terminal, its status, and its summary.
 *
 * @module
 */

import { count, grouped } from "../../../data/text.ts";
import { duration, namedCounts, rate } from "../../../data/words.ts";
import type { Fleet, FleetProgress } from "../../../fleet/mod.ts";
import { type FleetVerdict, isDone } from "../../../fleet/rates.ts";
import { escapeControls } from "../../../write/escape.ts";
import type { Messages } from "../../run/terminal.ts";
import { fittingLine } from "../../../write/layout.ts";

export async function progressNow(fleet: Fleet, run: string): Promise<FleetProgress> {
  for await (const progress of fleet.progress(run)) return progress;
  throw new Error(`Cannot read the progress of run "${run}"`);
}

export function verdictCounts({ verdicts, waiting }: FleetProgress): string[] {
  return namedCounts({ ...verdicts, waiting });
}

/** Returns the parts of the progress line, the most important first. */
export function progressParts(progress: FleetProgress): string[] {
  const { run, round, total, done, active, pages, pagesPerSecond, etaMs = 0 } = progress;
  return [
    run,
    `${grouped(done)}/${count(total, "site")}`,
    count(pages, "page"),
    ...(etaMs > 0 ? [`${duration(etaMs)} left`] : []),
    rate(pagesPerSecond),
    `${grouped(active)} active`,
    ...verdictCounts(progress),
    `round ${round}`,
  ];
}

export function showProgress(
  { screen, quiet }: Messages,
  parts: () => readonly string[],
): () => void {
  if (quiet) return () => {};
  return screen.follow((elapsed, width) =>
    fittingLine([duration(elapsed), ...parts().map(escapeControls)], width)
  );
}

function endingOf({ verdicts, total }: FleetProgress): FleetVerdict {
  const names = Object.keys(verdicts) as FleetVerdict[];
  const only = names.find((name) => verdicts[name] === total);
  const { complete, none } = verdicts;
  return only ?? (complete + none === total ? "complete" : "partial");
}

/** Returns a line such as `complete: 10 sites (9 complete, 1 none), 1,234 pages, 0.4 s`. */
export function summaryOf(progress: FleetProgress, elapsed: number): string {
  const { run, round, total, done, pages } = progress;
  const ending = isDone(progress) ? endingOf(progress) : progress.paused ? "paused" : "interrupted";
  const sites = (isDone(progress) ? "" : `${grouped(done)} of `) + count(total, "site");
  const counts = verdictCounts(progress).join(", ");
  // "complete: 10 sites" are all complete
  const isOne = counts === `${grouped(total)} ${ending}` || counts === "";
  return `${run}, round ${round}: ${ending}: ${sites}${isOne ? "" : ` (${counts})`}, ` +
    `${count(pages, "page")}, ${duration(elapsed)}`;
}
