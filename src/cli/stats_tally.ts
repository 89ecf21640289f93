/**
 * Figures for the report of `sitetree stats`, in memory that does not grow with the number of pages.
 *
 * @module
 */

import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import { DAY } from "../data/calendar.ts";
import type { InvalidCode, WarningCode } from "../data/codes.ts";
import {
  type InvalidEvent,
  isCounted,
  type SitemapType,
  type TreeEvent,
  type WarningEvent,
} from "../data/events.ts";
import { timeOfDate } from "../data/date.ts";
import type { SitemapPage } from "../data/page.ts";
import { CHANGE_FREQUENCIES } from "../data/page_schema.ts";

/** Number of the largest sitemaps and hosts in a report. */
export const TOP = 10;
const MAX_EXAMPLES = 3;
/** Hosts that are counted separately. */
const MAX_HOSTS = 10_000;
const PRIORITIES = Array.from({ length: 11 }, (_, at) => tenths(at / 10));
const HOST_REGEXP = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)/i;

export interface Faults<E> {
  count: number;
  readonly examples: E[];
}

/** Gathers the figures of a report from the events of a walk. */
export class StatsTally {
  root = "";
  pages = 0;
  readonly types: Map<SitemapType, number> = new Map();
  /** The sitemaps with the most pages. */
  readonly largest: { readonly url: string; readonly pages: number }[] = [];
  /** Number of sitemaps that list pages. */
  listing = 0;
  /** Pages by host; the empty name counts those of further hosts. */
  readonly hosts: Map<string, number> = new Map();
  /** Pages by change frequency; `none` counts those without. */
  readonly frequencies: Map<string, number> = zeros(CHANGE_FREQUENCIES);
  /** Pages by priority, from `0.0` to `1.0`; `none` counts those without. */
  readonly priorities: Map<string, number> = zeros(PRIORITIES);
  readonly dates: DateHistogram = new DateHistogram();
  undated = 0;
  readonly extensions: Map<string, { pages: number; items: number }> = new Map();
  /** Pages in several sitemaps. */
  readonly overlap: Overlap = new Overlap();
  /** The first few of them, each with the first two sitemaps that list it. */
  readonly shared: { readonly url: string; readonly first: string; readonly second: string }[] = [];
  readonly warnings: Map<WarningCode, Faults<WarningEvent>> = new Map();
  readonly invalid: Map<InvalidCode, Faults<InvalidEvent>> = new Map();
  readonly #urls: string[] = [];
  readonly #warningCounts = new Map<WarningCode, number>();

  add(event: TreeEvent): void {
    switch (event.type) {
      case "page":
        return this.#addPage(event.page, event.sitemap.id);
      case "sitemap-entered": {
        const { id, type, url, parent } = event.sitemap;
        if (parent === null) this.root = url;
        if (isCounted(event.sitemap)) increment(this.types, type);
        this.#urls[id] = url;
        return;
      }
      case "sitemap-left":
        for (const [code, count] of Object.entries(event.warnings)) {
          increment(this.#warningCounts, code as WarningCode, count);
        }
        if (event.sitemap.type.startsWith("Pages")) {
          this.#addListing(event.sitemap.url, event.pages);
        }
        return;
      case "warning":
        // what the user asked for
        return event.code === "max-pages" ? undefined : addFault(this.warnings, event.code, event);
      case "invalid":
        return addFault(this.invalid, event.code, event);
      case "finished":
        // only the first warnings of a code are sent, but all are counted
        for (const [code, count] of this.#warningCounts) {
          const faults = this.warnings.get(code);
          if (faults !== undefined) faults.count = Math.max(faults.count, count);
        }
    }
  }

  #addPage(page: SitemapPage, sitemap: number): void {
    this.pages++;
    const host = HOST_REGEXP.exec(page.url)?.[1]?.toLowerCase() ?? "";
    const isNamed = this.hosts.has(host) || this.hosts.size < MAX_HOSTS;
    increment(this.hosts, isNamed ? host : "");
    increment(this.frequencies, page.changeFrequency ?? "none");
    const { priority } = page;
    increment(this.priorities, priority === undefined ? "none" : tenths(priority));
    if (page.lastModified === undefined) this.undated++;
    else this.dates.add(timeOfDate(page.lastModified));
    if (page.newsStory !== undefined) this.#addExtension("news", 1);
    if (page.images !== undefined) this.#addExtension("images", page.images.length);
    if (page.videos !== undefined) this.#addExtension("videos", page.videos.length);
    if (page.alternates !== undefined) this.#addExtension("alternates", page.alternates.length);
    const first = this.overlap.add(page.url, sitemap);
    if (first === undefined || this.shared.length >= MAX_EXAMPLES) return;
    const urlOf = (id: number) => this.#urls[id] ?? "";
    this.shared.push({ url: page.url, first: urlOf(first), second: urlOf(sitemap) });
  }

  #addExtension(name: string, items: number): void {
    const extension = this.extensions.get(name) ?? { pages: 0, items: 0 };
    extension.pages++;
    extension.items += items;
    this.extensions.set(name, extension);
  }

  #addListing(url: string, pages: number): void {
    this.listing++;
    this.largest.push({ url, pages });
    this.largest.sort((a, b) => b.pages - a.pages);
    this.largest.splice(TOP);
  }
}

function tenths(priority: number): string {
  return (Math.round(priority * 10) / 10).toFixed(1);
}

function zeros(names: readonly string[]): Map<string, number> {
  return new Map([...names, "none"].map((name) => [name, 0]));
}

function increment<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function addFault<K, E>(all: Map<K, Faults<E>>, code: K, event: E): void {
  const faults = all.get(code) ?? { count: 0, examples: [] };
  faults.count++;
  if (faults.examples.length < MAX_EXAMPLES) faults.examples.push(event);
  all.set(code, faults);
}

/** URLs whose hashes are kept. */
const MAX_URLS = 1 << 20;
/** Value of a URL that a second sitemap lists too. */
const REPEATED = -1;

/**
 * Finds pages that several sitemaps list, by a keyed 53-bit hash of each URL. Whenever there are too
 * many hashes, every second one is dropped: counts are exact before that, and estimates after it.
 */
export class Overlap {
  /** 1 while counts are exact, else the sampling interval. */
  sampledOneIn = 1;
  readonly #maxUrls: number;
  readonly #scan = new ValueScan(randomKey());
  /** First sitemap of each URL, by hash. */
  readonly #firsts = new Map<number, number>();
  #repeated = 0;

  constructor(maxUrls: number = MAX_URLS) {
    this.#maxUrls = maxUrls;
  }

  /** Number of different URLs, or an estimate. */
  get urls(): number {
    return this.#firsts.size * this.sampledOneIn;
  }

  /** Number of those that several sitemaps list, or an estimate. */
  get repeated(): number {
    return this.#repeated * this.sampledOneIn;
  }

  /**
   * Adds a URL with the id of its sitemap. Returns the id of the first sitemap that lists it, the
   * first time that another one does.
   */
  add(url: string, sitemap: number): number | undefined {
    this.#scan.text(url);
    const { high, low } = this.#scan;
    const hash = (high >>> 11) * 2 ** 32 + (low >>> 0);
    if (hash % this.sampledOneIn !== 0) return undefined;
    const first = this.#firsts.get(hash);
    if (first === undefined) {
      this.#firsts.set(hash, sitemap);
      if (this.#firsts.size > this.#maxUrls) this.#dropHalf();
      return undefined;
    }
    if (first === REPEATED || first === sitemap) return undefined;
    this.#firsts.set(hash, REPEATED);
    this.#repeated++;
    return first;
  }

  #dropHalf(): void {
    this.sampledOneIn *= 2;
    for (const [hash, first] of this.#firsts) {
      if (hash % this.sampledOneIn === 0) continue;
      this.#firsts.delete(hash);
      if (first === REPEATED) this.#repeated--;
    }
  }
}

/** Dates outside of these years are counted together, so that memory is bounded. */
const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;
const MAX_ROWS = 24;

export interface ChartRow {
  readonly label: string;
  readonly count: number;
}

/** Units of time from the finest to the coarsest: number of the unit of a time, and its name. */
const UNITS = [
  {
    of: (time: Date) => Math.floor(time.getTime() / DAY),
    label: (day: number) => new Date(day * DAY).toISOString().slice(0, 10),
  },
  {
    of: (time: Date) => time.getUTCFullYear() * 12 + time.getUTCMonth(),
    label: (month: number) =>
      `${Math.floor(month / 12)}-${String(month % 12 + 1).padStart(2, "0")}`,
  },
  { of: (time: Date) => time.getUTCFullYear(), label: String },
];

export class DateHistogram {
  readonly #days = new Map<number, number>();
  #earlier = 0;
  #later = 0;

  /** Counts a time in milliseconds since 1970. */
  add(time: number): void {
    const year = new Date(time).getUTCFullYear();
    if (year < FIRST_YEAR) this.#earlier++;
    else if (year > LAST_YEAR) this.#later++;
    else increment(this.#days, Math.floor(time / DAY));
  }

  /**
   * Returns a row for each period from the first to the last, in the finest unit with few rows. Labels
   * are `2024-05-01`, `2024-05`, `2024`, `earlier` or `later`.
   */
  rows(): ChartRow[] {
    const rows = this.#periods();
    const old = rows.splice(0, Math.max(0, rows.length - MAX_ROWS));
    const earlier = old.reduce((sum, { count }) => sum + count, this.#earlier);
    if (earlier > 0) rows.unshift({ label: "earlier", count: earlier });
    if (this.#later > 0) rows.push({ label: "later", count: this.#later });
    return rows;
  }

  #periods(): ChartRow[] {
    if (this.#days.size === 0) return [];
    const days = [...this.#days.keys()].sort((a, b) => a - b);
    const first = new Date(days[0]! * DAY);
    const last = new Date(days.at(-1)! * DAY);
    const unit = UNITS.find(({ of }) => of(last) - of(first) < MAX_ROWS) ?? UNITS.at(-1)!;
    const counts = new Map<number, number>();
    for (const [day, count] of this.#days) increment(counts, unit.of(new Date(day * DAY)), count);
    const from = unit.of(first);
    return Array.from({ length: unit.of(last) - from + 1 }, (_, at) => ({
      label: unit.label(from + at),
      count: counts.get(from + at) ?? 0,
    }));
  }
}
