/**
 * The pages of an operand, to be requested after its walk.
 *
 * @module
 */

import { PageLog } from "../../../bytes/page_log.ts";
import { UniquePages } from "../../../bytes/unique_pages.ts";
import { addressKey } from "../../../data/url.ts";
import type { Sampling } from "../../run/sampling.ts";

/** `sitemap` is the first one that lists the page. */
export interface ListedPage {
  readonly url: string;
  readonly sitemap: string;
}

/** Distinct pages in the order of the walk: all of them, or a sample. */
export class ListedPages implements Disposable {
  first: string | undefined;
  listed = 0;
  readonly #sampling: Sampling<ListedPage> | undefined;
  readonly #seen = new UniquePages();
  readonly #log = new PageLog<string>("spill");

  constructor(sampling: Sampling<ListedPage> | undefined) {
    this.#sampling = sampling;
  }

  add(url: string, sitemap: string): void {
    if (!this.#seen.add(addressKey(url))) return;
    this.listed++;
    this.first ??= url;
    if (this.#sampling === undefined) this.#log.append({ url }, sitemap);
    else this.#sampling.add(url, () => ({ url, sitemap }));
  }

  kept(): readonly [number, Iterable<ListedPage>] {
    const sample = this.#sampling?.items();
    return sample === undefined ? [this.listed, this.#read()] : [sample.length, sample];
  }

  [Symbol.dispose](): void {
    this.#log[Symbol.dispose]();
  }

  *#read(): Generator<ListedPage, void, void> {
    for (const batch of this.#log.batches()) {
      for (const { page: { url }, sitemap } of batch) yield { url, sitemap };
    }
  }
}
