/**
 * Changes of a sitemap that wait for its end.
 *
 * @module
 */

import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { SitemapRef } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { diskStore } from "../tree/disk_store.ts";
import { memoryStore, type PageStore } from "../tree/page_store.ts";
import { PageWriter, type StoredPages } from "../tree/page_list.ts";
import type { PageChangedEvent } from "./events.ts";

/** Pages that are kept in memory; as many as a sitemap has by the protocol. */
const MAX_IN_MEMORY = 50_000;

/**
 * Changes of a sitemap in order. They are kept encoded, first in memory and then in a temporary file:
 * as objects they would survive, and enlarge the heap (`bench:sync`).
 */
export class ChangeBuffer implements Disposable {
  readonly #sitemap: SitemapRef;
  #store: PageStore | undefined;
  #writer: PageWriter | undefined;
  readonly #lists: StoredPages[] = [];
  #disk: PageStore | undefined;
  /** Pages of each change: one if it was added, two if it has changed. */
  readonly #counts: number[] = [];

  /** Keeps changes of a sitemap. */
  constructor(sitemap: SitemapRef) {
    this.#sitemap = sitemap;
  }

  /** Adds a page that is new. */
  added(page: SitemapPage): void {
    this.#counts.push(1);
    this.#append(page);
  }

  /** Adds a page that has other values than before. */
  changed(page: SitemapPage, previous: SitemapPage): void {
    this.#counts.push(2);
    this.#append(page);
    this.#append(previous);
  }

  /** Returns the changes in batches. */
  *batches(): Generator<readonly PageChangedEvent[], void, undefined> {
    this.#writer?.flush();
    const sitemap = this.#sitemap;
    const pages = this.#pages();
    let batch: PageChangedEvent[] = [];
    for (const count of this.#counts) {
      const page = pages.next().value!;
      batch.push(
        count === 1
          ? { type: "added", page, sitemap }
          : { type: "changed", page, sitemap, previous: pages.next().value! },
      );
      if (batch.length < MAX_BATCH_ITEMS) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  [Symbol.dispose](): void {
    this.#store?.[Symbol.dispose]();
    this.#disk?.[Symbol.dispose]();
  }

  #append(page: SitemapPage): void {
    if (this.#writer === undefined) this.#open(this.#store = memoryStore());
    else if (this.#disk === undefined && this.#counts.length > MAX_IN_MEMORY) {
      this.#writer.flush();
      this.#open(this.#disk = diskStore());
    }
    this.#writer!.append(this.#lists.at(-1)!, page);
  }

  #open(store: PageStore): void {
    this.#writer = new PageWriter(store);
    this.#lists.push(this.#writer.open());
  }

  *#pages(): Generator<SitemapPage, void, undefined> {
    for (const list of this.#lists) yield* list;
  }
}
