/**
 * Reads response bodies into pooled buffers, which lowers the peak memory of a walk of many small
 * sitemaps (`bench:site`).
 *
 * @module
 */

import { bytesOf, type Chunk } from "../bytes/byte_source.ts";

/** Size of a buffer: that of the largest chunk which sockets deliver. */
const BUFFER_BYTES = 64 * 1024;

/** Number of buffers that are kept for reuse, about one for each concurrent request. */
const MAX_KEPT = 16;

export class BufferPool {
  readonly #free: ArrayBuffer[] = [];

  take(): ArrayBuffer {
    return this.#free.pop() ?? new ArrayBuffer(BUFFER_BYTES);
  }

  /** Drops the buffer if there are enough, or if it is a part of one. */
  give(buffer: ArrayBuffer): void {
    if (buffer.byteLength === BUFFER_BYTES && this.#free.length < MAX_KEPT) {
      this.#free.push(buffer);
    }
  }
}

export interface BodyReader {
  /** Returns the next chunk, perhaps empty and valid until the next call; `undefined` at the end. */
  read(): Promise<Chunk>;
  /** A pending `read()` may resolve to `undefined`. */
  cancel(reason: unknown): Promise<void>;
  release(): void;
}

/** Only byte streams read into given buffers; an injected `fetch` may return another stream. */
export function bodyReader(body: ReadableStream<Uint8Array>, buffers: BufferPool): BodyReader {
  try {
    return pooledReader(body.getReader({ mode: "byob" }), buffers);
  } catch {
    const reader = body.getReader();
    return {
      async read() {
        const { value, done } = await reader.read();
        return done ? undefined : bytesOf(value);
      },
      cancel: (reason) => reader.cancel(reason),
      release() {},
    };
  }
}

function pooledReader(reader: ReadableStreamBYOBReader, buffers: BufferPool): BodyReader {
  /** Undefined while the stream owns it. */
  let pooled: ArrayBuffer | undefined;
  let isReading = false, isClosed = false;
  reader.closed
    .then(() => void (isClosed = true))
    // rejects a pending read: a byte stream may close without settling it
    .then(() => isReading && reader.releaseLock())
    .catch(() => {});
  return {
    async read() {
      if (isClosed) return undefined;
      const buffer = pooled ?? buffers.take();
      pooled = undefined;
      isReading = true;
      try {
        const { value, done } = await reader.read(new Uint8Array(buffer));
        // the stream transfers the memory to a new `ArrayBuffer`
        pooled = value?.buffer;
        return done ? undefined : value;
      } catch (error) {
        if (isClosed) return undefined;
        throw error;
      } finally {
        isReading = false;
      }
    },
    async cancel(reason) {
      if (!isClosed) await reader.cancel(reason);
    },
    release() {
      if (pooled !== undefined) buffers.give(pooled);
      pooled = undefined;
    },
  };
}
