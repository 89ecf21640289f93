/**
 * The process that reads a whole site in one way and reports on it.
 *
 *     deno run -A --v8-flags=--expose-gc site_client.ts walk|collect|collect-disk|fetch ORIGIN [CONCURRENCY]
 *
 * @module
 */

import { collect, walk } from "../../mod.ts";
import { diskStore } from "../../src/store/mod.ts";
import { WalkTally } from "./peers/walk_tally.mjs";

/** What a walker reports. */
export interface WalkResult {
  readonly seconds: number;
  /** Seconds until the first page. */
  readonly firstPage: number;
  readonly pages: number;
  readonly checksum: number;
  /** In MiB. */
  readonly peakRss: number;
  /** Bytes that a collected tree keeps in memory. */
  readonly retained?: number;
  /** Seconds of reading all pages back from the tree. */
  readonly readBack?: number;
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

async function collectSite(origin: string, concurrency: number, disk: boolean) {
  const before = bytesInUse();
  const start = performance.now();
  const options = disk ? { store: diskStore() } : {};
  const tree = await collect(walk(origin, { concurrency }), options);
  const seconds = (performance.now() - start) / 1000;
  const retained = bytesInUse() - before;
  const tally = new WalkTally();
  for (const page of tree.allPages()) tally.add(page.url);
  const back = tally.result();
  if (disk) tree[Symbol.dispose]();
  return { ...back, seconds, firstPage: seconds, readBack: back.seconds, retained };
}

/** Fetches robots.txt, the index and its sitemaps, and reads the bodies without a look at them. */
async function fetchSite(origin: string, concurrency: number): Promise<WalkResult> {
  const tally = new WalkTally();
  await (await fetch(`${origin}/robots.txt`)).text();
  const index = await (await fetch(`${origin}/sitemap_index.xml`)).text();
  const addresses = index.matchAll(/<loc>([^<]+)<\/loc>/g);
  const fetchAll = async () => {
    for (const [, address] of addresses) {
      const { body } = await fetch(address!);
      for await (const _chunk of body!) { /* only read */ }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, fetchAll));
  return tally.result();
}

if (import.meta.main) {
  const [mode, origin, concurrency = "4"] = Deno.args as [string, string, string?];
  const result = mode === "fetch"
    ? await fetchSite(origin, Number(concurrency))
    : mode === "walk"
    ? await walkSite(origin, Number(concurrency))
    : await collectSite(origin, Number(concurrency), mode === "collect-disk");
  console.log(JSON.stringify(result));
}
