/**
 * The stage behind every source of events that decides which pages are taken, and how many. What is
 * dropped does not count. With the last page that is taken, a walk and a document end by themselves;
 * saved events, and those of a snapshot, are read on for how they end.
 *
 * @module
 */

import { CallerError } from "../data/errors.ts";
import type { FinishedEvent, PageEvent, SitemapRef, TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import type { Send } from "./event_stream.ts";
import type { WalkOptions } from "./options.ts";
import type { Tally } from "./verdict.ts";

/** Several walks may share one. */
export interface PageGate {
  /** Aborted with the last page. */
  readonly full: AbortSignal;
  /** Counts a page that is taken; returns false for others, and after the last one. */
  takes(page: SitemapPage): boolean;
}

interface PageOptions {
  readonly includePage?: WalkOptions["includePage"] | undefined;
  readonly maxPages?: number;
}

export class PageLimit implements PageGate {
  taken = 0;
  readonly #includePage: PageOptions["includePage"];
  readonly #maxPages: number;
  readonly #full = new AbortController();
  readonly full: AbortSignal = this.#full.signal;

  constructor({ includePage, maxPages = Infinity }: PageOptions) {
    this.#includePage = includePage;
    this.#maxPages = maxPages;
  }

  takes(page: SitemapPage): boolean {
    if (this.taken >= this.#maxPages) return false;
    try {
      if (this.#includePage !== undefined && !this.#includePage(page)) return false;
    } catch (error) {
      throw new CallerError(error);
    }
    this.count(1);
    return true;
  }

  /** Counts pages that have no events. */
  count(pages: number): void {
    this.taken += pages;
    if (this.taken >= this.#maxPages) this.#full.abort();
  }
}

/** Returns `undefined` if all pages are taken. */
export function limitOf(options: PageOptions): PageLimit | undefined {
  const { includePage, maxPages = Infinity } = options;
  return includePage === undefined && maxPages === Infinity ? undefined : new PageLimit(options);
}

class PageSelection {
  readonly #gate: PageGate;
  /** Counts of a source that ends by itself. */
  readonly #tally: Tally | undefined;
  /** Pages that each open sitemap lacks. */
  readonly #open = new Map<number, { pages: number }>();
  /** Sitemap of the last page that was dropped, and the pages that it lacks. */
  #last:
    | { readonly sitemap: SitemapRef; readonly lacking: { pages: number } | undefined }
    | undefined;
  #dropped = 0;
  /** Whether the walk that had the last page has ended. */
  isOver = false;

  constructor(gate: PageGate, tally?: Tally) {
    this.#gate = gate;
    this.#tally = tally;
  }

  select(events: readonly TreeEvent[]): TreeEvent[] {
    const selected: TreeEvent[] = [];
    for (const event of events) {
      if (event.type !== "page") {
        const one = this.#select(event);
        if (one !== undefined) selected.push(one);
      } else if (this.#gate.takes(event.page)) selected.push(event);
      else this.#drop(event.sitemap);
    }
    return selected;
  }

  #drop(sitemap: SitemapRef): void {
    this.#dropped++;
    if (this.#tally !== undefined) this.#tally.pages--;
    if (this.#last?.sitemap !== sitemap) {
      this.#last = { sitemap, lacking: this.#open.get(sitemap.id) };
    }
    const { lacking } = this.#last;
    if (lacking !== undefined) lacking.pages++;
  }

  #select(event: Exclude<TreeEvent, PageEvent>): TreeEvent | undefined {
    if (this.isOver) return undefined;
    const isFull = this.#gate.full.aborted;
    if (event.type === "finished") return this.#tally ? event : this.#finish(event);
    const { id } = event.sitemap;
    switch (event.type) {
      case "sitemap-left": {
        const lacking = this.#open.get(id);
        this.#open.delete(id);
        if (isFull && lacking === undefined) return undefined;
        const pages = event.pages - (lacking?.pages ?? 0);
        return { ...event, pages, complete: event.complete && !isFull };
      }
      case "sitemap-entered":
        if (!isFull) this.#open.set(id, { pages: 0 });
        return isFull ? undefined : event;
      default:
        return isFull && event.code !== "max-pages" ? undefined : event;
    }
  }

  #finish(event: FinishedEvent): FinishedEvent {
    const stats = { ...event.stats, pages: event.stats.pages - this.#dropped };
    this.#dropped = 0;
    this.isOver = this.#gate.full.aborted;
    if (!this.isOver) return { ...event, stats };
    const isLimited = event.verdict === "complete" || event.limited;
    const ended = { verdict: "partial", endedBy: "max-pages" } as const;
    return { ...event, stats, ...ended, ...(isLimited && { limited: true }) };
  }
}

/** Returns a function that sends what is selected. */
export function selecting(
  send: Send<TreeEvent>,
  gate: PageGate | undefined,
  tally: Tally,
): Send<TreeEvent> {
  if (gate === undefined) return send;
  const selection = new PageSelection(gate, tally);
  return (events) => send(selection.select(events));
}

/** Selects from events that were saved, perhaps of several walks, up to the end of the one that fills it. */
export async function* selectPages(
  batches: AsyncIterable<readonly TreeEvent[]>,
  gate: PageGate | undefined,
): AsyncGenerator<readonly TreeEvent[], void, void> {
  if (gate === undefined) return yield* batches;
  const selection = new PageSelection(gate);
  for await (const batch of batches) {
    yield selection.select(batch);
    if (selection.isOver) return;
  }
}
