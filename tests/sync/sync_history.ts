/**
 * Runs of `sync()` over a site that changes, with the checks that hold for every run: the order of
 * events, the counts, and that events and changes add up to the current pages.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { EventStream } from "../../src/data/batches.ts";
import type { SitemapRef } from "../../src/data/events.ts";
import { DEFAULT_PRIORITY, type SitemapPage } from "../../src/data/page.ts";
import type { SyncEvent, SyncFinishedEvent } from "../../src/sync/events.ts";
import { openSnapshot, type Snapshot, sync, type SyncOptions } from "../../src/sync/mod.ts";
import {
  HOME,
  type LoopbackSite,
  ScriptedSite,
  short,
  type Site,
  type SiteRequest,
} from "./scripted_site.ts";
import { readSnapshot, type SnapshotContent, type StoredPage } from "./snapshot_content.ts";

/** Options of one run. */
export type RunOptions = Omit<SyncOptions, "snapshot">;

/** Current pages by URL. */
export type Pages = Map<string, SitemapPage>;

/** What a run did. */
export interface RunResult {
  readonly events: readonly SyncEvent[];
  readonly finished: SyncFinishedEvent;
  readonly requests: readonly SiteRequest[];
  /** The snapshot after it. */
  readonly content: SnapshotContent;
}

/** Fast defaults: no retries, no known paths. */
const DEFAULTS: RunOptions = { useKnownPaths: false, retries: 0, retryDelay: 0 };

/** Where a history takes place. */
export interface HistoryOptions {
  /** Homepage. Default: that of scripted sites, or of the server. */
  readonly homepage?: string;
  /** Serves the site over loopback. Default: an injected `fetch`. */
  readonly loopback?: LoopbackSite;
  /** Path of the snapshot. */
  readonly path: string;
}

/** Runs of one site into one snapshot, which stays open until `using` closes it. */
export class SyncHistory implements Disposable {
  readonly scripted: ScriptedSite;
  readonly path: string;
  readonly homepage: string;
  readonly #loopback: LoopbackSite | undefined;
  readonly #rename: (text: string) => string;
  #snapshot: Snapshot | undefined;
  /** Current pages by the events of all runs. */
  #replayed: Pages = new Map();

  /** Starts a history. */
  constructor(options: HistoryOptions, scripted: ScriptedSite = new ScriptedSite()) {
    this.scripted = scripted;
    this.path = options.path;
    this.#loopback = options.loopback;
    this.homepage = options.homepage ?? options.loopback?.url ?? HOME;
    this.#rename = (text) => this.#loopback?.scripted(text) ?? text;
  }

  /** Returns the snapshot as it is. */
  content(): SnapshotContent {
    return readSnapshot(this.path, this.homepage, this.#rename);
  }

  /** Options of a run with the defaults of tests. */
  options(options: RunOptions = {}): RunOptions {
    const fetch = this.#loopback === undefined ? { fetch: this.scripted.fetch } : {};
    return { ...DEFAULTS, ...fetch, ...options };
  }

  /** Runs `sync()` to its end and checks what holds for every run. */
  async run(site: Site, options: RunOptions = {}): Promise<RunResult> {
    this.scripted.site = site;
    this.scripted.take();
    const events: SyncEvent[] = [];
    for await (const event of this.sync(options)) events.push(this.plain(event));
    return this.check(events, options);
  }

  /** Begins a run of the site as it is. */
  sync(options: RunOptions = {}): EventStream<SyncEvent> {
    this.#snapshot ??= openSnapshot(this.path);
    return sync(this.homepage, { ...this.options(options), snapshot: this.#snapshot });
  }

  /** Closes the snapshot; the next run opens it again. */
  [Symbol.dispose](): void {
    this.#snapshot?.[Symbol.dispose]();
    this.#snapshot = undefined;
  }

  /** Continues the history after a run whose events were not all taken. */
  resume(): SnapshotContent {
    const content = this.content();
    checkContent(content);
    this.#replayed = new Map(Object.entries(pagesOf(content)));
    assertEquals(replayChanges(content), pagesOf(content), "changes add up to the pages");
    return content;
  }

  /** Returns an event as plain data. */
  plain(event: SyncEvent): SyncEvent {
    return JSON.parse(this.#rename(JSON.stringify(event)));
  }

  /** Checks the events of a whole run, and the snapshot after it. */
  check(events: readonly SyncEvent[], options: RunOptions): RunResult {
    checkOrder(events);
    const finished = events.at(-1) as SyncFinishedEvent;
    const content = this.content();
    const replayed = new Map(this.#replayed);
    replay(replayed, events);
    if (!options.dryRun) {
      this.#replayed = replayed;
      checkContent(content);
      checkCounts(content, finished);
      assertEquals(changesOfRun(content), changesOf(events), "events are the changes of the run");
      assertEquals(pagesOf(content), sorted(replayed), "events add up to the current pages");
      if ((options.keepRuns ?? Infinity) === Infinity) {
        assertEquals(replayChanges(content), sorted(replayed), "changes add up to the pages");
      }
    }
    return { events, finished, requests: this.scripted.take(), content };
  }
}

// ----------------------------------------------------------------------------------- invariants

/** Checks that events are nested as in a walk, and that changes are where they belong. */
export function checkOrder(events: readonly SyncEvent[]): void {
  const open: SitemapRef[] = [];
  let hasRemoved = false;
  for (const [at, event] of events.entries()) {
    switch (event.type) {
      case "sitemap-entered":
        assertEquals(event.sitemap.parent, open.at(-1)?.id ?? null, "entered below its parent");
        open.push(event.sitemap);
        assert(!hasRemoved, "removed pages come after the last sitemap");
        break;
      case "sitemap-left":
        assertEquals(event.sitemap, open.pop(), "left as it was entered");
        break;
      case "sitemap-unchanged":
        assertEquals(event.sitemap, open.at(-1), "unchanged between entered and left");
        break;
      case "added":
        assertEquals(event.sitemap, open.at(-1), "added between entered and left");
        assert(!hasRemoved, "added before removed");
        break;
      case "changed":
        assert(!hasRemoved, "changed before removed");
        break;
      case "removed":
        hasRemoved = true;
        assert(open.length <= 1, "removed after the last sitemap");
        break;
      case "finished":
        assertEquals(at, events.length - 1, "finished is the last event");
    }
  }
  assertEquals(open, [], "every sitemap is left");
  assertEquals(events.at(-1)?.type, "finished");
}

/** Checks what holds for the tables at any time between two runs. */
export function checkContent({ count, pages, listings, sitemaps }: SnapshotContent): void {
  assertEquals(count, pages.length, "site.pages counts the rows of page");
  const listed = new Map<string, number>();
  const count1 = ({ sitemap }: StoredPage) =>
    void listed.set(sitemap, (listed.get(sitemap) ?? 0) + 1);
  pages.filter(({ row }) => row.dropped === null).forEach(count1);
  listings.forEach(count1);
  for (const { url, state, pages } of sitemaps) {
    assertEquals(pages, listed.get(String(url)) ?? 0, `sitemap.pages of ${url}`);
    if (state === "gone") assertEquals(pages, 0, `${url} is gone and lists nothing`);
  }
  const first = new Map(pages.map(({ url, sitemap }) => [url, sitemap]));
  for (const { url, sitemap } of listings) {
    assert(first.get(url) !== sitemap, `${sitemap} lists ${url} twice`);
  }
}

/** Checks the counts of the last run. */
export function checkCounts(
  { pages, runs }: SnapshotContent,
  finished: SyncFinishedEvent,
): void {
  const { stats, verdict } = finished;
  const { added, changed, removed, unchanged, unconfirmed, notModified, bytesSaved } = stats;
  const { id: _, known, ...run } = runs.at(-1)!;
  assertEquals(run, {
    is_finished: 1,
    verdict,
    added,
    changed,
    removed,
    unchanged,
    unconfirmed,
    not_modified: notModified,
    bytes_saved: bytesSaved,
  }, "the run has the counts of the last event");
  assertEquals(pages.length, added + changed + unchanged + unconfirmed, "all pages are counted");
  assertEquals(pages.length, Number(known) + added - removed, "added and removed since its start");
}

/** Applies events, each of which must fit the pages before it. */
export function replay(pages: Pages, events: readonly SyncEvent[]): void {
  const seen = new Set<string>();
  for (const event of events) {
    if (event.type !== "added" && event.type !== "changed" && event.type !== "removed") continue;
    const { page } = event;
    assert(!seen.has(page.url), `one change of ${page.url}`);
    seen.add(page.url);
    const before = pages.get(page.url);
    if (event.type === "added") {
      assertEquals(before, undefined, `${page.url} is added`);
      assert(!("previous" in event), "an added page has no previous");
    } else if (event.type === "changed") {
      assertEquals(event.previous, before, `${page.url} had these values`);
    } else assertEquals(page, before, `${page.url} is removed as it was`);
    if (event.type === "removed") pages.delete(page.url);
    else pages.set(page.url, page);
  }
}

/** Returns the current pages by the table `change`. */
export function replayChanges({ changes }: SnapshotContent): Record<string, SitemapPage> {
  const pages: Pages = new Map();
  for (const { run, type, url, fields, previous } of changes) {
    const before = pages.get(url);
    assertEquals(previous, before, `previous of ${type} ${url} in run ${run}`);
    assertEquals(before === undefined, type === "added", `${type} ${url} in run ${run}`);
    if (type === "removed") pages.delete(url);
    else pages.set(url, fields!);
  }
  return sorted(pages);
}

/** Current pages by the table `page`. */
export function pagesOf({ pages }: SnapshotContent): Record<string, SitemapPage> {
  return Object.fromEntries(pages.map(({ url, fields }) => [url, fields]));
}

function sorted(pages: Pages): Record<string, SitemapPage> {
  return Object.fromEntries([...pages].sort(([one], [other]) => one < other ? -1 : 1));
}

/** A change, by its event or its row. */
export interface Change {
  readonly type: string;
  readonly sitemap: string;
  readonly page: SitemapPage | undefined;
  readonly previous: SitemapPage | undefined;
}

/** Returns the changes of events, each once, by URL. */
export function changesOf(events: readonly SyncEvent[]): Record<string, Change> {
  const changes: [string, Change][] = [];
  for (const event of events) {
    if (event.type !== "added" && event.type !== "changed" && event.type !== "removed") continue;
    const { type, page, sitemap } = event;
    const from = sitemap.requestedUrl ?? sitemap.url;
    changes.push([
      page.url,
      type === "removed"
        ? { type, sitemap: from, page: undefined, previous: page }
        : { type, sitemap: from, page, previous: event.previous },
    ]);
  }
  return Object.fromEntries(changes.sort(([one], [other]) => one < other ? -1 : 1));
}

/** Returns the changes of the last run by the table `change`, by URL. */
export function changesOfRun(
  { changes, runs }: SnapshotContent,
  run: number = Number(runs.at(-1)?.id),
): Record<string, Change> {
  return Object.fromEntries(
    changes.filter((change) => change.run === run).map((
      { url, type, sitemap, fields, previous },
    ) => [url, { type, sitemap, page: fields, previous }]),
  );
}

// -------------------------------------------------------------------------------------- outlines

/**
 * Formats the events of a run, except those that each sitemap has: `added /a in /s.xml`,
 * `changed /a in /s.xml: priority`, `unchanged /s.xml 2 not-modified`, `invalid http-status /s.xml`,
 * and at the end `complete +1 ~0`, as {@linkcode total} formats it. An unchanged robots.txt without
 * validators is omitted, since nearly every run has one.
 */
export function outline(events: readonly SyncEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === "finished") return total(event);
    const { sitemap } = event;
    const from = short(sitemap.requestedUrl ?? sitemap.url);
    switch (event.type) {
      case "sitemap-entered":
      case "sitemap-left":
        return [];
      case "sitemap-unchanged":
        return from === "/robots.txt" && event.by === "same-bytes"
          ? []
          : `unchanged ${from} ${event.pages} ${event.by}`;
      case "invalid":
      case "warning":
        return `${event.type} ${event.code} ${from}`;
      case "removed":
      case "added":
        return `${event.type} ${short(event.page.url)} in ${from}`;
      case "changed":
        return `changed ${short(event.page.url)} in ${from}: ${difference(event).join(" ")}`;
    }
  });
}

/** Names of the fields that differ. */
function difference(
  { page, previous }: { page: SitemapPage; previous?: SitemapPage },
): string[] {
  const fields = Object.keys({ ...page, ...previous }) as (keyof SitemapPage)[];
  return fields.filter((name) => JSON.stringify(page[name]) !== JSON.stringify(previous?.[name]));
}

/** Formats a verdict and the counts that are not 0: `complete +1 ~1 -1 =1 ?1`. */
export function total({ verdict, stats }: SyncFinishedEvent): string {
  const { added, changed, removed, unchanged, unconfirmed } = stats;
  const counts = { "+": added, "~": changed, "-": removed, "=": unchanged, "?": unconfirmed };
  const shown = Object.entries(counts).filter(([, count]) => count !== 0);
  return [verdict, ...shown.map(([sign, count]) => sign + count)].join(" ");
}

/** Formats current pages: `/a in /s.xml lastmod=2024-05-01`, without a priority that is the default. */
export function pageLines({ pages }: SnapshotContent): string[] {
  return pages.map(({ url, sitemap, row }) => {
    const { lastmod, changefreq, extensions, dropped } = row;
    const priority = row.priority === DEFAULT_PRIORITY ? null : row.priority;
    const values = Object.entries({ lastmod, priority, changefreq }).flatMap(([name, value]) =>
      value === null ? [] : `${name}=${value}`
    );
    const names = extensions === null ? [] : Object.keys(JSON.parse(String(extensions)));
    const state = dropped === null ? [] : [`dropped=${dropped}`];
    return [`${short(url)} in ${short(sitemap)}`, ...values, ...names, ...state].join(" ");
  });
}

/** Formats the states of sitemaps: `{ "/s.xml": "read 2" }`, the number of pages unless it is 0. */
export function stateLines({ sitemaps }: SnapshotContent): Record<string, string> {
  return Object.fromEntries(sitemaps.map(({ url, state, pages }) => [
    short(String(url)),
    pages === 0 ? String(state) : `${state} ${pages}`,
  ]));
}
