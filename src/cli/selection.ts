/**
 * Which pages are kept: `--match`, `--ignore`, `--since`, `--unique` and `--max-pages`.
 *
 * @module
 */

import type { WalkOptions } from "../../mod.ts";
import { UniquePages } from "../bytes/unique_pages.ts";
import { timeOfDate } from "../data/date.ts";
import type { TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import type { Arguments } from "./arguments.ts";

export type PageOptions = Pick<WalkOptions, "includePage" | "maxPages">;

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
  kept = 0;
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
    const { match = [], ignore = [], since, unique = false } = options;
    this.#options = options;
    this.#unique = unique ? new UniquePages() : undefined;
    this.isFiltering = match.length > 0 || ignore.length > 0 || since !== undefined || unique;
  }

  get pagesLeft(): number {
    return (this.#options.maxPages ?? Infinity) - this.kept;
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
    return this.undated > 0 || this.isUniqueFull || this.kept === 0 && this.dropped > 0;
  }

  /** Counts pages that are wanted. Returns the events without pages after the last one. */
  limit<Event extends { readonly type: string }>(events: readonly Event[]): readonly Event[] {
    const before = this.kept;
    for (const { type } of events) if (type === "page") this.kept++;
    if (this.pagesLeft >= 0) return events;
    let left = this.pagesLeft + this.kept - before;
    this.kept = before + left;
    return events.filter(({ type }) => type !== "page" || left-- > 0);
  }

  /** Counts a page that is not wanted. */
  includes(page: SitemapPage): boolean {
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

/**
 * Applies the options of a walk to events that were saved: counts become those of the pages kept, and
 * after the last of them only the sitemaps that are open are left.
 */
export async function* selectPages(
  batches: AsyncIterable<readonly TreeEvent[]>,
  { includePage, maxPages = Infinity }: PageOptions,
): AsyncGenerator<readonly TreeEvent[], void, void> {
  if (includePage === undefined && maxPages === Infinity) return yield* batches;
  /** Pages of the open sitemaps by id. */
  const open = new Map<number, number>();
  let left = maxPages, pages = 0;
  for await (const batch of batches) {
    const selected: TreeEvent[] = [];
    for (const event of batch) {
      const isFull = left === 0;
      if (event.type === "finished") {
        const finished = { ...event, stats: { ...event.stats, pages } };
        if (isFull) return yield [...selected, { ...finished, ...FULL }];
        selected.push(finished);
        pages = 0;
        continue;
      }
      const { id } = event.sitemap;
      if (event.type === "sitemap-left") {
        const counts = { pages: open.get(id) ?? 0, complete: event.complete && !isFull };
        if (!isFull || open.has(id)) selected.push({ ...event, ...counts });
        open.delete(id);
      } else if (!isFull && (event.type !== "page" || (includePage?.(event.page) ?? true))) {
        if (event.type === "sitemap-entered") open.set(id, 0);
        if (event.type === "page") {
          open.set(id, (open.get(id) ?? 0) + 1);
          pages++;
          left--;
        }
        selected.push(event);
      }
    }
    yield selected;
  }
}

const FULL = { verdict: "partial", endedBy: "max-pages" } as const;
