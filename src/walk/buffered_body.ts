/** Bodies that are read ahead of their consumer. @module */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";
import type { BufferPool } from "../http/body.ts";

/** Size up to which blocks of small chunks double: that of a pooled buffer. */
const BLOCK_BYTES = 64 * 1024;

export class BufferedBody implements ByteSource {
  readonly #source: ByteSource;
  readonly #maxBytes: number;
  readonly #buffers: BufferPool | undefined;
  /** Bytes that are kept, one or more chunks in each block. The last may have space for more. */
  readonly #blocks: Uint8Array<ArrayBuffer>[] = [];
  /** Memory of the first block, if it is pooled. */
  #buffer: ArrayBuffer | undefined;
  #length = 0;
  #isRead = false;
  #end: { readonly error?: unknown } | undefined;
  /** Resolves when the next chunk is kept, while one is being read ahead. */
  #next: Promise<void> | undefined;

  /**
   * Reads up to `maxBytes` ahead: of a prefetch, until the first `read()`, with its first bytes in one
   * of `buffers`; without these, also while it is read.
   */
  constructor(source: ByteSource, maxBytes: number, buffers?: BufferPool) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#buffers = buffers;
  }

  get isFinished(): boolean {
    return this.#end !== undefined;
  }

  /** Whether the source is open and not being read. */
  get isHeldBack(): boolean {
    return !this.isFinished && this.#next === undefined && !this.#isRead;
  }

  /** Reads ahead; resolves when enough is kept, the source has ended or its consumer reads. */
  async fill(): Promise<void> {
    if (this.#next !== undefined) return;
    try {
      while (this.#end === undefined && this.#length < this.#maxBytes) {
        if (this.#isRead && this.#buffers !== undefined) break;
        await (this.#next = this.#source.read().then(this.#keep));
      }
    } catch (error) {
      this.#end ??= { error };
    }
    this.#next = undefined;
  }

  async read(): Promise<Chunk> {
    if (this.#isRead) this.#releaseBuffer();
    this.#isRead = true;
    // while a chunk is read ahead, it is the next one
    if (this.#blocks.length === 0 && this.#next !== undefined) await this.#next.catch(() => {});
    const block = this.#blocks.shift();
    if (block !== undefined) {
      this.#length -= block.length;
      if (this.#buffers === undefined) this.fill();
      return block;
    }
    if (this.#end !== undefined) {
      if ("error" in this.#end) throw this.#end.error;
      return undefined;
    }
    return await this.#source.read();
  }

  cancel(reason?: unknown): void {
    this.#end = {};
    this.#blocks.length = 0;
    this.#releaseBuffer();
    this.#source.cancel(reason);
  }

  /** Copies a chunk, into the last block if it has space. */
  readonly #keep = (chunk: Chunk): void => {
    if (chunk === undefined) this.#end ??= {};
    if (chunk === undefined || this.#end !== undefined) return;
    this.#length += chunk.length;
    const last = this.#blocks.at(-1);
    const hasSpace = last !== undefined && last.length + chunk.length <= last.buffer.byteLength;
    const start = hasSpace ? last.length : 0;
    const memory = hasSpace ? last.buffer : this.#newMemory(chunk.length, last?.buffer.byteLength);
    const block = new Uint8Array(memory, 0, start + chunk.length);
    block.set(chunk, start);
    if (hasSpace) this.#blocks.pop();
    this.#blocks.push(block);
  };

  /** Returns memory for a block of at least `length` bytes after one of `last` bytes. */
  #newMemory(length: number, last = 0): ArrayBuffer {
    if (last === 0 && !this.#isRead && length <= BLOCK_BYTES && this.#buffers !== undefined) {
      return this.#buffer = this.#buffers.take();
    }
    return new ArrayBuffer(Math.max(length, Math.min(2 * last, BLOCK_BYTES)));
  }

  #releaseBuffer(): void {
    if (this.#buffer !== undefined) this.#buffers?.give(this.#buffer);
    this.#buffer = undefined;
  }
}
