/**
 * Random histories of random sites against a model. `SYNC_MODEL_RUNS` is the number of histories,
 * `SYNC_MODEL_SEED` the seed.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type TreeEvent, walk } from "../../mod.ts";
import type { SyncEvent } from "../../src/sync/events.ts";
import { anyHistory, EditedSite, type History, type HistoryRun } from "./arbitrary_history.ts";
import { HOME, short } from "./scripted_site.ts";
import { type Expected, SiteModel } from "./site_model.ts";
import type { SnapshotContent } from "./snapshot_content.ts";
import {
  changesOfRun,
  checkCounts,
  checkOrder,
  type RunOptions,
  SyncHistory,
} from "./sync_history.ts";

const RUNS = Number(Deno.env.get("SYNC_MODEL_RUNS") ?? 60);
const SEED = Number(Deno.env.get("SYNC_MODEL_SEED") ?? 18);

Deno.test(`sync() agrees with a model in ${RUNS} histories from seed ${SEED}`, async () => {
  const folder = await Deno.makeTempDir(await memoryFolder());
  let count = 0;
  try {
    await fc.assert(
      fc.asyncProperty(anyHistory, (history) => checkHistory(history, `${folder}/${count++}.db`)),
      { numRuns: RUNS, seed: SEED },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Where files need no disk, since thousands of commits wait for one. */
async function memoryFolder(): Promise<Deno.MakeTempOptions> {
  const dir = "/dev/shm";
  const info = await Deno.stat(dir).catch(() => undefined);
  return info?.isDirectory ? { dir } : {};
}

async function checkHistory(history: History, path: string): Promise<void> {
  const site = new EditedSite(history);
  const model = new SiteModel();
  using actual = new SyncHistory({ path });
  for (const [at, run] of history.runs.entries()) {
    site.edit(run.edits);
    actual.scripted.site = site.site();
    const { allowMassRemoval, full, skipped } = run;
    const recurseCallback = (url: string) => short(url) !== skipped;
    const walked = await Array.fromAsync(walk(HOME, actual.options({ recurseCallback })));
    const requested = new Set<string>();
    actual.scripted.onRequest = (path) => void requested.add(path);
    const { trustLastmod } = history;
    const options = { trustLastmod, allowMassRemoval, full, recurseCallback };
    const result = await runOnce(actual, run, options);
    const { events, content } = result;
    const pages = new Map(content.pages.map(({ url, row }) => [
      short(url),
      Math.round(10 * Number(row.priority ?? 0)),
    ]));
    const expected = model.run(site, run, { requested, pages });
    assertEquals(pages, expected.pages, `pages after run ${at + 1}`);
    compareChanges(content, expected, `run ${at + 1}`);
    if (!history.trustLastmod && events !== undefined) compareWalks(events, walked, expected);
  }
}

/** What a run left; without events if the consumer has left before the last one. */
interface Result {
  readonly events?: readonly SyncEvent[];
  readonly content: SnapshotContent;
}

/** Runs `sync()`, possibly left and continued. */
async function runOnce(
  actual: SyncHistory,
  { breakAfter }: HistoryRun,
  options: RunOptions,
): Promise<Result> {
  const { site } = actual.scripted;
  if (breakAfter === undefined) return await actual.run(site, options);
  const before = actual.content().runs.length;
  let left = breakAfter;
  for await (const _ of actual.sync(options)) if (--left === 0) break;
  // the last events come after the last commit
  const isFinished = actual.content().runs.at(-1)?.is_finished === 1;
  const events: SyncEvent[] = [];
  if (!isFinished) {
    for await (const event of actual.sync(options)) events.push(actual.plain(event));
  }
  const content = actual.resume();
  assertEquals(content.runs.length, before + 1, "the run is continued");
  if (isFinished) return { content };
  const finished = events.at(-1);
  checkOrder(events);
  if (finished?.type === "finished") checkCounts(content, finished);
  return { events, content };
}

function compareChanges(content: SnapshotContent, expected: Expected, name: string): void {
  const changes = Object.entries(changesOfRun(content));
  const urlsOf = (type: string) =>
    changes.flatMap(([url, change]) => change.type === type ? short(url) : []).sort();
  for (const type of ["added", "changed", "removed"] as const) {
    assertEquals(urlsOf(type), expected[type].toSorted(), `${type} in ${name}`);
  }
  const { added, changed, removed, unchanged, unconfirmed } = content.runs.at(-1)!;
  assertEquals({ added, changed, removed, unchanged, unconfirmed }, {
    added: expected.added.length,
    changed: expected.changed.length,
    removed: expected.removed.length,
    unchanged: expected.unchanged,
    unconfirmed: expected.unconfirmed,
  }, `counts of ${name}`);
}

/** A synchronisation visits what a walk visits, and judges it alike. */
function compareWalks(
  events: readonly SyncEvent[],
  walked: readonly TreeEvent[],
  { isMassRemoval }: Expected,
): void {
  const finished = walked.at(-1);
  const last = events.at(-1);
  if (finished?.type !== "finished" || last?.type !== "finished") throw new Error("No end");
  assertEquals(last.verdict, isMassRemoval ? "partial" : finished.verdict);
  const { sitemaps, pages, invalid } = finished.stats;
  const { stats } = last;
  assertEquals({ sitemaps: stats.sitemaps, pages: stats.pages, invalid: stats.invalid }, {
    sitemaps,
    pages,
    invalid,
  });
  assertEquals(visitsOf(events), visitsOf(walked));
}

function visitsOf(events: readonly (SyncEvent | TreeEvent)[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "sitemap-entered":
      case "sitemap-left":
      case "invalid": {
        const { type, level, index } = event.sitemap;
        const what = event.type === "invalid"
          ? event.code
          : event.type === "sitemap-left"
          ? `${event.complete} ${event.pages}`
          : "";
        return `${event.type} ${short(event.sitemap.url)} ${type} ${level} ${index} ${what}`;
      }
      default:
        return [];
    }
  });
}
