/**
 * Pages in the order in which they are added, in memory or in a temporary file. The record of a page is
 * text, `2024-05-01,0.8,daily,https://example.com/`, or JSON if it has extensions.
 *
 * @module
 */

import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import { type ChangeFrequency, definePage, hasExtensions, type SitemapPage } from "../data/page.ts";
import { CHANGE_FREQUENCIES } from "../data/page_schema.ts";
import { canCreateTemporaryFile } from "../platform/temporary_file.ts";
import { utf8Reader } from "../platform/text.ts";
import { NumberList } from "./number_list.ts";
import { SpillBuffer } from "./spill_buffer.ts";

/** Length of a text from which on no more pages are added to it. */
const ENOUGH = 128 * 1024;
/** Most pages that wait to be encoded: one by one they take several times as long. */
const MAX_WAITING = 32;
const MAX_IN_MEMORY = 4 * 1024 * 1024;
/** Bytes to read at once: those that follow the last ones, and any others. */
const READ_NEXT = 64 * 1024, READ_ANY = 16 * 1024;
/** One address is kept for so many records, as a power of two. */
const BASE_SHIFT = 6, BASE_MASK = (1 << BASE_SHIFT) - 1;
const ENCODER = new TextEncoder();
/** Bits of four bytes that ASCII does not have. */
const WIDE_BITS = 0x80808080 | 0;

/** Records of some pages, in UTF-8. */
export class PageRecords {
  count = 0;
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(this.bytes.buffer);
  /** Two offsets of each record: of its URL, or the end if it is JSON, and of its end. */
  readonly #offsets: number[] = [];

  startOf(index: number): number {
    return index === 0 ? 0 : this.#offsets[2 * index - 1]!;
  }

  urlOf(index: number): number {
    return this.#offsets[2 * index]!;
  }

  endOf(index: number): number {
    return this.#offsets[2 * index + 1]!;
  }

  /** Returns the index of the first page that is left. */
  set(pages: readonly SitemapPage[], from: number): number {
    let text = this.#write(pages, from, hasExtensions);
    // UTF-8 has no lone surrogates, which JSON escapes
    if (!text.isWellFormed()) text = this.#write(pages, from, () => true);
    this.#encode(text);
    return from + this.count;
  }

  #write(
    pages: readonly SitemapPage[],
    from: number,
    needsJson: (page: SitemapPage) => boolean,
  ): string {
    const offsets = this.#offsets;
    let text = "", count = 0;
    for (; from + count < pages.length && text.length < ENOUGH; count++) {
      const page = pages[from + count]!;
      const isJson = needsJson(page);
      text += isJson ? JSON.stringify(page) : valuesText(page);
      offsets[2 * count] = text.length;
      if (!isJson) text += page.url;
      offsets[2 * count + 1] = text.length;
    }
    this.count = count;
    return text;
  }

  #encode(text: string): void {
    const size = 3 * text.length;
    if (size > this.bytes.length) {
      this.bytes = new Uint8Array(size);
      this.view = new DataView(this.bytes.buffer);
    }
    if (ENCODER.encodeInto(text, this.bytes).written === text.length) return;
    const { bytes, view } = this, offsets = this.#offsets;
    for (let index = 0, at = 0, offset = 0; index < 2 * this.count; index++) {
      for (const end = offsets[index]!; at < end; at++) {
        for (; at + 4 < end && (view.getInt32(offset) & WIDE_BITS) === 0; at += 4) offset += 4;
        const byte = bytes[offset]!;
        offset += byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        // two code units
        if (byte >= 0xf0) at++;
      }
      offsets[index] = offset;
    }
  }
}

/** Texts of priorities, without and with one of the frequencies. */
const HINTS: ReadonlyMap<ChangeFrequency | undefined, Map<number | undefined, string>> = new Map(
  [undefined, ...CHANGE_FREQUENCIES].map((frequency) => [frequency, new Map()]),
);
const MAX_HINTS = 100;

/** Returns what is before the URL in the record of a page without extensions. */
function valuesText({ lastModified, priority, changeFrequency }: SitemapPage): string {
  const texts = HINTS.get(changeFrequency);
  let text = texts?.get(priority);
  if (text === undefined) {
    text = `,${priority ?? ""},${changeFrequency ?? ""},`;
    if (texts !== undefined && texts.size < MAX_HINTS) texts.set(priority, text);
  }
  return lastModified === undefined ? text : lastModified + text;
}

function readRecord(record: string): SitemapPage {
  if (record.startsWith("{")) {
    const page: SitemapPage = JSON.parse(record);
    return definePage(page.url, page);
  }
  const date = record.indexOf(",");
  const priority = record.indexOf(",", date + 1);
  const frequency = record.indexOf(",", priority + 1);
  return definePage(record.slice(frequency + 1), {
    lastModified: date === 0 ? undefined : record.slice(0, date),
    priority: priority === date + 1 ? undefined : Number(record.slice(date + 1, priority)),
    changeFrequency: frequency === priority + 1
      ? undefined
      : record.slice(priority + 1, frequency) as ChangeFrequency,
  });
}

interface LoggedPage<Sitemap> {
  readonly number: number;
  readonly page: SitemapPage;
  readonly sitemap: Sitemap;
}

/**
 * Pages are numbered from 0 on. A log in `memory` never touches a disk, one on `disk` throws without a
 * file, and one that may `spill` creates a file if it grows and the runtime permits that.
 */
export class PageLog<Sitemap = undefined> implements Disposable {
  readonly #buffer: SpillBuffer;
  /** Addresses of every 64th record, and how far each record is from the last one of these. */
  readonly #bases = new NumberList(Float64Array);
  readonly #offsets = new NumberList(Uint32Array);
  #base = 0;
  length = 0;
  /** Pages that are not encoded yet. */
  #waiting: SitemapPage[] = [];
  #records: PageRecords | undefined;
  /** Sitemaps, and the number of the first page of each; one may have several parts. */
  readonly #sitemaps: Sitemap[] = [];
  readonly #firsts: number[] = [];
  /** The bytes that were read last, and their address. */
  #window: DataView = new DataView(new ArrayBuffer(0));
  #windowStart = Infinity;
  #decode = utf8Reader(new Uint8Array(0));
  /** Number and address of the record after the one that was compared last. */
  #next = -1;
  #nextAddress = 0;

  constructor(storage: "memory" | "disk" | "spill") {
    const spills = storage === "disk" || storage === "spill" && canCreateTemporaryFile();
    this.#buffer = new SpillBuffer(spills ? MAX_IN_MEMORY : Infinity);
    if (storage === "disk") this.#buffer.openFile();
  }

  [Symbol.dispose](): void {
    this.#buffer[Symbol.dispose]();
    this.#waiting = [];
    this.#windowStart = Infinity;
  }

  /** Returns the number of the page. */
  append(page: SitemapPage, sitemap: Sitemap): number {
    this.#enter(sitemap);
    if (this.#waiting.push(page) === MAX_WAITING) this.flush();
    return this.length++;
  }

  /** Appends all records. */
  add(records: PageRecords, sitemap: Sitemap): void {
    this.flush();
    this.#enter(sitemap);
    this.#write(records);
    this.length += records.count;
  }

  /** Encodes the pages that wait, which are kept as they are until then. */
  flush(): void {
    const pages = this.#waiting;
    if (pages.length === 0) return;
    this.#waiting = [];
    const records = this.#records ??= new PageRecords();
    for (let from = 0; from < pages.length;) {
      from = records.set(pages, from);
      this.#write(records);
    }
  }

  page(number: number): SitemapPage {
    const start = this.#addressOf(number), length = this.#addressOf(number + 1) - start;
    const at = this.#offset(start, length);
    return readRecord(this.#decode(at, at + length));
  }

  /** Whether the record of a page is the same as another. */
  isAt(number: number, records: PageRecords, index: number): boolean {
    const from = records.startOf(index), length = records.endOf(index) - from;
    const address = number === this.#next ? this.#nextAddress : this.#addressOf(number);
    this.#next = number + 1;
    this.#nextAddress = this.#addressOf(number + 1);
    if (this.#nextAddress - address !== length) return false;
    const start = this.#offset(address, length), one = this.#window, other = records.view;
    let at = 0;
    for (const last = length - 8; at <= last; at += 8) {
      const first = one.getInt32(start + at) ^ other.getInt32(from + at);
      const second = one.getInt32(start + at + 4) ^ other.getInt32(from + at + 4);
      if ((first | second) !== 0) return false;
    }
    for (; at < length; at++) {
      if (one.getUint8(start + at) !== other.getUint8(from + at)) return false;
    }
    return true;
  }

  /** Yields all pages, or those with some numbers, in their order. */
  *batches(isWanted = (_number: number): boolean => true): Generator<LoggedPage<Sitemap>[]> {
    let batch: LoggedPage<Sitemap>[] = [];
    for (let number = 0, part = 0; number < this.length; number++) {
      if (!isWanted(number)) continue;
      while (part + 1 < this.#firsts.length && this.#firsts[part + 1]! <= number) part++;
      const page = { number, page: this.page(number), sitemap: this.#sitemaps[part]! };
      if (batch.push(page) < MAX_BATCH_ITEMS) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  #enter(sitemap: Sitemap): void {
    if (this.#sitemaps.length > 0 && this.#sitemaps.at(-1) === sitemap) return;
    this.#sitemaps.push(sitemap);
    this.#firsts.push(this.length);
  }

  #write(records: PageRecords): void {
    const { bytes, count } = records, offsets = this.#offsets;
    const address = this.#buffer.write(bytes.subarray(0, records.startOf(count)));
    // its memory may be written to
    this.#windowStart = Infinity;
    for (let index = 0; index < count; index++) {
      const start = address + records.startOf(index);
      if ((offsets.length & BASE_MASK) === 0) this.#bases.push(this.#base = start);
      offsets.push(start - this.#base);
    }
  }

  /** Returns the address of a record, or the end of the last one. */
  #addressOf(number: number): number {
    if (number >= this.#offsets.length) this.flush();
    if (number >= this.#offsets.length) return this.#buffer.length;
    return this.#bases.at(number >> BASE_SHIFT) + this.#offsets.at(number);
  }

  /** Reads bytes, unless they are there; returns their offset in the window. */
  #offset(address: number, length: number): number {
    const offset = address - this.#windowStart;
    if (offset >= 0 && offset + length <= this.#window.byteLength) return offset;
    const isNext = offset > 0 && offset <= this.#window.byteLength;
    const bytes = this.#buffer.read(address, Math.max(isNext ? READ_NEXT : READ_ANY, length));
    this.#window = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#windowStart = address;
    this.#decode = utf8Reader(bytes);
    return 0;
  }
}
