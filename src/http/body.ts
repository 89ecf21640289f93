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

export type BodyReader = Pick<PooledReader, "read" | "cancel" | "release">;

/** Only byte streams read into given buffers; an injected `fetch` may return another stream. */
export function bodyReader(body: ReadableStream<Uint8Array>, buffers: BufferPool): BodyReader {
  try {
    return new PooledReader(body.getReader({ mode: "byob" }), buffers);
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

class PooledReader implements BodyReader {
  readonly #reader: ReadableStreamBYOBReader;
  readonly #buffers: BufferPool;
  /** Undefined while the stream owns it. */
  #buffer: ArrayBuffer | undefined;
  #isReading = false;
  #isClosed = false;

  constructor(reader: ReadableStreamBYOBReader, buffers: BufferPool) {
    this.#reader = reader;
    this.#buffers = buffers;
    reader.closed
      .then(() => void (this.#isClosed = true))
      // rejects a pending read: a byte stream may close without settling it
      .then(() => this.#isReading && reader.releaseLock())
      .catch(() => {});
  }

  /** Returns the next chunk, perhaps empty and valid until the next call; `undefined` at the end. */
  async read(): Promise<Chunk> {
    if (this.#isClosed) return undefined;
    const buffer = this.#buffer ?? this.#buffers.take();
    this.#buffer = undefined;
    this.#isReading = true;
    try {
      const { value, done } = await this.#reader.read(new Uint8Array(buffer));
      // the stream transfers the memory to a new `ArrayBuffer`
      this.#buffer = value?.buffer;
      return done ? undefined : value;
    } catch (error) {
      if (this.#isClosed) return undefined;
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  /** A pending `read()` may resolve to `undefined`. */
  async cancel(reason: unknown): Promise<void> {
    if (!this.#isClosed) await this.#reader.cancel(reason);
  }

  release(): void {
    if (this.#buffer !== undefined) this.#buffers.give(this.#buffer);
    this.#buffer = undefined;
  }
}
