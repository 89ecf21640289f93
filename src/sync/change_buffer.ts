/**
 * Changes of a sitemap that wait for its end.
 *
 * @module
 */

import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { SitemapRef } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { DiskStore } from "../tree/disk_store.ts";
import { PageWriter, type StoredPages } from "../tree/page_list.ts";
import type { PageChangedEvent } from "./events.ts";

/** Changes that are kept in memory: as many as a sitemap has pages by the protocol. */
const MAX_EVENTS = 50_000;

/** Changes in order; those beyond 50,000 are in a temporary file. */
export class ChangeBuffer implements Disposable {
  readonly #sitemap: SitemapRef;
  #events: PageChangedEvent[] = [];
  #spilled: Spilled | undefined;

  /** Keeps changes of a sitemap. */
  constructor(sitemap: SitemapRef) {
    this.#sitemap = sitemap;
  }

  /** Adds a page that is new. */
  added(page: SitemapPage): void {
    const event: PageChangedEvent = { type: "added", page, sitemap: this.#sitemap };
    if (this.#events.length < MAX_EVENTS) this.#events.push(event);
    else this.#spill([page]);
  }

  /** Adds a page that has other values than before. */
  changed(page: SitemapPage, previous: SitemapPage): void {
    const event: PageChangedEvent = { type: "changed", page, sitemap: this.#sitemap, previous };
    if (this.#events.length < MAX_EVENTS) this.#events.push(event);
    else this.#spill([page, previous]);
  }

  /** Returns the changes in batches. */
  *batches(): Generator<readonly PageChangedEvent[], void, undefined> {
    for (let at = 0; at < this.#events.length; at += MAX_BATCH_ITEMS) {
      yield this.#events.slice(at, at + MAX_BATCH_ITEMS);
    }
    if (this.#spilled === undefined) return;
    let batch: PageChangedEvent[] = [];
    for (const event of this.#readSpilled(this.#spilled)) {
      if (batch.push(event) < MAX_BATCH_ITEMS) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  [Symbol.dispose](): void {
    this.#spilled?.store[Symbol.dispose]();
  }

  #spill(pages: readonly SitemapPage[]): void {
    if (this.#spilled === undefined) {
      const store = new DiskStore({});
      const writer = new PageWriter(store);
      this.#spilled = { store, writer, pages: writer.open(), counts: [] };
    }
    const { writer, pages: list, counts } = this.#spilled;
    counts.push(pages.length);
    for (const page of pages) writer.append(list, page);
  }

  *#readSpilled({ writer, pages, counts }: Spilled): Generator<PageChangedEvent, void, undefined> {
    writer.flush();
    const sitemap = this.#sitemap;
    const spilled = pages[Symbol.iterator]();
    for (const count of counts) {
      const page = spilled.next().value!;
      yield count === 1
        ? { type: "added", page, sitemap }
        : { type: "changed", page, sitemap, previous: spilled.next().value! };
    }
  }
}

/** Changes in a temporary file. */
interface Spilled {
  readonly store: DiskStore;
  readonly writer: PageWriter;
  readonly pages: StoredPages;
  /** Pages of each change: one if it was added, two if it has changed. */
  readonly counts: number[];
}
