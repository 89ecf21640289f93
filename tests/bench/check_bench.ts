/**
 * Checks a site of half a million pages, and compares the time with that of a walk in the same round.
 *
 * @module
 */

import type { SiteShape } from "./site_server.ts";
import { runSite, type SiteRun } from "./site_run.ts";
import { count, figure, median, table } from "./table.ts";
import { withSite } from "./with_site.ts";

/** Names of the modes of `site_client.ts`; the first is what the others are compared with. */
const MODES = {
  count: "walk",
  notes: "walk, with notes",
  check: "check(), with notes",
} as const;

type Mode = keyof typeof MODES;

/** Walks and checks a site in turns, and prints the times. */
export async function benchCheck(shape: SiteShape, rounds: number): Promise<void> {
  const pages = shape.sitemaps * shape.pages;
  const runs: Record<Mode, SiteRun[]> = { count: [], notes: [], check: [] };
  const modes = Object.keys(MODES) as Mode[];
  await withSite(shape, async (origin) => {
    for (let round = 0; round < rounds; round++) {
      for (const mode of modes) runs[mode].push(await runSite(mode, origin, pages));
    }
  });
  const middle = (mode: Mode, field: "seconds" | "cpu" | "peakRss") =>
    median(runs[mode].map((run) => run[field]));
  const ratio = (mode: Mode, field: "seconds" | "cpu") => {
    const ratios = runs[mode].map((run, round) => run[field] / runs.count[round]![field]);
    return mode === "count" ? "" : `×${figure(median(ratios))}`;
  };
  const rows = modes.map((mode) => [
    MODES[mode],
    `${figure(middle(mode, "seconds"))} s`,
    ratio(mode, "seconds"),
    `${figure(middle(mode, "cpu"))} s`,
    ratio(mode, "cpu"),
    `${figure(middle(mode, "peakRss"))} MiB`,
  ]);
  console.log(`\n## check(): ${count(pages)} pages by batches\n`);
  console.log(table(["", "time", "× walk", "CPU, whole process", "× walk", "peak RSS"], rows));
}
