/**
 * Page URLs that were seen, in bounded memory.
 *
 * @module
 */

import { count } from "../data/text.ts";
import { HashSet64 } from "../bytes/hash_set.ts";
import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import type { SitemapRef, TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";

/** As many as a table of 2²⁴ slots holds, which takes 151 MB; a smaller set takes less. */
const MAX_URLS = 8_000_000;

/**
 * Finds the first occurrence of each page URL by a keyed 64-bit hash. Beyond a limit, URLs are no
 * longer remembered: those seen before are still found, further ones count as new each time.
 */
export class UniquePages {
  readonly #maxUrls: number;
  readonly #scan = new ValueScan(randomKey());
  readonly #seen = new HashSet64();
  #size = 0;
  #isFull = false;

  /** Remembers up to `maxUrls` URLs. */
  constructor(maxUrls: number = MAX_URLS) {
    this.#maxUrls = maxUrls;
  }

  /** Whether a URL could not be remembered, so that duplicates may pass. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether a URL was not seen before. */
  isNew(url: string): boolean {
    this.#scan.text(url);
    const { high, low } = this.#scan;
    if (this.#size < this.#maxUrls) {
      const isNew = this.#seen.add(high, low);
      if (isNew) this.#size++;
      return isNew;
    }
    const isNew = !this.#seen.has(high, low);
    if (isNew) this.#isFull = true;
    return isNew;
  }
}

// MERGED: Which pages are kept.

/** Options of a {@linkcode PageFilter}. */
export interface PageFilterOptions {
  /** A page must match one of these, if there are any. */
  readonly match: readonly RegExp[];
  /** A page must match none of these. */
  readonly ignore: readonly RegExp[];
  /** Pages last modified earlier are dropped, in milliseconds since 1970. */
  readonly since: number | undefined;
  /** Whether pages without date are kept all the same. */
  readonly undated: boolean;
  /** Whether each URL is kept once. */
  readonly unique: boolean;
  /** How many pages are kept at most. */
  readonly maxPages: number | undefined;
}

/** Decides about the pages of all operands, and counts them. */
export class PageFilter {
  /** Pages kept. */
  kept = 0;
  /** Pages dropped by `--match` and `--ignore`. */
  unmatched = 0;
  /** Pages dropped by `--since`, those without date included. */
  outdated = 0;
  /** Pages dropped by `--since` because they have no date. */
  undated = 0;
  /** Pages dropped by `--unique`. */
  repeated = 0;
  /** Whether any page may be dropped. */
  readonly isFiltering: boolean;
  readonly #options: PageFilterOptions;
  readonly #unique: UniquePages | undefined;

  /** Keeps nothing yet. */
  constructor(options: PageFilterOptions) {
    const { match, ignore, since, unique } = options;
    this.#options = options;
    this.#unique = unique ? new UniquePages() : undefined;
    this.isFiltering = match.length > 0 || ignore.length > 0 || since !== undefined || unique;
  }

  /** Whether no further page may be kept. */
  get isFull(): boolean {
    return this.kept >= (this.#options.maxPages ?? Infinity);
  }

  /** Number of pages after which a walk of one site ends by itself. */
  get maxPages(): number | undefined {
    return this.isFiltering ? undefined : this.#options.maxPages;
  }

  /** Whether URLs are so many that repeated ones are no longer found. */
  get isUniqueFull(): boolean {
    return this.#unique?.isFull ?? false;
  }

  /** Whether pages were dropped that are easily expected: all, or those without date. */
  hasSurprised(pages: number): boolean {
    return this.undated > 0 || this.isUniqueFull || pages > 0 && this.kept === 0;
  }

  /** Decides about a page. */
  keeps(page: SitemapPage): boolean {
    if (this.isFiltering && !this.#passes(page)) return false;
    this.kept++;
    return true;
  }

  #passes(page: SitemapPage): boolean {
    const { match, ignore, since, undated } = this.#options;
    const { url } = page;
    if (
      match.length > 0 && !match.some((regexp) => regexp.test(url)) ||
      ignore.some((regexp) => regexp.test(url))
    ) {
      this.unmatched++;
      return false;
    }
    if (since !== undefined) {
      // feeds date their items by the story alone
      const time = page.lastModifiedTime ?? page.newsStory?.publishTime;
      if (time === undefined ? !undated : time < since) {
        if (time === undefined) this.undated++;
        this.outdated++;
        return false;
      }
    }
    if (this.#unique !== undefined && !this.#unique.isNew(url)) {
      this.repeated++;
      return false;
    }
    return true;
  }
}

/** A sitemap that was entered and not left yet. */
interface OpenSitemap {
  readonly ref: SitemapRef;
  pages: number;
}

/**
 * Passes the events of one walk on, with the pages that a filter keeps. The counts that events carry
 * become those of the pages kept, so that the output agrees with itself.
 */
export class Selection {
  /** Pages of this walk that were kept. */
  kept = 0;
  readonly #filter: PageFilter;
  readonly #open = new Map<number, OpenSitemap>();
  #last: OpenSitemap | undefined;

  /** Nothing has been seen yet. */
  constructor(filter: PageFilter) {
    this.#filter = filter;
  }

  /** Returns the event to pass on, `undefined` for a page that is dropped. */
  select(event: TreeEvent): TreeEvent | undefined {
    const { isFiltering } = this.#filter;
    switch (event.type) {
      case "page":
        if (!this.#filter.keeps(event.page)) return undefined;
        this.kept++;
        this.#opened(event.sitemap).pages++;
        return event;
      case "sitemap-entered":
        this.#opened(event.sitemap);
        return event;
      case "sitemap-left": {
        const { pages } = this.#opened(event.sitemap);
        this.#open.delete(event.sitemap.id);
        this.#last = undefined;
        return isFiltering ? { ...event, pages } : event;
      }
      case "finished":
        return isFiltering ? { ...event, stats: { ...event.stats, pages: this.kept } } : event;
      default:
        return event;
    }
  }

  /** Yields the events that leave the sitemaps still open when reading stops early. */
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

  #opened(ref: SitemapRef): OpenSitemap {
    if (this.#last?.ref === ref) return this.#last;
    let open = this.#open.get(ref.id);
    if (open === undefined) {
      open = { ref, pages: 0 };
      this.#open.set(ref.id, open);
    }
    return this.#last = open;
  }
}
