/**
 * The beginning of a body, fetched before its turn.
 *
 * @module
 */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";
import type { BufferPool } from "../http/buffer_pool.ts";

/**
 * A body of which the first bytes are kept until somebody reads: as many as a buffer holds. Most
 * sitemaps below an index end before that.
 */
export class Spool implements ByteSource {
  readonly #source: ByteSource;
  readonly #buffers: BufferPool;
  /** Memory for what is kept. */
  #buffer: ArrayBuffer | undefined;
  #kept = 0;
  /** Memory of what was given last. */
  #given: ArrayBuffer | undefined;
  /** What came after that and did not fit. */
  #more: Uint8Array[] | undefined;
  #isFilling = false;
  #filled: Promise<void> | undefined;
  #reading = false;
  #ended = false;
  #broken: { readonly error: unknown } | undefined;

  /** Keeps what it reads of `source` in a buffer of `buffers`. */
  constructor(source: ByteSource, buffers: BufferPool) {
    this.#source = source;
    this.#buffers = buffers;
  }

  get ready(): boolean {
    return this.#kept > 0 || this.#more !== undefined || this.finished;
  }

  /** Whether the whole body is kept, or all of it that will ever come. */
  get finished(): boolean {
    return this.#ended || this.#broken !== undefined;
  }

  /** Whether the body is open and nobody reads it. */
  get heldBack(): boolean {
    return !this.finished && !this.#isFilling && !this.#reading;
  }

  /** Reads ahead until enough is kept or somebody reads. Never rejects. */
  fill(): Promise<void> {
    this.#isFilling = true;
    return this.#filled = this.#fill();
  }

  read(): Chunk | Promise<Chunk> {
    this.#reading = true;
    this.#takeBack();
    if (this.#kept > 0) return this.#giveKept(this.#buffer!);
    if (this.#more !== undefined) return this.#next(this.#more);
    if (this.#broken !== undefined) throw this.#broken.error;
    if (this.#ended) return undefined;
    return this.#isFilling ? this.#readFilled() : this.#source.read();
  }

  cancel(reason?: unknown): void {
    this.#reading = true;
    this.#ended = true;
    this.#takeBack();
    if (this.#buffer !== undefined) this.#buffers.give(this.#buffer);
    this.#buffer = undefined;
    this.#kept = 0;
    this.#more = undefined;
    this.#source.cancel(reason);
  }

  async #fill(): Promise<void> {
    try {
      while (!this.#reading && !this.#ended && this.#hasRoom()) {
        const next = this.#source.read();
        this.#keep(next instanceof Promise ? await next : next);
      }
    } catch (error) {
      this.#broken = { error };
    }
    this.#isFilling = false;
  }

  async #readFilled(): Promise<Chunk> {
    await this.#filled;
    return this.read();
  }

  #next(more: Uint8Array[]): Chunk {
    if (more.length === 1) this.#more = undefined;
    return more.shift();
  }

  #hasRoom(): boolean {
    return this.#more === undefined &&
      (this.#buffer === undefined || this.#kept < this.#buffer.byteLength);
  }

  #keep(chunk: Chunk): void {
    if (chunk === undefined) this.#ended = true;
    // what comes after it was cancelled is of no use
    if (chunk === undefined || this.#ended) return;
    const buffer = this.#buffer ??= this.#buffers.take();
    if (this.#more !== undefined || this.#kept + chunk.length > buffer.byteLength) {
      (this.#more ??= []).push(chunk.slice());
    } else {
      new Uint8Array(buffer).set(chunk, this.#kept);
      this.#kept += chunk.length;
    }
  }

  #giveKept(buffer: ArrayBuffer): Uint8Array {
    const kept = new Uint8Array(buffer, 0, this.#kept);
    this.#given = buffer;
    this.#buffer = undefined;
    this.#kept = 0;
    return kept;
  }

  /** What was given last is no longer needed. */
  #takeBack(): void {
    if (this.#given !== undefined) this.#buffers.give(this.#given);
    this.#given = undefined;
  }
}
