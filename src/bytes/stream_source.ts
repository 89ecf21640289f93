/**
 * A `ReadableStream` as a source.
 *
 * @module
 */

import type { ByteSource } from "./byte_source.ts";

/** The chunks of a stream, each asked for when it is read and not before. Locks the stream. */
export function streamSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader();
  return {
    async read() {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return undefined;
        if (value.length > 0) return value;
      }
    },
    cancel(reason) {
      // a stream that broke meanwhile rejects here: it was given up, so nobody needs to know
      reader.cancel(reason).catch(() => {});
    },
  };
}
