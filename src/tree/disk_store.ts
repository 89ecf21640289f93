/**
 * Page store in a temporary file.
 *
 * @module
 */

import { TemporaryFile, type TemporaryFileOptions } from "../platform/temporary_file.ts";
import { disposedError, type PageStore } from "./page_store.ts";

/** Bytes to buffer before a write. */
const WRITE_SIZE = 256 * 1024;
/** Bytes to read at once: pages are mostly read in order. */
const READ_SIZE = 64 * 1024;

/** Removes the file of a tree that is garbage collected without being disposed of. */
const collectedFiles: FinalizationRegistry<TemporaryFile> | undefined =
  // workerd has none by default
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry((file) => file[Symbol.dispose]());

/** Page store in a temporary file; an address is an offset in the file. */
export class DiskStore implements PageStore {
  readonly #file: TemporaryFile;
  #disposed = false;
  /** Bytes that are not in the file yet. */
  #buffer = new Uint8Array(0);
  #bufferedLength = 0;
  /** Length of the file in bytes. */
  #fileLength = 0;
  /** The last block that was read, and its offset in the file. */
  #block = new Uint8Array(0);
  #blockStart = 0;

  /** Creates the file at once, so that an unusable directory fails here. */
  constructor(options: TemporaryFileOptions) {
    this.#file = new TemporaryFile(options);
    collectedFiles?.register(this, this.#file, this);
  }

  write(bytes: Uint8Array): number {
    if (this.#disposed) throw disposedError();
    const address = this.#fileLength + this.#bufferedLength;
    if (this.#bufferedLength + bytes.length > this.#buffer.length) {
      if (this.#bufferedLength > 0) this.#flush();
      this.#buffer = new Uint8Array(Math.max(WRITE_SIZE, bytes.length));
    }
    this.#buffer.set(bytes, this.#bufferedLength);
    this.#bufferedLength += bytes.length;
    return address;
  }

  read(address: number, length: number): Uint8Array {
    if (this.#disposed) throw disposedError();
    if (this.#bufferedLength > 0) this.#flush();
    const start = address - this.#blockStart;
    if (start >= 0 && start + length <= this.#block.length) {
      return this.#block.subarray(start, start + length);
    }
    this.#load(address, Math.max(length, READ_SIZE));
    return this.#block.subarray(0, length);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#file[Symbol.dispose]();
    collectedFiles?.unregister(this);
    this.#buffer = this.#block = new Uint8Array(0);
  }

  /** Writes the buffered bytes to the file. */
  #flush(): void {
    this.#file.write(this.#buffer.subarray(0, this.#bufferedLength), this.#fileLength);
    this.#fileLength += this.#bufferedLength;
    this.#bufferedLength = 0;
    this.#buffer = new Uint8Array(0);
  }

  #load(address: number, length: number): void {
    // Views of the previous block have expired, so its memory can be reused.
    const whole = this.#block.buffer.byteLength >= length
      ? new Uint8Array(this.#block.buffer)
      : new Uint8Array(length);
    this.#blockStart = address;
    this.#block = whole.subarray(0, this.#file.read(whole.subarray(0, length), address));
  }
}

/**
 * Creates a page store in a temporary file, which the system removes with the process if it permits to
 * unlink an open file.
 *
 * @throws {TypeError} If the runtime has no file system.
 * @throws {Error} If the file cannot be created.
 */
export function diskStore(options: TemporaryFileOptions = {}): PageStore {
  return new DiskStore(options);
}
