/**
 * A `ReadableStream` as a source.
 *
 * @module
 */

import type { ByteSource } from "./byte_source.ts";

/** The chunks of a stream, each asked for when it is read and not before. Locks the stream. */
export function streamSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader: ReadableStreamDefaultReader<unknown> = stream.getReader();
  return {
    async read() {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return undefined;
        const bytes = bytesOf(value);
        if (bytes.length > 0) return bytes;
      }
    },
    cancel(reason) {
      // a stream that broke meanwhile rejects here: it was given up, so nobody needs to know
      reader.cancel(reason).catch(() => {});
    },
  };
}

const ENCODER = new TextEncoder();

/**
 * Returns a chunk of a stream as bytes. Streams of other libraries hold strings, buffers or views.
 *
 * @throws {TypeError} If it is none of these.
 */
export function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return ENCODER.encode(chunk);
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError("Body holds chunks that are not bytes");
}
