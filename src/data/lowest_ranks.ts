/**
 * Items with the lowest ranks. If ranks are random, these are a uniform sample; the items with the
 * lowest ranks of two such samples are one of both together.
 *
 * @module
 */

export interface Ranked<T> {
  readonly rank: number;
  /** Number of items before this one, of all that were given a rank. */
  readonly order: number;
  readonly item: T;
}

export class LowestRanks<T> {
  readonly #size: number;
  /** A binary heap: none has a higher rank than its parent, the first one has the highest. */
  readonly #heap: Ranked<T>[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** In any order. */
  get kept(): readonly Ranked<T>[] {
    return this.#heap;
  }

  add(rank: number, order: number, item: T): void {
    const heap = this.#heap;
    if (heap.length < this.#size) this.#rise({ rank, order, item });
    else if (this.#size > 0 && rank < heap[0]!.rank) this.#sink({ rank, order, item });
  }

  union(other: LowestRanks<T>): LowestRanks<T> {
    const union = new LowestRanks<T>(this.#size);
    for (const { rank, order, item } of this.#heap) union.add(rank, order, item);
    for (const { rank, order, item } of other.#heap) union.add(rank, order, item);
    return union;
  }

  #rise(entry: Ranked<T>): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.rank >= entry.rank) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  #sink(entry: Ranked<T>): void {
    const heap = this.#heap;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.rank > heap[child]!.rank) child++;
      if (heap[child]!.rank <= entry.rank) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = entry;
  }
}
