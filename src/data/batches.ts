import type { FinishedEvent } from "./events.ts";

export const MAX_BATCH_ITEMS = 1000;

/**
 * Async generator that can also be read in batches and has the verdict after its end, as `walk()`,
 * `pages()`, `parseSitemap()` and `sync()` return it.
 *
 * `next()` and `batches()` take from the same queue, so a consumer can switch between them at any
 * time: each item is yielded once, in order. Leaving either loop ends the walk.
 *
 * @example
 * ```ts ignore
 * import { pages } from "@sitetree/sitetree";
 *
 * for await (const batch of pages("https://example.com/").batches()) {
 *   console.log(`${batch.length} pages, from ${batch[0]?.url}`);
 * }
 * ```
 */
export interface EventStream<T, Finished extends FinishedEvent = FinishedEvent>
  extends AsyncGenerator<T, void, void> {
  /**
   * Last event, with verdict and statistics, once everything was read. `undefined` before, and if the
   * loop was left early, aborted or failed, except by a `BlockedError`.
   */
  readonly finished: Finished | undefined;
  /**
   * Returns an iterator over non-empty arrays of at most 1,000 items. A batch holds the items that
   * are ready and never waits to fill up.
   *
   * Large walks are faster in batches, since they need one promise per batch instead of one per
   * item. Errors, aborts and backpressure are those of `next()`.
   */
  batches(): AsyncGenerator<readonly T[], void, void>;
}

/**
 * Returns items in batches: by `batches()` if the source has that method, as arrays of up to 1,000
 * items if it is synchronous, else one by one, as waiting for more would delay the first.
 */
export function inBatches<T>(
  items: AsyncIterable<T> | Iterable<T>,
): AsyncIterable<readonly T[]> {
  const stream = items as Partial<EventStream<T>>;
  return typeof stream.batches === "function" ? stream.batches() : makeBatches(items);
}

async function* makeBatches<T>(
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<readonly T[], void, void> {
  if (Symbol.asyncIterator in items) {
    for await (const item of items) yield [item];
    return;
  }
  let batch: T[] = [];
  for (const item of items) {
    if (batch.push(item) < MAX_BATCH_ITEMS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Yields what is made of items in arrays of one length, which only the last may be below. */
export async function* inChunks<Item, T>(
  items: AsyncIterable<Item> | Iterable<Item>,
  length: number,
  make: (item: Item) => T,
): AsyncGenerator<readonly T[], void, void> {
  let chunk: T[] = [];
  for await (const item of items) {
    if (chunk.push(make(item)) < length) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
