import { HashTable } from "./hash_table.ts";
import { randomKey, ValueScan } from "./value_scan.ts";

/** URLs that are remembered: a table of 2²⁴ slots, half full. */
const MAX_URLS = 8_000_000;

/**
 * The page URLs seen so far, as keyed 64-bit hashes. Once it is full, URLs seen before are still
 * found, and others count as new each time.
 */
export class UniquePages {
  /** Whether a URL was not remembered, so that duplicates may be kept. */
  isFull = false;
  readonly #maxUrls: number;
  readonly #scan = new ValueScan(randomKey());
  readonly #seen = new HashTable();

  constructor(maxUrls: number = MAX_URLS) {
    this.#maxUrls = maxUrls;
  }

  add(url: string): boolean {
    this.#scan.text(url);
    const { high, low } = this.#scan;
    if (this.#seen.size < this.#maxUrls) return this.#seen.add(high, low);
    if (this.#seen.has(high, low)) return false;
    return this.isFull = true;
  }
}
