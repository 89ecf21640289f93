/**
 * Runs modes of `site_client.ts` on a site in turns, and compares them with the first of them: check()
 * with a walk, diff() with two walks.
 *
 * @module
 */

import type { SiteShape } from "./site_server.ts";
import { runSite, type SiteRun } from "./site_run.ts";
import { count, figure, median, table } from "./table.ts";
import { withSite } from "./with_site.ts";

/** Modes of `site_client.ts` with their names; the first is what the others are compared with. */
type Modes = Readonly<Record<string, string>>;

const CHECK_MODES: Modes = {
  "count": "walk",
  "notes": "walk, with notes",
  "check": "check(), with notes",
};

const DIFF_MODES: Modes = { "count-two": "two walks", "diff": "diff()" };

/** Walks and checks a site, and prints the times. */
export async function benchCheck(shape: SiteShape, rounds: number): Promise<void> {
  const pages = shape.sitemaps * shape.pages;
  await withSite(shape, async (origin) => {
    console.log(`\n## check(): ${count(pages)} pages by batches\n`);
    console.log(await tableOf(CHECK_MODES, origin, pages, rounds));
  });
}

/** Compares two sites, of which one page in a hundred differs, and prints the times. */
export async function benchDiff(shape: SiteShape, rounds: number): Promise<void> {
  const pages = shape.sitemaps * shape.pages;
  await withSite(shape, async (origin) => {
    // the server makes the second site when it is first asked for
    await runSite("count-two", origin, 2 * pages);
    console.log(`\n## diff(): twice ${count(pages)} pages by batches, 1 % of them different\n`);
    console.log(await tableOf(DIFF_MODES, origin, 2 * pages, rounds));
  });
}

/** Runs the modes in turns; returns a table of their times. */
async function tableOf(
  modes: Modes,
  origin: string,
  pages: number,
  rounds: number,
): Promise<string> {
  const names = Object.keys(modes), [base = ""] = names;
  const runs = new Map<string, SiteRun[]>(names.map((mode) => [mode, []]));
  for (let round = 0; round < rounds; round++) {
    for (const mode of names) runs.get(mode)!.push(await runSite(mode, origin, pages));
  }
  const middle = (mode: string, field: "seconds" | "cpu" | "peakRss") =>
    median(runs.get(mode)!.map((run) => run[field]));
  const ratio = (mode: string, field: "seconds" | "cpu") => {
    const ratios = runs.get(mode)!.map((run, round) => run[field] / runs.get(base)![round]![field]);
    return mode === base ? "" : `×${figure(median(ratios))}`;
  };
  const rows = names.map((mode) => [
    modes[mode]!,
    `${figure(middle(mode, "seconds"))} s`,
    ratio(mode, "seconds"),
    `${figure(middle(mode, "cpu"))} s`,
    ratio(mode, "cpu"),
    `${figure(middle(mode, "peakRss"))} MiB`,
  ]);
  const versus = `× ${modes[base]}`;
  return table(["", "time", versus, "CPU, whole process", versus, "peak RSS"], rows);
}
