/**
 * A sitemap of a walk while it is read: turns its entries into events.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "../data/codes.ts";
import type { SitemapRef, SitemapType, TreeEvent } from "../data/events.ts";
import type { EntrySink } from "../formats/entries.ts";
import { isoDate } from "../data/date.ts";
import type { SitemapPage } from "../data/page.ts";
import { AddressList } from "./addresses.ts";
import type { ChildBudget } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Warnings sent as events, per code and sitemap. All are counted. */
export const MAX_SENT_WARNINGS = 100;

/** Position of a sitemap in the tree, and what is known of it before it is read. */
export interface Place extends Pick<SitemapRef, "id" | "level" | "parent" | "index"> {
  /** The URL requested, if redirects led elsewhere. */
  readonly requestedUrl?: string | undefined;
  /** Time that its index declares for it; NaN is none. */
  readonly lastModified?: number | undefined;
}

interface EarlyWarning {
  readonly code: WarningCode;
  readonly message: string;
  readonly line: number | undefined;
}

/**
 * A sitemap that is being read. It is entered with its first entry or at its end, when it can no
 * longer become invalid; earlier warnings are held back until then.
 */
export class SitemapNode implements EntrySink {
  /** Addresses of the sitemaps it lists. */
  readonly children: AddressList = new AddressList();
  /** Decompressed bytes read. */
  bytes = 0;
  readonly #place: Place;
  readonly #tally: Tally;
  readonly #typeOf: () => SitemapType | undefined;
  readonly #url: string;
  readonly #warningCounts: Partial<Record<WarningCode, number>> = {};
  /** Warnings of an earlier reading, which are not reported again. */
  #repeated: Partial<Record<WarningCode, number>> = {};
  #early: EarlyWarning[] | undefined;
  #events: TreeEvent[] = [];
  #hasDropped = false;
  #ref: SitemapRef | undefined;
  readonly #budget: ChildBudget | undefined;
  #pages = 0;
  #maxPages: number;

  /** `typeOf` returns the kind of sitemap, known at its first entry; `budget` limits the children. */
  constructor(
    place: Place,
    url: string,
    typeOf: () => SitemapType | undefined,
    tally: Tally,
    maxPages: number,
    budget?: ChildBudget,
  ) {
    this.#budget = budget;
    this.#place = place;
    this.#url = url;
    this.#typeOf = typeOf;
    this.#tally = tally;
    this.#maxPages = maxPages;
  }

  /** Reference in events, once it is entered. */
  get ref(): SitemapRef | undefined {
    return this.#ref;
  }

  /** Number of warnings, including those not sent. */
  get warnings(): number {
    return Object.values(this.#warningCounts).reduce((sum, count) => sum + count, 0);
  }

  /** Whether `maxPages` was reached. */
  get full(): boolean {
    return this.#tally.pages >= this.#maxPages;
  }

  /** Number of events since the last `take()`. */
  get waiting(): number {
    return this.#events.length;
  }

  /** Returns the events since the last call. */
  take(): TreeEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  page(page: SitemapPage): void {
    if (this.full) return;
    const sitemap = this.#ref ?? this.enter(this.#typeOf()!);
    this.#pages++;
    this.#tally.pages++;
    this.#events.push({ type: "page", page, sitemap });
  }

  child(url: string, lastModified?: number): boolean {
    if (this.#ref === undefined) this.enter(this.#typeOf()!);
    if (this.#budget?.take(url) === false) return false;
    this.children.push(url, lastModified);
    return true;
  }

  childDropped(): void {
    if (this.#ref === undefined) this.#hasDropped = true;
    else this.#tally.childDropped();
  }

  /** Begins another reading, which goes through the warnings of the one before again. */
  restart(): void {
    this.#repeated = { ...this.#warningCounts };
  }

  warning(code: WarningCode, message: string, line?: number): void {
    const repeated = this.#repeated[code] ?? 0;
    if (repeated > 0) {
      this.#repeated[code] = repeated - 1;
      return;
    }
    const count = (this.#warningCounts[code] ?? 0) + 1;
    this.#warningCounts[code] = count;
    if (this.#ref !== undefined) this.#tally.warnings++;
    if (count > MAX_SENT_WARNINGS) return;
    if (this.#ref === undefined) (this.#early ??= []).push({ code, message, line });
    else this.#events.push(warningEvent(code, message, line, this.#ref));
  }

  /** Enters the sitemap: it can no longer become invalid. */
  enter(type: SitemapType): SitemapRef {
    if (this.#ref !== undefined) return this.#ref;
    const ref = this.#refer(type);
    this.#tally.sitemaps++;
    if (this.#hasDropped) this.#tally.childDropped();
    this.#events.push({ type: "sitemap-entered", sitemap: ref });
    this.#sendEarly(ref);
    return ref;
  }

  /** Leaves the sitemap, after everything below it. */
  leave(complete: boolean): void {
    this.#events.push({
      type: "sitemap-left",
      sitemap: this.#ref!,
      pages: this.#pages,
      bytes: this.bytes,
      complete,
      warnings: this.#warningCounts,
    });
  }

  /** Reports that the sitemap is invalid. */
  invalidate(code: InvalidCode, reason: string): void {
    const ref = this.#refer("InvalidSitemap");
    this.#events.push({ type: "invalid", sitemap: ref, code, reason });
    this.#sendEarly(ref);
  }

  #refer(type: SitemapType): SitemapRef {
    return this.#ref = refOf(this.#place, type, this.#url);
  }

  /** Sends and counts the warnings held back. A known path that is omitted has none. */
  #sendEarly(ref: SitemapRef): void {
    if (this.#early === undefined) return;
    this.#tally.warnings += this.warnings;
    for (const { code, message, line } of this.#early) {
      this.#events.push(warningEvent(code, message, line, ref));
    }
    this.#early = undefined;
  }
}

/** Returns the reference of a sitemap in events. */
export function refOf(place: Place, type: SitemapType, url: string): SitemapRef {
  const { id, level, parent, index, requestedUrl, lastModified: time = NaN } = place;
  if (requestedUrl === undefined) {
    // spreading takes as long as reading the entry of an index
    if (time !== time) return { id, type, url, level, parent, index };
    return { id, type, url, level, parent, index, lastModified: isoDate(time) };
  }
  const ref = { id, type, url, requestedUrl, level, parent, index };
  return time === time ? { ...ref, lastModified: isoDate(time) } : ref;
}

function warningEvent(
  code: WarningCode,
  message: string,
  line: number | undefined,
  sitemap: SitemapRef,
): TreeEvent {
  return line === undefined
    ? { type: "warning", code, message, sitemap }
    : { type: "warning", code, message, sitemap, line };
}
