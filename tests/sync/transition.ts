/** A row of the tables of transitions: a site in each run, what it reports and stores. @module */

import type { NewLocation } from "./stores.ts";
import { assertEquals } from "@std/assert";
import {
  outline,
  pageLines,
  type RunOptions,
  type RunResult,
  stateLines,
  SyncHistory,
} from "./sync_history.ts";
import { at, ScriptedSite, type Site, type SiteRequest } from "./scripted_site.ts";
import { SiteListing } from "./site_listing.ts";
import { order } from "./snapshot_content.ts";

export interface TransitionRun {
  /** Default: that of the run before. */
  readonly site?: Site;
  /** Responses of the site that are other ones than in the run before. Default: none. */
  readonly edit?: Site;
  /** Options besides those of all runs. */
  readonly options?: RunOptions;
  /** Milliseconds since the run before. Default: 2 hours. */
  readonly after?: number;
  /** Number of such runs in a row. Default: 1. */
  readonly times?: number;
  /**
   * Its events, as `outline()` formats them, in any order; the last line is the verdict. Default:
   * it is complete; a first run adds all pages that the site lists, a later one changes nothing.
   */
  readonly events?: readonly string[];
  /**
   * Sitemaps that are unchanged: `/s.xml 2 same-bytes`. Default: those with the body that was read
   * last, unless the run is a full one.
   */
  readonly unchanged?: readonly string[];
  /** Sitemaps with `invalid http-status`. Default: those that the site lists, and that fail so. */
  readonly failed?: readonly string[];
  /** Events that are not compared. Default: none. */
  readonly except?: RegExp;
  /** Requests, in any order: path, status, and whether it was conditional. Default: any. */
  readonly requests?: readonly string[];
  /** Sitemaps that the server said are not modified. Default: any. */
  readonly notModified?: number;
  /** Bytes that were not transferred. Default: any. */
  readonly bytesSaved?: number;
  /** States of some sitemaps after it; `undefined` if it is not known. Default: any. */
  readonly sitemaps?: Readonly<Record<string, string | undefined>>;
}

export interface Transition {
  /** Options of all runs. */
  readonly options?: RunOptions;
  readonly runs: readonly TransitionRun[];
  /**
   * Pages after it, as `pageLines()` formats them. Default: those that its events add and do not
   * remove, as the site had them last.
   */
  readonly pages?: readonly string[];
  /** Whether it is also tested over loopback. Default: false. */
  readonly loopback?: boolean;
  /** Whether the model follows it: it has neither validators nor feeds nor time limits. Default: true. */
  readonly isModelled?: boolean;
}

/** A table of histories by name; one that has nothing else is its runs. */
export type Transitions = Readonly<Record<string, Transition | readonly TransitionRun[]>>;

export function each<T>(cases: readonly T[], rows: (value: T) => Transitions): Transitions {
  return Object.assign({}, ...cases.map(rows));
}

export function withOptions(options: RunOptions, table: Transitions): Transitions {
  return Object.fromEntries(
    rowsOf(table).map(([name, row]) => [name, { ...row, options: { ...options, ...row.options } }]),
  );
}

/** Returns a table whose rows are also tested over loopback. */
export function overLoopback(table: Transitions): Transitions {
  return withFields({ loopback: true }, table);
}

/** Returns a table that the model does not follow. */
export function notModelled(table: Transitions): Transitions {
  return withFields({ isModelled: false }, table);
}

function withFields(fields: Partial<Transition>, table: Transitions): Transitions {
  return Object.fromEntries(rowsOf(table).map(([name, row]) => [name, { ...row, ...fields }]));
}

export function rowsOf(table: Transitions): [name: string, transition: Transition][] {
  return Object.entries(table).map(([name, row]) => [name, "runs" in row ? row : { runs: row }]);
}

/** One run with everything that its row leaves out. */
export interface ExpectedRun extends TransitionRun {
  readonly site: Site;
  readonly options: RunOptions;
  /** With sitemaps that are unchanged or fail. */
  readonly events: readonly string[];
}

/** A history with everything that its row leaves out. */
export interface ExpectedTransition {
  readonly runs: readonly ExpectedRun[];
  readonly pages: readonly string[];
}

/** Returns a row with what it leaves out, by the script of its site. */
export function expected({ runs, options: shared, pages }: Transition): ExpectedTransition {
  const all: ExpectedRun[] = [];
  /** Bodies that were read last, by path. */
  const read = new Map<string, string>();
  /** Lines of pages, by path. */
  const current = new Map<string, string>();
  let site: Site = {};
  for (const run of runs.flatMap((run) => Array.from({ length: run.times ?? 1 }, () => run))) {
    const options = { ...shared, ...run.options };
    site = { ...run.site ?? site, ...run.edit };
    const listing = new SiteListing(site, options);
    const same = listing.unchanged(read);
    const { unchanged = options.full ? [] : same } = run;
    const isFirst = all.length === 0;
    const changes = run.events ?? (isFirst ? listing.added() : [`complete =${current.size}`]);
    replayLines(current, changes, listing);
    const isTrusted = (path: string) => unchanged.some((line) => line.startsWith(`${path} `));
    const { failed = [...listing.failed].filter((path) => !isTrusted(path)) } = run;
    const events = [
      ...unchanged.map((line) => `unchanged ${line}`),
      ...failed.map((path) => `invalid http-status ${path}`).filter((line) =>
        !run.except?.test(line)
      ),
      ...changes,
    ];
    all.push({ ...run, site, options, events });
  }
  const sorted = [...current].sort(([one], [other]) => order(at(one), at(other)));
  return { runs: all, pages: pages ?? sorted.map(([, line]) => line) };
}

/** Applies the events of a run to lines of pages; those that the site lists are as it has them. */
function replayLines(
  pages: Map<string, string>,
  events: readonly string[],
  listing: SiteListing,
): void {
  for (const event of events) {
    const [type, path, ...rest] = event.split(" ");
    if (type === "added") pages.set(path!, [path, ...rest].join(" "));
    if (type === "removed") pages.delete(path!);
  }
  for (const [path, line] of listing.pageLines()) if (pages.has(path)) pages.set(path, line);
}

/** Runs a transition with an injected `fetch`, and over loopback if its row says so. */
export async function checkTransition(
  transition: Transition,
  location: NewLocation,
): Promise<void> {
  const { runs, pages } = expected(transition);
  for (const isServed of transition.loopback ? [false, true] : [false]) {
    const scripted = new ScriptedSite();
    const server = isServed ? scripted.listen() : undefined;
    try {
      const options = { path: await location(), ...(server && { loopback: server }) };
      await using history = new SyncHistory(options, scripted);
      let result: RunResult | undefined;
      for (const [at, run] of runs.entries()) {
        result = await history.run(run.site, run.options, run.after);
        checkRun(run, result, `run ${at + 1}${isServed ? " over loopback" : ""}`);
      }
      assertEquals(pageLines(result!.content), pages);
    } finally {
      await server?.[Symbol.asyncDispose]();
    }
  }
}

function checkRun(run: ExpectedRun, result: RunResult, name: string): void {
  const { events, requests, notModified, bytesSaved, sitemaps, except } = run;
  const { stats } = result.finished;
  const lines = outline(result.events).filter((line) => !except?.test(line));
  assertEquals(lines.at(-1), events.at(-1), `verdict of ${name}\n${lines.join("\n")}`);
  assertEquals(lines.toSorted(), events.toSorted(), `events of ${name}`);
  if (requests !== undefined) {
    assertEquals(result.requests.map(requestLine).sort(), requests.toSorted(), name);
  }
  if (notModified !== undefined) assertEquals(stats.notModified, notModified, name);
  if (bytesSaved !== undefined) assertEquals(stats.bytesSaved, bytesSaved, name);
  if (sitemaps === undefined) return;
  const states = stateLines(result.content);
  const asked = Object.keys(sitemaps).map((path) => {
    // one that is gone is forgotten once no page refers to it
    const isForgotten = sitemaps[path] === undefined && states[path] === "gone";
    return [path, isForgotten ? undefined : states[path]];
  });
  assertEquals(Object.fromEntries(asked), sitemaps, `sitemaps after ${name}`);
}

function requestLine({ path, status, headers }: SiteRequest): string {
  const isConditional = headers.has("if-none-match") || headers.has("if-modified-since");
  return `${path} ${status}${isConditional ? " conditional" : ""}`;
}
