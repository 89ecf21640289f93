/**
 * Random histories of random sites: against a model, and, where runs are interrupted, against what holds
 * in any history. `SYNC_MODEL_RUNS` is the number of histories of each kind.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import fc, { SEED } from "../support/fast_check.ts";
import type { TreeEvent } from "../../mod.ts";
import { HOUR } from "../../src/data/calendar.ts";
import type { SyncEvent, SyncFinishedEvent } from "../../src/sync/mod.ts";
import {
  anyHistory,
  anyInterruptedHistory,
  type Edit,
  EditedSite,
  type History,
  type HistoryRun,
  KNOWN_PATH,
  pathIdentity,
  ROBOTS,
  SITEMAPS,
} from "./arbitrary_history.ts";
import { MemoryModel, type ModelResult } from "./memory_model.ts";
import { walkModel } from "./model_walk.ts";
import { short, type Site, type SiteRequest } from "./scripted_site.ts";
import type { SnapshotContent } from "./snapshot_content.ts";
import { inEachStore, type NewLocation } from "./stores.ts";
import { changesOf, type RunOptions, SyncHistory } from "./sync_history.ts";

const RUNS = Number(Deno.env.get("SYNC_MODEL_RUNS") ?? 40);

const test = inEachStore("sync() is right in random histories");

/** Checks a property of a history, whose snapshot has a path of its own. */
async function checkAll<T>(
  location: NewLocation,
  histories: fc.Arbitrary<T>,
  check: (history: T, path: string) => Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => await check(history, await location())),
    { numRuns: RUNS },
  );
}

/** Probes a known path besides robots.txt. */
const PROBING = { sitemaps: [], useRobots: true, extraKnownPaths: [KNOWN_PATH.slice(1)] };

function optionsOf(
  history: History,
  { allowMassRemoval = false, full = false, dryRun = false, ...run }: HistoryRun,
  site: EditedSite,
): RunOptions {
  const { skipped, maxSitemaps, confirmAfter } = run;
  // one that is not a urlset is requested and judged nevertheless
  const isUrlset = (path: string) => !site.content(path).isIndex && !site.fault(path);
  const excluded = run.excluded !== undefined && isUrlset(run.excluded) ? run.excluded : undefined;
  return {
    trustLastmod: history.trustLastmod,
    ...{ allowMassRemoval, full, dryRun },
    recurseCallback: (url) => short(url) !== skipped,
    includeCallback: (url) => short(url) !== excluded,
    ...(history.isProbed && !run.isUnprobed && PROBING),
    ...(maxSitemaps !== undefined && { maxSitemaps }),
    ...(confirmAfter !== undefined && { confirmAfter }),
  };
}

/** Returns the versions of pages, by identity. */
function versionsOf(pages: SnapshotContent["pages"]): Map<string, number> {
  return new Map(
    pages.map(({ page }) => [pathIdentity(short(page.url)), versionOf(page.priority)]),
  );
}

function versionOf(priority = 0.5): number {
  return priority === 0.5 ? 0 : Math.round(10 * priority);
}

// ------------------------------------------------------------------------------------- the model

test(`sync() agrees with a model in ${RUNS} histories from seed ${SEED}`, (location) =>
  checkAll(location, anyHistory, async (history, path) => {
    const site = new EditedSite(history);
    const model = new MemoryModel();
    await using actual = new SyncHistory({ path });
    for (const [at, run] of history.runs.entries()) {
      site.edit(run.edits);
      const options = optionsOf(history, run, site);
      actual.scripted.site = site.site();
      const now = actual.now + run.after;
      const { expected, walked } = await walkModel(model, actual.scripted, options, now);
      const { events, content } = await actual.run(site.site(), options, run.after);
      compareChanges(events, expected, `run ${at + 1}`);
      if (!run.dryRun) comparePages(content, expected, `run ${at + 1}`);
      if (!history.trustLastmod) compareWalks(events, walked, expected);
    }
    await checkConvergence(actual, site, history);
  }));

function compareChanges(events: readonly SyncEvent[], expected: ModelResult, name: string): void {
  const changes = Object.entries(changesOf(events));
  for (const type of ["added", "changed", "removed"] as const) {
    const urls = changes.flatMap(([url, change]) => change.type === type ? short(url) : []);
    assertEquals(
      urls.sort(),
      expected[type].map(({ url }) => short(url)).sort(),
      `${type} in ${name}`,
    );
  }
  const { unchanged, unconfirmed } = (events.at(-1) as SyncFinishedEvent).stats;
  const counts = { unchanged: expected.unchanged, unconfirmed: expected.unconfirmed };
  assertEquals({ unchanged, unconfirmed }, counts, `counts of ${name}`);
}

function comparePages(content: SnapshotContent, expected: ModelResult, name: string): void {
  const lines = [...expected.pages.values()].map(({ url, values, sitemap, dropped }) =>
    `${short(url)} ${versionOf(values.priority)} ${
      dropped === undefined ? `in ${short(sitemap)}` : "unconfirmed"
    }`
  );
  const stored = content.pages.map(({ page, sitemap, unconfirmed }) =>
    `${short(page.url)} ${versionOf(page.priority)} ${
      unconfirmed ? "unconfirmed" : `in ${short(sitemap)}`
    }`
  );
  assertEquals(stored.sort(), lines.sort(), `pages after ${name}`);
  // one that is gone is forgotten once no page refers to it
  const known = content.sitemaps.filter(({ url, state }) =>
    state !== "gone" || expected.listings.has(url)
  );
  const states = known.map(({ url, state }) => `${short(url)} ${state}`);
  const answers = [...expected.listings.keys()].map((url) =>
    `${short(url)} ${expected.answers.get(url)}`
  );
  assertEquals(states.sort(), answers.sort(), `sitemaps after ${name}`);
}

/** A synchronisation visits what a walk visits, and judges it alike. */
function compareWalks(
  events: readonly SyncEvent[],
  walked: readonly TreeEvent[],
  { isRefused }: ModelResult,
): void {
  const finished = walked.at(-1);
  const last = events.at(-1);
  if (finished?.type !== "finished" || last?.type !== "finished") throw new Error("No end");
  assertEquals(last.verdict, isRefused ? "partial" : finished.verdict);
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

// ------------------------------------------------------------------------------------ invariants

test(`sync() loses nothing in ${RUNS} interrupted histories from seed ${SEED}`, (location) =>
  checkAll(location, anyInterruptedHistory, async (history, path) => {
    const site = new EditedSite(history);
    const witness = new Witness(site);
    await using actual = new SyncHistory({ path, isPruned: history.isPruned });
    const { scripted } = actual;
    for (const [at, run] of history.runs.entries()) {
      site.edit(run.edits);
      const options = optionsOf(history, run, site);
      const interruption = run.dryRun ? undefined : history.interruptions[at];
      let { after } = run;
      if (interruption !== undefined) {
        let left = interruption.breakAfter;
        const events = await actual.interrupt(site.site(), () => --left === 0, options, after);
        witness.check(events, scripted.take(), "interrupted");
        ({ after } = interruption);
        const { edits, changesAt } = interruption;
        if (changesAt === undefined) site.edit(edits);
        else scripted.onRequest = changeAfter(changesAt, () => scripted.site = edited(site, edits));
      }
      const { events, requests, content } = await actual.run(
        site.site(),
        options,
        after,
      );
      scripted.onRequest = undefined;
      const isFull = content.sitemaps.every(({ state }) => state !== "unknown");
      const isWhole = isFull && !run.dryRun;
      if (interruption?.changesAt !== undefined) witness.forget();
      else witness.check(events, requests, isWhole ? "full" : run.dryRun ? "dry" : "partial");
    }
    await checkConvergence(actual, site, history);
  }));

/** Returns a function that does something when it is called for the n-th time. */
function changeAfter(count: number, action: () => void): () => void {
  let left = count;
  return () => {
    if (--left === 0) action();
  };
}

function edited(site: EditedSite, edits: readonly Edit[]): Site {
  site.edit(edits);
  return site.site();
}

/** Checks what is removed, from what the site has answered. */
class Witness {
  readonly #site: EditedSite;
  /** Pages that sitemaps had when they were read last, as far as that is certain. */
  readonly #listings = new Map<string, ReadonlySet<string>>();

  constructor(site: EditedSite) {
    this.#site = site;
  }

  /** Forgets everything, after a run in which the site changed. */
  forget(): void {
    this.#listings.clear();
  }

  check(
    events: readonly SyncEvent[],
    requests: readonly SiteRequest[],
    kind: "full" | "partial" | "interrupted" | "dry",
  ): void {
    const removed = events.flatMap((event) =>
      event.type === "removed" ? pathIdentity(short(event.page.url)) : []
    );
    const isAsked = (path: string) => requests.some((request) => request.path === path);
    for (const path of SITEMAPS) {
      if (!isAsked(path) || !this.#isUnreadable(path)) continue;
      const kept = this.#listings.get(path);
      assertEquals(removed.filter((page) => kept?.has(page)), [], `${path} may still have them`);
    }
    if (kind === "full") {
      const pages = this.#site.pages();
      assertEquals(removed.filter((page) => pages.has(page)), [], "pages that are on the site");
    }
    if (kind === "dry") return;
    for (const path of SITEMAPS) this.#observe(path, isAsked(path), kind === "interrupted");
  }

  #isUnreadable(path: string): boolean {
    const fault = this.#site.fault(path);
    if (fault === undefined || fault.type === "empty" || fault.type === "emptied") return false;
    return fault.type !== "status" || fault.status >= 500;
  }

  #observe(path: string, isAsked: boolean, isInterrupted: boolean): void {
    if (isAsked && this.#isUnreadable(path)) return;
    const { isIndex, pages } = this.#site.content(path);
    const isListing = isAsked && this.#site.fault(path) === undefined && !isIndex;
    if (!isListing) return void this.#listings.delete(path);
    // a run that was interrupted may have read it in vain
    const before = this.#listings.get(path);
    const certain = [...pages.keys()].map(pathIdentity).filter((page) =>
      !isInterrupted || before?.has(page)
    );
    this.#listings.set(path, new Set(certain));
  }
}

/** Checks that nothing gets stuck: once a site answers everything, the snapshot agrees with it. */
async function checkConvergence(
  actual: SyncHistory,
  site: EditedSite,
  { isProbed }: History,
): Promise<void> {
  site.heal();
  const options = isProbed ? PROBING : {};
  let isRefused = false;
  for (let walk = 0; walk < 3; walk++) {
    const { events } = await actual.run(site.site(), options, HOUR + 1);
    isRefused = events.some((event) => event.type === "warning" && event.code === "mass-removal");
  }
  if (isRefused) {
    await actual.run(site.site(), { ...options, allowMassRemoval: true }, HOUR + 1);
  }
  const { pages, sitemaps } = await actual.content();
  assert(pages.every(({ unconfirmed }) => !unconfirmed), "nothing is unconfirmed");
  assertEquals(
    new Map([...versionsOf(pages)].sort()),
    new Map([...site.pages()].sort()),
    "the pages of the site",
  );
  // robots.txt and the known path may have been sitemaps once
  const isListed = (path: string) => path !== ROBOTS && path !== KNOWN_PATH;
  const paths = sitemaps.map(({ url }) => short(url)).filter(isListed);
  assertEquals(paths.sort(), site.sitemaps().filter(isListed).sort(), "the sitemaps of the site");
}
