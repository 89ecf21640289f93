/**
 * Changes of a sitemap that wait for its end.
 *
 * @module
 */

import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { SitemapRef } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { SpillBuffer } from "../bytes/spill_buffer.ts";
import { PageWriter } from "../tree/page_list.ts";
import type { PageChangedEvent } from "./events.ts";

/** Bytes that are kept in memory, enough for a sitemap of 50,000 pages; the rest is in a file. */
const MAX_IN_MEMORY = 4 * 1024 * 1024;

/**
 * Changes of one sitemap after the other, in order. They are kept encoded: as objects they would
 * survive, and enlarge the heap (`bench:sync`).
 */
export class ChangeBuffer implements Disposable {
  readonly #store = new SpillBuffer(MAX_IN_MEMORY);
  readonly #writer = new PageWriter(this.#store);
  #list = this.#writer.open();
  /** Pages of each change: one if it was added, two if it has changed. */
  #counts: number[] = [];
  /** Sitemaps of the changes, each with the index of the first. */
  #sitemaps: { readonly start: number; readonly ref: SitemapRef }[] = [];

  /** Adds a page that is new. */
  added(page: SitemapPage, sitemap: SitemapRef): void {
    this.#add(1, sitemap);
    this.#writer.append(this.#list, page);
  }

  /** Adds a page that has other values than before. */
  changed(page: SitemapPage, previous: SitemapPage, sitemap: SitemapRef): void {
    this.#add(2, sitemap);
    this.#writer.append(this.#list, page);
    this.#writer.append(this.#list, previous);
  }

  /** Returns the changes in batches, and forgets them. */
  *take(): Generator<readonly PageChangedEvent[], void, undefined> {
    this.#writer.flush();
    let batch: PageChangedEvent[] = [];
    for (const event of this.#events()) {
      if (batch.push(event) < MAX_BATCH_ITEMS) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#counts = [];
    this.#sitemaps = [];
    this.#list = this.#writer.open();
    this.#store.clear();
  }

  #add(count: number, ref: SitemapRef): void {
    if (this.#sitemaps.at(-1)?.ref !== ref) {
      this.#sitemaps.push({ start: this.#counts.length, ref });
    }
    this.#counts.push(count);
  }

  *#events(): Generator<PageChangedEvent, void, undefined> {
    const pages = this.#list[Symbol.iterator]();
    for (const [at, { start, ref }] of this.#sitemaps.entries()) {
      const end = this.#sitemaps[at + 1]?.start ?? this.#counts.length;
      for (let index = start; index < end; index++) {
        const page = pages.next().value!;
        yield this.#counts[index] === 1
          ? { type: "added", page, sitemap: ref }
          : { type: "changed", page, sitemap: ref, previous: pages.next().value! };
      }
    }
  }
}
