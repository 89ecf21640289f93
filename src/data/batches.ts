/**
 * Streams that can be read in batches.
 *
 * @module
 */

/** Maximum number of items in a batch. */
export const MAX_BATCH_ITEMS = 1000;

/**
 * Async generator that can also be read in batches, as `walk()`, `pages()` and `parseSitemap()`
 * return it.
 *
 * `next()` and `batches()` take from the same queue, so a consumer can switch between them at any
 * time: each item is yielded once, in order. Leaving either loop ends the walk.
 *
 * @example
 * ```ts
 * import { type EventStream, parseSitemap, type TreeEvent } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const lines = Array.from({ length: 2500 }, (_, number) => `https://example.com/${number}`);
 * const events: EventStream<TreeEvent> = parseSitemap(lines.join("\n"));
 *
 * const first = await events.next();
 * assertEquals(first.value?.type, "sitemap-entered");
 *
 * let pages = 0;
 * for await (const batch of events.batches()) {
 *   // In real life: one insert into a database, or one write to a file
 *   pages += batch.filter((event) => event.type === "page").length;
 * }
 * assertEquals(pages, 2500);
 * ```
 */
export interface EventStream<T> extends AsyncGenerator<T, void, void> {
  /**
   * Returns an iterator over non-empty arrays of at most 1,000 items. A batch holds the items that
   * are ready and never waits to fill up.
   *
   * Large walks are faster in batches, since they need one promise per batch instead of one per
   * item. Errors, aborts and backpressure are those of `next()`.
   *
   * @example
   * ```ts
   * import { pages } from "@sitetree/sitetree";
   * import { assert, assertEquals } from "@std/assert";
   *
   * const fetch = (url: string) =>
   *   Promise.resolve(
   *     url.endsWith("/sitemap.txt")
   *       ? new Response("https://example.com/a\nhttps://example.com/b\n")
   *       : new Response(null, { status: 404 }),
   *   );
   *
   * const urls: string[] = [];
   * for await (const batch of pages("https://example.com/", { fetch }).batches()) {
   *   assert(batch.length > 0 && batch.length <= 1000);
   *   urls.push(...batch.map((page) => page.url));
   * }
   * assertEquals(urls, ["https://example.com/a", "https://example.com/b"]);
   * ```
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
  return hasBatches(items) ? items.batches() : makeBatches(items);
}

function hasBatches<T>(
  items: AsyncIterable<T> | Iterable<T>,
): items is Pick<EventStream<T>, "batches"> & AsyncIterable<T> {
  return typeof (items as Partial<EventStream<T>>).batches === "function";
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
