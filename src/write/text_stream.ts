/**
 * What the writers take: pages, plain data of pages, or the events of a walk.
 *
 * @module
 */

import type { SitemapRef, TreeEvent } from "../data/events.ts";
import { SitemapPage, type SitemapPageFields } from "../data/page.ts";

/** Anything a writer takes. Events other than `page` are passed over by writers of pages. */
export type WriterInput = SitemapPage | SitemapPageFields | TreeEvent;

/** A chunk in the stream of a writer: one input, or a batch of them, which costs less. */
export type WriterChunk = WriterInput | readonly WriterInput[];

/** Tells an event from a page: only events have a `type`. */
export function isEvent(input: WriterInput): input is TreeEvent {
  return "type" in input;
}

/** The page that `input` is or carries, `undefined` for any other event. */
export function pageOf(input: WriterInput): SitemapPage | undefined {
  if (input instanceof SitemapPage) return input;
  if (!isEvent(input)) return new SitemapPage(input);
  if (input.type !== "page") return undefined;
  const page: SitemapPage | SitemapPageFields = input.page;
  // An event that went through JSON has the page's plain data.
  return page instanceof SitemapPage ? page : new SitemapPage(page);
}

/** The sitemap that lists the page of `input`, `undefined` unless that is an event with a page. */
export function sitemapOf(input: WriterInput): SitemapRef | undefined {
  return isEvent(input) && input.type === "page" ? input.sitemap : undefined;
}

// MERGED: The frame of every writer: a `TransformStream` that gathers text and hands it on as UTF-8.

/** Characters gathered before a piece is handed on whatever happens. */
const PIECE_LENGTH = 64 * 1024;

/** How a writer puts its input into text. */
export interface TextFormat<Input> {
  /** Stands before everything. Default: nothing. */
  readonly head?: string;
  /** The text of one input; empty for one that is passed over. */
  readonly write: (input: Input) => string;
  /** The text after everything. Default: nothing. */
  readonly end?: () => string;
}

/**
 * A stream that writes its input in a format, as UTF-8 in pieces of about 64 KiB. An array is a
 * batch of inputs.
 *
 * A piece is handed on when it is full, or as soon as the burst of input that began it is over
 * and the event loop turns: a fast source gets large pieces, a slow one waits for nothing. Input
 * is only taken while the reader wants output, so that a slow sink holds back its source.
 */
export function byteWriterStream<Input>(
  format: TextFormat<Input>,
): TransformStream<Input | readonly Input[], Uint8Array<ArrayBuffer>> {
  const gathered = new TextGatherer();
  return new TransformStream<Input | readonly Input[], Uint8Array<ArrayBuffer>>(
    {
      start() {
        if (format.head !== undefined) gathered.text = format.head;
      },
      transform(chunk, controller) {
        for (const input of isBatch(chunk) ? chunk : [chunk]) {
          gathered.text += format.write(input);
          if (gathered.text.length >= PIECE_LENGTH) gathered.flush(controller);
        }
        if (gathered.text !== "") gathered.flushSoon(controller);
      },
      flush(controller) {
        gathered.text += format.end?.() ?? "";
        gathered.flush(controller);
        gathered.stop();
      },
      cancel() {
        gathered.stop();
      },
    },
    { highWaterMark: 1 },
    // One piece may wait while the sink is busy with the one before.
    { highWaterMark: 1 },
  );
}

function isBatch<Input>(chunk: Input | readonly Input[]): chunk is readonly Input[] {
  return Array.isArray(chunk);
}

/** Text that waits to be handed on. */
class TextGatherer {
  /** The text. */
  text = "";
  readonly #encoder = new TextEncoder();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Hands on what there is. */
  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    if (this.text === "") return;
    const bytes = this.#encoder.encode(this.text);
    this.text = "";
    controller.enqueue(bytes);
  }

  /**
   * Hands on what there is when the event loop turns. A timer of no length is the one way to learn
   * of that on every platform; it costs 7 µs, so one that is under way is left to serve.
   */
  flushSoon(controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // No room means: cancelled or failed. A stream that still lives has room, since input is not
      // taken before there is.
      if ((controller.desiredSize ?? 0) > 0) this.flush(controller);
    }, 0);
  }

  /** Forgets about handing on later. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

// MERGED: Iterables as streams.

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
