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
import {
  openSnapshot,
  type Snapshot,
  sync,
  type SyncEvent,
  type SyncFinishedEvent,
  type SyncOptions,
} from "../../src/sync/mod.ts";
import {
  DEFAULTS,
  HOME,
  type LoopbackSite,
  RUN_AFTER,
  ScriptedSite,
  short,
  type Site,
  type SiteRequest,
  START_TIME,
} from "./scripted_site.ts";
import { order, readContent, type SnapshotContent, type StoredChange } from "./snapshot_content.ts";
import type { NewLocation } from "./stores.ts";

export type RunOptions = Omit<SyncOptions, "snapshot">;

/** Current pages by URL. */
export type Pages = Map<string, SitemapPage>;

export interface RunResult {
  readonly events: readonly SyncEvent[];
  readonly finished: SyncFinishedEvent;
  readonly requests: readonly SiteRequest[];
  readonly content: SnapshotContent;
}

/** Name of the consumer that takes all changes of each run. */
const CONSUMER = "history";
/** Name of the consumer that takes half of the changes that it has not taken yet. */
const SLOW_CONSUMER = "slow";

export interface HistoryOptions {
  /** Homepage. Default: that of scripted sites, or of the server. */
  readonly homepage?: string;
  /** Serves the site over loopback. Default: an injected `fetch`. */
  readonly loopback?: LoopbackSite;
  /** Path of the snapshot. */
  readonly path: string;
  /** Whether changes are removed once consumers have taken them. Default: false. */
  readonly isPruned?: boolean;
}

/** Runs of one site into one snapshot, which stays open until `await using` closes it. */
export class SyncHistory implements AsyncDisposable {
  readonly scripted: ScriptedSite;
  readonly path: string;
  readonly homepage: string;
  /** Time of everything in the snapshot. */
  now: number = START_TIME - RUN_AFTER;
  readonly #loopback: LoopbackSite | undefined;
  readonly #rename: (text: string) => string;
  readonly #isPruned: boolean;
  #snapshot: Snapshot | undefined;
  /** Current pages by the events of all runs. */
  #replayed: Pages = new Map();
  /** Current pages by the changes that a consumer took. */
  readonly #consumed: Pages = new Map();
  /** Next change of the slow consumer, if it had one. */
  #slow: number | undefined;

  constructor(options: HistoryOptions, scripted: ScriptedSite = new ScriptedSite()) {
    this.scripted = scripted;
    this.path = options.path;
    this.#loopback = options.loopback;
    this.#isPruned = options.isPruned ?? false;
    this.homepage = options.homepage ?? options.loopback?.url ?? HOME;
    this.#rename = (text) => this.#loopback?.scripted(text) ?? text;
  }

  /** Returns the snapshot, which it opens if it is not open. */
  async snapshot(): Promise<Snapshot> {
    return this.#snapshot ??= await openSnapshot(this.path, { now: () => this.now });
  }

  async content(): Promise<SnapshotContent> {
    return await readContent(await this.snapshot(), this.homepage, this.#rename);
  }

  /** Options of a run with the defaults of tests. */
  options(options: RunOptions = {}): RunOptions {
    const fetch = this.#loopback === undefined ? { fetch: this.scripted.fetch } : {};
    return { ...DEFAULTS, ...fetch, ...options };
  }

  /** Runs `sync()` to its end, some time after the run before, and checks what holds for every run. */
  async run(site: Site, options: RunOptions = {}, after: number = RUN_AFTER): Promise<RunResult> {
    return await this.check(await this.#take(site, () => false, options, after), options);
  }

  /** Begins a run of the site as it is. */
  async sync(options: RunOptions = {}): Promise<EventStream<SyncEvent, SyncFinishedEvent>> {
    return sync(this.homepage, { ...this.options(options), snapshot: await this.snapshot() });
  }

  /** Runs `sync()` as {@linkcode run} does, and leaves it after an event. */
  async interrupt(
    site: Site,
    isLast: (event: SyncEvent) => boolean,
    options: RunOptions = {},
    after: number = RUN_AFTER,
  ): Promise<SyncEvent[]> {
    const events = await this.#take(site, isLast, options, after);
    await this.checkContent();
    return events;
  }

  async #take(
    site: Site,
    isLast: (event: SyncEvent) => boolean,
    options: RunOptions,
    after: number,
  ): Promise<SyncEvent[]> {
    this.scripted.site = site;
    this.scripted.take();
    this.now += after;
    const events: SyncEvent[] = [];
    for await (const event of await this.sync(options)) {
      events.push(this.plain(event));
      if (isLast(event)) break;
    }
    return events;
  }

  /** Closes the snapshot; the next run opens it again. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#snapshot?.close();
    this.#snapshot = undefined;
  }

  plain(event: SyncEvent): SyncEvent {
    return JSON.parse(this.#rename(JSON.stringify(event)));
  }

  /** Checks the events of a whole run, and the snapshot after it. */
  async check(events: readonly SyncEvent[], options: RunOptions): Promise<RunResult> {
    checkOrder(events);
    const finished = events.at(-1) as SyncFinishedEvent;
    if (options.dryRun) {
      replay(new Map(this.#replayed), events);
      const content = await this.content();
      return { events, finished, requests: this.scripted.take(), content };
    }
    replay(this.#replayed, events);
    const replayed = this.#replayed;
    const content = await this.checkContent();
    checkCounts(content, finished);
    assertEquals(changesOfRun(content), changesOf(events), "events are the changes of the run");
    assertEquals(pagesOf(content), sorted(replayed), "events add up to the current pages");
    return { events, finished, requests: this.scripted.take(), content };
  }

  /** Checks what holds for a snapshot at any time between two runs, finished or not. */
  async checkContent(): Promise<SnapshotContent> {
    const content = await this.content();
    const { count, pages, changes } = content;
    assertEquals(count ?? 0, pages.length, "a site counts its pages");
    const urls = pages.map(({ page }) => page.url);
    assertEquals(new Set(urls).size, urls.length, "each page has one row");
    for (const [at, { sequence }] of changes.entries()) {
      assert(at === 0 || sequence > changes[at - 1]!.sequence, "sequence numbers grow");
    }
    if (!this.#isPruned) {
      assertEquals(replayChanges(changes), pagesOf(content), "changes add up to the pages");
    }
    await this.#consume(content);
    await this.#consumeHalf();
    if (this.#isPruned) await (await this.snapshot()).prune({ keepRuns: 1 });
    this.#replayed = new Map(Object.entries(pagesOf(content)));
    if (count !== undefined) await this.#checkReaders(content);
    return content;
  }

  async #consume(content: SnapshotContent): Promise<void> {
    const snapshot = await this.snapshot();
    let last: number | undefined;
    for await (const change of snapshot.changes({ consumer: CONSUMER })) {
      last = change.sequence;
      if (change.site !== this.homepage) continue;
      const { type, page, previous } = JSON.parse(this.#rename(JSON.stringify(change)));
      apply(this.#consumed, { type, page, previous }, `change ${last}`);
    }
    assertEquals(sorted(this.#consumed), pagesOf(content), "a consumer misses nothing");
    if (last !== undefined) await snapshot.ack(CONSUMER, last);
    const [again] = await Array.fromAsync(snapshot.changes({ consumer: CONSUMER }));
    assertEquals(again, undefined, "nothing is repeated once it is acknowledged");
  }

  async #consumeHalf(): Promise<void> {
    const snapshot = await this.snapshot();
    const read = async () =>
      (await Array.fromAsync(snapshot.changes({ consumer: SLOW_CONSUMER })))
        .map(({ sequence }) => sequence);
    const sequences = await read();
    assertEquals(sequences[0], this.#slow ?? sequences[0], "it goes on where it was");
    const half = sequences.length >> 1;
    this.#slow = sequences[half];
    // without an acknowledgement, nothing is kept for it
    const last = half > 0 ? sequences[half - 1]! : (sequences[0] ?? 1) - 1;
    await snapshot.ack(SLOW_CONSUMER, last);
    assertEquals(await read(), sequences.slice(half), "it gets the rest again");
  }

  async #checkReaders({ pages, runs }: SnapshotContent): Promise<void> {
    const snapshot = await this.snapshot();
    const unconfirmed = pages.filter(({ unconfirmed }) => unconfirmed).map(({ page }) => page.url);
    const read: string[] = [];
    for await (const { page } of snapshot.pages(this.homepage, { unconfirmed: true })) {
      read.push(this.#rename(page.url));
    }
    assertEquals(read.sort(order), unconfirmed, "pages() with unconfirmed");
    // until a run has ended, pages may be in a sitemap that it has not read yet
    if (!runs.at(-1)?.isFinished) return;
    const listed = new Set<string>();
    for await (const event of snapshot.events(this.homepage)) {
      if (event.type === "page") listed.add(this.#rename(event.page.url));
    }
    const kept = pages.filter(({ unconfirmed }) => !unconfirmed).map(({ page }) => page.url);
    assertEquals(kept.filter((url) => !listed.has(url)), [], "events() has every page");
  }
}

export async function withHistory(
  location: NewLocation,
  test: (history: SyncHistory, snapshot: Snapshot) => Promise<void>,
): Promise<void> {
  await using history = new SyncHistory({ path: await location() });
  await test(history, await history.snapshot());
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
      case "changed":
        // what depends on several sitemaps is known once all are read
        if (open.length > 1) {
          assertEquals(event.sitemap, open.at(-1), `${event.type} between entered and left`);
        }
        assert(!hasRemoved, `${event.type} before removed`);
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

export function checkCounts(
  { pages, runs }: SnapshotContent,
  { stats, verdict }: SyncFinishedEvent,
): void {
  const { added, changed, removed, unchanged, unconfirmed, notModified, bytesSaved } = stats;
  const counts = { added, changed, removed, unchanged, unconfirmed, notModified, bytesSaved };
  const { id: _, ...run } = runs.at(-1)!;
  const message = "the run has the counts of the last event";
  assertEquals(run, { isFinished: true, verdict, ...counts }, message);
  assertEquals(pages.length, added + changed + unchanged + unconfirmed, "all pages are counted");
  const dropped = pages.filter(({ unconfirmed }) => unconfirmed).length;
  assertEquals(unconfirmed, dropped, "unconfirmed pages are counted");
}

/** Applies events, each of which must fit the pages before it; each page changes at most once. */
export function replay(pages: Pages, events: readonly SyncEvent[]): void {
  const seen = new Set<string>();
  for (const event of events) {
    if (event.type !== "added" && event.type !== "changed" && event.type !== "removed") continue;
    const { type, page } = event;
    assert(!seen.has(page.url), `one change of ${page.url}`);
    seen.add(page.url);
    const previous = event.type === "removed" ? undefined : event.previous;
    apply(pages, { type, page, previous }, "event");
  }
}

/** Applies a change, which must fit the pages before it. */
function apply(
  pages: Pages,
  { type, page, previous }: Pick<Change, "type" | "page" | "previous">,
  name: string,
): void {
  const before = pages.get(page.url);
  const message = `${name}: ${type} ${page.url}`;
  if (type === "added") assertEquals([before, previous], [undefined, undefined], message);
  else assertEquals(type === "removed" ? page : previous, before, message);
  if (type === "removed") pages.delete(page.url);
  else pages.set(page.url, page);
}

export function replayChanges(
  changes: SnapshotContent["changes"],
): Record<string, SitemapPage> {
  const pages: Pages = new Map();
  for (const change of changes) apply(pages, change, `${change.sequence}`);
  return sorted(pages);
}

export function pagesOf({ pages }: SnapshotContent): Record<string, SitemapPage> {
  return Object.fromEntries(pages.map(({ page }) => [page.url, page]));
}

function sorted(pages: Pages): Record<string, SitemapPage> {
  return Object.fromEntries([...pages].sort(([one], [other]) => order(one, other)));
}

/** A change, by its event or its row. `page` is as it was if removed, `previous` only if changed. */
export type Change = Omit<StoredChange, "run" | "sequence">;

/** Returns the changes of events, each once, by URL. */
export function changesOf(events: readonly SyncEvent[]): Record<string, Change> {
  const changes: [string, Change][] = [];
  for (const event of events) {
    if (event.type !== "added" && event.type !== "changed" && event.type !== "removed") continue;
    const { type, page, sitemap } = event;
    const previous = event.type === "removed" ? undefined : event.previous;
    const from = sitemap.requestedUrl ?? sitemap.url;
    changes.push([page.url, { type, sitemap: from, page, previous }]);
  }
  return Object.fromEntries(changes.sort(([one], [other]) => order(one, other)));
}

/** Returns the changes of the last run by the log, by URL. */
export function changesOfRun({ changes, runs }: SnapshotContent): Record<string, Change> {
  const last = runs.at(-1)?.id;
  const own = changes.filter(({ run }) => run === last).map((
    { run: _run, sequence: _sequence, ...change },
  ): [string, Change] => [change.page.url, change]);
  return Object.fromEntries(own.sort(([one], [other]) => order(one, other)));
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
      case "note":
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

/**
 * Formats current pages: `/a in /s.xml lastmod=2024-05-01`, without a priority that is the default, and
 * with `unconfirmed` at the end.
 */
export function pageLines({ pages }: SnapshotContent): string[] {
  return pages.map(({ page, sitemap, unconfirmed }) => {
    const { url, lastModified: lastmod, priority, changeFrequency: changefreq, ...others } = page;
    const rated = priority === DEFAULT_PRIORITY ? undefined : priority;
    const values = Object.entries({ lastmod, priority: rated, changefreq }).flatMap(
      ([name, value]) => value === undefined ? [] : `${name}=${value}`,
    );
    const state = unconfirmed ? ["unconfirmed"] : [];
    const names = Object.keys(others);
    return [`${short(url)} in ${short(sitemap)}`, ...values, ...names, ...state].join(" ");
  });
}

/** Formats the states of sitemaps: `{ "/s.xml": "listing 2" }`, the number of pages unless it is 0. */
export function stateLines({ sitemaps }: SnapshotContent): Record<string, string> {
  return Object.fromEntries(sitemaps.map(({ url, state, pages }) => [
    short(url),
    pages === 0 ? state : `${state} ${pages}`,
  ]));
}
