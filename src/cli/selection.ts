/**
 * Which pages are kept: `--match`, `--ignore`, `--since`, `--unique` and `--max-pages`.
 *
 * @module
 */

import { HashSet64 } from "../bytes/hash_set.ts";
import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import { timeOfDate } from "../data/date.ts";
import type { SitemapRef, TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { count } from "../data/text.ts";
import type { Arguments } from "./arguments.ts";
import type { SourceEvent } from "./event_writer.ts";

/** URLs that `--unique` remembers: a table of 2²⁴ slots, half full. */
const MAX_URLS = 8_000_000;

/**
 * The page URLs seen so far, as keyed 64-bit hashes. Once it is full, URLs seen before are still
 * found, and others count as new each time.
 */
export class UniquePages {
  /** Whether a URL was not remembered, so that duplicates may be kept. */
  isFull = false;
  readonly #maxUrls: number;
  readonly #scan = new ValueScan(randomKey());
  readonly #seen = new HashSet64();
  #size = 0;

  /** Creates a set of up to `maxUrls` URLs. */
  constructor(maxUrls: number = MAX_URLS) {
    this.#maxUrls = maxUrls;
  }

  /** Adds a URL. Returns whether it was not seen before. */
  add(url: string): boolean {
    this.#scan.text(url);
    const { high, low } = this.#scan;
    if (this.#size >= this.#maxUrls) {
      const isNew = !this.#seen.has(high, low);
      if (isNew) this.isFull = true;
      return isNew;
    }
    const isNew = this.#seen.add(high, low);
    if (isNew) this.#size++;
    return isNew;
  }
}

/** Options of a {@linkcode PageFilter}. */
export interface PageFilterOptions {
  /** A page must match one of these. Default: any page. */
  readonly match?: readonly RegExp[];
  /** A page must match none of these. Default: none. */
  readonly ignore?: readonly RegExp[];
  /** Pages last modified earlier are dropped, in milliseconds since 1970. Default: none. */
  readonly since?: number | undefined;
  /** Whether `since` keeps pages without a date. Default: false. */
  readonly undated?: boolean;
  /** Whether each URL is kept once. Default: false. */
  readonly unique?: boolean;
  /** Maximum number of pages kept. Default: unlimited. */
  readonly maxPages?: number | undefined;
}

/** Returns the options of a filter from the arguments. */
export function pageFilterOptions(args: Arguments): PageFilterOptions {
  return {
    match: args.regexps("match"),
    ignore: args.regexps("ignore"),
    since: args.value<number>("since"),
    undated: args.has("undated"),
    unique: args.has("unique"),
    maxPages: args.value<number>("max-pages"),
  };
}

/** Selects the pages of all operands together, and counts them. */
export class PageFilter {
  /** Pages kept. */
  kept = 0;
  /** Pages dropped by `--match` and `--ignore`. */
  unmatched = 0;
  /** Pages dropped by `--since`, including those without a date. */
  outdated = 0;
  /** Pages dropped by `--since` because they have no date. */
  undated = 0;
  /** Pages dropped by `--unique`. */
  repeated = 0;
  /** Whether any page may be dropped. */
  readonly isFiltering: boolean;
  readonly #options: PageFilterOptions;
  readonly #unique: UniquePages | undefined;

  constructor(options: PageFilterOptions = {}) {
    const { match = [], ignore = [], since, unique = false } = options;
    this.#options = options;
    this.#unique = unique ? new UniquePages() : undefined;
    this.isFiltering = match.length > 0 || ignore.length > 0 || since !== undefined || unique;
  }

  /** Whether `--max-pages` is reached. */
  get isFull(): boolean {
    return this.kept >= (this.#options.maxPages ?? Infinity);
  }

  /** The limit for a walk of one site; `undefined` if the walk cannot know which pages are kept. */
  get maxPages(): number | undefined {
    return this.isFiltering ? undefined : this.#options.maxPages;
  }

  /** Whether `--unique` ran out of memory. */
  get isUniqueFull(): boolean {
    return this.#unique?.isFull ?? false;
  }

  /** Whether all of some pages were dropped. */
  dropsAll(pages: number): boolean {
    return this.isFiltering && pages > 0 && this.kept === 0;
  }

  /** Whether drops are worth a report: all pages, undated ones, or too few duplicates. */
  hasUnexpectedDrops(pages: number): boolean {
    return this.undated > 0 || this.isUniqueFull || this.dropsAll(pages);
  }

  /** Counts a page. Returns whether it is kept. */
  accept(page: SitemapPage): boolean {
    if (this.isFiltering && !this.#passes(page)) return false;
    this.kept++;
    return true;
  }

  #passes(page: SitemapPage): boolean {
    const { match = [], ignore = [], since, undated = false } = this.#options;
    const { url } = page;
    const isMatched = match.length === 0 || match.some((regexp) => regexp.test(url));
    if (!isMatched || ignore.some((regexp) => regexp.test(url))) {
      this.unmatched++;
      return false;
    }
    if (since !== undefined) {
      // items of feeds have only the date of their story
      const date = page.lastModified ?? page.newsStory?.publishDate;
      const time = date === undefined ? undefined : timeOfDate(date);
      if (time === undefined ? !undated : time < since) {
        if (time === undefined) this.undated++;
        this.outdated++;
        return false;
      }
    }
    if (this.#unique !== undefined && !this.#unique.add(url)) {
      this.repeated++;
      return false;
    }
    return true;
  }
}

/**
 * Passes on the events of one walk with the pages that a filter keeps. The counts in the events
 * become counts of the pages kept.
 */
export class Selection {
  /** Pages of this walk that were kept. */
  kept = 0;
  readonly #filter: PageFilter;
  /** Sitemaps that were entered and not left yet, by id. */
  readonly #open = new Map<number, { readonly ref: SitemapRef; pages: number }>();

  /** Creates a selection; several may share a filter. */
  constructor(filter: PageFilter) {
    this.#filter = filter;
  }

  /** Returns the event to pass on; `undefined` for a page that is dropped. */
  select(event: SourceEvent): SourceEvent | undefined {
    const { isFiltering } = this.#filter;
    switch (event.type) {
      case "page":
        if (!this.#filter.accept(event.page)) return undefined;
        this.kept++;
        this.#openSitemap(event.sitemap).pages++;
        return event;
      case "sitemap-entered":
        this.#openSitemap(event.sitemap);
        return event;
      case "sitemap-left": {
        const { pages } = this.#openSitemap(event.sitemap);
        this.#open.delete(event.sitemap.id);
        return isFiltering ? { ...event, pages } : event;
      }
      case "finished":
        return isFiltering ? { ...event, stats: { ...event.stats, pages: this.kept } } : event;
      default:
        return event;
    }
  }

  /** Yields the events that leave the open sitemaps when reading stops early. */
  *closing(): Generator<TreeEvent, void, void> {
    const [root] = this.#open.values();
    if (this.#filter.isFull && root !== undefined) {
      const message = `Walk ended after ${count(this.#filter.kept, "page")}`;
      yield { type: "warning", code: "max-pages", message, sitemap: root.ref };
    }
    for (const { ref, pages } of [...this.#open.values()].reverse()) {
      yield { type: "sitemap-left", sitemap: ref, pages, bytes: 0, complete: false, warnings: {} };
    }
    this.#open.clear();
  }

  #openSitemap(ref: SitemapRef): { readonly ref: SitemapRef; pages: number } {
    const known = this.#open.get(ref.id);
    if (known !== undefined) return known;
    const open = { ref, pages: 0 };
    this.#open.set(ref.id, open);
    return open;
  }
}
