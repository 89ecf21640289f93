/**
 * When two entries of sitemaps are the same page, and when a page has changed.
 *
 * @module
 */

import { type HashKey, ValueScan } from "../bytes/value_scan.ts";
import { timeOfDate } from "../data/date.ts";
import { DEFAULT_PRIORITY, hasExtensions, type SitemapPage } from "../data/page.ts";
import { isRecord } from "../data/page_json.ts";
import type { StoredValues } from "../data/page_row.ts";

/** URLs that the URL parser serialises unchanged, as most are. */
const PLAIN_REGEXP =
  /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*\/[\w~!$&()*+,;=:@.\/-]*(?:\?[\w~!$&()*+,;=:@.\/?-]*)?$/;
const ESCAPE_REGEXP = /%[0-9a-f]{2}/gi;

/** Returns the text by which pages are compared: the URL as the parser serialises it. */
export function identityOf(url: string): string {
  if (PLAIN_REGEXP.test(url) && !url.includes("/.")) return url;
  const parsed = URL.parse(url)?.href ?? url;
  return parsed.replace(ESCAPE_REGEXP, (escape) => escape.toUpperCase());
}

/** Returns a URL as databases can store it: none of them has a text with NUL. */
export function storableUrl(url: string): string {
  return url.includes("\0") ? url.replaceAll("\0", "%00") : url;
}

/** Whether two pages have values that denote the same. An absent priority equals the default. */
export function sameValues(one: StoredValues, other: StoredValues): boolean {
  return (one.priority ?? DEFAULT_PRIORITY) === (other.priority ?? DEFAULT_PRIORITY) &&
    one.changefreq === other.changefreq &&
    (one.lastmod === other.lastmod || isSameTime(one.lastmod, other.lastmod)) &&
    (one.extensions === other.extensions || canonical(one) === canonical(other));
}

/** Whether dates are the same instant, perhaps at another precision. */
function isSameTime(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && timeOfDate(one) === timeOfDate(other);
}

/** Returns extensions as JSON in which the order of elements in their sitemap does not matter. */
function canonical({ extensions }: StoredValues): string {
  return JSON.stringify(
    JSON.parse(extensions ?? "null"),
    (_key, value) => isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
}

const ENCODER = new TextEncoder();
/** Bytes of a buffer that is kept. */
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

  /** Hashes so many parts of a text, whose ends are known. */
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
