/**
 * A row of the tables of transitions: a site in each run, and what each run must report and store.
 *
 * @module
 */

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
import { ScriptedSite, type Site, type SiteRequest } from "./scripted_site.ts";

/** One run of a transition. */
export interface TransitionRun {
  readonly site: Site;
  readonly options?: RunOptions;
  /** Milliseconds since the run before. Default: 2 hours. */
  readonly after?: number;
  /** Its events, as `outline()` formats them, in any order; the last line is the verdict. */
  readonly events: readonly string[];
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

/** A history of a site. */
export interface Transition {
  readonly name: string;
  readonly runs: readonly TransitionRun[];
  /** Pages after the last run, as `pageLines()` formats them. */
  readonly pages: readonly string[];
  /** Whether it is also tested over loopback. Default: false. */
  readonly loopback?: boolean;
  /** Whether the model follows it: it has neither validators nor feeds nor time limits. Default: true. */
  readonly isModelled?: boolean;
}

/** Runs a transition with an injected `fetch`, and over loopback if its row says so. */
export async function checkTransition(
  { runs, pages, loopback }: Transition,
  location: NewLocation,
): Promise<void> {
  for (const isServed of loopback ? [false, true] : [false]) {
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

function checkRun(run: TransitionRun, result: RunResult, name: string): void {
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
