/**
 * Process that reads a whole site in one way and reports the result.
 *
 *     deno run -A --v8-flags=--expose-gc site_client.ts MODE ORIGIN [CONCURRENCY] [TIMES]
 *
 * `walk` delivers every page, `batches` does so by `batches()`, `count` too, without a look at the
 * URLs, `notes` with notes, `check` judges them, and `report` and `report-check` fold them into a report.
 * `diff` compares the site with the one at 127.0.0.2, and `count-two` counts the pages of both.
 * `collect` and `collect-disk` keep them, `fetch` only reads the bodies, as they come or, with
 * `fetch-whole`, by `bytes()`.
 *
 * @module
 */

import { collect, walk } from "../../mod.ts";
import { check } from "../../src/check/mod.ts";
import { aggregate } from "../../src/report/aggregate.ts";
import { diff, type DiffStats } from "../../src/sync/diff.ts";
import { peakRss } from "../../tests/support/peak_rss.ts";
import { WalkTally } from "./peers/walk_tally.mjs";
import { median } from "./table.ts";

/** Result of a walker. */
export interface WalkResult {
  readonly seconds: number;
  /** Seconds until the first page. */
  readonly firstPage: number;
  readonly pages: number;
  readonly checksum: number;
  /** In MiB. */
  readonly peakRss: number;
  /** Seconds of doing it again in the same process, when the code is compiled. */
  readonly again?: number;
  /** Bytes that a collected tree keeps in memory. */
  readonly retained?: number;
  /** Seconds of reading all pages back from the tree. */
  readonly readBack?: number;
}

/** Result of a walker that folds a report. */
export interface ReportResult extends WalkResult {
  /** The report as JSON, if there is one. */
  readonly json?: string;
}

/** Result of a comparison of two sites. */
export interface DiffResult extends WalkResult {
  readonly stats?: DiffStats;
}

const collectGarbage = (globalThis as { gc?: () => void }).gc ?? (() => {});

function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

async function walkSite(origin: string, concurrency: number): Promise<WalkResult> {
  const tally = new WalkTally();
  let fault: unknown;
  for await (const event of walk(origin, { concurrency })) {
    if (event.type === "page") tally.add(event.page.url);
    else if (event.type === "invalid" || event.type === "warning") fault ??= event;
    else if (event.type === "finished" && event.verdict !== "complete") {
      throw new Error(`The walk ended "${event.verdict}"`, { cause: fault });
    }
  }
  return tally.result();
}

/** The same, by `batches()`. */
async function walkSiteInBatches(origin: string, concurrency: number): Promise<WalkResult> {
  const tally = new WalkTally();
  for await (const events of walk(origin, { concurrency }).batches()) {
    for (const event of events) {
      if (event.type === "page") tally.add(event.page.url);
      else if (event.type === "finished" && event.verdict !== "complete") {
        throw new Error(`The walk ended "${event.verdict}"`);
      }
    }
  }
  return tally.result();
}

/** Counts the pages, by `batches()`. */
async function countPages(
  origin: string,
  concurrency: number,
  notes: boolean,
): Promise<WalkResult> {
  const start = performance.now();
  let pages = 0;
  for await (const events of walk(origin, { concurrency, notes }).batches()) {
    for (const event of events) if (event.type === "page") pages++;
  }
  return resultSince(start, pages);
}

async function checkSite(origin: string, concurrency: number): Promise<WalkResult> {
  const start = performance.now();
  const events = walk(origin, { concurrency, notes: true });
  const { pages, verdict } = await check(events, { now: new Date() });
  if (verdict !== "complete") throw new Error(`The walk ended "${verdict}"`);
  return resultSince(start, pages);
}

async function reportSite(
  origin: string,
  concurrency: number,
  check: boolean,
): Promise<ReportResult> {
  const start = performance.now();
  const events = walk(origin, { concurrency, notes: check });
  const report = await aggregate(events, { now: new Date(), check });
  const [site] = report.sites;
  if (site?.verdict !== "complete") throw new Error(`The walk ended "${site?.verdict}"`);
  const result = resultSince(start, report.totals.pages);
  return { ...result, json: JSON.stringify(report) };
}

/** Origin of the site that differs. */
function otherOrigin(origin: string): string {
  return origin.replace("127.0.0.1", "127.0.0.2");
}

async function countTwo(origin: string, concurrency: number): Promise<WalkResult> {
  const start = performance.now();
  const one = await countPages(origin, concurrency, false);
  const other = await countPages(otherOrigin(origin), concurrency, false);
  return resultSince(start, one.pages + other.pages);
}

async function diffSites(origin: string, concurrency: number): Promise<DiffResult> {
  const start = performance.now();
  const events = diff(walk(origin, { concurrency }), walk(otherOrigin(origin), { concurrency }));
  let differences = 0, stats: DiffStats | undefined;
  for await (const batch of events.batches()) {
    for (const event of batch) {
      if (event.type === "finished") stats = event.stats;
      else if (event.type === "incomplete") throw new Error(`A walk ended "${event.verdict}"`);
      else differences++;
    }
  }
  const { added, changed, removed, unchanged } = stats!;
  if (added + changed + removed !== differences) throw new Error("Differences are miscounted");
  return { ...resultSince(start, added + 2 * changed + 2 * unchanged + removed), stats: stats! };
}

function resultSince(start: number, pages: number): WalkResult {
  const seconds = (performance.now() - start) / 1000;
  return { seconds, firstPage: seconds, pages, checksum: 0, peakRss: peakRss() };
}

async function collectSite(origin: string, concurrency: number, disk: boolean) {
  const before = bytesInUse();
  const start = performance.now();
  const options = { onDisk: disk };
  const tree = await collect(walk(origin, { concurrency }), options);
  const seconds = (performance.now() - start) / 1000;
  const retained = bytesInUse() - before;
  const tally = new WalkTally();
  for (const page of tree.allPages()) tally.add(page.url);
  const back = tally.result();
  if (disk) tree[Symbol.dispose]();
  return { ...back, seconds, firstPage: seconds, readBack: back.seconds, retained };
}

type ReadBody = (response: Response) => Promise<unknown>;

async function readStream({ body }: Response): Promise<void> {
  for await (const _chunk of body!) { /* only read */ }
}

/** Fetches robots.txt, the index and its sitemaps, and discards the bodies. */
async function fetchSite(
  origin: string,
  concurrency: number,
  read: ReadBody,
): Promise<WalkResult> {
  const tally = new WalkTally();
  await (await fetch(`${origin}/robots.txt`)).text();
  const index = await (await fetch(`${origin}/sitemap_index.xml`)).text();
  const addresses = index.matchAll(/<loc>([^<]+)<\/loc>/g);
  const fetchAll = async () => {
    for (const [, address] of addresses) await read(await fetch(address!));
  };
  await Promise.all(Array.from({ length: concurrency }, fetchAll));
  return tally.result();
}

type Mode = (origin: string, concurrency: number) => Promise<WalkResult>;

const MODES: Readonly<Record<string, Mode>> = {
  "walk": walkSite,
  "batches": walkSiteInBatches,
  "count": (origin, concurrency) => countPages(origin, concurrency, false),
  "notes": (origin, concurrency) => countPages(origin, concurrency, true),
  "check": checkSite,
  "report": (origin, concurrency) => reportSite(origin, concurrency, false),
  "report-check": (origin, concurrency) => reportSite(origin, concurrency, true),
  "count-two": countTwo,
  "diff": diffSites,
  "collect": (origin, concurrency) => collectSite(origin, concurrency, false),
  "collect-disk": (origin, concurrency) => collectSite(origin, concurrency, true),
  "fetch": (origin, concurrency) => fetchSite(origin, concurrency, readStream),
  "fetch-whole": (origin, concurrency) => fetchSite(origin, concurrency, (it) => it.bytes()),
};

if (import.meta.main) {
  const [name, origin, concurrency = "4", times = "1"] = Deno.args as [string, string];
  const mode = MODES[name]!;
  const first = await mode(origin, Number(concurrency));
  const later: number[] = [];
  for (let time = 1; time < Number(times); time++) {
    later.push((await mode(origin, Number(concurrency))).seconds);
  }
  // the first walks include compilation
  const again = median(later.slice(later.length >> 1));
  console.log(JSON.stringify(later.length === 0 ? first : { ...first, again }));
}
