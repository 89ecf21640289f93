/**
 * The frame of every writer: a stream of pages or events in, UTF-8 out.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";

export type WriterInput = SitemapPage | TreeEvent;

/**
 * A chunk in the stream of a writer: a page or an event, or a batch of them, which is faster. Writers
 * of pages ignore events other than `page`.
 */
export type WriterChunk = SitemapPage | TreeEvent | readonly (SitemapPage | TreeEvent)[];

/** Only events have a `type`. */
export function isEvent(input: WriterInput): input is TreeEvent {
  return "type" in input;
}

export function pageOf(input: WriterInput): SitemapPage | undefined {
  if (!isEvent(input)) return input;
  return input.type === "page" ? input.page : undefined;
}

export interface TextFormat<Input> {
  readonly head?: string;
  /** Empty if the input is ignored. `site` is the one that it belongs to, of several. */
  readonly write: (input: Input, site?: string) => string;
  readonly end?: () => string;
}

/** In characters. */
const BLOCK_LENGTH = 128 * 1024;

/**
 * Writes input in a format, as UTF-8 in blocks of 128 KiB or a little more: when a block is full, or
 * when the event loop turns. A fast source gets large blocks, and the output of a slow one is not
 * delayed. While a block is written, the next one is gathered.
 */
export class TextWriter<Input> {
  readonly #format: TextFormat<Input>;
  readonly #writeBytes: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void;
  readonly #encoder = new TextEncoder();
  #text: string;
  #isEnded = false;
  #hasFailed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Resolved once everything taken from the text so far is written; rejected by a failure. */
  #written: Promise<void> = Promise.resolve();

  /** Blocks are passed to `writeBytes` one at a time. */
  constructor(
    format: TextFormat<Input>,
    writeBytes: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void,
  ) {
    this.#format = format;
    this.#writeBytes = writeBytes;
    this.#text = format.head ?? "";
  }

  /** Returns a promise if the next input has to wait for it. */
  write(input: Input): Promise<void> | undefined {
    this.#text += this.#format.write(input);
    return this.#continue();
  }

  /** The next inputs have to wait for the promise. */
  async writeAll(inputs: readonly Input[], site?: string): Promise<void> {
    for (let at = 0; at < inputs.length;) {
      at = this.#gather(inputs, at, site);
      const written = this.#continue();
      if (written !== undefined) await written;
    }
  }

  /** Returns the position of the next input. */
  #gather(inputs: readonly Input[], start: number, site: string | undefined): number {
    const format = this.#format;
    let text = this.#text, at = start;
    try {
      while (at < inputs.length && text.length < BLOCK_LENGTH) {
        text += format.write(inputs[at++]!, site);
      }
    } finally {
      this.#text = text;
    }
    return at;
  }

  /** Returns what the source has to await. */
  #continue(): Promise<void> | undefined {
    if (this.#text.length >= BLOCK_LENGTH || this.#hasFailed) return this.#flush();
    if (this.#timer === undefined) this.#awaitPause();
    return undefined;
  }

  /** Writes the gathered text as soon as the event loop turns without further input. */
  #awaitPause(): void {
    const { length } = this.#text;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#text.length !== length) return this.#awaitPause();
      // reported by the next call
      this.#flush().catch(() => {});
    }, 0);
  }

  async close(): Promise<void> {
    this.cancel();
    this.#end();
    this.#flush();
    await this.#written;
  }

  /** Writes nothing more, unless there is further input. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Returns the rest instead of writing it, for a process that exits at once. */
  takeRest(): Uint8Array<ArrayBuffer> {
    this.#end();
    const rest = this.#encoder.encode(this.#text);
    this.#text = "";
    return rest;
  }

  #end(): void {
    if (!this.#isEnded) this.#text += this.#format.end?.() ?? "";
    this.#isEnded = true;
  }

  /** Writes the gathered text once earlier writes are done, which the promise resolves for. */
  #flush(): Promise<void> {
    const before = this.#written;
    this.#written = before.then(() => this.#writeText());
    // reported by the next call
    this.#written.catch(() => {});
    return before;
  }

  async #writeText(): Promise<void> {
    if (this.#text === "") return;
    const bytes = this.#encoder.encode(this.#text);
    this.#text = "";
    try {
      await this.#writeBytes(bytes);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }
}

/**
 * An array is a batch of inputs. Input is only taken while the reader wants output, so that a slow
 * sink holds back its source.
 */
export function byteWriterStream<Input>(
  format: TextFormat<Input>,
): TransformStream<Input | readonly Input[], Uint8Array<ArrayBuffer>> {
  let writer: TextWriter<Input>;
  return new TransformStream<Input | readonly Input[], Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        writer = new TextWriter(format, (bytes) => controller.enqueue(bytes));
      },
      transform: (chunk) => isBatch(chunk) ? writer.writeAll(chunk) : writer.write(chunk),
      flush: () => writer.close(),
      cancel: () => writer.cancel(),
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
