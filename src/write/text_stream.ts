/**
 * The frame of every writer: a stream of pages or events in, UTF-8 out.
 *
 * @module
 */

import type { SitemapRef, TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";

/** Input of a writer. Writers of pages ignore events other than `page`. */
export type WriterInput = SitemapPage | TreeEvent;

/** A chunk in the stream of a writer: one input, or a batch of them, which is faster. */
export type WriterChunk = WriterInput | readonly WriterInput[];

/** Whether an input is an event: only events have a `type`. */
export function isEvent(input: WriterInput): input is TreeEvent {
  return "type" in input;
}

/** Returns the page of an input, `undefined` for other events. */
export function pageOf(input: WriterInput): SitemapPage | undefined {
  if (!isEvent(input)) return input;
  return input.type === "page" ? input.page : undefined;
}

/** Returns the sitemap that lists the page of an event, `undefined` for other inputs. */
export function sitemapOf(input: WriterInput): SitemapRef | undefined {
  return isEvent(input) && input.type === "page" ? input.sitemap : undefined;
}

/** Text format of a writer. */
export interface TextFormat<Input> {
  /** Text before all input. Default: none. */
  readonly head?: string;
  /** Returns the text of an input; empty if it is ignored. */
  readonly write: (input: Input) => string;
  /** Returns the text after all input. Default: none. */
  readonly end?: () => string;
}

/** Characters gathered before they are passed on in any case. */
const MAX_TEXT_LENGTH = 64 * 1024;

/**
 * Returns a stream that writes its input in a format, as UTF-8 in chunks of about 64 KiB. An array
 * is a batch of inputs.
 *
 * A chunk is passed on when it is full, or when the event loop turns: a fast source gets large
 * chunks, and the output of a slow one is not delayed. Input is only taken while the reader wants
 * output, so that a slow sink holds back its source.
 */
export function byteWriterStream<Input>(
  format: TextFormat<Input>,
): TransformStream<Input | readonly Input[], Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let text = format.head ?? "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  function flush(controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    if (text !== "") controller.enqueue(encoder.encode(text));
    text = "";
  }
  return new TransformStream<Input | readonly Input[], Uint8Array<ArrayBuffer>>(
    {
      transform(chunk, controller) {
        for (const input of isBatch(chunk) ? chunk : [chunk]) {
          text += format.write(input);
          if (text.length >= MAX_TEXT_LENGTH) flush(controller);
        }
        if (text === "") return;
        timer ??= setTimeout(() => {
          timer = undefined;
          // not positive if cancelled or failed, since input is only taken while it is positive
          if ((controller.desiredSize ?? 0) > 0) flush(controller);
        }, 0);
      },
      flush(controller) {
        clearTimeout(timer);
        text += format.end?.() ?? "";
        flush(controller);
      },
      cancel() {
        clearTimeout(timer);
      },
    },
    { highWaterMark: 1 },
    // one chunk may wait while the sink writes another
    { highWaterMark: 1 },
  );
}

function isBatch<Input>(chunk: Input | readonly Input[]): chunk is readonly Input[] {
  return Array.isArray(chunk);
}

/**
 * Returns a stream of the items of an iterable, such as a walk, for the writers. It is
 * `ReadableStream.from()`, which not all browsers have.
 *
 * Items are taken when the reader asks for them; cancelling the stream ends the iteration, and an
 * exception of the iterable errors the stream.
 *
 * @param iterable Items, at once or as they arrive.
 * @returns A stream of the items.
 *
 * @example
 * ```ts
 * import { toReadableStream, toText } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * // In real life: pages("https://example.com/").batches()
 * const pages = [{ url: "https://example.com/" }];
 *
 * const text = toReadableStream(pages).pipeThrough(toText());
 * assertEquals(await new Response(text).text(), "https://example.com/\n");
 * ```
 */
export function toReadableStream<T>(iterable: Iterable<T> | AsyncIterable<T>): ReadableStream<T> {
  const { [Symbol.asyncIterator]: start } = iterable as Partial<AsyncIterable<T>>;
  const iterator = start?.call(iterable) ?? (iterable as Iterable<T>)[Symbol.iterator]();
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
