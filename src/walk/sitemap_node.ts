/**
 * A sitemap of a walk while it is read: turns its entries into events.
 *
 * @module
 */

import type { NoteCode, WarningCode } from "../data/codes.ts";
import type { SitemapRef, SitemapResponse, SitemapType, TreeEvent } from "../data/events.ts";
import type { Mutable, SitemapPage } from "../data/page.ts";
import type { EntrySink } from "../formats/entries.ts";
import type { AddressBudget, ListedAddress } from "./addresses.ts";
import { type SitemapFailure, type Tally, withStatus } from "./verdict.ts";

/** Warnings and notes sent as events, per code and sitemap. All are counted. */
const MAX_SENT = 100;

export interface SitemapPlace extends Pick<SitemapRef, "id" | "level" | "parent" | "index"> {
  readonly requestedUrl?: string | undefined;
  readonly lastModified?: string | undefined;
  readonly foundBy?: SitemapRef["foundBy"] | undefined;
}

interface NodeOptions {
  readonly tally: Tally;
  readonly ignoresPages?: boolean;
  /** Limit on the addresses of children. Default: none. */
  readonly addresses?: AddressBudget;
  /** Returns the kind of sitemap, known at its first entry. */
  readonly typeOf?: () => SitemapType | undefined;
  readonly notes?: boolean;
  readonly response?: SitemapResponse | undefined;
}

/** Makes a warning or note once its sitemap is known. */
type Remark = (sitemap: SitemapRef) => TreeEvent;

class Counts<Code extends string> {
  readonly byCode: Partial<Record<Code, number>> = {};
  total = 0;
  /** Those of an earlier reading, which are not reported again. */
  #repeated: Partial<Record<Code, number>> = {};

  /** Starts another reading, which repeats those of the one before. */
  restart(): void {
    this.#repeated = { ...this.byCode };
  }

  /** Counts one; returns whether it is sent. */
  add(code: Code): boolean {
    const repeated = this.#repeated[code] ?? 0;
    if (repeated > 0) {
      this.#repeated[code] = repeated - 1;
      return false;
    }
    const count = this.byCode[code] = (this.byCode[code] ?? 0) + 1;
    this.total++;
    return count <= MAX_SENT;
  }
}

/**
 * A sitemap that is being read. It is entered with its first entry or at its end, when it can no
 * longer become invalid; earlier warnings and notes are held back until then.
 */
export class SitemapNode implements EntrySink {
  readonly children: ListedAddress[] = [];
  /** Decompressed bytes read. */
  bytes = 0;
  /** Whether a sitemap that it lists was dropped, for lack of a usable address. */
  hasDroppedChild = false;
  /** Its reference in events, once it is entered or invalid. */
  ref: SitemapRef | undefined;
  durationMs: number | undefined;
  readonly note: EntrySink["note"];
  readonly #place: SitemapPlace;
  readonly #url: string;
  readonly #options: NodeOptions;
  readonly #warnings = new Counts<WarningCode>();
  readonly #notes: Counts<NoteCode> | undefined;
  #early: Remark[] = [];
  #events: TreeEvent[] = [];
  #pages = 0;

  constructor(place: SitemapPlace, url: string, options: NodeOptions) {
    this.#place = place;
    this.#url = url;
    this.#options = options;
    if (!options.notes) return;
    const notes = this.#notes = new Counts<NoteCode>();
    this.note = (code, message, line) => {
      if (!notes.add(code)) return;
      this.#remark((sitemap) => ({ type: "note", code, message, sitemap, ...withLine(line) }));
    };
  }

  get waiting(): number {
    return this.#events.length;
  }

  take(): TreeEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  page(page: SitemapPage): void {
    const { tally, ignoresPages, typeOf } = this.#options;
    if (ignoresPages) return;
    const sitemap = this.ref ?? this.enter(typeOf!()!);
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

  recall(pages: number, children: readonly ListedAddress[]): void {
    this.#pages += pages;
    this.#options.tally.pages += pages;
    for (const { url, lastModified } of children) this.child(url, lastModified);
  }

  restart(): void {
    this.bytes = 0;
    this.#warnings.restart();
    this.#notes?.restart();
  }

  warning(code: WarningCode, message: string, line?: number, status?: number): void {
    if (!this.#warnings.add(code)) return;
    const remark = { type: "warning", code, message, ...withStatus({ status }) } as const;
    this.#remark((sitemap) => ({ ...remark, sitemap, ...withLine(line) }));
  }

  #remark(remark: Remark): void {
    if (this.ref === undefined) this.#early.push(remark);
    else this.#events.push(remark(this.ref));
  }

  enter(type: SitemapType): SitemapRef {
    if (this.ref !== undefined) return this.ref;
    const { response } = this.#options;
    const sitemap = this.ref = refOf(this.#place, type, this.#url);
    this.#events.push({ type: "sitemap-entered", sitemap, ...(response && { response }) });
    this.#sendEarly(sitemap);
    return sitemap;
  }

  leave(complete: boolean): void {
    const { bytes, durationMs } = this;
    this.#options.tally.warnings += this.#warnings.total;
    const counts = { pages: this.#pages, bytes, complete, warnings: this.#warnings.byCode };
    this.#events.push({
      type: "sitemap-left",
      sitemap: this.ref!,
      ...counts,
      ...(this.#notes !== undefined && { notes: this.#notes.byCode }),
      ...(durationMs !== undefined && { durationMs: Math.round(durationMs) }),
    });
  }

  invalidate(failure: SitemapFailure): void {
    const { code, reason } = failure;
    const sitemap = this.ref = refOf(this.#place, "InvalidSitemap", this.#url);
    this.#options.tally.warnings += this.#warnings.total;
    const { response = failure.response } = this.#options;
    const details = { ...withStatus(failure), ...(response && { response }) };
    this.#events.push({ type: "invalid", sitemap, code, reason, ...details });
    this.#sendEarly(sitemap);
  }

  #sendEarly(sitemap: SitemapRef): void {
    for (const remark of this.#early) this.#events.push(remark(sitemap));
    this.#early = [];
  }
}

export function refOf(place: SitemapPlace, type: SitemapType, url: string): SitemapRef {
  const { id, level, parent, index, requestedUrl, lastModified, foundBy } = place;
  // an index has many, and spreading objects is slow (`deno task bench --shapes`, sitemapindex)
  const ref: Mutable<SitemapRef> = requestedUrl === undefined
    ? { id, type, url, level, parent, index }
    : { id, type, url, requestedUrl, level, parent, index };
  if (lastModified !== undefined) ref.lastModified = lastModified;
  if (foundBy !== undefined) ref.foundBy = foundBy;
  return ref;
}

function withLine(line: number | undefined): { line?: number } {
  return line === undefined ? {} : { line };
}
