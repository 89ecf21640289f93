/**
 * Checks a site of half a million pages, and compares the time with that of a walk in the same round.
 *
 * @module
 */

import { endedTime } from "./cpu_time.ts";
import { denoCommand, resultOf } from "./launch.ts";
import type { WalkResult } from "./site_client.ts";
import type { SiteShape } from "./site_server.ts";
import { count, figure, median, table } from "./table.ts";
import { withSite } from "./with_site.ts";

/** A walk or a check. */
interface Run extends WalkResult {
  /** Seconds of a core, of the whole process. */
  readonly cpu: number;
}

/** Names of the modes of `site_client.ts`; the first is what the others are compared with. */
const MODES = {
  count: "walk",
  notes: "walk, with notes",
  check: "check(), with notes",
} as const;

type Mode = keyof typeof MODES;

async function run(mode: Mode, origin: string, pages: number): Promise<Run> {
  console.error(`  ${mode} …`);
  const cpuTime = async () => Deno.build.os === "linux" ? await endedTime() : NaN;
  const before = await cpuTime();
  const result = await resultOf<WalkResult>(denoCommand("site_client.ts", [mode, origin]));
  if (result.pages !== pages) throw new Error(`"${mode}" saw ${result.pages} pages of ${pages}`);
  return { ...result, cpu: await cpuTime() - before };
}

/** Walks and checks a site in turns, and prints the times. */
export async function benchCheck(shape: SiteShape, rounds: number): Promise<void> {
  const pages = shape.sitemaps * shape.pages;
  const runs: Record<Mode, Run[]> = { count: [], notes: [], check: [] };
  const modes = Object.keys(MODES) as Mode[];
  await withSite(shape, async (origin) => {
    for (let round = 0; round < rounds; round++) {
      for (const mode of modes) runs[mode].push(await run(mode, origin, pages));
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
