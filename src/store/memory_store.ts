/**
 * The default page store: blocks of bytes in memory, shared by the whole tree.
 *
 * @module
 */

import { disposedError, type PageStore } from "./page_store.ts";

/** A small tree takes little; blocks double from here on. */
const FIRST_BLOCK_SIZE = 4 * 1024;
/** At most this much is reserved and not yet used. */
const MAX_BLOCK_SIZE = 256 * 1024;

class MemoryStore implements PageStore {
  /** `undefined` once disposed of. */
  #blocks: Uint8Array[] | undefined = [];
  #blockSize = FIRST_BLOCK_SIZE;
  /** Bytes used of the last block. */
  #used = 0;

  write(bytes: Uint8Array): number {
    const block = this.#blockFor(bytes.length);
    const start = this.#used;
    block.set(bytes, start);
    this.#used += bytes.length;
    // Runs begin inside the first MAX_BLOCK_SIZE bytes of a block, however long the block is.
    return (this.#blocks!.length - 1) * MAX_BLOCK_SIZE + start;
  }

  read(address: number, length: number): Uint8Array {
    const block = this.#blocks?.[Math.floor(address / MAX_BLOCK_SIZE)];
    if (block === undefined) throw disposedError();
    const start = address % MAX_BLOCK_SIZE;
    return block.subarray(start, start + length);
  }

  [Symbol.dispose](): void {
    this.#blocks = undefined;
  }

  /** The last block if `length` bytes fit into it, a new one else: runs are never torn. */
  #blockFor(length: number): Uint8Array {
    if (this.#blocks === undefined) throw disposedError();
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#used + length <= last.length) return last;
    const block = new Uint8Array(Math.max(this.#blockSize, length));
    this.#blockSize = Math.min(this.#blockSize * 2, MAX_BLOCK_SIZE);
    this.#blocks.push(block);
    this.#used = 0;
    return block;
  }
}

/** A new store in memory, for one tree. */
export function memoryStore(): PageStore {
  return new MemoryStore();
}
