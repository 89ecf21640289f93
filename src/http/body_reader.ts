/**
 * Reads a body into memory that is used again, where the body allows it.
 *
 * @module
 */

import type { BufferPool } from "./buffer_pool.ts";

/** Reads a body, a chunk at a time. */
export interface BodyReader {
  /** The next chunk, good until the next call. */
  read(): Promise<{ readonly value: Uint8Array | undefined; readonly done: boolean }>;
  /** Gives up the rest. */
  cancel(reason: unknown): Promise<void>;
  /** The last chunk is no longer needed. */
  release(): void;
}

/** A reader of a body; one that is no byte stream, as an injected `fetch` may give, is read as it is. */
export function bodyReader(body: ReadableStream<Uint8Array>, buffers: BufferPool): BodyReader {
  let byob: ReadableStreamBYOBReader;
  try {
    byob = body.getReader({ mode: "byob" });
  } catch {
    // only a byte stream fills memory that it is given
    return plainReader(body.getReader());
  }
  return lentReader(byob, buffers);
}

function plainReader(reader: ReadableStreamDefaultReader<Uint8Array>): BodyReader {
  return {
    read: () => reader.read() as ReturnType<BodyReader["read"]>,
    cancel: (reason) => reader.cancel(reason),
    release() {},
  };
}

function lentReader(reader: ReadableStreamBYOBReader, buffers: BufferPool): BodyReader {
  // gone while the stream has it
  let buffer: ArrayBuffer | undefined;
  return {
    async read() {
      const lent = buffer ?? buffers.take();
      buffer = undefined;
      const { value, done } = await reader.read(new Uint8Array(lent));
      buffer = value?.buffer;
      return { value, done };
    },
    cancel: (reason) => reader.cancel(reason),
    release() {
      if (buffer !== undefined) buffers.give(buffer);
      buffer = undefined;
    },
  };
}
