/**
 * Receiver of the entries of a document.
 *
 * @module
 */

import type { HashSet64 } from "../bytes/hash_set.ts";
import type { ValueScan } from "../bytes/value_scan.ts";
import type { WarningCode } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { excerpt } from "../data/text.ts";
import { AddressResolver } from "../data/url.ts";

/** Receives the entries of a document, in document order. */
export interface EntrySink {
  /** Takes a page. */
  page(page: SitemapPage): void;
  /**
   * Takes the address of a sitemap that an index or robots.txt lists, with the time that the index
   * declares for it, if any. Returns false beyond the limit of children, which truncates the document.
   */
  child(url: string, lastModified?: number): boolean | void;
  /** A sitemap that an index or robots.txt lists was dropped: no usable address. */
  childDropped(): void;
  /** Takes a warning: something was repaired, ignored or lost. */
  warning(code: WarningCode, message: string, line?: number): void;
}

// MERGED: The rules that entries of every format share: usable addresses, duplicates, how many.

/** Returns a value from the network, quoted and shortened for a message. */
export function quoted(value: string): string {
  return `"${excerpt(value)}"`;
}

/**
 * Pages that are looked up together. A hash is somewhere in a table of a megabyte or more, seldom in
 * the cache: in a row, the processor waits for several lookups at once (`deno task bench`, plain).
 */
const BATCH = 32;

/** The entries of a document, by their number and a hash of their addresses. */
export interface EntryDigest {
  readonly type: SitemapType | undefined;
  readonly count: number;
  readonly high: number;
  readonly low: number;
}

/** Takes the entries of one document and hands on those that count. */
export class Entries {
  /** Resolves the addresses of the document. */
  readonly resolver: AddressResolver;
  /** Hashes addresses. */
  readonly scan: ValueScan;
  readonly #sink: EntrySink;
  readonly #maxEntries: number;
  readonly #seen: HashSet64;
  #count = 0;
  #isFull = false;
  readonly #typeOf: () => SitemapType | undefined;
  /** Entries of an earlier reading, which are not handed on again. */
  #skipped: EntryDigest | undefined;
  #high = 0;
  #low = 0;
  // the batch: pages, and three numbers for each: its hash and its line
  #pages: SitemapPage[] = new Array(BATCH);
  #length = 0;
  readonly #hashes = new Int32Array(3 * BATCH);

  constructor(
    base: string,
    sink: EntrySink,
    options: {
      readonly maxEntries: number;
      readonly seen: HashSet64;
      readonly scan: ValueScan;
      /** Returns the kind of document, once it is known. */
      readonly typeOf: () => SitemapType | undefined;
      readonly skipped?: EntryDigest | undefined;
    },
  ) {
    this.resolver = new AddressResolver(base);
    this.scan = options.scan;
    this.#sink = sink;
    this.#maxEntries = options.maxEntries;
    this.#seen = options.seen;
    this.#typeOf = options.typeOf;
    this.#skipped = options.skipped;
  }

  /** Entries that were handed on, in this reading or an earlier one. */
  get digest(): EntryDigest {
    this.flush();
    const type = this.#typeOf();
    return this.#skipped ?? { type, count: this.#count, high: this.#high, low: this.#low };
  }

  /** Whether entries of an earlier reading are still skipped. */
  get isSkipping(): boolean {
    return this.#skipped !== undefined;
  }

  /** Number of entries that were handed on. */
  get count(): number {
    this.flush();
    return this.#count;
  }

  /** Whether a limit was reached: the document is truncated there. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Takes a page whose URL has the given hash. */
  page(page: SitemapPage, high: number, low: number, line: number): void {
    const at = this.#length++;
    this.#pages[at] = page;
    this.#hashes[3 * at] = high;
    this.#hashes[3 * at + 1] = low;
    this.#hashes[3 * at + 2] = line;
    if (at === BATCH - 1) this.flush();
  }

  /** Hands on the pages of the batch: before anything is reported, and at the end of each chunk. */
  flush(): void {
    const pages = this.#pages, length = this.#length;
    if (length === 0) return;
    // a fresh array: an old one that refers to young pages costs the garbage collector more
    this.#pages = new Array(BATCH);
    this.#length = 0;
    const hashes = this.#hashes, seen = this.#seen;
    let isNew = 0;
    for (let at = 0; at < length; at++) {
      if (seen.add(hashes[3 * at]!, hashes[3 * at + 1]!)) isNew |= 1 << at;
    }
    for (let at = 0; at < length && !this.#isFull; at++) {
      const page = pages[at]!;
      if ((isNew & (1 << at)) === 0) this.#reportDuplicate(page.url, hashes[3 * at + 2]!);
      else if (this.#admits(hashes[3 * at]!, hashes[3 * at + 1]!)) this.#sink.page(page);
    }
  }

  /** Takes a sitemap by its address as written. */
  child(address: string | undefined, line: number, lastModified?: number): void {
    const url = this.usable(address, line);
    if (url === undefined) return this.dropChild();
    this.scan.text(url);
    this.resolvedChild(url, this.scan.high, this.scan.low, line, lastModified);
  }

  /** Takes a sitemap by its URL, which has the given hash. */
  resolvedChild(
    url: string,
    high: number,
    low: number,
    line: number,
    lastModified?: number,
  ): void {
    if (this.#isFull) return;
    const key = this.resolver.keyOf(url);
    if (key !== url) this.scan.text(key);
    const isNew = key === url
      ? this.#seen.add(high, low)
      : this.#seen.add(this.scan.high, this.scan.low);
    if (!isNew) return this.#reportDuplicate(url, line);
    if (!this.#admits(high, low) || this.#sink.child(url, lastModified) !== false) return;
    this.#isFull = true;
    this.#sink.warning("too-many-entries", "Truncated: too many sitemaps wait to be visited");
  }

  /** Reports that a sitemap is not read, as its entry is too long. */
  dropChild(): void {
    if (!this.#isFull) this.#sink.childDropped();
  }

  /** The address of an entry, repaired and resolved; `undefined`, and reported, if it is unusable. */
  usable(address: string | undefined, line: number, base?: string): string | undefined {
    if (address === undefined || address === "") {
      this.warn("no-address", "Entry without an address dropped", line);
      return undefined;
    }
    const url = this.resolver.resolve(address, (code) => {
      const how = code === "relative-address" ? "Relative address" : "Repaired address";
      this.warn(code, `${how} ${quoted(address)}`, line);
    }, base);
    if (url === undefined) {
      this.warn("bad-address", `Invalid URL ${quoted(address)}: expected http(s)`, line);
    }
    return url;
  }

  /** Reports something repaired, ignored or lost. */
  warn(code: WarningCode, message: string, line?: number): void {
    this.flush();
    if (!this.#isFull) this.#sink.warning(code, message, line);
  }

  #reportDuplicate(url: string, line: number): void {
    this.#sink.warning("duplicate-address", `Duplicate address ${quoted(url)}`, line);
  }

  /** Counts an entry; returns whether it is handed on. */
  #admits(high: number, low: number): boolean {
    if (this.#count >= this.#maxEntries) {
      this.#isFull = true;
      this.#sink.warning("too-many-entries", `Truncated after ${this.#maxEntries} entries`);
      return false;
    }
    this.#count++;
    this.#high = Math.imul(this.#high ^ high, 0x9e3779b1);
    this.#low = Math.imul(this.#low ^ low, 0x85ebca6b);
    return this.#skipped === undefined || this.#isBehind(this.#skipped);
  }

  /** Whether an entry comes behind those that are skipped; if these differ, nothing more is read. */
  #isBehind({ type, count, high, low }: EntryDigest): boolean {
    if (this.#count < count) return false;
    const isSame = this.#high === high && this.#low === low && this.#typeOf() === type;
    if (isSame) this.#skipped = undefined;
    else this.#isFull = true;
    return false;
  }
}
