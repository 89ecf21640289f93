/**
 * Bytes that are kept in memory up to a limit, and in a temporary file beyond it.
 *
 * @module
 */

import { disposedError } from "../data/errors.ts";
import { TemporaryFile, type TemporaryFileOptions } from "../platform/temporary_file.ts";

/** First size of the buffer; it doubles up to its limit. */
const FIRST_SIZE = 64 * 1024;
/** Bytes to read from the file at once: most are read in order. */
const READ_SIZE = 64 * 1024;

/** Removes the file of a buffer that is garbage collected without being disposed of. */
const collectedFiles: FinalizationRegistry<TemporaryFile> | undefined =
  // workerd has none by default
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry((file) => file[Symbol.dispose]());

/** A buffer that spills to disk. What was written is never changed. */
export class SpillBuffer implements Disposable {
  readonly #maxInMemory: number;
  readonly #options: TemporaryFileOptions;
  #isDisposed = false;
  /** Bytes that are not in the file. */
  #buffer = new Uint8Array(0);
  #buffered = 0;
  #file: TemporaryFile | undefined;
  #fileLength = 0;
  /** The last block that was read from the file, and its offset there. */
  #block = new Uint8Array(0);
  #blockStart = 0;

  /** Keeps `maxInMemory` bytes in memory before it creates a file. */
  constructor(maxInMemory: number, options: TemporaryFileOptions = {}) {
    this.#maxInMemory = maxInMemory;
    this.#options = options;
  }

  /** Number of bytes that were written. */
  get length(): number {
    return this.#fileLength + this.#buffered;
  }

  /** Writes a copy of `bytes`; returns their address. */
  write(bytes: Uint8Array): number {
    if (this.#isDisposed) throw disposedError();
    if (this.#buffered + bytes.length > this.#maxInMemory) this.#spill();
    const address = this.length, needed = this.#buffered + bytes.length;
    if (needed > this.#buffer.length) {
      const size = Math.min(this.#maxInMemory, Math.max(FIRST_SIZE, 2 * needed));
      const grown = new Uint8Array(Math.max(size, needed));
      grown.set(this.#buffer.subarray(0, this.#buffered));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#buffered);
    this.#buffered = needed;
    return address;
  }

  /**
   * Returns `length` bytes from an address, valid until the next call. May return fewer unless they
   * were written at once.
   */
  read(address: number, length: number): Uint8Array {
    if (this.#isDisposed) throw disposedError();
    if (address >= this.#fileLength) {
      const start = address - this.#fileLength;
      return this.#buffer.subarray(start, Math.min(start + length, this.#buffered));
    }
    const start = address - this.#blockStart;
    if (start >= 0 && start + length <= this.#block.length) {
      return this.#block.subarray(start, start + length);
    }
    this.#load(address, Math.max(length, READ_SIZE));
    return this.#block.subarray(0, length);
  }

  /** Creates the file, which fails if it cannot be created. */
  openFile(): void {
    if (this.#file !== undefined) return;
    this.#file = new TemporaryFile(this.#options);
    collectedFiles?.register(this, this.#file, this);
  }

  /** Removes all bytes, and the file; the buffer can be used again. */
  clear(): void {
    this.#file?.[Symbol.dispose]();
    collectedFiles?.unregister(this);
    this.#file = undefined;
    this.#buffered = this.#fileLength = 0;
    this.#block = new Uint8Array(0);
  }

  [Symbol.dispose](): void {
    this.clear();
    this.#isDisposed = true;
    this.#buffer = new Uint8Array(0);
  }

  /** Moves the buffered bytes to the file. */
  #spill(): void {
    if (this.#buffered === 0) return;
    this.openFile();
    this.#file!.write(this.#buffer.subarray(0, this.#buffered), this.#fileLength);
    this.#fileLength += this.#buffered;
    this.#buffered = 0;
  }

  #load(address: number, length: number): void {
    // views of the previous block have expired, so that its memory can be reused
    const whole = this.#block.buffer.byteLength >= length
      ? new Uint8Array(this.#block.buffer)
      : new Uint8Array(length);
    this.#blockStart = address;
    this.#block = whole.subarray(0, this.#file!.read(whole.subarray(0, length), address));
  }
}
