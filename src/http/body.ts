/**
 * Memory that bodies are read into, used again and again.
 *
 * @module
 */

import { bytesOf, type Chunk } from "../bytes/byte_source.ts";

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

// MERGED: Reads a body into memory that is used again, where the body allows it.

/** What a stream answers. */
export interface BodyPiece {
  /** The bytes, if any. */
  readonly value?: Uint8Array | undefined;
  /** Whether these are all. */
  readonly done: boolean;
}

/** Reads a body, a chunk at a time. */
export interface BodyReader {
  /** Asks for the next piece. */
  ask(): Promise<BodyPiece>;
  /** The chunk in a piece that came, good until the next is asked for; it may be empty. */
  take(piece: BodyPiece): Chunk;
  /** Gives up the rest: instead of the piece that is waited for, the end comes. */
  cancel(reason: unknown): Promise<void>;
  /** The last chunk is no longer needed. */
  release(): void;
}

const ENDED: BodyPiece = { done: true };

/** A reader of a body; one that is no byte stream, as an injected `fetch` may give, is read as it is. */
export function bodyReader(body: ReadableStream<Uint8Array>, buffers: BufferPool): BodyReader {
  let byob: ReadableStreamBYOBReader;
  try {
    byob = body.getReader({ mode: "byob" });
  } catch {
    // only a byte stream fills memory that it is given
    return new PlainReader(body.getReader());
  }
  return new LentReader(byob, buffers);
}

class PlainReader implements BodyReader {
  readonly #reader: ReadableStreamDefaultReader<unknown>;

  constructor(reader: ReadableStreamDefaultReader<unknown>) {
    this.#reader = reader;
  }

  async ask(): Promise<BodyPiece> {
    const { value, done } = await this.#reader.read();
    return done ? ENDED : { value: bytesOf(value), done };
  }

  take({ value, done }: BodyPiece): Chunk {
    return done ? undefined : value;
  }

  cancel(reason: unknown): Promise<void> {
    return this.#reader.cancel(reason);
  }

  release(): void {}
}

class LentReader implements BodyReader {
  readonly #reader: ReadableStreamBYOBReader;
  readonly #buffers: BufferPool;
  /** Undefined while the stream has it. */
  #buffer: ArrayBuffer | undefined;
  #isClosed = false;

  constructor(reader: ReadableStreamBYOBReader, buffers: BufferPool) {
    this.#reader = reader;
    this.#buffers = buffers;
    reader.closed.then(() => this.#close(), () => {});
  }

  async ask(): Promise<BodyPiece> {
    if (this.#isClosed) return ENDED;
    const lent = this.#buffer ?? this.#buffers.take();
    this.#buffer = undefined;
    try {
      return await this.#reader.read(new Uint8Array(lent));
    } catch (error) {
      if (this.#isClosed) return ENDED;
      throw error;
    }
  }

  take({ value, done }: BodyPiece): Chunk {
    // streams return the memory as another buffer
    this.#buffer = value?.buffer as ArrayBuffer | undefined;
    return done ? undefined : value;
  }

  cancel(reason: unknown): Promise<void> {
    return this.#isClosed ? Promise.resolve() : this.#reader.cancel(reason);
  }

  release(): void {
    if (this.#buffer !== undefined) this.#buffers.give(this.#buffer);
    this.#buffer = undefined;
  }

  /** Rejects a read that is still pending: a byte stream may close without answering it. */
  #close(): void {
    this.#isClosed = true;
    this.#reader.releaseLock();
  }
}
