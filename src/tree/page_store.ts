import { disposedError } from "../data/errors.ts";

/**
 * Keeps the pages of a tree, in runs of up to a few dozen pages, and reads them back.
 *
 * A store belongs to one tree, which disposes of it. Runs are written once and never changed.
 */
export interface PageStore extends Disposable {
  /** Stores a copy of `bytes` and returns an address, which only the store interprets. */
  write(bytes: Uint8Array): number;
  /** Returns the `length` bytes written at `address`, valid until the next call. */
  read(address: number, length: number): Uint8Array;
}

/** Later blocks double, so that a small tree stays small. */
const FIRST_BLOCK_SIZE = 4 * 1024;
/** The most memory that is reserved and unused. */
const MAX_BLOCK_SIZE = 256 * 1024;

class MemoryStore implements PageStore {
  /** Undefined once disposed of. */
  #blocks: Uint8Array[] | undefined = [];
  #blockSize = FIRST_BLOCK_SIZE;
  /** Bytes used of the last block. */
  #used = 0;

  write(bytes: Uint8Array): number {
    const block = this.#blockFor(bytes.length);
    const start = this.#used;
    block.set(bytes, start);
    this.#used += bytes.length;
    // Every run starts within the first MAX_BLOCK_SIZE bytes of its block.
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

  /** Returns the last block if `length` bytes fit into it, else a new one: a run has one block. */
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

export function memoryStore(): PageStore {
  return new MemoryStore();
}
