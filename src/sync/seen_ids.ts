/**
 * A list of ids that was seen, to find those that were not.
 *
 * @module
 */

/** Ids of the pages that were seen in a sitemap. */
export class SeenIds {
  #ids = new Float64Array(1024);
  #length = 0;

  /** Number of ids. */
  get length(): number {
    return this.#length;
  }

  /** Adds an id. */
  add(id: number): void {
    if (this.#length === this.#ids.length) {
      const grown = new Float64Array(this.#length * 2);
      grown.set(this.#ids);
      this.#ids = grown;
    }
    this.#ids[this.#length++] = id;
  }

  /** Returns the ids. */
  values(): Iterable<number> {
    return this.#ids.subarray(0, this.#length);
  }

  /** Returns those of other ids, in ascending order, that were not added. */
  missing(others: Iterable<number>): number[] {
    const seen = this.#ids.subarray(0, this.#length).sort();
    const missing: number[] = [];
    let at = 0;
    for (const id of others) {
      while (at < seen.length && seen[at]! < id) at++;
      if (seen[at] !== id) missing.push(id);
    }
    return missing;
  }
}
