/** Walks of scripted sites, and short forms of their events. @module */

import { assertEquals } from "@std/assert";
import {
  type FinishedEvent,
  type Sitemap,
  type SitemapJson,
  type SitemapRef,
  type TreeEvent,
  type Verdict,
  walk,
  type WalkOptions,
  type WalkStats,
} from "../../mod.ts";
import { walkWith } from "../../src/walk/walk.ts";
import type { FakeClock } from "../http/fake_clock.ts";
import type { ScriptedRequest } from "../http/scripted_fetch.ts";
import type { FixtureServer } from "../support/fixture_server.ts";
import { HOME, type Pages, short, siteFetch } from "./site.ts";

export const SITES = ["demo", "broken", "nested", "no-robots", "soft-404"] as const;

export const DONE = { done: true, value: undefined } as const;

export interface WalkSetting {
  readonly homepage?: string;
  /** Clock of the walk, which jumps from timer to timer. */
  readonly clock?: FakeClock;
}

/** Walks a scripted site; known paths and the homepage only with `useKnownPaths`. */
export async function walked(
  pages: Pages,
  options: WalkOptions = {},
  setting: WalkSetting = {},
): Promise<Walked> {
  const defaults = options.sitemaps === undefined ? { useKnownPaths: false } : {};
  return await searched(pages, { ...defaults, ...options }, setting);
}

/** Walks a scripted site with known paths and the homepage, as is the default. */
export async function searched(
  pages: Pages,
  options: WalkOptions = {},
  { homepage = HOME, clock }: WalkSetting = {},
): Promise<Walked> {
  const { fetch, requests } = siteFetch(pages, () => clock?.time ?? 0);
  if (clock === undefined) return await walkedFrom(homepage, { fetch, ...options }, requests);
  const events = walkWith(homepage, { fetch, ...options }, { clock });
  return new Walked(await clock.run(Array.fromAsync(events)), requests);
}

/** Walks a site that is served, without delays before retries. */
export async function walkedFrom(
  homepage: string | URL,
  options: WalkOptions = {},
  requests: readonly ScriptedRequest[] = [],
): Promise<Walked> {
  const events = await Array.fromAsync(walk(homepage, { retryDelay: 0, ...options }));
  return new Walked(events, requests);
}

type EventOf<T extends TreeEvent["type"]> = Extract<TreeEvent, { readonly type: T }>;

/** Returns the events of a type. */
export function eventsOf<T extends TreeEvent["type"]>(
  events: readonly TreeEvent[],
  type: T,
): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

/** The events of a walk, and the requests of its site; URLs are paths, except on other hosts. */
export class Walked {
  readonly events: readonly TreeEvent[];
  readonly requests: readonly ScriptedRequest[];

  constructor(events: readonly TreeEvent[], requests: readonly ScriptedRequest[] = []) {
    this.events = events;
    this.requests = requests;
  }

  get finished(): FinishedEvent {
    return finishedOf(this.events);
  }

  get verdict(): Verdict {
    return this.finished.verdict;
  }

  get stats(): WalkStats {
    return this.finished.stats;
  }

  get outline(): string[] {
    return outline(this.events);
  }

  of<T extends TreeEvent["type"]>(type: T): EventOf<T>[] {
    return eventsOf(this.events, type);
  }

  get pages(): string[] {
    return this.of("page").map(({ page }) => short(page.url));
  }

  /** Invalid sitemaps, as code and URL. */
  get invalid(): string[] {
    return this.of("invalid").map(({ code, sitemap }) => `${code} ${short(sitemap.url)}`);
  }

  /** Warnings, as code and URL of their sitemap. */
  get warnings(): string[] {
    return this.of("warning").map(({ code, sitemap }) => `${code} ${short(sitemap.url)}`);
  }

  /** Warnings, as code and message. */
  get messages(): string[] {
    return this.of("warning").map(({ code, message }) => `${code} ${message}`);
  }

  /** URLs that were requested, in order. */
  get paths(): string[] {
    return this.requests.map(({ url }) => short(url));
  }

  /** Number of requests for a path. */
  count(path: string): number {
    return this.paths.filter((other) => other === path).length;
  }

  /** Sitemaps that were entered, in order; those at a level, if it is given. */
  refs(level?: number): SitemapRef[] {
    return this.of("sitemap-entered").map(({ sitemap }) => sitemap)
      .filter((sitemap) => level === undefined || sitemap.level === level);
  }

  /** URLs of {@linkcode refs}. */
  entered(level?: number): string[] {
    return this.refs(level).map(({ url }) => short(url));
  }

  /** Whether each sitemap that was left was complete, by its URL. */
  get complete(): Record<string, boolean> {
    const left = this.of("sitemap-left");
    return Object.fromEntries(left.map(({ sitemap, complete }) => [short(sitemap.url), complete]));
  }
}

/** Returns the sitemap of each event but the last one. */
export function sitemapsOf(events: readonly TreeEvent[]): SitemapRef[] {
  return events.flatMap((event) => event.type === "finished" ? [] : [event.sitemap]);
}

/** Returns the events of a walk that throws, and the error. */
export async function untilError(
  walk: AsyncIterable<TreeEvent>,
): Promise<{ readonly events: TreeEvent[]; readonly error: unknown }> {
  const events: TreeEvent[] = [];
  try {
    for await (const event of walk) events.push(event);
  } catch (error) {
    return { events, error };
  }
  throw new Error("The walk did not fail");
}

/** Returns a tree as data without its statistics, which no two walks share. */
export function treeData(tree: Sitemap): Omit<SitemapJson, "stats"> {
  const { stats: _stats, ...data } = tree.toJSON();
  return data;
}

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

/** Waits until a server has noticed that all connections are closed. */
export async function untilIdle(server: FixtureServer): Promise<void> {
  for (let turn = 0; turn < 2000 && server.underWay > 0; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assertEquals(server.underWay, 0, "no request is left under way");
}
