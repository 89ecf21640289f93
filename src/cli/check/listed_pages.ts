/**
 * The pages of an operand, to be requested after its walk.
 *
 * @module
 */

import { SpillBuffer } from "../../bytes/spill_buffer.ts";
import { UniquePages } from "../../bytes/unique_pages.ts";
import { addressKey } from "../../data/url.ts";
import { canCreateTemporaryFile } from "../../platform/temporary_file.ts";
import type { Sampling } from "../sampling.ts";

/** `sitemap` is the first one that lists the page. */
export interface ListedPage {
  readonly url: string;
  readonly sitemap: string;
}

/** Bytes that are kept in memory; the rest is in a temporary file, if Deno permits that. */
const MAX_IN_MEMORY = 8 * 1024 * 1024;
/** Bytes of a record before the URL: number of the sitemap, length of the URL. */
const HEAD_BYTES = 8;

/** Distinct pages in the order of the walk: all of them, or a sample. */
export class ListedPages implements Disposable {
  first: string | undefined;
  listed = 0;
  readonly #sampling: Sampling<ListedPage> | undefined;
  readonly #seen = new UniquePages();
  readonly #buffer = new SpillBuffer(canCreateTemporaryFile() ? MAX_IN_MEMORY : Infinity);
  readonly #encoder = new TextEncoder();
  #record = new DataView(new ArrayBuffer(1024));
  readonly #sitemaps = new Map<string, number>();

  constructor(sampling: Sampling<ListedPage> | undefined) {
    this.#sampling = sampling;
  }

  add(url: string, sitemap: string): void {
    if (!this.#seen.add(addressKey(url))) return;
    this.listed++;
    this.first ??= url;
    if (this.#sampling === undefined) this.#write(url, sitemap);
    else this.#sampling.add(url, () => ({ url, sitemap }));
  }

  kept(): readonly [number, Iterable<ListedPage>] {
    const sample = this.#sampling?.items();
    return sample === undefined ? [this.listed, this.#read()] : [sample.length, sample];
  }

  [Symbol.dispose](): void {
    this.#buffer[Symbol.dispose]();
  }

  #write(url: string, sitemap: string): void {
    let number = this.#sitemaps.get(sitemap);
    if (number === undefined) this.#sitemaps.set(sitemap, number = this.#sitemaps.size);
    // a character has at most three bytes
    const size = HEAD_BYTES + 3 * url.length;
    if (size > this.#record.byteLength) this.#record = new DataView(new ArrayBuffer(2 * size));
    const { buffer } = this.#record;
    const { written } = this.#encoder.encodeInto(url, new Uint8Array(buffer, HEAD_BYTES));
    this.#record.setUint32(0, number);
    this.#record.setUint32(4, written);
    this.#buffer.write(new Uint8Array(buffer, 0, HEAD_BYTES + written));
  }

  *#read(): Generator<ListedPage, void, void> {
    const sitemaps = [...this.#sitemaps.keys()];
    const decoder = new TextDecoder();
    for (let at = 0; at < this.#buffer.length;) {
      const head = this.#buffer.read(at, HEAD_BYTES);
      const view = new DataView(head.buffer, head.byteOffset, HEAD_BYTES);
      const sitemap = sitemaps[view.getUint32(0)]!;
      const length = view.getUint32(4);
      const url = decoder.decode(this.#buffer.read(at + HEAD_BYTES, length));
      at += HEAD_BYTES + length;
      yield { url, sitemap };
    }
  }
}
