/**
 * Walks a site of 75 sitemaps and 2.6 million pages with sitetree and its peers, and prints a
 * comparison. The server and every walker run in separate processes.
 *
 *     deno task bench:site [--scale 0.1] [--rounds N] [--only PART]... [--writers] [--check]
 *         [--diff] [--quick]
 *
 * `--scale` is the fraction of pages per sitemap, for all walkers. `--only` keeps the parts
 * `plain`, `gzip`, `flat`, `small`, `collect`, `writers`, `check` or `diff`, and walkers with that
 * text in their name. `--writers`, `--check` and `--diff` are short for `--only` with that part. `--quick`
 * walks a tiny site once: it checks that everything runs and that all walkers find the same pages.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { sitemapFile } from "./bench_data.ts";
import { benchCheck, benchDiff } from "./modes_bench.ts";
import { denoCommand, hasNode, installPeers, nodeCommand, resultOf } from "./launch.ts";
import type { WalkResult } from "./site_client.ts";
import type { SiteShape } from "./site_server.ts";
import { count, figure, machine, median, table } from "./table.ts";
import { withSite } from "./with_site.ts";
import { benchWriters } from "./writers_bench.ts";

/** A way of walking a site. */
interface Walker {
  readonly name: string;
  readonly run: (origin: string) => Promise<WalkResult>;
}

interface Settings {
  readonly scale: number;
  readonly rounds: number;
  /** Pages of a sitemap of the large site. */
  readonly pages: number;
  /** Whether a part or walker is selected. */
  readonly wants: (name: string) => boolean;
}

function ours(name: string, mode: string, concurrency = 4, times = 1): Walker {
  const args = [String(concurrency), String(times)];
  return {
    name,
    run: (origin) => resultOf(denoCommand("site_client.ts", [mode, origin, ...args])),
  };
}

/** The peers are written for Node and also run in Deno: each is measured in both. */
async function peers(): Promise<Walker[]> {
  const runtimes = await hasNode() ? ["Node", "Deno"] as const : ["Deno"] as const;
  return ["crawlee", "sitemapper"].flatMap((name) =>
    runtimes.map((runtime): Walker => ({
      name: `${name} (${runtime})`,
      run: async (origin) => {
        const script = `${name}_walk.mjs`;
        const command = runtime === "Node"
          ? await nodeCommand(script, [origin])
          : denoCommand(`peers/${script}`, [origin]);
        return await resultOf<WalkResult>(command);
      },
    }))
  );
}

function run(walker: Walker, origin: string): Promise<WalkResult> {
  console.error(`  ${walker.name} …`);
  return walker.run(origin);
}

/** Runs the walkers alternately; returns the results of each. */
async function inTurns(
  walkers: readonly Walker[],
  rounds: number,
  origin: string,
): Promise<WalkResult[][]> {
  const results: WalkResult[][] = walkers.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, walker] of walkers.entries()) results[at]!.push(await run(walker, origin));
  }
  return results;
}

/**
 * Runs one walker before each of the others, which are slow and run once, so that load on the
 * machine affects all of them.
 */
async function beforeEach(
  first: Walker,
  others: readonly Walker[],
  rounds: number,
  origin: string,
): Promise<WalkResult[][]> {
  const results: WalkResult[] = [];
  const othersResults: WalkResult[][] = [];
  for (const other of others) {
    results.push(await run(first, origin));
    othersResults.push([await run(other, origin)]);
  }
  while (results.length < rounds) results.push(await run(first, origin));
  return [results, ...othersResults];
}

function middle(results: readonly WalkResult[], field: keyof WalkResult): number {
  return median(results.map((result) => result[field] ?? NaN));
}

function checkSame(walkers: readonly Walker[], all: readonly WalkResult[][], pages: number): void {
  const first = all[0]![0]!;
  for (const [at, results] of all.entries()) {
    for (const result of results) {
      if (result.pages !== pages) {
        throw new Error(`"${walkers[at]!.name}" saw ${result.pages} pages of ${pages}`);
      }
      if (result.checksum !== first.checksum) {
        throw new Error(`"${walkers[at]!.name}" saw other pages than "${walkers[0]!.name}"`);
      }
    }
  }
}

function sitemapCount(settings: Settings, full: number): number {
  return Math.max(1, Math.round(full * settings.scale));
}

async function bytesOf(shape: SiteShape): Promise<number> {
  let bytes = 0;
  for (let at = 0; at < shape.sitemaps; at++) {
    const file = await sitemapFile(at % shape.distinct, shape.pages, false);
    bytes += (await Deno.stat(file)).size;
  }
  return bytes;
}

async function benchWalk(settings: Settings, gzip: boolean): Promise<void> {
  const sitemaps = sitemapCount(settings, 75);
  const shape: SiteShape = { sitemaps, pages: settings.pages, distinct: sitemaps, gzip };
  const walkers = [
    ours("sitetree", "walk"),
    ...(await peers()).filter((walker) => settings.wants(walker.name)),
  ];
  const pages = sitemaps * shape.pages;
  const { all, bare } = await withSite(shape, async (origin) => ({
    bare: await inTurns([ours("bare fetch", "fetch")], settings.rounds, origin),
    all: await beforeEach(walkers[0]!, walkers.slice(1), settings.rounds, origin),
  }));
  checkSame(walkers, all, pages);
  const bytes = await bytesOf(shape);
  const best = middle(all[0]!, "seconds");
  const rows = walkers.map(({ name }, at) => {
    const seconds = middle(all[at]!, "seconds");
    return [
      name,
      `${figure(seconds)} s`,
      count(pages / seconds),
      figure(bytes / 1e6 / seconds),
      at === 0 ? "" : `×${figure(seconds / best)}`,
      `${figure(middle(all[at]!, "firstPage") * 1000)} ms`,
      `${figure(middle(all[at]!, "peakRss"))} MiB`,
    ];
  });
  rows.push([
    "reading the bodies with fetch, nothing else",
    `${figure(middle(bare[0]!, "seconds"))} s`,
    "",
    // these bodies stay compressed, so they are left out of the figures for decompressed bytes
    gzip ? "" : figure(bytes / 1e6 / middle(bare[0]!, "seconds")),
    "",
    "",
    `${figure(middle(bare[0]!, "peakRss"))} MiB`,
  ]);
  console.log(
    `\n## ${count(sitemaps)} sitemaps, ${figure(bytes / 1e6)} MB, ${count(pages)} pages` +
      `${gzip ? ", gzipped" : ""}\n`,
  );
  console.log(
    table(["", "time", "pages/s", "MB/s", "sitetree is", "first page", "peak RSS"], rows),
  );
}

/** The same site plain and gzipped, in turns: how much longer a walk takes that decompresses. */
async function benchGzip(settings: Settings): Promise<void> {
  const sitemaps = sitemapCount(settings, 75);
  const shape = { sitemaps, pages: settings.pages, distinct: sitemaps };
  const walker = ours("sitetree", "walk");
  const all = await withSite(
    { ...shape, gzip: false },
    (plain) =>
      withSite({ ...shape, gzip: true }, (gzipped) => {
        const at = (name: string, origin: string) => ({ name, run: () => walker.run(origin) });
        const walkers = [at("plain", plain), at("gzipped", gzipped)];
        return inTurns(walkers, settings.rounds, plain);
      }),
  );
  checkSame([walker, walker], all, sitemaps * shape.pages);
  const [plain, gzipped] = all as [WalkResult[], WalkResult[]];
  const ratios = gzipped.map(({ seconds }, round) => seconds / plain[round]!.seconds);
  const rows = [plain, gzipped].map((results, at) => [
    at === 0 ? "plain" : "gzipped",
    `${figure(middle(results, "seconds"))} s`,
    at === 0 ? "" : `×${figure(median(ratios))}`,
    `${figure(middle(results, "peakRss"))} MiB`,
  ]);
  console.log(`\n## ${count(sitemaps)} sitemaps, plain and gzipped in turns\n`);
  console.log(table(["", "time", "× plain", "peak RSS"], rows));
}

/** The same sitemaps ten times and a thousand times: peak memory must be the same. */
async function benchFlat(settings: Settings): Promise<void> {
  const rows: string[][] = [];
  const pages = Math.min(settings.pages, 5000);
  for (const gzip of [false, true]) {
    for (const full of [10, 1000]) {
      const sitemaps = full === 10 ? 10 : Math.max(10, sitemapCount(settings, full));
      const walker = ours("sitetree", "walk");
      const shape: SiteShape = { sitemaps, pages, distinct: 10, gzip };
      const all = await withSite(shape, (origin) => inTurns([walker], settings.rounds, origin));
      checkSame([walker], all, sitemaps * pages);
      rows.push([
        `${count(sitemaps)} sitemaps${gzip ? ", gzipped" : ""}`,
        count(sitemaps * pages),
        `${figure(middle(all[0]!, "seconds"))} s`,
        `${figure(middle(all[0]!, "peakRss"))} MiB`,
      ]);
    }
  }
  console.log(`\n## Memory: sitemaps of ${count(pages)} pages\n`);
  console.log(table(["", "pages", "time", "peak RSS"], rows));
}

/** Settings of a walk over small sitemaps. */
interface SmallRun {
  /** Milliseconds that the server waits before it answers. */
  readonly delay: number;
  /** Walks per process: in the first one the code is not optimized yet. */
  readonly times: number;
  /** Processes per walker. */
  readonly rounds: number;
}

/**
 * Many small sitemaps compared with plain `fetch` at the same concurrency: from a server that answers
 * at once, to measure only the client, and from one that waits a millisecond, about as long as a fast
 * network takes.
 */
async function benchSmall(settings: Settings): Promise<void> {
  const { rounds } = settings;
  // without a delay a round is too short to measure on its own
  await benchSmallRun(settings, { delay: 0, times: 8, rounds: 3 * rounds });
  await benchSmallRun(settings, { delay: 1, times: 2, rounds });
}

async function benchSmallRun(settings: Settings, { delay, times, rounds }: SmallRun) {
  const sitemaps = sitemapCount(settings, 2000);
  const shape: SiteShape = { sitemaps, pages: 10, distinct: sitemaps, gzip: false, delay };
  const rows: string[][] = [];
  await withSite(shape, async (origin) => {
    for (const concurrency of [1, 4, 8]) {
      const walkers = [
        ours(`bare fetch, ${concurrency} at once, bytes()`, "fetch-whole", concurrency, times),
        ours(`bare fetch, ${concurrency} at once, as a stream`, "fetch", concurrency, times),
        ours(`sitetree, ${concurrency} at once`, "walk", concurrency, times),
      ];
      const all = await inTurns(walkers, rounds, origin);
      checkSame(walkers.slice(2), all.slice(2), sitemaps * shape.pages);
      for (const [at, { name }] of walkers.entries()) {
        rows.push([
          name,
          ...timesOf(all, at, "seconds"),
          ...timesOf(all, at, "again"),
          `${figure(middle(all[at]!, "peakRss"))} MiB`,
        ]);
      }
    }
  });
  const from = delay > 0 ? `, from a server that waits ${delay} ms before it answers` : "";
  console.log(`\n## ${count(sitemaps)} sitemaps of 10 pages${from}\n`);
  const compared = ["× bytes()", "× stream"];
  console.log(table(["", "first time", ...compared, "again", ...compared, "peak RSS"], rows));
}

/** Time of a walker; that of the third is compared with the first two. */
function timesOf(
  all: readonly WalkResult[][],
  at: number,
  field: "seconds" | "again",
): string[] {
  const seconds = middle(all[at]!, field);
  const ratios = [0, 1].map((base) => `×${figure(seconds / middle(all[base]!, field))}`);
  return [`${figure(seconds)} s`, ...at === 2 ? ratios : ["", ""]];
}

async function benchCollect(settings: Settings): Promise<void> {
  const sitemaps = sitemapCount(settings, 75);
  const shape: SiteShape = { sitemaps, pages: settings.pages, distinct: sitemaps, gzip: false };
  const walkers = [ours("in memory", "collect"), ours("on disk", "collect-disk")];
  const all = await withSite(shape, (origin) => inTurns(walkers, settings.rounds, origin));
  const pages = sitemaps * shape.pages;
  checkSame(walkers, all, pages);
  const textOfPage = await bytesOf(shape) / pages;
  const rows = walkers.map(({ name }, at) => {
    const retained = middle(all[at]!, "retained") / pages;
    return [
      name,
      `${figure(middle(all[at]!, "seconds"))} s`,
      figure(retained),
      `×${figure(retained / textOfPage)}`,
      `${figure(middle(all[at]!, "readBack"))} s`,
      `${figure(middle(all[at]!, "peakRss"))} MiB`,
    ];
  });
  console.log(
    `\n## collect(): ${count(pages)} pages of ${figure(textOfPage)} bytes in the sitemap\n`,
  );
  console.log(
    table(["", "time", "bytes kept a page", "× its text", "allPages()", "peak RSS"], rows),
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      scale: { type: "string" },
      rounds: { type: "string" },
      only: { type: "string", multiple: true, default: [] },
      writers: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      diff: { type: "boolean", default: false },
    },
  });
  const PARTS = ["plain", "gzip", "flat", "small", "collect", "writers", "check", "diff"];
  const parts = values.only.filter((name) => PARTS.includes(name));
  if (values.writers) parts.push("writers");
  if (values.check) parts.push("check");
  if (values.diff) parts.push("diff");
  const walkers = values.only.filter((name) => !PARTS.includes(name));
  const settings: Settings = {
    scale: Number(values.scale ?? (values.quick ? 0.04 : 1)),
    rounds: Number(values.rounds ?? (values.quick ? 1 : 3)),
    pages: values.quick ? 50 : 34_667,
    wants: (name) => walkers.length === 0 || walkers.some((part) => name.includes(part)),
  };
  const wantsPart = (part: string) => parts.length === 0 || parts.includes(part);

  await installPeers();
  console.log(`# Walking a site from a local server\n\n${machine()}`);
  console.log(
    values.quick
      ? "Quick: the pages are checked; times of so little mean nothing"
      : `Medians of ${settings.rounds} rounds or more, the peers once; each in its own process`,
  );
  if (wantsPart("plain")) await benchWalk(settings, false);
  if (wantsPart("gzip")) {
    await benchGzip(settings);
    await benchWalk(settings, true);
  }
  if (wantsPart("flat")) await benchFlat(settings);
  if (wantsPart("small")) await benchSmall(settings);
  if (wantsPart("collect")) await benchCollect(settings);
  if (wantsPart("writers")) {
    const sitemaps = sitemapCount(settings, 75);
    const shape = { sitemaps, pages: settings.pages, distinct: sitemaps, gzip: false };
    await benchWriters(shape, settings.rounds);
  }
  if (wantsPart("check")) {
    const sitemaps = sitemapCount(settings, 15);
    const shape = { sitemaps, pages: settings.pages, distinct: sitemaps, gzip: false };
    await benchCheck(shape, settings.rounds);
  }
  if (wantsPart("diff")) {
    const sitemaps = sitemapCount(settings, 75);
    const shape = { sitemaps, pages: settings.pages, distinct: sitemaps, gzip: false };
    await benchDiff(shape, settings.rounds);
  }
}

if (import.meta.main) await main();
