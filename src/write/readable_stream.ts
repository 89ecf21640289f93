/**
 * Iterables as streams.
 *
 * @module
 */

/**
 * Returns a stream of the items of an iterable, such as a walk, for the writers. It is
 * `ReadableStream.from()`, which not all browsers have.
 *
 * An item is taken when the reader asks for one and not before; cancelling the stream ends the
 * iteration, and an exception of the iterable errors the stream.
 *
 * @param iterable Items, at once or as they arrive.
 * @returns A stream of the items.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { toReadableStream, toText } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * // In real life: pages("https://example.com/").batches()
 * const pages = [new SitemapPage({ url: "https://example.com/" })];
 *
 * const text = toReadableStream(pages).pipeThrough(toText());
 * assertEquals(await new Response(text).text(), "https://example.com/\n");
 * ```
 */
export function toReadableStream<T>(iterable: Iterable<T> | AsyncIterable<T>): ReadableStream<T> {
  const iterator = iteratorOf(iterable);
  return new ReadableStream<T>({
    async pull(controller) {
      const { value, done } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  }, { highWaterMark: 0 });
}

function iteratorOf<T>(iterable: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  const { [Symbol.asyncIterator]: begin } = iterable as Partial<AsyncIterable<T>>;
  return begin === undefined
    ? (iterable as Iterable<T>)[Symbol.iterator]()
    : begin.call(iterable as AsyncIterable<T>);
}
