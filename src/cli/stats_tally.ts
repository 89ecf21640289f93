/**
 * Pages that are listed in several sitemaps, found in bounded memory.
 *
 * Of each address a 64-bit hash is kept, with the first sitemap that listed it: 24 bytes or so. When
 * a million addresses are there, every second one is forgotten, by a bit of its hash, and from then
 * on only addresses with that bit are looked at, and so on. Counts are exact before that and
 * estimates after it, off by a fraction of a percent.
 *
 * @module
 */

import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import type { InvalidCode, WarningCode } from "../data/codes.ts";
import type { InvalidEvent, SitemapType, TreeEvent, WarningEvent } from "../data/events.ts";
import { isPriorityGiven, type SitemapPage } from "../data/page.ts";
import { DateHistogram } from "./stats_report.ts";

/** How many addresses are kept at most. */
const MAX_ADDRESSES = 1 << 20;
const FIRST_CAPACITY = 1 << 10;
/** Marks an address that was seen in a second sitemap. */
const REPEATED = 0x8000_0000;
const FIELDS = 3;

/** Finds the pages that are listed in several sitemaps. */
export class Overlap {
  readonly #maxAddresses: number;
  readonly #scan = new ValueScan(randomKey());
  /** Of each address: two halves of its hash, and its first sitemap plus one, so that 0 is free. */
  #table = new Uint32Array(FIELDS * FIRST_CAPACITY);
  #capacity = FIRST_CAPACITY;
  #size = 0;
  #repeated = 0;
  #sampleMask = 0;

  /** Keeps so many addresses at most. */
  constructor(maxAddresses: number = MAX_ADDRESSES) {
    this.#maxAddresses = maxAddresses;
  }

  /** Different addresses, or an estimate. */
  get addresses(): number {
    return this.#size * this.sampledOneIn;
  }

  /** Those of them that are listed in several sitemaps, or an estimate. */
  get repeated(): number {
    return this.#repeated * this.sampledOneIn;
  }

  /** 1 while counts are exact, else one in how many addresses is looked at. */
  get sampledOneIn(): number {
    return this.#sampleMask + 1;
  }

  /**
   * Takes in an address with the id of its sitemap: the id of the sitemap that had it first, where
   * that is another one and this is the first time that it shows.
   */
  add(address: string, sitemap: number): number | undefined {
    this.#scan.text(address);
    const high = this.#scan.high >>> 0, low = this.#scan.low >>> 0;
    if ((low & this.#sampleMask) !== 0) return undefined;
    const place = this.#placeOf(high, low);
    const there = this.#table[place + 2]!;
    if (there === 0) {
      this.#put(place, high, low, sitemap + 1);
      this.#size++;
      this.#makeRoom();
      return undefined;
    }
    if ((there & REPEATED) !== 0 || there === sitemap + 1) return undefined;
    this.#table[place + 2] = there | REPEATED;
    this.#repeated++;
    return there - 1;
  }

  #placeOf(high: number, low: number): number {
    const table = this.#table;
    const mask = this.#capacity - 1;
    for (let slot = high & mask;; slot = (slot + 1) & mask) {
      const place = FIELDS * slot;
      if (table[place + 2] === 0) return place;
      if (table[place] === high && table[place + 1] === low) return place;
    }
  }

  #put(place: number, high: number, low: number, value: number): void {
    this.#table[place] = high;
    this.#table[place + 1] = low;
    this.#table[place + 2] = value;
  }

  #makeRoom(): void {
    if (this.#size > this.#maxAddresses) {
      this.#sampleMask = this.#sampleMask * 2 + 1;
      this.#rebuild(this.#capacity);
    } else if (this.#size * 2 > this.#capacity) {
      this.#rebuild(this.#capacity * 2);
    }
  }

  #rebuild(capacity: number): void {
    const old = this.#table;
    this.#table = new Uint32Array(FIELDS * capacity);
    this.#capacity = capacity;
    this.#size = 0;
    this.#repeated = 0;
    for (let at = 0; at < old.length; at += FIELDS) {
      const value = old[at + 2]!;
      const low = old[at + 1]!;
      if (value === 0 || (low & this.#sampleMask) !== 0) continue;
      this.#put(this.#placeOf(old[at]!, low), old[at]!, low, value);
      this.#size++;
      if ((value & REPEATED) !== 0) this.#repeated++;
    }
  }
}

// MERGED: Figures for the report of `sitetree stats`, gathered from the events of a walk in memory that does not grow with the number of pages.

/** How many of the largest are shown. */
export const TOP = 10;
const MAX_EXAMPLES = 3;
/** Hosts that are counted separately. */
const MAX_HOSTS = 10_000;
const HOST_REGEXP = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)/i;

/** Names of the types of sitemap. */
export const KINDS: readonly (readonly [type: SitemapType, name: string])[] = [
  ["IndexRobotsTxtSitemap", "robots.txt"],
  ["IndexXmlSitemap", "index"],
  ["PagesXmlSitemap", "XML"],
  ["PagesTextSitemap", "text"],
  ["PagesRssSitemap", "RSS"],
  ["PagesAtomSitemap", "Atom"],
];

/** A fault by code: how often, and the first few cases. */
export interface Faults<E> {
  /** How often. */
  count: number;
  /** The first few. */
  readonly examples: E[];
}

/** A page that two sitemaps list. */
export interface SharedPage {
  /** Its address. */
  readonly url: string;
  /** The sitemap that listed it first. */
  readonly first: string;
  /** Another one. */
  readonly second: string;
}

/** Counts by name. */
export type Counts = Map<string, number>;

/** Gathers the figures of a report. */
export class StatsTally {
  /** The address of the root. */
  root = "";
  /** Pages. */
  pages = 0;
  /** Sitemaps by kind. */
  readonly kinds: Map<SitemapType, number> = new Map();
  /** The sitemaps with the most pages. */
  readonly largest: { readonly url: string; readonly pages: number }[] = [];
  /** Sitemaps that list pages. */
  listing = 0;
  /** Pages by host; those of further hosts have the empty name. */
  readonly hosts: Counts = new Map();
  /** Pages by change frequency; those without have the empty name. */
  readonly frequencies: Counts = new Map();
  /** Pages by tenth of the priority that they give. */
  readonly priorities: number[] = Array(11).fill(0);
  /** Pages that give no priority. */
  withoutPriority = 0;
  /** Pages by date of last modification. */
  readonly dates: DateHistogram = new DateHistogram();
  /** Pages without such a date. */
  undated = 0;
  /** Pages and items by extension. */
  readonly extensions: Map<string, { pages: number; items: number }> = new Map();
  /** Pages in several sitemaps. */
  readonly overlap: Overlap = new Overlap();
  /** The first few of them. */
  readonly shared: SharedPage[] = [];
  /** Warnings by code. */
  readonly warnings: Map<WarningCode, Faults<WarningEvent>> = new Map();
  /** Unusable sitemaps by code. */
  readonly invalid: Map<InvalidCode, Faults<InvalidEvent>> = new Map();
  readonly #urls: string[] = [];
  readonly #countedAtEnd = new Map<WarningCode, number>();

  /** Takes in an event. */
  see(event: TreeEvent): void {
    switch (event.type) {
      case "page":
        return this.#seePage(event.page, event.sitemap.id);
      case "sitemap-entered": {
        const { id, type, url, parent } = event.sitemap;
        if (parent === null) this.root = url;
        if (type !== "IndexWebsiteSitemap") increment(this.kinds, type);
        this.#urls[id] = url;
        return;
      }
      case "sitemap-left":
        for (const [code, count] of Object.entries(event.warnings)) {
          increment(this.#countedAtEnd, code as WarningCode, count);
        }
        if (event.sitemap.type.startsWith("Pages")) {
          this.#seeListing(event.sitemap.url, event.pages);
        }
        return;
      case "warning":
        return addFault(this.warnings, event.code, event);
      case "invalid":
        return addFault(this.invalid, event.code, event);
      case "finished":
        // Of very many warnings only some are sent; all are counted.
        for (const [code, count] of this.#countedAtEnd) {
          const faults = this.warnings.get(code);
          if (faults !== undefined) faults.count = Math.max(faults.count, count);
        }
    }
  }

  #seePage(page: SitemapPage, sitemap: number): void {
    this.pages++;
    const host = HOST_REGEXP.exec(page.url)?.[1]?.toLowerCase() ?? "";
    const isNamed = this.hosts.has(host) || this.hosts.size < MAX_HOSTS;
    increment(this.hosts, isNamed ? host : "");
    increment(this.frequencies, page.changeFrequency ?? "");
    if (isPriorityGiven(page)) this.priorities[Math.round(page.priority * 10)]!++;
    else this.withoutPriority++;
    if (page.lastModifiedTime === undefined) this.undated++;
    else this.dates.add(page.lastModifiedTime);
    if (page.newsStory !== undefined) this.#seeExtension("news", 1);
    if (page.images !== undefined) this.#seeExtension("images", page.images.length);
    if (page.videos !== undefined) this.#seeExtension("videos", page.videos.length);
    if (page.alternates !== undefined) this.#seeExtension("alternates", page.alternates.length);
    const first = this.overlap.add(page.url, sitemap);
    if (first === undefined || this.shared.length >= MAX_EXAMPLES) return;
    const urlOf = (id: number) => this.#urls[id] ?? "";
    this.shared.push({ url: page.url, first: urlOf(first), second: urlOf(sitemap) });
  }

  #seeExtension(name: string, items: number): void {
    const extension = this.extensions.get(name) ?? { pages: 0, items: 0 };
    extension.pages++;
    extension.items += items;
    this.extensions.set(name, extension);
  }

  #seeListing(url: string, pages: number): void {
    this.listing++;
    const { largest } = this;
    if (largest.length === TOP && pages <= largest[TOP - 1]!.pages) return;
    const at = largest.findIndex((other) => other.pages < pages);
    largest.splice(at < 0 ? largest.length : at, 0, { url, pages });
    if (largest.length > TOP) largest.pop();
  }
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

/** Returns faults by code, the most frequent first. */
export function faultsByCount<K, E>(all: ReadonlyMap<K, Faults<E>>): [K, Faults<E>][] {
  return [...all].sort((a, b) => b[1].count - a[1].count);
}
