/** Short summaries of walks for tables of cases, and invariants of every walk. @module */

import { assert, assertEquals } from "@std/assert";
import { type TreeEvent, type Verdict, walk, type WalkOptions } from "../../mod.ts";

export interface Summary {
  /** Paths of the pages, in order. */
  readonly pages: string[];
  /** Codes by the path of the invalid sitemap. */
  readonly invalid: Record<string, string>;
  /** Codes of the warnings, sorted, each once. */
  readonly warnings: string[];
  /** Paths of the sitemaps that were left before their end. */
  readonly unfinished: string[];
  readonly verdict: Verdict;
}

/** Returns the summary of a complete walk that found nothing, but for what is given. */
export function summary(given: Partial<Summary>): Summary {
  return { pages: [], invalid: {}, warnings: [], unfinished: [], verdict: "complete", ...given };
}

/** Codes that are compatible with `complete`. */
const HARMLESS: ReadonlySet<string> = new Set(["recursion", "already-visited"]);

/** Returns all events of a walk, checked. */
export async function eventsOf(
  homepage: string | URL,
  options: WalkOptions = {},
): Promise<TreeEvent[]> {
  const events = await Array.fromAsync(walk(homepage, options));
  assertSound(events);
  return events;
}

export async function summaryOf(
  homepage: string | URL,
  options: WalkOptions = {},
): Promise<Summary> {
  return summaryOfEvents(await eventsOf(homepage, options));
}

export function summaryOfEvents(events: readonly TreeEvent[]): Summary {
  const pages: string[] = [];
  const invalid: Record<string, string> = {};
  const warnings = new Set<string>();
  const unfinished: string[] = [];
  let verdict: Verdict | undefined;
  for (const event of events) {
    switch (event.type) {
      case "page":
        pages.push(pathOf(event.page.url));
        break;
      case "invalid":
        invalid[pathOf(event.sitemap.url)] = event.code;
        break;
      case "warning":
        warnings.add(event.code);
        break;
      case "sitemap-left":
        if (!event.complete) unfinished.push(pathOf(event.sitemap.url));
        break;
      case "finished":
        verdict = event.verdict;
    }
  }
  if (verdict === undefined) throw new Error("The walk has no verdict");
  return { pages, invalid, warnings: [...warnings].sort(), unfinished, verdict };
}

/** Returns path and query of a URL. */
export function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

export function assertSound(events: readonly TreeEvent[]): void {
  const [first] = events;
  const last = events.at(-1);
  assert(first?.type === "sitemap-entered" && first.sitemap.type === "IndexWebsiteSitemap");
  if (last?.type !== "finished") throw new Error("The last event is not finished");
  const open = new Map<number | null, number>();
  let pages = 0, invalid = 0, refused = 0, cut = 0;
  for (const event of events) {
    if (event.type === "finished") continue;
    const { id, parent } = event.sitemap;
    if (event.type === "sitemap-entered") {
      assert(
        parent === null || open.has(parent),
        "a sitemap is entered inside the one that lists it",
      );
      open.set(id, 0);
      open.set(parent, (open.get(parent) ?? 0) + 1);
    } else if (event.type === "sitemap-left") {
      assertEquals(open.get(id), 0, "a sitemap is left once, after those inside it");
      open.delete(id);
      open.set(parent, open.get(parent)! - 1);
      if (!event.complete) cut++;
    } else if (event.type === "page") {
      assert(open.has(id), "a page comes while its sitemap is open");
      pages++;
    } else if (event.type === "invalid") {
      assert(open.has(parent), "an invalid sitemap is inside its parent");
      assert(event.reason !== "", "a reason is given");
      invalid++;
      if (!HARMLESS.has(event.code)) refused++;
    }
  }
  assertEquals([...open], [[null, 0]], "every sitemap that was entered is left");
  assertEquals(last.stats.pages, pages);
  assertEquals(last.stats.invalid, invalid);
  if (last.verdict === "complete") assertEquals([refused, cut], [0, 0], "complete means complete");
  if (last.verdict === "none") assertEquals([pages, refused, cut], [0, 0, 0], "none means none");
}
