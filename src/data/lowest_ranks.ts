interface Ranked<T> {
  readonly rank: number;
  /** Number of items before this one, of all that were given a rank. */
  readonly order: number;
  readonly item: T;
}

/**
 * Items with the lowest ranks, each rank once. If ranks are hashes, these are a uniform sample; the
 * items with the lowest ranks of two such samples are one of both together.
 */
export class LowestRanks<T> {
  readonly #size: number;
  /** By rank: up to twice as many as are kept, so that the highest are seldom looked for. */
  readonly #ranked = new Map<number, Ranked<T>>();
  /** Ranks from this on are not among the lowest. */
  #limit = Infinity;

  constructor(size: number) {
    this.#size = size;
  }

  get kept(): readonly Ranked<T>[] {
    this.#drop();
    return [...this.#ranked.values()];
  }

  /** Makes the item only if its rank is a low one. */
  add(rank: number, order: number, make: () => T): void {
    if (rank >= this.#limit || this.#ranked.has(rank)) return;
    this.#ranked.set(rank, { rank, order, item: make() });
    if (this.#ranked.size >= 2 * this.#size) this.#drop();
  }

  union(other: LowestRanks<T>): LowestRanks<T> {
    const union = new LowestRanks<T>(this.#size);
    for (const { rank, order, item } of [...this.kept, ...other.kept]) {
      union.add(rank, order, () => item);
    }
    return union;
  }

  #drop(): void {
    if (this.#ranked.size <= this.#size) return;
    const ranks = Float64Array.from(this.#ranked.keys()).sort();
    this.#limit = ranks[this.#size]!;
    for (const rank of ranks.subarray(this.#size)) this.#ranked.delete(rank);
  }
}
