/**
 * A sitemap of a walk while it is read: turns its entries into events.
 *
 * @module
 */

import type { WarningCode } from "../data/codes.ts";
import { CallerError } from "../data/errors.ts";
import type { FoundBy, SitemapRef, SitemapType, TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import type { EntrySink } from "../formats/entries.ts";
import type { AddressBudget, ListedAddress } from "./addresses.ts";
import { type SitemapFailure, type Tally, withStatus } from "./verdict.ts";

/** Warnings sent as events, per code and sitemap. All are counted. */
const MAX_SENT_WARNINGS = 100;

/** Position of a sitemap in the tree, and what its index declares. */
export interface Place extends Pick<SitemapRef, "id" | "level" | "parent" | "index"> {
  /** URL requested, if redirects led elsewhere. */
  readonly requestedUrl?: string | undefined;
  /** Time that its index declares for it. */
  readonly lastModified?: string | undefined;
  /** How it was found, directly below the root. */
  readonly foundBy?: FoundBy | undefined;
}

/** Counts and limits of a {@linkcode SitemapNode}. */
export interface NodeOptions {
  readonly tally: Tally;
  /** Number of pages of the whole walk at which further pages are dropped. Default: none. */
  readonly maxPages?: number;
  /** Returns whether a page is wanted. Default: all are. */
  readonly includePage?: ((page: SitemapPage) => boolean) | undefined;
  /** Limit on the addresses of children. Default: none. */
  readonly addresses?: AddressBudget;
  /** Returns the kind of sitemap, known at its first entry. */
  readonly typeOf?: () => SitemapType | undefined;
}

interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly line: number | undefined;
  readonly status: number | undefined;
}

/**
 * A sitemap that is being read. It is entered with its first entry or at its end, when it can no
 * longer become invalid; earlier warnings are held back until then.
 */
export class SitemapNode implements EntrySink {
  readonly children: ListedAddress[] = [];
  /** Decompressed bytes read. */
  bytes = 0;
  /** Whether a sitemap that it lists was dropped, for lack of a usable address. */
  hasDroppedChild = false;
  /** Its reference in events, once it is entered or invalid. */
  ref: SitemapRef | undefined;
  readonly #place: Place;
  readonly #url: string;
  readonly #options: NodeOptions;
  readonly #warnings: Partial<Record<WarningCode, number>> = {};
  #warningCount = 0;
  /** Warnings of an earlier reading, which are not reported again. */
  #repeated: Partial<Record<WarningCode, number>> = {};
  /** Warnings held back until the sitemap is entered. */
  #early: Warning[] = [];
  #events: TreeEvent[] = [];
  #pages = 0;

  constructor(place: Place, url: string, options: NodeOptions) {
    this.#place = place;
    this.#url = url;
    this.#options = options;
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
    const { tally, maxPages, includePage, typeOf } = this.#options;
    if (maxPages !== undefined && tally.pages >= maxPages) return;
    const sitemap = this.ref ?? this.enter(typeOf!()!);
    try {
      if (includePage !== undefined && !includePage(page)) return;
    } catch (error) {
      throw new CallerError(error);
    }
    this.#pages++;
    tally.pages++;
    this.#events.push({ type: "page", page, sitemap });
  }

  child(url: string, lastModified?: string): boolean {
    const { addresses, typeOf } = this.#options;
    if (this.ref === undefined) this.enter(typeOf!()!);
    if (addresses?.take(url) === false) return false;
    this.children.push({ url, lastModified });
    return true;
  }

  childDropped(): void {
    this.hasDroppedChild = true;
  }

  /** Takes the pages and children of a sitemap that is unchanged. */
  recall(pages: number, children: readonly ListedAddress[]): void {
    this.#pages += pages;
    this.#options.tally.pages += pages;
    for (const { url, lastModified } of children) this.child(url, lastModified);
  }

  /** Starts another reading, which repeats the warnings of the one before. */
  restart(): void {
    this.bytes = 0;
    this.#repeated = { ...this.#warnings };
  }

  warning(code: WarningCode, message: string, line?: number, status?: number): void {
    const repeated = this.#repeated[code] ?? 0;
    if (repeated > 0) {
      this.#repeated[code] = repeated - 1;
      return;
    }
    const count = (this.#warnings[code] ?? 0) + 1;
    this.#warnings[code] = count;
    this.#warningCount++;
    if (count > MAX_SENT_WARNINGS) return;
    const warning = { code, message, line, status };
    if (this.ref === undefined) this.#early.push(warning);
    else this.#events.push(warningEvent(warning, this.ref));
  }

  /** Enters the sitemap: it can no longer become invalid. */
  enter(type: SitemapType): SitemapRef {
    if (this.ref !== undefined) return this.ref;
    const sitemap = this.ref = refOf(this.#place, type, this.#url);
    this.#events.push({ type: "sitemap-entered", sitemap });
    this.#sendEarly(sitemap);
    return sitemap;
  }

  /** Leaves the sitemap, after everything below it. */
  leave(complete: boolean): void {
    const { bytes } = this;
    this.#options.tally.warnings += this.#warningCount;
    const counts = { pages: this.#pages, bytes, complete, warnings: this.#warnings };
    this.#events.push({ type: "sitemap-left", sitemap: this.ref!, ...counts });
  }

  /** Reports that the sitemap is invalid. */
  invalidate(failure: SitemapFailure): void {
    const { code, reason } = failure;
    const sitemap = this.ref = refOf(this.#place, "InvalidSitemap", this.#url);
    this.#options.tally.warnings += this.#warningCount;
    this.#events.push({ type: "invalid", sitemap, code, reason, ...withStatus(failure) });
    this.#sendEarly(sitemap);
  }

  #sendEarly(sitemap: SitemapRef): void {
    for (const warning of this.#early) this.#events.push(warningEvent(warning, sitemap));
    this.#early = [];
  }
}

/** Returns the reference of a sitemap in events. */
export function refOf(place: Place, type: SitemapType, url: string): SitemapRef {
  const { id, level, parent, index, requestedUrl, lastModified, foundBy } = place;
  const requested = requestedUrl === undefined ? {} : { requestedUrl };
  const date = lastModified === undefined ? {} : { lastModified };
  const found = foundBy === undefined ? {} : { foundBy };
  return { id, type, url, ...requested, level, parent, index, ...date, ...found };
}

function warningEvent(warning: Warning, sitemap: SitemapRef): TreeEvent {
  const { code, message, line } = warning;
  const event = { type: "warning", code, message, sitemap, ...withStatus(warning) } as const;
  return line === undefined ? event : { ...event, line };
}
