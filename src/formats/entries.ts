/**
 * The rules that entries of every format share: addresses, duplicates, how many.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import { SitemapPage, type SitemapPageFields } from "../page.ts";
import { AddressResolver } from "../url.ts";
import type { AddressHash } from "./address_hash.ts";
import type { AddressSet } from "./address_set.ts";
import type { PageBatch } from "./page_batch.ts";
import type { EntrySink } from "./sink.ts";

/** What an entry says besides its address. */
export type EntryFields = Omit<SitemapPageFields, "url">;

/** How much of a value a message quotes. */
const MAX_QUOTED = 200;

/** A value from the network, shortened for a message. */
export function quoted(value: string): string {
  return `"${value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value}"`;
}

/** Printable, and the same in XML as it is in text. */
const PLAIN_REGEXP = /^[!-%'-;=-~]+$/;

/** Takes the entries of one document and hands on those that count. */
export class Entries {
  readonly #resolver: AddressResolver;
  readonly #sink: EntrySink;
  readonly #maxEntries: number;
  readonly #seen: AddressSet;
  #count = 0;
  #warnings = 0;
  #full = false;

  constructor(
    base: string,
    sink: EntrySink,
    options: { readonly maxEntries: number; readonly seen: AddressSet },
  ) {
    this.#resolver = new AddressResolver(base);
    this.#sink = sink;
    this.#maxEntries = options.maxEntries;
    this.#seen = options.seen;
  }

  /** Entries that were handed on. */
  get count(): number {
    return this.#count;
  }

  /** Warnings that were told. */
  get warnings(): number {
    return this.#warnings;
  }

  /** Whether there were more entries than `maxEntries`: the document is cut there. */
  get full(): boolean {
    return this.#full;
  }

  /** Whether an address is an absolute http(s) URL. */
  isAbsoluteHttp(address: string): boolean {
    return this.#resolver.isAbsoluteHttp(address);
  }

  /** Takes a page by its trimmed address, as the document writes it. */
  page(address: string | undefined, fields: EntryFields, line?: number): void {
    const url = this.#usable(address, line);
    if (url === undefined || !this.#isNew(url, url, line) || !this.#hasRoom()) return;
    this.#sink.page(new SitemapPage({ ...fields, url }));
  }

  /**
   * Scheme and authority of an address, and what ends them: every address that begins with them is
   * valid. `undefined` where an address has none that can be told apart, or that XML must escape.
   */
  authorityOf(address: string): string | undefined {
    if (!this.#resolver.isAbsoluteHttp(address)) return undefined;
    const text = this.#resolver.validStart;
    return text !== undefined && PLAIN_REGEXP.test(text) ? text : undefined;
  }

  /** What hashes the addresses of pages for a batch. */
  get hash(): AddressHash {
    return this.#seen.hash;
  }

  /**
   * Takes the pages of a batch, which have valid addresses, up to the first one of which there is
   * something to be told: the answer is how many it took.
   */
  takeBatch(batch: PageBatch): number {
    const room = Math.min(batch.length, this.#maxEntries - this.#count);
    const { pages, hashes } = batch;
    let taken = 0;
    while (taken < room && this.#seen.addHash(hashes[2 * taken]!, hashes[2 * taken + 1]!)) taken++;
    this.#count += taken;
    for (let at = 0; at < taken; at++) this.#sink.page(pages[at]!);
    return taken;
  }

  /** Takes a sub-sitemap by its trimmed address, as the document writes it. */
  child(address: string | undefined, line?: number): void {
    const url = this.#usable(address, line);
    if (url === undefined || !this.#isNew(url, this.#resolver.keyOf(url), line)) return;
    if (this.#hasRoom()) this.#handOn(url);
  }

  /**
   * Takes one with a valid address, the last to be hashed: false, with nothing done, where there is
   * something to be told.
   */
  takeChild(address: string): boolean {
    if (this.#full || this.#count >= this.#maxEntries) return false;
    // the resolver knows the addresses that it has seen
    this.#resolver.isAbsoluteHttp(address);
    const key = this.#resolver.keyOf(address);
    const { high, low } = this.hash;
    const isNew = key === address ? this.#seen.addHash(high, low) : this.#seen.add(key);
    if (!isNew) return false;
    this.#count++;
    this.#handOn(address);
    return true;
  }

  #handOn(url: string): void {
    if (this.#sink.child(url) !== false) return;
    this.#full = true;
    this.warn("too-many-entries", "Document cut: too many sitemaps wait to be visited");
  }

  /** Tells of something repaired, passed over or lost. */
  warn(code: WarningCode, message: string, line?: number): void {
    this.#warnings++;
    this.#sink.warning(code, message, line);
  }

  #usable(address: string | undefined, line?: number): string | undefined {
    if (address === undefined || address === "") {
      this.warn("no-address", "Entry without an address left out", line);
      return undefined;
    }
    const url = this.#resolver.resolve(address);
    if (url === undefined) {
      this.warn("bad-address", `Address ${quoted(address)} is no http(s) URL`, line);
    }
    return url;
  }

  #isNew(url: string, key: string, line?: number): boolean {
    if (this.#seen.add(key)) return true;
    this.warn("duplicate-address", `Address ${quoted(url)} was given before`, line);
    return false;
  }

  #hasRoom(): boolean {
    if (this.#count < this.#maxEntries) {
      this.#count++;
      return true;
    }
    this.#full = true;
    this.warn("too-many-entries", `Document cut after ${this.#maxEntries} entries`);
    return false;
  }
}
