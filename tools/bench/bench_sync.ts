/**
 * Synchronises a site of 75 sitemaps and 2.6 million pages with a snapshot, and compares that with a
 * bare load of the same rows and with reading the bodies. The server and every client run in separate
 * processes.
 *
 *     deno task bench:sync [--scale 0.1] [--rounds N] [--quick]
 *
 * `--scale` is the fraction of sitemaps. `--quick` uses a tiny site once: it checks that all changes are
 * found.
 *
 * @module
 */

import { parseArgs } from "node:util";
import type { SyncFinishedEvent } from "../../src/sync/mod.ts";
import { denoCommand, installPeers, resultOf } from "./launch.ts";
import type { WalkResult } from "./site_client.ts";
import type { SiteShape } from "./site_server.ts";
import type { SyncResult } from "./sync_client.ts";
import { withSite } from "./with_site.ts";
import { count, figure, machine, median, table } from "./table.ts";

/** Sitemaps besides those of pages: robots.txt and the index. */
const INDEXES = 2;
/** Every hundredth page has another date in the mode `changed`. */
const CHANGED_PART = 100;

/** Figures of one round, in order of the rows. */
interface Round {
  readonly bare: SyncResult;
  readonly first: SyncResult;
  readonly notModified: SyncResult;
  readonly fetch: WalkResult;
  readonly sameBytes: SyncResult;
  readonly walk: SyncResult;
  readonly comment: SyncResult;
  readonly changed: SyncResult;
}

async function runRound(origin: string, shape: SiteShape, folder: string): Promise<Round> {
  const bareFile = `${folder}/bare.db`, file = `${folder}/site.db`;
  const { sitemaps, pages } = shape;
  const inMode = async (mode: string): Promise<SyncResult> => {
    console.error(`  ${mode} …`);
    await (await fetch(`${origin}/mode/${mode}`)).text();
    return await resultOf(denoCommand("sync_client.ts", ["sync", origin, file]));
  };
  console.error("  bare load …");
  const bare = await resultOf<SyncResult>(
    denoCommand("sync_client.ts", ["bare", bareFile, String(sitemaps), String(pages)]),
  );
  await Deno.remove(bareFile);
  const round = {
    bare,
    first: await inMode("validators"),
    notModified: await inMode("validators"),
    sameBytes: await inMode("plain"),
    fetch: await resultOf<WalkResult>(denoCommand("site_client.ts", ["fetch", origin])),
    walk: await resultOf<SyncResult>(denoCommand("sync_client.ts", ["walk", origin])),
    comment: await inMode("comment"),
    changed: await inMode("changed"),
  };
  for (const name of ["site.db", "site.db.lock"]) await Deno.remove(`${folder}/${name}`);
  check(round, shape);
  return round;
}

/** Checks that every run found exactly what has changed. */
function check({ first, notModified, sameBytes, comment, changed }: Round, shape: SiteShape): void {
  const { sitemaps } = shape;
  const pages = sitemaps * shape.pages;
  expect("first run", first.stats!, { added: pages, changed: 0, removed: 0, unconfirmed: 0 });
  // robots.txt is requested too, but not counted
  expect("304", notModified.stats!, { unchanged: pages, notModified: sitemaps + INDEXES - 1 });
  const { requests, probes } = notModified.stats!;
  if (requests - probes !== sitemaps + INDEXES) {
    throw new Error(`Made ${requests - probes} requests for ${sitemaps + INDEXES} sitemaps`);
  }
  expect("same bytes", sameBytes.stats!, { unchanged: pages, notModified: 0, bytesSaved: 0 });
  expect("comment", comment.stats!, { unchanged: pages, added: 0, changed: 0, removed: 0 });
  const dates = sitemaps * Math.floor(shape.pages / CHANGED_PART);
  expect("1 % changed", changed.stats!, { added: 0, removed: 0, changed: dates });
}

function expect(
  name: string,
  stats: SyncFinishedEvent["stats"],
  expected: Partial<SyncFinishedEvent["stats"]>,
): void {
  for (const [field, value] of Object.entries(expected)) {
    const actual = stats[field as keyof SyncFinishedEvent["stats"]];
    if (actual !== value) throw new Error(`"${name}": ${field} is ${actual}, not ${value}`);
  }
}

function report(rounds: readonly Round[], pages: number): void {
  const middle = (field: keyof Round, of: "seconds" | "cpu" | "peakRss") =>
    median(rounds.map((round) => (round[field] as SyncResult)[of] ?? NaN));
  const ratio = (field: keyof Round, base: keyof Round, of: "seconds" | "cpu") =>
    `×${figure(middle(field, of) / middle(base, of))}`;
  const row = (name: string, field: keyof Round, compared = "") => [
    name,
    `${figure(middle(field, "seconds"))} s`,
    Number.isNaN(middle(field, "cpu")) ? "" : `${figure(middle(field, "cpu"))} s`,
    compared,
    `${figure(middle(field, "peakRss"))} MiB`,
  ];
  console.log(
    table(["", "time", "CPU", "compared", "peak RSS"], [
      row("bare load of the same rows and indexes", "bare"),
      row("first run", "first", ratio("first", "bare", "seconds")),
      row("again, 304 for everything", "notModified"),
      row("reading the bodies with fetch, nothing else", "fetch"),
      row("again, without validators", "sameBytes", ratio("sameBytes", "fetch", "seconds")),
      row("walk, without a snapshot", "walk"),
      row("again, a comment changed", "comment", ratio("comment", "walk", "cpu")),
      row("again, 1 % of the pages changed", "changed", ratio("changed", "walk", "cpu")),
    ]),
  );
  const { stats, bytes } = rounds[0]!.first;
  const { requests, probes } = rounds[0]!.notModified.stats!;
  console.log(`\n${count(stats!.added)} pages, ${figure(bytes / pages)} bytes a page in the file`);
  console.log(`${requests - probes} requests of sitemaps and ${probes} of known paths with 304`);
}

/** Sites that are synchronised side by side. */
async function reportSites(folder: string, isQuick: boolean): Promise<void> {
  const small: SiteShape = { sitemaps: 1, pages: 50, distinct: 1, gzip: false, delay: 100 };
  const sites = isQuick ? 10 : 200;
  const rows: string[][] = [];
  const run = async (shape: SiteShape, sites: number, slots: number) => {
    console.error(`  ${sites} sites, ${slots} at a time …`);
    const file = `${folder}/sites.db`;
    const result = await withSite(shape, (origin) => {
      const args = ["sites", origin, file, String(sites), String(slots)];
      return resultOf<SyncResult>(denoCommand("sync_client.ts", args));
    });
    for (const name of ["sites.db", "sites.db.lock"]) await Deno.remove(`${folder}/${name}`);
    const { events } = result;
    if (events?.finished !== sites || events.added !== sites * shape.pages) {
      throw new Error(`Found ${JSON.stringify(events)} on ${sites} sites of ${shape.pages} pages`);
    }
    return result;
  };
  const row = (name: string, { seconds, peakRss }: SyncResult, compared = "") =>
    rows.push([name, `${figure(seconds)} s`, compared, `${figure(peakRss)} MiB`]);
  const one = await run(small, sites, 1), many = await run(small, sites, 50);
  row(`${sites} sites of 50 pages, one after the other`, one);
  row("the same, 50 at a time", many, `${figure(one.seconds / many.seconds)} times as fast`);
  const pages = isQuick ? 500 : 50_000;
  const large = await run({ sitemaps: 1, pages, distinct: 1, gzip: false }, 50, 50);
  row(`50 sites of ${count(pages)} pages, 50 at a time`, large);
  console.log("\n## Many sites, 100 ms of latency for the small ones\n");
  console.log(table(["", "time", "compared", "peak RSS"], rows));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      scale: { type: "string", default: "1" },
      rounds: { type: "string" },
    },
  });
  const { quick } = values;
  const sitemaps = Math.max(1, Math.round(75 * Number(quick ? "0.04" : values.scale)));
  const shape: SiteShape = {
    sitemaps,
    pages: quick ? 500 : 34_667,
    distinct: sitemaps,
    gzip: false,
  };
  await installPeers();
  const pages = sitemaps * shape.pages;
  console.log(`# Synchronising a site with a snapshot\n\n${machine()}`);
  console.log(
    quick
      ? "Quick: the changes are checked; times of so little mean nothing"
      : "Medians of the rounds; each run in its own process",
  );
  console.log(`\n## ${count(sitemaps)} sitemaps, ${count(pages)} pages\n`);
  const folder = await Deno.makeTempDir();
  try {
    const rounds: Round[] = [];
    for (let round = 0; round < Number(values.rounds ?? (quick ? 1 : 3)); round++) {
      rounds.push(await withSite(shape, (origin) => runRound(origin, shape, folder)));
    }
    report(rounds, pages);
    await reportSites(folder, quick);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
