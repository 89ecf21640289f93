/**
 * Which pages are kept: `--match`, `--ignore`, `--since`, `--unique` and `--max-pages`.
 *
 * @module
 */

import { UniquePages } from "../../bytes/unique_pages.ts";
import { timeOfDate } from "../../data/date.ts";
import type { SitemapPage } from "../../data/page.ts";
import { PageLimit } from "../../walk/page_selection.ts";
import type { Arguments } from "../arguments.ts";

type PageFilterOptions = Partial<ReturnType<typeof pageFilterOptions>>;

export function pageFilterOptions(args: Arguments): {
  /** A page must match one of these, if there are any. */
  readonly match: readonly RegExp[];
  readonly ignore: readonly RegExp[];
  readonly since: number | undefined;
  /** Whether `since` keeps pages without a date. */
  readonly undated: boolean;
  readonly unique: boolean;
  readonly maxPages: number | undefined;
} {
  return {
    match: args.all<RegExp>("match"),
    ignore: args.all<RegExp>("ignore"),
    since: args.value<number>("since"),
    undated: args.has("undated"),
    unique: args.has("unique"),
    maxPages: args.value<number>("max-pages"),
  };
}

/** Selects the pages of all operands together, and counts them. */
export class PageFilter extends PageLimit {
  /** Pages dropped by `--match` and `--ignore`. */
  unmatched = 0;
  /** Pages dropped by `--since`, including those without a date. */
  outdated = 0;
  /** Pages dropped by `--since` because they have no date. */
  undated = 0;
  repeated = 0;
  readonly isFiltering: boolean;
  readonly #options: PageFilterOptions;
  readonly #unique: UniquePages | undefined;

  constructor(options: PageFilterOptions = {}) {
    const { match = [], ignore = [], since, unique = false, maxPages = Infinity } = options;
    super({ includePage: (page) => this.#includes(page), maxPages });
    this.#options = options;
    this.#unique = unique ? new UniquePages() : undefined;
    this.isFiltering = match.length > 0 || ignore.length > 0 || since !== undefined || unique;
  }

  /** Whether all pages are taken, so that events need not pass. */
  get isOpen(): boolean {
    return !this.isFiltering && this.#options.maxPages === undefined;
  }

  get dropped(): number {
    return this.unmatched + this.outdated + this.repeated;
  }

  /** Whether `--unique` ran out of memory. */
  get isUniqueFull(): boolean {
    return this.#unique?.isFull ?? false;
  }

  /** Whether drops are worth a report: all pages, undated ones, or too few duplicates. */
  get hasUnexpectedDrops(): boolean {
    return this.undated > 0 || this.isUniqueFull || this.taken === 0 && this.dropped > 0;
  }

  /** Counts a page that is not wanted. */
  #includes(page: SitemapPage): boolean {
    const { match = [], ignore = [], since, undated = false } = this.#options;
    const { url } = page;
    const isMatched = match.length === 0 || match.some((regexp) => regexp.test(url));
    if (!isMatched || ignore.some((regexp) => regexp.test(url))) {
      this.unmatched++;
      return false;
    }
    const time = since === undefined ? undefined : timeOf(page);
    if (since !== undefined && (time === undefined ? !undated : time < since)) {
      if (time === undefined) this.undated++;
      this.outdated++;
      return false;
    }
    if (this.#unique === undefined || this.#unique.add(url)) return true;
    this.repeated++;
    return false;
  }
}

/** Items of feeds have only the date of their story. */
function timeOf({ lastModified, newsStory }: SitemapPage): number | undefined {
  const date = lastModified ?? newsStory?.publishDate;
  return date === undefined ? undefined : timeOfDate(date);
}
