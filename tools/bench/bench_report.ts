/**
 * Folds a site of 75 sitemaps and 2.6 million pages into a report, and compares time and memory with
 * those of the walk alone, in the same rounds. Every run has its own process. The page of the report is
 * opened in Chromium, if there is one.
 *
 *     deno task bench:report [--scale 0.1] [--rounds N] [--check] [--quick]
 *
 * `--scale` is the fraction of the sitemaps. `--check` leaves out the report without a check. `--quick`
 * folds a tiny site once: it checks that everything runs.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { renderReport } from "../../src/report/mod.ts";
import { hugeReport } from "../../tests/report/sample_reports.ts";
import { hasChromium } from "../../tests/support/browser.ts";
import { installPeers } from "./launch.ts";
import { measureOpening } from "./page_opening.ts";
import type { ReportResult } from "./site_client.ts";
import { runSite, type SiteRun } from "./site_run.ts";
import { count, figure, machine, median, table } from "./table.ts";
import { withSite } from "./with_site.ts";

/** Names of the modes of `site_client.ts`; the first is what the others are compared with. */
const MODES = {
  "count": "walk",
  "report": "aggregate()",
  "report-check": "aggregate() with check",
} as const;

type Mode = keyof typeof MODES;

/** Returns the cells of a mode: times and memory, compared with those of the walk. */
function cells(
  runs: Readonly<Record<Mode, readonly SiteRun<ReportResult>[]>>,
  mode: Mode,
): string[] {
  const middle = (field: "seconds" | "cpu" | "peakRss") =>
    median(runs[mode].map((run) => run[field]));
  const ratio = (field: "seconds" | "cpu") =>
    median(runs[mode].map((run, round) => run[field] / runs.count[round]![field]));
  const more = median(runs[mode].map((run, round) => run.peakRss - runs.count[round]!.peakRss));
  const isBase = mode === "count";
  const { json } = runs[mode][0]!;
  return [
    MODES[mode],
    `${figure(middle("seconds"))} s`,
    isBase ? "" : `×${figure(ratio("seconds"))}`,
    `${figure(middle("cpu"))} s`,
    isBase ? "" : `×${figure(ratio("cpu"))}`,
    `${figure(middle("peakRss"))} MiB`,
    isBase ? "" : `+${figure(more)} MiB`,
    json === undefined ? "" : kilobytes(json),
  ];
}

function kilobytes(text: string): string {
  return `${figure(new TextEncoder().encode(text).length / 1000)} kB`;
}

/** Prints the size of the page of a report and of the largest one, and how long they take to open. */
async function printPages(pages: number, json: string): Promise<void> {
  const htmls = {
    "an empty page": "<!DOCTYPE html><title>empty</title><p>empty",
    [`${count(pages)} pages`]: renderReport(JSON.parse(json)),
    "the largest report": renderReport(hugeReport()),
  };
  const rows: string[][] = [];
  for (const [name, html] of Object.entries(htmls)) {
    const opening = hasChromium() ? await measureOpening(html) : undefined;
    const times = opening && [opening.paint, opening.load, opening.complete];
    rows.push([name, kilobytes(html), ...times?.map((time) => `${figure(time)} ms`) ?? []]);
  }
  const head = ["", "HTML", "first paint", "load", "all is drawn"];
  console.log(`\n## Pages of reports, in Chromium\n\n${table(head, rows)}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      scale: { type: "string" },
      rounds: { type: "string" },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
  const scale = Number(values.scale ?? (values.quick ? 0.04 : 1));
  const sitemaps = Math.max(1, Math.round(75 * scale));
  const shape = { sitemaps, pages: values.quick ? 50 : 34_667, distinct: sitemaps, gzip: false };
  const pages = sitemaps * shape.pages;
  const modes = (Object.keys(MODES) as Mode[]).filter((mode) => !values.check || mode !== "report");
  const runs: Record<Mode, SiteRun<ReportResult>[]> = {
    "count": [],
    "report": [],
    "report-check": [],
  };
  await installPeers();
  console.log(`# Reports\n\n${machine()}`);
  await withSite(shape, async (origin) => {
    for (let round = 0; round < rounds; round++) {
      for (const mode of modes) runs[mode].push(await runSite<ReportResult>(mode, origin, pages));
    }
  });
  console.log(`\n## ${count(pages)} pages by batches, medians of ${count(rounds)} rounds\n`);
  const head = ["", "time", "× walk", "CPU, whole process", "× walk", "peak RSS", "+ walk", "JSON"];
  console.log(table(head, modes.map((mode) => cells(runs, mode))));
  await printPages(pages, runs["report-check"][0]!.json!);
}

if (import.meta.main) await main();
