/**
 * Page URLs that were seen, in bounded memory.
 *
 * @module
 */

import { HashSet64 } from "../bytes/hash_set.ts";
import { randomKey, ValueScan } from "../bytes/value_scan.ts";

/** As many as a table of 2²⁴ slots holds, which takes 151 MB; a smaller set takes less. */
const MAX_URLS = 8_000_000;

/**
 * Finds the first occurrence of each page URL by a keyed 64-bit hash. Beyond a limit, URLs are no
 * longer remembered: those seen before are still found, further ones count as new each time.
 */
export class UniquePages {
  readonly #maxUrls: number;
  readonly #scan = new ValueScan(randomKey());
  readonly #seen = new HashSet64();
  #size = 0;
  #isFull = false;

  /** Remembers up to `maxUrls` URLs. */
  constructor(maxUrls: number = MAX_URLS) {
    this.#maxUrls = maxUrls;
  }

  /** Whether a URL could not be remembered, so that duplicates may pass. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether a URL was not seen before. */
  isNew(url: string): boolean {
    this.#scan.text(url);
    const { high, low } = this.#scan;
    if (this.#size < this.#maxUrls) {
      const isNew = this.#seen.add(high, low);
      if (isNew) this.#size++;
      return isNew;
    }
    const isNew = !this.#seen.has(high, low);
    if (isNew) this.#isFull = true;
    return isNew;
  }
}
