/**
 * Pages in the order in which they are added, most of them on disk.
 *
 * @module
 */

import { NumberList } from "../bytes/number_list.ts";
import { SpillBuffer } from "../bytes/spill_buffer.ts";
import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { SitemapRef } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { readRecord } from "../data/page_record.ts";
import { canCreateTemporaryFile } from "../platform/temporary_file.ts";
import type { PageTexts } from "./page_texts.ts";

const MAX_IN_MEMORY = 4 * 1024 * 1024;
const READ_SIZE = 64 * 1024;
const DECODER = new TextDecoder();

interface LoggedPage {
  readonly number: number;
  readonly page: SitemapPage;
  readonly sitemap: SitemapRef;
}

/** References of a saved walk are not the same objects. */
export function isSameSitemap(one: SitemapRef, other: SitemapRef): boolean {
  return one === other || one.id === other.id && one.url === other.url;
}

export class PageLog implements Disposable {
  readonly #buffer = new SpillBuffer(canCreateTemporaryFile() ? MAX_IN_MEMORY : Infinity);
  readonly #addresses = new NumberList(Float64Array);
  /** Sitemaps, and the number of the first page of each; one may have several parts. */
  readonly #sitemaps: SitemapRef[] = [];
  readonly #firsts: number[] = [];
  #window: DataView = new DataView(new ArrayBuffer(0));
  #windowStart = 0;

  get length(): number {
    return this.#addresses.length;
  }

  [Symbol.dispose](): void {
    this.#buffer[Symbol.dispose]();
  }

  add(texts: PageTexts, from: number, to: number, sitemap: SitemapRef): void {
    if (from === to) return;
    const last = this.#sitemaps.at(-1);
    if (last === undefined || !isSameSitemap(last, sitemap)) {
      this.#sitemaps.push(sitemap);
      this.#firsts.push(this.length);
    }
    const { ends } = texts;
    const start = from === 0 ? 0 : ends[from - 1]!;
    const base = this.#buffer.write(texts.bytes.subarray(start, ends[to - 1])) - start;
    for (let at = from, address = base + start; at < to; address = base + ends[at++]!) {
      this.#addresses.push(address);
    }
  }

  page(number: number): SitemapPage {
    const start = this.#addresses.at(number);
    const length = this.#endOf(number) - start;
    const at = this.#offset(start, length);
    const { buffer, byteOffset } = this.#window;
    return readRecord(DECODER.decode(new Uint8Array(buffer, byteOffset + at, length)));
  }

  /** Whether the record of a page is the one with a number. */
  isAt(number: number, texts: PageTexts, index: number): boolean {
    const from = index === 0 ? 0 : texts.ends[index - 1]!;
    const length = texts.ends[index]! - from;
    const start = this.#addresses.at(number);
    if (this.#endOf(number) - start !== length) return false;
    const at = this.#offset(start, length);
    return isSame(this.#window, at, texts.view, from, length);
  }

  *pages(isWanted = (_number: number): boolean => true): Generator<LoggedPage[], void, void> {
    let batch: LoggedPage[] = [];
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

  #endOf(number: number): number {
    return number + 1 < this.length ? this.#addresses.at(number + 1) : this.#buffer.length;
  }

  /** Reads bytes, unless they are there; returns their offset in the window. */
  #offset(address: number, length: number): number {
    const offset = address - this.#windowStart;
    if (offset >= 0 && offset + length <= this.#window.byteLength) return offset;
    const bytes = this.#buffer.read(address, Math.max(READ_SIZE, length));
    this.#window = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#windowStart = address;
    return 0;
  }
}

function isSame(
  one: DataView,
  from: number,
  other: DataView,
  start: number,
  length: number,
): boolean {
  const last = length - 8;
  let at = 0;
  for (; at <= last; at += 8) {
    const first = one.getInt32(from + at) ^ other.getInt32(start + at);
    const second = one.getInt32(from + at + 4) ^ other.getInt32(start + at + 4);
    if ((first | second) !== 0) return false;
  }
  for (; at < length; at++) {
    if (one.getUint8(from + at) !== other.getUint8(start + at)) return false;
  }
  return true;
}
