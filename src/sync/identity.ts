/**
 * When two entries of sitemaps are the same page, and when a page has changed.
 *
 * @module
 */

import { type HashKey, ValueScan } from "../bytes/value_scan.ts";
import { timeOfDate } from "../data/date.ts";
import { DEFAULT_PRIORITY, hasExtensions, type SitemapPage } from "../data/page.ts";
import { isRecord } from "../data/checks.ts";
import { pageFromRow, type StoredValues } from "../data/page_row.ts";
import { PAGE } from "../data/page_schema.ts";

/** Beginning of URLs that the URL parser serialises unchanged. */
const PLAIN_ORIGIN_REGEXP = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*\//;
/** What it may change after that. */
const ODD_REGEXP = /[^\w~!$&()*+,;=:@.\/?-]/;
const ESCAPE_REGEXP = /%[0-9a-f]{2}/gi;

/** Returns the text by which pages are compared: the URL as the parser serialises it. */
export function identityOf(url: string): string {
  // most are serialised unchanged, and the parser takes time
  if (plainOriginOf(url) !== undefined && !ODD_REGEXP.test(url) && !url.includes("/.")) return url;
  const parsed = URL.parse(url)?.href ?? url;
  return parsed.replace(ESCAPE_REGEXP, (escape) => escape.toUpperCase());
}

/** Returns the origin of a URL and a slash, if the parser serialises them unchanged. */
export function plainOriginOf(url: string): string | undefined {
  return PLAIN_ORIGIN_REGEXP.exec(url)?.[0];
}

/** 1 for each byte that is not odd. */
const PLAIN_BYTES = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte > 0x7f || ODD_REGEXP.test(String.fromCharCode(byte)) ? 0 : 1,
);
const DOT = 0x2e, SLASH = 0x2f;

/** Whether the parser serialises bytes unchanged that follow an origin and its slash. */
export function arePlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (PLAIN_BYTES[byte] === 0 || byte === DOT && bytes[at - 1] === SLASH) return false;
  }
  return true;
}

/** No database has a text with NUL. */
export function storableUrl(url: string): string {
  return url.includes("\0") ? url.replaceAll("\0", "%00") : url;
}

/** Name of a field of a page whose value may change. */
export type PageField = Exclude<keyof SitemapPage, "url">;

export const PAGE_FIELDS: readonly PageField[] = PAGE.fields
  .map(({ name }) => name as keyof SitemapPage)
  .filter((name) => name !== "url");

interface PageChange {
  readonly page: SitemapPage;
  readonly previous: SitemapPage;
  readonly fields: readonly PageField[];
}

export function changeOf(
  url: string,
  before: StoredValues,
  after: StoredValues,
): PageChange | undefined {
  const page = pageFromRow(url, after), previous = pageFromRow(url, before);
  const fields = changedFields(page, previous);
  return fields.length === 0 ? undefined : { page, previous, fields };
}

export function changedFields(
  page: SitemapPage,
  previous: SitemapPage,
  fields: readonly PageField[] = PAGE_FIELDS,
): PageField[] {
  return fields.filter((name) => !isSame(name, page[name], previous[name]));
}

/** Dates may differ in precision; an absent priority equals the default. */
function isSame(name: PageField, one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (name === "priority") return (one ?? DEFAULT_PRIORITY) === (other ?? DEFAULT_PRIORITY);
  if (one === undefined || other === undefined) return false;
  if (name === "lastModified") return timeOfDate(one as string) === timeOfDate(other as string);
  return canonical(one) === canonical(other);
}

/** The order of elements in their sitemap does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, value) => isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
}

const ENCODER = new TextEncoder();
const MAX_KEPT = 1024 * 1024;

/**
 * Hashes texts with 64 bits, two numbers each, which are valid until the next call. Many are encoded at
 * once: one by one they take five times as long.
 */
export class Hasher {
  readonly #scan: ValueScan;
  #bytes = new Uint8Array(64 * 1024);
  #hashes = new Int32Array(0);
  readonly #ends: number[] = [];

  constructor(key: HashKey) {
    this.#scan = new ValueScan(key);
  }

  /** Hashes some pages as they are written, with all their values. */
  pages(pages: readonly SitemapPage[], start: number, end: number): Int32Array {
    const ends = this.#ends;
    let text = "";
    for (let at = start; at < end; at++) {
      const page = pages[at]!;
      const { lastModified, priority, changeFrequency } = page;
      text += page.url;
      text += "\n";
      if (lastModified !== undefined) text += lastModified;
      if (priority !== undefined) text += priority;
      if (changeFrequency !== undefined) text += changeFrequency;
      if (hasExtensions(page)) text += JSON.stringify(page);
      ends[at - start] = text.length;
    }
    return this.#hash(text, end - start);
  }

  texts(texts: readonly string[]): Int32Array {
    let end = 0;
    for (let at = 0; at < texts.length; at++) this.#ends[at] = end += texts[at]!.length;
    return this.#hash(texts.join(""), texts.length);
  }

  /** The parts of the text end at `#ends`. */
  #hash(text: string, count: number): Int32Array {
    const scan = this.#scan, ends = this.#ends;
    if (2 * count > this.#hashes.length) this.#hashes = new Int32Array(2 * count);
    const hashes = this.#hashes;
    let bytes = this.#encode(text);
    const isAscii = bytes.length === text.length;
    let view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0, start = 0; at < count; start = ends[at++]!) {
      if (isAscii) scan.range(view, start, ends[at]!);
      else {
        bytes = this.#encode(text.slice(start, ends[at]));
        view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
        scan.range(view, 0, bytes.length);
      }
      hashes[2 * at] = scan.high;
      hashes[2 * at + 1] = scan.low;
    }
    return hashes;
  }

  #encode(text: string): Uint8Array {
    const size = 3 * text.length;
    if (size > MAX_KEPT) return ENCODER.encode(text);
    if (size > this.#bytes.length) this.#bytes = new Uint8Array(size);
    return this.#bytes.subarray(0, ENCODER.encodeInto(text, this.#bytes).written);
  }
}
