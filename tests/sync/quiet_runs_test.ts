/** Which runs are kept of those without changes. @module */

import { assertEquals } from "@std/assert";
import { DAY } from "../../src/data/calendar.ts";
import { openSnapshot, type Snapshot, sync } from "../../src/sync/mod.ts";
import { inEachStore, type NewLocation } from "./stores.ts";

const test = inEachStore("runs without changes are kept for some time");

const OPTIONS = { retries: 0, useKnownPaths: false, useHomepage: false } as const;
const START = Date.parse("2026-01-01T00:00:00Z");

/** A run: its day, how many pages its site has, and whether it is interrupted. */
type Run = readonly [day: number, pages: number, ending?: "interrupted" | "down"];

class Clock {
  day = 0;
  readonly now = (): number => START + this.day * DAY;
}

async function runOnce(
  snapshot: Snapshot,
  clock: Clock,
  [day, pages, ending]: Run,
  site = "https://a.test/",
): Promise<void> {
  clock.day = day;
  const fetch = (address: string) => {
    const { pathname } = new URL(address);
    if (ending === "down") return Promise.resolve(new Response(null, { status: 503 }));
    if (pathname === "/robots.txt") {
      return Promise.resolve(new Response(`Sitemap: ${site}1.txt\nSitemap: ${site}2.txt`));
    }
    const urls = Array.from({ length: pages }, (_, at) => `${site}${at}`);
    // other bytes with the same pages are read, and committed
    const body = [`${site}always`, ...urls].join("\n") + "\n".repeat(day);
    return Promise.resolve(new Response(body));
  };
  for await (const event of sync(site, { snapshot, fetch, ...OPTIONS })) {
    const isFirst = event.type === "sitemap-left" && event.sitemap.url.endsWith("/1.txt");
    if (ending === "interrupted" && isFirst) break;
  }
}

async function daysOf(snapshot: Snapshot, site?: string): Promise<number[]> {
  const runs = await Array.fromAsync(snapshot.runs(site));
  return runs.map(({ started }) => (started.getTime() - START) / DAY);
}

const EVERY_DAY = Array.from({ length: 60 }, (_, day): Run => [day, day < 3 ? 1 : 2]);
const DAYS = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

interface Row {
  readonly keep?: number;
  readonly runs: readonly Run[];
  /** Days of the runs that are left. */
  readonly days: readonly number[];
}

const ROWS: Readonly<Record<string, Row>> = {
  "for 30 days by default": { runs: EVERY_DAY, days: [0, 3, ...DAYS(29, 59)] },
  "for a week": { keep: 7 * DAY, runs: EVERY_DAY, days: [0, 3, ...DAYS(52, 59)] },
  "for no time, but the last one": { keep: 0, runs: EVERY_DAY, days: [0, 3, 59] },
  "for ever": { keep: Infinity, runs: EVERY_DAY, days: DAYS(0, 59) },
  "also those that found no answer": {
    runs: [[0, 1], [1, 1, "down"], [2, 1], [40, 1]],
    days: [0, 40],
  },
  "also those that were interrupted, unless they found changes": {
    runs: [[0, 1], [1, 1, "interrupted"], [2, 3, "interrupted"], [40, 3]],
    days: [0, 2, 40],
  },
  "until a run ends": { runs: [[0, 1], [1, 1], [40, 1, "interrupted"]], days: [0, 1, 40] },
  "if the clock was set back": { runs: [[40, 1], [41, 1], [2, 1]], days: [40, 41, 2] },
};

for (const [name, { keep, runs, days }] of Object.entries(ROWS)) {
  test(`runs without changes are kept ${name}`, async (location) => {
    const clock = new Clock();
    await using snapshot = await openSnapshot(await location(), {
      now: clock.now,
      ...(keep !== undefined && { keepQuietRuns: keep }),
    });
    for (const run of runs) await runOnce(snapshot, clock, run);
    assertEquals(await daysOf(snapshot), days);
    const [site] = await Array.fromAsync(snapshot.sites());
    assertEquals(site!.lastRun!.started.getTime(), START + runs.at(-1)![0] * DAY);
  });
}

const OTHER = "https://b.test/";

/** With two sites, the second of which was last walked on day 1. */
async function withOld(
  location: NewLocation,
  body: (snapshot: Snapshot, clock: Clock) => Promise<void>,
): Promise<void> {
  const clock = new Clock();
  await using snapshot = await openSnapshot(await location(), {
    now: clock.now,
    keepQuietRuns: Infinity,
  });
  for (const day of DAYS(0, 9)) await runOnce(snapshot, clock, [day, 1]);
  for (const day of DAYS(0, 3)) await runOnce(snapshot, clock, [day, 1], OTHER);
  clock.day = 20;
  await body(snapshot, clock);
}

test("prune() deletes runs without changes of all sites, but not the last of one", (location) =>
  withOld(location, async (snapshot) => {
    await snapshot.prune({ keepQuietRuns: 15 * DAY });
    assertEquals(await daysOf(snapshot, OTHER), [0, 3]);
    assertEquals(await daysOf(snapshot, "https://a.test/"), [0, ...DAYS(5, 9)]);
    // changes are kept
    assertEquals((await Array.fromAsync(snapshot.changes({ after: 0 }))).length, 4);
  }));

test("prune() keeps runs without changes as the snapshot was opened", (location) =>
  withOld(location, async (snapshot) => {
    await snapshot.prune({ keepChanges: 100 * DAY });
    assertEquals((await daysOf(snapshot)).length, 14);
  }));
