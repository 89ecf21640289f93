/**
 * Puts the pages of a tree into its store, in runs.
 *
 * @module
 */

import type { SitemapPage } from "../page.ts";
import { PageDecoder, PageEncoder } from "./page_codec.ts";
import { StoredPages } from "./page_list.ts";
import type { PageStore } from "./page_store.ts";

/** `at()` passes over half as many on average; each run spells out one address in full. */
const MAX_RUN_PAGES = 32;
/** A run ends with the page that reaches this, so pages with many images make short runs. */
const MAX_RUN_BYTES = 16 * 1024;

/**
 * Puts the pages of a tree into its store.
 *
 * A run holds pages of one list. Where pages of several lists arrive in turn it ends early, which
 * costs room and nothing else.
 */
export class PageWriter {
  readonly #store: PageStore;
  readonly #encoder = new PageEncoder();
  readonly #decoder = new PageDecoder();
  /** The list that the open run is for. */
  #list: StoredPages | undefined;
  /** How many pages the open run has. */
  #count = 0;

  /** Writes into `store`. */
  constructor(store: PageStore) {
    this.#store = store;
  }

  /** A new list. */
  open(): StoredPages {
    return new StoredPages(this.#store, this.#decoder);
  }

  /** Adds a page to a list that this writer opened; it can be read after `flush()`. */
  append(list: StoredPages, page: SitemapPage): void {
    if (
      list !== this.#list || this.#count === MAX_RUN_PAGES || this.#encoder.length >= MAX_RUN_BYTES
    ) {
      this.flush();
      this.#list = list;
    }
    this.#encoder.encode(page);
    this.#count++;
  }

  /** Ends the open run: all that was appended can be read. */
  flush(): void {
    if (this.#count > 0) {
      const { bytes } = this.#encoder;
      this.#list!.addRun(this.#store.write(bytes), bytes.length, this.#count);
    }
    this.#encoder.restart();
    this.#count = 0;
    this.#list = undefined;
  }
}
