/** Scripted sites and short forms of events for the tests of walks. @module */

import { assertEquals } from "@std/assert";
import { type Sitemap, type SitemapJson, walk, type WalkOptions } from "../../mod.ts";
import type { FinishedEvent, TreeEvent } from "../../src/data/events.ts";
import { type Answer, redirect, type Script, ScriptedFetch, text } from "../http/scripted_fetch.ts";
import type { FixtureServer } from "../support/fixture_server.ts";

/** The fixture sites. */
export const SITES = ["demo", "broken", "nested", "no-robots", "soft-404"] as const;

/** Both orders. */
export const ORDERS = ["document", "arrival"] as const;

/** Homepage of scripted sites. */
export const HOME = "https://site.test/";

/** A scripted site: responses by path; a string is a document, `-> target` a redirect. */
export type Pages = Readonly<Record<string, string | Answer | readonly Answer[]>>;

/** Returns a `fetch` for a scripted site at {@linkcode HOME}. */
export function siteFetch(pages: Pages): ScriptedFetch {
  const entries = Object.entries(pages).map(([path, page]) => {
    if (typeof page !== "string") return [new URL(path, HOME).href, page];
    const answer = page.startsWith("-> ") ? redirect(page.slice(3)) : text(page);
    return [new URL(path, HOME).href, answer];
  });
  return new ScriptedFetch(Object.fromEntries(entries) as Script);
}

/** Returns all events of a walk of a scripted site, and the paths requested. */
export async function walked(
  pages: Pages,
  options: WalkOptions = {},
): Promise<
  { readonly events: TreeEvent[]; readonly paths: string[]; readonly finished: FinishedEvent }
> {
  const script = siteFetch(pages);
  const defaults = { fetch: script.fetch, retryDelay: 0, useKnownPaths: false };
  const events = await Array.fromAsync(walk(HOME, { ...defaults, ...options }));
  const paths = script.urls.map((url) => url.startsWith(HOME) ? url.slice(HOME.length - 1) : url);
  return { events, paths, finished: finishedOf(events) };
}

/** Returns a tree as data without its statistics, which no two walks share. */
export function treeData(tree: Sitemap): Omit<SitemapJson, "stats"> {
  const { stats: _stats, ...data } = tree.toJSON();
  return data;
}

/** Returns the last event. */
export function finishedOf(events: readonly TreeEvent[]): FinishedEvent {
  const last = events.at(-1);
  assertEquals(last?.type, "finished");
  return last as FinishedEvent;
}

/** Formats events: `page /a`, `invalid network /x`, `warning xml-cut /s`. */
export function outline(events: readonly TreeEvent[]): string[] {
  return events.map((event) => {
    if (event.type === "finished") return `finished ${event.verdict}`;
    const at = short(event.sitemap.url);
    switch (event.type) {
      case "page":
        return `page ${short(event.page.url)}`;
      case "invalid":
        return `invalid ${event.code} ${at}`;
      case "warning":
        return `warning ${event.code} ${at}`;
      case "note":
        return `note ${event.code} ${at}`;
      case "sitemap-entered":
        return `entered ${at}`;
      case "sitemap-left":
        return `left ${at}${event.complete ? "" : " cut"}`;
    }
  });
}

function short(url: string): string {
  return url.startsWith(HOME) ? url.slice(HOME.length - 1) : url;
}

/** Returns the URL of a path of a scripted site; any other text is returned unchanged. */
export function at(path: string): string {
  return path.startsWith("/") ? HOME.slice(0, -1) + path : path;
}

/** Returns an index of these addresses; paths are those of {@linkcode HOME}. */
export function index(...urls: string[]): string {
  return `<sitemapindex>${
    urls.map((url) => `<sitemap><loc>${at(url)}</loc></sitemap>`).join("")
  }</sitemapindex>`;
}

/** Returns a urlset of these addresses; paths are those of {@linkcode HOME}. */
export function urlset(...urls: string[]): string {
  return `<urlset>${urls.map((url) => `<url><loc>${at(url)}</loc></url>`).join("")}</urlset>`;
}

/** Returns a robots.txt that declares these sitemaps; paths are those of {@linkcode HOME}. */
export function robots(...urls: string[]): string {
  return urls.map((url) => `Sitemap: ${at(url)}\n`).join("");
}

/** Waits until a server has noticed that all connections are closed. */
export async function untilIdle(server: FixtureServer): Promise<void> {
  for (let turn = 0; turn < 2000 && server.underWay > 0; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assertEquals(server.underWay, 0, "no request is left under way");
}
