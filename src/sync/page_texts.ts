/**
 * Pages as bytes, with the hashes by which they are compared.
 *
 * @module
 */

import { type HashKey, ValueScan } from "../bytes/value_scan.ts";
import { hasExtensions, type SitemapPage } from "../data/page.ts";
import { valuesText } from "../data/page_record.ts";
import { arePlain, identityOf, plainOriginOf } from "./identity.ts";

/** Length of a text from which on no more pages are added to it. */
const ENOUGH = 128 * 1024;
const ENCODER = new TextEncoder();

/** Records of pages: values and the URL as written, or JSON if there are extensions. */
export class PageTexts {
  count = 0;
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(this.bytes.buffer);
  readonly ends: number[] = [];
  /** Hashes of the page that was hashed last: of its identity, and of its values. */
  readonly hashes: Int32Array = new Int32Array(4);
  readonly #ignoreOrigin: boolean;
  readonly #scan: ValueScan;
  #pages: readonly SitemapPage[] = [];
  #from = 0;
  /** Offsets of the ends of values. */
  readonly #middles: number[] = [];

  constructor(key: HashKey, ignoreOrigin: boolean) {
    this.#scan = new ValueScan(key);
    this.#ignoreOrigin = ignoreOrigin;
  }

  /** Returns the index of the first page that is left. */
  set(pages: readonly SitemapPage[], from: number): number {
    this.#pages = pages;
    this.#from = from;
    let text = this.#write(hasExtensions);
    // UTF-8 has no lone surrogates, which JSON escapes
    if (!text.isWellFormed()) text = this.#write(() => true);
    this.#encode(text);
    return from + this.count;
  }

  #write(needsJson: (page: SitemapPage) => boolean): string {
    const middles = this.#middles, ends = this.ends, pages = this.#pages, from = this.#from;
    let text = "", count = 0;
    for (; from + count < pages.length && text.length < ENOUGH; count++) {
      const page = pages[from + count]!;
      const isJson = needsJson(page);
      text += isJson ? JSON.stringify(page) : valuesText(page);
      middles[count] = text.length;
      if (!isJson) text += page.url;
      ends[count] = text.length;
    }
    this.count = count;
    return text;
  }

  hash(index: number): void {
    const { hashes, view } = this, scan = this.#scan;
    const middle = this.#middles[index]!, end = this.ends[index]!;
    scan.range(view, index === 0 ? 0 : this.ends[index - 1]!, middle);
    hashes[2] = scan.high;
    hashes[3] = scan.low;
    this.#hashIdentity(this.#pages[this.#from + index]!.url, middle, end);
    hashes[0] = scan.high;
    hashes[1] = scan.low;
  }

  #hashIdentity(url: string, middle: number, end: number): void {
    const scan = this.#scan, { view } = this;
    scan.range(view, middle, end);
    const length = scan.prefix?.length;
    if (length !== undefined && arePlain(this.bytes, middle + length, end)) {
      if (this.#ignoreOrigin) scan.range(view, middle + length - 1, end);
      return;
    }
    const origin = length === undefined && middle < end ? plainOriginOf(url) : undefined;
    if (origin !== undefined) scan.expect(scan.hashPrefix(origin));
    const identity = identityOf(url);
    scan.text(this.#ignoreOrigin ? withoutOrigin(identity) : identity);
  }

  #encode(text: string): void {
    const size = 3 * text.length;
    if (size > this.bytes.length) {
      this.bytes = new Uint8Array(size);
      this.view = new DataView(this.bytes.buffer);
    }
    if (ENCODER.encodeInto(text, this.bytes).written === text.length) return;
    // offsets in the text are not those of the bytes
    let from = 0, written = 0;
    const writtenUpTo = (end: number) => {
      written += ENCODER.encodeInto(text.slice(from, end), this.bytes.subarray(written)).written;
      from = end;
      return written;
    };
    for (let index = 0; index < this.count; index++) {
      this.#middles[index] = writtenUpTo(this.#middles[index]!);
      this.ends[index] = writtenUpTo(this.ends[index]!);
    }
  }
}

function withoutOrigin(identity: string): string {
  return identity.slice(Math.max(0, identity.indexOf("/", "https://".length)));
}
