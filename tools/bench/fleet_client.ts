/**
 * Process that adds sites to a fleet, walks them, or reads from it, and reports the result. Sites are
 * served by an injected `fetch`: one sitemap each, the same document for all, which is never modified.
 *
 *     deno run -A fleet_client.ts enqueue LOCATION RUN SITES
 *     deno run -A fleet_client.ts status LOCATION RUN TIMES
 *     deno run -A fleet_client.ts work LOCATION SLOTS PAGES
 *     deno run -A fleet_client.ts read LOCATION RUN
 *     deno run -A fleet_client.ts ndjson FILE SITES SLOTS PAGES
 *
 * `LOCATION` is the connection string of a server.
 *
 * @module
 */

import { pages, type WalkOptions } from "../../mod.ts";
import { openFleet } from "../../src/fleet/mod.ts";
import { toNdjson, toReadableStream } from "../../src/write/mod.ts";
import { generateSitemap } from "./generate.ts";
import { peakRss } from "../../tests/support/peak_rss.ts";
import { median } from "./table.ts";

/** Result of a process. */
export interface FleetResult {
  /** Seconds of the task, without the start of the process and the opening of the fleet. */
  readonly seconds: number;
  /** In MiB. */
  readonly peakRss: number;
  /** Sites or pages of the task. */
  readonly count: number;
}

function* homepages(count: number): Generator<string, void, void> {
  for (let number = 0; number < count; number++) yield `https://site-${number}.example/`;
}

/** Returns options of a walk that finds one sitemap on every site. */
function walkOptions(pages: number): Pick<WalkOptions, "fetch" | "useKnownPaths"> {
  const document = new Uint8Array(generateSitemap(pages, 1));
  const headers = { etag: '"1"' };
  return {
    useKnownPaths: false,
    fetch: (input, init) => {
      if (new Headers(init.headers).get("if-none-match") === headers.etag) {
        return Promise.resolve(new Response(null, { status: 304, headers }));
      }
      const { origin, pathname } = new URL(input);
      const isRobots = pathname === "/robots.txt";
      return Promise.resolve(
        new Response(isRobots ? `Sitemap: ${origin}/sitemap.xml\n` : document, { headers }),
      );
    },
  };
}

async function enqueueSites(url: string, run: string, sites: number): Promise<FleetResult> {
  await using fleet = await openFleet(url);
  return await timed(() => fleet.enqueue(run, homepages(sites)));
}

/** Returns the median time of the first progress that a run reports. */
async function readStatus(url: string, run: string, times: number): Promise<FleetResult> {
  await using fleet = await openFleet(url);
  const seconds: number[] = [];
  for (let time = 0; time < times; time++) {
    const { seconds: once } = await timed(async () => {
      const values = fleet.progress(run);
      await values.next();
      await values.return();
      return 1;
    });
    seconds.push(once);
  }
  return { seconds: median(seconds), peakRss: peakRss(), count: times };
}

async function work(url: string, slots: number, pages: number): Promise<FleetResult> {
  await using fleet = await openFleet(url, { walk: walkOptions(pages) });
  return await timed(async () => {
    await fleet.work({ slots, drain: true });
    return 0;
  });
}

async function readPages(url: string, run: string): Promise<FleetResult> {
  await using fleet = await openFleet(url);
  return await timed(async () => {
    let count = 0;
    for await (const { homepage } of fleet.sites(run)) {
      for await (const pages of fleet.snapshot.pages(homepage).batches()) count += pages.length;
    }
    return count;
  });
}

/** Walks the same sites, as many at a time, and writes their pages to a file. */
async function writeNdjson(
  path: string,
  sites: number,
  slots: number,
  length: number,
): Promise<FleetResult> {
  const options = walkOptions(length);
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  return await timed(async () => {
    const waiting = homepages(sites);
    await Promise.all(Array.from({ length: slots }, async () => {
      for (const site of waiting) {
        const batches = toReadableStream(pages(site, options).batches());
        for await (const bytes of batches.pipeThrough(toNdjson())) {
          for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
        }
      }
    }));
    return sites;
  });
}

async function timed(task: () => Promise<number>): Promise<FleetResult> {
  const start = performance.now();
  const count = await task();
  return { seconds: (performance.now() - start) / 1000, peakRss: peakRss(), count };
}

if (import.meta.main) {
  const [mode = "", location = "", ...rest] = Deno.args;
  const [first = 0, second = 0, third = 0] = rest.map(Number);
  const tasks: Readonly<Record<string, () => Promise<FleetResult>>> = {
    enqueue: () => enqueueSites(location, rest[0]!, second),
    status: () => readStatus(location, rest[0]!, second),
    work: () => work(location, first, second),
    read: () => readPages(location, rest[0]!),
    ndjson: () => writeNdjson(location, first, second, third),
  };
  console.log(JSON.stringify(await tasks[mode]!()));
}
