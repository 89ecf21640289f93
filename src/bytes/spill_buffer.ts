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

export class MemoryBudget {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#free += bytes;
  }
}

interface SpillBufferOptions extends TemporaryFileOptions {
  /**
   * Memory that it shares with others; without enough, it creates its file early. The first 64 KiB do
   * not count. Default: none.
   */
  readonly budget?: MemoryBudget;
}

/** What was written is never changed. */
export class SpillBuffer implements Disposable {
  readonly #maxInMemory: number;
  readonly #options: SpillBufferOptions;
  #isDisposed = false;
  /** Bytes that are not in the file. */
  #buffer = new Uint8Array(0);
  #buffered = 0;
  #file: TemporaryFile | undefined;
  #fileLength = 0;
  /** The last block that was read from the file, and its offset there. */
  #block = new Uint8Array(0);
  #blockStart = 0;

  constructor(maxInMemory: number, options: SpillBufferOptions = {}) {
    this.#maxInMemory = maxInMemory;
    this.#options = options;
  }

  get length(): number {
    return this.#fileLength + this.#buffered;
  }

  /** Copies `bytes`; returns their address. */
  write(bytes: Uint8Array): number {
    if (this.#isDisposed) throw disposedError();
    const address = this.length;
    if (this.#buffered + bytes.length > this.#buffer.length) this.#makeSpace(bytes.length);
    if (bytes.length > this.#buffer.length) this.#append(bytes);
    else {
      this.#buffer.set(bytes, this.#buffered);
      this.#buffered += bytes.length;
    }
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

  openFile(): void {
    if (this.#file !== undefined) return;
    this.#file = new TemporaryFile(this.#options);
    collectedFiles?.register(this, this.#file, this);
  }

  /** The buffer can be used again. */
  clear(): void {
    this.#file?.[Symbol.dispose]();
    collectedFiles?.unregister(this);
    this.#file = undefined;
    this.#buffered = this.#fileLength = 0;
    this.#block = new Uint8Array(0);
    this.#shrink();
  }

  [Symbol.dispose](): void {
    this.clear();
    this.#isDisposed = true;
    this.#buffer = new Uint8Array(0);
  }

  /** Makes space in the buffer: by growth within its limits, else by moving what it has to the file. */
  #makeSpace(length: number): void {
    const needed = this.#buffered + length;
    const size = Math.min(this.#maxInMemory, Math.max(FIRST_SIZE, 2 * needed));
    if (needed <= size && this.#grow(size)) return;
    if (this.#buffered === 0) return;
    this.#append(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
    this.#shrink();
  }

  /** Grows the buffer if the budget allows it; one with a file needs no more than its first size. */
  #grow(size: number): boolean {
    const { budget } = this.#options;
    const old = this.#buffer;
    if (budget !== undefined && size > FIRST_SIZE) {
      if (this.#fileLength > 0 || !budget.take(size - Math.max(old.length, FIRST_SIZE))) {
        return false;
      }
    }
    this.#buffer = new Uint8Array(size);
    this.#buffer.set(old.subarray(0, this.#buffered));
    return true;
  }

  #shrink(): void {
    const { budget } = this.#options, { length } = this.#buffer;
    if (budget === undefined || length <= FIRST_SIZE) return;
    budget.give(length - FIRST_SIZE);
    this.#buffer = new Uint8Array(0);
  }

  #append(bytes: Uint8Array): void {
    this.openFile();
    this.#file!.write(bytes, this.#fileLength);
    this.#fileLength += bytes.length;
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
