/**
 * Where the pages of a tree live: the one thing in which a store in memory and one on disk differ.
 *
 * @module
 */

/**
 * Keeps the encoded pages of a tree, in runs of up to a few dozen pages, and reads them back.
 *
 * A store belongs to one tree, which disposes of it. Runs come one after the other and are never
 * changed; what an address means is the store's own business.
 */
export interface PageStore extends Disposable {
  /** Keeps a copy of `bytes` and returns the address they are read back by. */
  write(bytes: Uint8Array): number;
  /** The `length` bytes that were written at `address`; they may change at the next call. */
  read(address: number, length: number): Uint8Array;
}

/** What is thrown when the pages of a disposed tree are asked for. */
export function disposedError(): TypeError {
  return new TypeError("Cannot read pages: their store has been disposed of");
}
