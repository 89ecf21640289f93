/**
 * Walks of the model over a scripted site: with the limits and filters of a walk, and as the lines of
 * tables.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { type TreeEvent, walk } from "../../mod.ts";
import { KNOWN_PATHS } from "../../src/walk/known_paths.ts";
import { MemoryModel, type ModelPage, type ModelResult } from "./memory_model.ts";
import { at, DEFAULTS, HOME, RUN_AFTER, ScriptedSite, short, START_TIME } from "./scripted_site.ts";
import type { RunOptions } from "./sync_history.ts";
import { expected, type Transition } from "./transition.ts";

/** What a model did, and the events of a plain walk of the same site. */
export interface ModelledRun {
  readonly expected: ModelResult;
  readonly walked: readonly TreeEvent[];
}

/** Walks a site by the model, which asks for what a plain walk with these options asks for. */
export async function walkModel(
  model: MemoryModel,
  { fetch }: ScriptedSite,
  options: RunOptions,
  now: number,
): Promise<ModelledRun> {
  const { trustLastmod, full, allowMassRemoval, dryRun, confirmAfter, acceptAfter, ...rest } =
    options;
  const walkOptions: RunOptions = { ...DEFAULTS, ...rest };
  const walked = await Array.fromAsync(walk(HOME, { ...walkOptions, fetch }));
  const { sitemaps, useRobots = sitemaps === undefined, useKnownPaths } = walkOptions;
  const paths = [...useKnownPaths ? KNOWN_PATHS : [], ...walkOptions.extraKnownPaths ?? []];
  const known = paths.map((path) => HOME + path);
  // those that are not found have no events, unless the walk has ended before
  const finished = walked.at(-1);
  const isEnded = finished?.type === "finished" && finished.endedBy !== undefined;
  const { includeCallback = () => true } = walkOptions;
  const probed = isEnded ? [] : known.filter(includeCallback);
  const robots = at("/robots.txt");
  const asked = new Set([robots, ...probed, ...askedBy(walked)]);
  const expected = await model.walk({
    ...{ trustLastmod, full, allowMassRemoval, dryRun, confirmAfter, acceptAfter },
    ...{ robots, fetch, now },
    isAsked: (url) => asked.has(url),
    roots: [...useRobots ? [robots] : [], ...(sitemaps ?? []).map(String), ...known],
  });
  return { expected, walked };
}

/** Returns the sitemaps that a walk had an answer from, as they were requested. */
function askedBy(events: readonly TreeEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== "sitemap-entered" && event.type !== "invalid") return [];
    const { url, requestedUrl = url } = event.sitemap;
    const isAnswer = event.type === "sitemap-entered" ||
      event.code === "http-status" || event.code === "empty";
    return isAnswer ? requestedUrl : [];
  });
}

/** Compares the changes, counts and pages of a transition with those of the model. */
export async function checkModel(transition: Transition): Promise<void> {
  const { runs, pages } = expected(transition);
  const model = new MemoryModel();
  const scripted = new ScriptedSite();
  let now = START_TIME - RUN_AFTER;
  let result: ModelResult | undefined;
  for (const [index, run] of runs.entries()) {
    const { site, options, after = RUN_AFTER, events, sitemaps = {} } = run;
    scripted.site = site;
    now += after;
    ({ expected: result } = await walkModel(model, scripted, options, now));
    const { added, changed, removed, unchanged, unconfirmed, isRefused } = result;
    const lines = [
      ...added.map((page) => `added ${line(page)}`),
      ...changed.map((page) => `changed ${line(page)}`),
      ...removed.map((page) => `removed ${line(page)}`),
      ...isRefused ? ["warning mass-removal /"] : [],
    ].sort();
    const counts = { "+": added.length, "~": changed.length, "-": removed.length };
    const total = Object.entries({ ...counts, "=": unchanged, "?": unconfirmed })
      .flatMap(([sign, count]) => count === 0 ? [] : sign + count).join(" ");
    const changes = events.filter((line) => /^(?:added|changed|removed|warning mass-)/.test(line))
      .map((line) => line.replace(/: [ \w]+$/, "")).sort();
    const name = `run ${index + 1}`;
    assertEquals(changes, lines, `changes of ${name}`);
    assertEquals(events.at(-1)!.replace(/^\w+ ?/, ""), total, `counts of ${name}`);
    const states = Object.keys(sitemaps).map((path) => [path, stateOf(result!, path)]);
    assertEquals(sitemaps, Object.fromEntries(states), `sitemaps after ${name}`);
  }
  assertEquals(
    pages.map((line) => line.split(" ").slice(0, 3).join(" ")).sort(),
    [...result!.pages.values()].map(line).sort(),
  );
}

/** Returns the state of a sitemap as tables have it; `undefined` if it is not known. */
function stateOf({ answers, listings }: ModelResult, path: string): string | undefined {
  const url = at(path);
  const pages = listings.get(url)?.size;
  if (pages === undefined) return undefined;
  return pages === 0 ? answers.get(url) : `${answers.get(url)} ${pages}`;
}

function line({ url, sitemap }: ModelPage): string {
  return `${short(url)} in ${short(sitemap)}`;
}
