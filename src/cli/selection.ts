/**
 * Which pages of a walk are kept, and where it ends because of that.
 *
 * @module
 */

import type { SitemapRef, TreeEvent } from "../events.ts";
import type { SitemapPage } from "../page.ts";
import { count } from "./wording.ts";

/** What a selection goes by. */
export interface SelectionOptions {
  /** A page must match one of these, if there are any. */
  readonly match: readonly RegExp[];
  /** A page must match none of these. */
  readonly ignore: readonly RegExp[];
  /** Milliseconds since 1970: pages last modified earlier are left out, and those without date. */
  readonly since: number | undefined;
  /** How many pages are kept at most. */
  readonly maxPages: number | undefined;
}

/** Whether any page may be left out. */
function isFiltering({ match, ignore, since }: SelectionOptions): boolean {
  return match.length > 0 || ignore.length > 0 || since !== undefined;
}

/** A sitemap that was entered and not left yet. */
interface OpenSitemap {
  readonly ref: SitemapRef;
  pages: number;
}

/**
 * Lets events through, but of the pages only those that are wanted. The counts that events carry
 * become those of the pages kept, so that what is written is true in itself.
 */
export class Selection {
  /** Pages kept so far. */
  pages = 0;
  readonly #options: SelectionOptions;
  readonly #filters: boolean;
  readonly #open = new Map<number, OpenSitemap>();
  #last: OpenSitemap | undefined;

  /** Makes one that has seen nothing. */
  constructor(options: SelectionOptions) {
    this.#options = options;
    this.#filters = isFiltering(options);
  }

  /** Whether no further page may be kept. */
  get isFull(): boolean {
    return this.pages >= (this.#options.maxPages ?? Infinity);
  }

  /** The event as it passes, `undefined` where it does not. */
  select(event: TreeEvent): TreeEvent | undefined {
    switch (event.type) {
      case "page":
        if (this.#filters && !this.#wants(event.page)) return undefined;
        this.pages++;
        this.#opened(event.sitemap).pages++;
        return event;
      case "sitemap-entered":
        this.#opened(event.sitemap);
        return event;
      case "sitemap-left": {
        const { pages } = this.#opened(event.sitemap);
        this.#open.delete(event.sitemap.id);
        this.#last = undefined;
        return this.#filters ? { ...event, pages } : event;
      }
      case "finished":
        return this.#filters ? { ...event, stats: { ...event.stats, pages: this.pages } } : event;
      default:
        return event;
    }
  }

  /** The events that leave what is still open, where a walk stops on the way. */
  *closing(): Generator<TreeEvent, void, void> {
    const [root] = this.#open.values();
    if (this.isFull && root !== undefined) {
      const message = `Walk ended after ${count(this.pages, "page")}`;
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

  #wants(page: SitemapPage): boolean {
    const { match, ignore, since } = this.#options;
    if (since !== undefined) {
      // Feeds date their items by the story alone.
      const time = page.lastModifiedTime ?? page.newsStory?.publishTime;
      if (time === undefined || time < since) return false;
    }
    if (match.length > 0 && !match.some((regexp) => regexp.test(page.url))) return false;
    return !ignore.some((regexp) => regexp.test(page.url));
  }
}

/**
 * The selection for a walk, and the ceiling that the walk itself keeps: where every page counts, the
 * library ends the walk, which then tells more of how it went.
 */
export function selectionOfWalk(
  options: SelectionOptions,
): { selection: Selection; maxPages: number | undefined } {
  return isFiltering(options) ? { selection: new Selection(options), maxPages: undefined } : {
    selection: new Selection({ ...options, maxPages: undefined }),
    maxPages: options.maxPages,
  };
}
