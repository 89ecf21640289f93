/**
 * Memory that bodies are read into, used again and again.
 *
 * @module
 */

/** As large as the pieces that a socket gives. */
const BUFFER_BYTES = 64 * 1024;

/** More than this are not kept; there are about as many as requests under way. */
const MAX_KEPT = 16;

/** Buffers that nobody uses at the moment. */
export class BufferPool {
  readonly #free: ArrayBuffer[] = [];

  /** A buffer for a while. */
  take(): ArrayBuffer {
    return this.#free.pop() ?? new ArrayBuffer(BUFFER_BYTES);
  }

  /** Takes a buffer back. */
  give(buffer: ArrayBuffer): void {
    if (buffer.byteLength === BUFFER_BYTES && this.#free.length < MAX_KEPT) {
      this.#free.push(buffer);
    }
  }
}
