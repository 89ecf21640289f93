/**
 * Rules that the entries of all formats share: usable addresses, duplicates, the maximum number.
 *
 * @module
 */

import type { HashTable } from "../bytes/hash_table.ts";
import type { ValueScan } from "../bytes/value_scan.ts";
import type { InvalidCode, NoteCode, WarningCode } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { excerpt } from "../data/text.ts";
import { addressKey, resolveAddress } from "../data/url.ts";
import { AddressReader } from "./address_reader.ts";

/** Called in document order. */
export interface EntrySink {
  page(page: SitemapPage): void;
  /**
   * Takes the URL of a sitemap that an index or robots.txt lists, with the date that the index declares
   * for it. Returns false beyond the limit of children, which truncates the document.
   */
  child(url: string, lastModified?: string): boolean | void;
  /** Counts a listed sitemap that was dropped for lack of a usable address. */
  childDropped(): void;
  warning(code: WarningCode, message: string, line?: number): void;
  /** Absent if notes are not wanted. */
  readonly note?: ((code: NoteCode, message: string, line?: number) => void) | undefined;
}

export function quoted(value: string): string {
  return `"${excerpt(value)}"`;
}

/**
 * Number of pages that are looked up together: the table of hashes exceeds the processor's cache, and
 * the cache misses of consecutive lookups overlap (`deno task bench`, plain).
 */
const BATCH = 32;

const MAX_REPLACED_WARNINGS = 1000;

export type DocumentOutcome =
  | {
    readonly type: SitemapType;
    readonly complete: boolean;
  }
  | {
    readonly code: InvalidCode;
    readonly reason: string;
  };

/** Number and hash of the entries of a document, in order. */
export interface EntryDigest {
  readonly type: SitemapType | undefined;
  readonly count: number;
  readonly high: number;
  readonly low: number;
}

export class Entries {
  readonly addresses: AddressReader;
  readonly scan: ValueScan;
  readonly #documentUrl: string;
  readonly #sink: EntrySink;
  readonly #maxEntries: number;
  readonly #seen: HashTable;
  readonly #typeOf: () => SitemapType | undefined;
  /** Whether all further entries are ignored. */
  isFull = false;
  /** Entries of an earlier reading, which are not passed on again. */
  #skipped: EntryDigest | undefined;
  /** Invalid byte sequences reported so far. */
  #replaced = 0;
  // the digest of this reading
  #count = 0;
  #high = 0;
  #low = 0;
  // the batch: pages, and three numbers for each: its hash and its line
  #pages: SitemapPage[] = new Array(BATCH);
  #length = 0;
  readonly #hashes = new Int32Array(3 * BATCH);

  constructor(
    documentUrl: string,
    sink: EntrySink,
    options: {
      readonly maxEntries: number;
      readonly seen: HashTable;
      readonly scan: ValueScan;
      readonly typeOf: () => SitemapType | undefined;
      readonly skipped?: EntryDigest | undefined;
    },
  ) {
    this.#documentUrl = documentUrl;
    this.scan = options.scan;
    this.addresses = new AddressReader(this.scan);
    this.#sink = sink;
    this.#maxEntries = options.maxEntries;
    this.#seen = options.seen;
    this.#typeOf = options.typeOf;
    this.#skipped = options.skipped;
  }

  /** Entries that were passed on, in this reading or an earlier one. */
  get digest(): EntryDigest {
    this.flush();
    const type = this.#typeOf();
    return this.#skipped ?? { type, count: this.#count, high: this.#high, low: this.#low };
  }

  get isSkipping(): boolean {
    return this.#skipped !== undefined;
  }

  /** Number of entries, duplicates excluded. */
  get count(): number {
    this.flush();
    return this.#count;
  }

  /** `high` and `low` are the hash of its URL. */
  page(page: SitemapPage, high: number, low: number, line: number): void {
    const at = this.#length++, slot = 3 * at, hashes = this.#hashes;
    this.#pages[at] = page;
    hashes[slot] = high;
    hashes[slot + 1] = low;
    hashes[slot + 2] = line;
    if (at === BATCH - 1) this.flush();
  }

  /** Passes on the pages of the batch: before each warning, and at the end of each chunk. */
  flush(): void {
    const pages = this.#pages, length = this.#length;
    if (length === 0) return;
    // a new array, as one in old space slows scavenges (`docs/ARCHITECTURE.md`, V8)
    this.#pages = new Array(BATCH);
    this.#length = 0;
    const hashes = this.#hashes, seen = this.#seen;
    let isNew = 0;
    for (let at = 0; at < length; at++) {
      if (seen.add(hashes[3 * at]!, hashes[3 * at + 1]!)) isNew |= 1 << at;
    }
    for (let at = 0; at < length && !this.isFull; at++) {
      const page = pages[at]!;
      if ((isNew & (1 << at)) === 0) this.#reportDuplicate(page.url, hashes[3 * at + 2]!);
      else if (this.#admits(hashes[3 * at]!, hashes[3 * at + 1]!)) this.#sink.page(page);
    }
  }

  /** Adds a sitemap by its address as written. */
  child(address: string | undefined, line: number, lastModified?: string): void {
    const url = this.usable(address, line);
    if (url === undefined) this.dropChild();
    else {
      this.scan.text(url);
      this.resolvedChild(url, this.scan.high, this.scan.low, line, lastModified);
    }
  }

  resolvedChild(
    url: string,
    high: number,
    low: number,
    line: number,
    lastModified?: string,
  ): void {
    if (this.isFull) return;
    const { scan } = this, key = addressKey(url);
    if (key !== url) scan.text(key);
    const isNew = key === url ? this.#seen.add(high, low) : this.#seen.add(scan.high, scan.low);
    if (!isNew) return this.#reportDuplicate(url, line);
    if (!this.#admits(high, low) || this.#sink.child(url, lastModified) !== false) return;
    this.#truncate("Truncated: too many sitemaps wait to be visited");
  }

  dropChild(): void {
    if (!this.isFull) this.#sink.childDropped();
  }

  /** Returns an address, repaired and resolved; `undefined`, and reported, if it is unusable. */
  usable(address: string | undefined, line: number, base?: string): string | undefined {
    if (address === undefined || address === "") {
      this.warn("no-address", "Entry without an address dropped", line);
      return undefined;
    }
    const url = this.resolve(address, line, base);
    if (url === undefined) {
      this.warn("bad-address", `Invalid URL ${quoted(address)}: expected http(s)`, line);
    }
    return url;
  }

  resolve(address: string, line: number, base?: string): string | undefined {
    const onRepair = (code: WarningCode) => {
      const how = code === "relative-address" ? "Relative address" : "Repaired address";
      this.warn(code, `${how} ${quoted(address)}`, line);
    };
    return resolveAddress(address, this.#documentUrl, { base, onRepair });
  }

  warn(code: WarningCode, message: string, line?: number): void {
    this.flush();
    if (!this.isFull) this.#sink.warning(code, message, line);
  }

  note(code: NoteCode, message: string, line?: number): void {
    this.flush();
    if (!this.isFull) this.#sink.note?.(code, message, line);
  }

  reportReplaced(count: number): void {
    for (let i = 0; i < count && this.#replaced < MAX_REPLACED_WARNINGS; i++) {
      this.#replaced++;
      this.warn("encoding-replaced", "Invalid UTF-8 replaced by U+FFFD");
    }
  }

  #reportDuplicate(url: string, line: number): void {
    this.#sink.warning("duplicate-address", `Duplicate address ${quoted(url)}`, line);
  }

  #truncate(message: string): void {
    this.isFull = true;
    this.#sink.warning("too-many-entries", message);
  }

  /** Counts an entry; returns whether it is passed on. */
  #admits(high: number, low: number): boolean {
    if (this.#count >= this.#maxEntries) {
      this.#truncate(`Truncated after ${this.#maxEntries} entries`);
      return false;
    }
    this.#count++;
    this.#high = Math.imul(this.#high ^ high, 0x9e3779b1);
    this.#low = Math.imul(this.#low ^ low, 0x85ebca6b);
    if (this.#skipped === undefined) return true;
    const { type, count, high: skippedHigh, low: skippedLow } = this.#skipped;
    if (this.#count < count) return false;
    // a document that differs from its earlier reading is not continued
    const isSame = this.#high === skippedHigh && this.#low === skippedLow &&
      this.#typeOf() === type;
    if (isSame) this.#skipped = undefined;
    else this.isFull = true;
    return false;
  }
}
