/**
 * A ceiling on bytes.
 *
 * @module
 */

import { CutError } from "../data/errors.ts";
import type { ByteSource, Chunk } from "./byte_source.ts";

/** What is told where there is more. */
export type LimitCode = "too-large" | "robots-too-large";

/**
 * At most `maxBytes` of a source. If it has even one more, it is cancelled, and `read()` rejects with
 * a `CutError` of that code once everything below the ceiling was given.
 */
export function limited(source: ByteSource, maxBytes: number, code: LimitCode): ByteSource {
  return new LimitedSource(source, maxBytes, code);
}

class LimitedSource implements ByteSource {
  readonly #source: ByteSource;
  readonly #maxBytes: number;
  readonly #code: LimitCode;
  #left: number;
  #error: CutError | undefined;

  constructor(source: ByteSource, maxBytes: number, code: LimitCode) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#code = code;
    this.#left = maxBytes;
  }

  get ready(): boolean {
    return this.#error !== undefined || this.#source.ready === true;
  }

  read(): Chunk | Promise<Chunk> {
    if (this.#error !== undefined) throw this.#error;
    const chunk = this.#source.read();
    return chunk instanceof Promise ? this.#later(chunk) : this.#below(chunk);
  }

  cancel(reason?: unknown): void {
    this.#error = undefined;
    this.#source.cancel(reason);
  }

  async #later(chunk: Promise<Chunk>): Promise<Chunk> {
    return this.#below(await chunk);
  }

  /** What of a chunk is below the ceiling. */
  #below(chunk: Chunk): Chunk {
    if (chunk === undefined) return undefined;
    if (chunk.length <= this.#left) {
      this.#left -= chunk.length;
      return chunk;
    }
    const error = new CutError(this.#code, `Content is larger than ${this.#maxBytes} bytes`);
    this.#error = error;
    this.#source.cancel(error);
    if (this.#left === 0) throw error;
    return chunk.subarray(0, this.#left);
  }
}
