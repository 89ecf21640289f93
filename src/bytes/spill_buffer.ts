/**
 * Bytes that are kept in memory up to a limit, and in a temporary file beyond it.
 *
 * @module
 */

import { disposedError } from "../data/errors.ts";
import { TemporaryFile, type TemporaryFileOptions } from "../platform/temporary_file.ts";

/** The first block in memory; the next ones double, so that little content takes little memory. */
const FIRST_BLOCK = 4 * 1024;
/** The most memory that is reserved and unused. */
const MAX_BLOCK = 256 * 1024;
/** Memory that does not count, and all that a buffer has once it has a file. */
const FREE_SIZE = 64 * 1024;

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

/** What was written is never changed. What was written at once is contiguous. */
export class SpillBuffer implements Disposable {
  readonly #maxInMemory: number;
  readonly #options: SpillBufferOptions;
  #isDisposed = false;
  length = 0;
  /** Bytes that are not in the file, and the address of each block. */
  #blocks: Uint8Array[] = [];
  #starts: number[] = [];
  /** Size of all blocks. */
  #reserved = 0;
  #file: TemporaryFile | undefined;
  #fileLength = 0;
  /** The last bytes that were read from the file, and their address. */
  #loaded = new Uint8Array(0);
  #loadedStart = 0;

  constructor(maxInMemory: number, options: SpillBufferOptions = {}) {
    this.#maxInMemory = maxInMemory;
    this.#options = options;
  }

  /** Copies `bytes`; returns their address. */
  write(bytes: Uint8Array): number {
    if (this.#isDisposed) throw disposedError();
    const address = this.length;
    const block = this.#blockFor(bytes.length);
    if (block !== undefined) block.set(bytes, address - this.#starts.at(-1)!);
    else this.#append(bytes);
    this.length += bytes.length;
    return address;
  }

  /**
   * Returns `length` bytes from an address, valid until the next call. May return fewer unless they
   * were written at once.
   */
  read(address: number, length: number): Uint8Array {
    if (this.#isDisposed) throw disposedError();
    if (address >= this.#fileLength) {
      const at = this.#blockAt(address), start = this.#starts[at] ?? 0;
      const end = Math.min(address + length, this.#starts[at + 1] ?? this.length);
      return (this.#blocks[at] ?? this.#loaded).subarray(address - start, end - start);
    }
    const start = address - this.#loadedStart;
    if (start < 0 || start + length > this.#loaded.length) {
      this.#load(address, length);
      return this.#loaded.subarray(0, length);
    }
    return this.#loaded.subarray(start, start + length);
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
    this.length = this.#fileLength = 0;
    this.#loaded = new Uint8Array(0);
    this.#release();
  }

  [Symbol.dispose](): void {
    this.clear();
    this.#isDisposed = true;
  }

  /** Returns the last block if it has space; `undefined` if the bytes go to the file at once. */
  #blockFor(length: number): Uint8Array | undefined {
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.length + length <= this.#starts.at(-1)! + last.length) {
      return last;
    }
    const doubled = Math.min(this.#reserved || FIRST_BLOCK, MAX_BLOCK);
    if (this.#reserve(Math.max(doubled, length))) return this.#blocks.at(-1);
    this.#spill();
    if (length > FREE_SIZE) return undefined;
    // a buffer with a file writes this block again and again
    if (last?.length === FREE_SIZE) this.#addBlock(last);
    else this.#reserve(FREE_SIZE);
    return this.#blocks.at(-1);
  }

  /** Adds a block, if the limit and the budget allow it. */
  #reserve(size: number): boolean {
    const reserved = this.#reserved + size;
    if (reserved > (this.#file === undefined ? this.#maxInMemory : FREE_SIZE)) return false;
    const counted = counting(reserved) - counting(this.#reserved);
    if (this.#options.budget?.take(counted) === false) return false;
    this.#addBlock(new Uint8Array(size));
    return true;
  }

  #addBlock(block: Uint8Array): void {
    this.#blocks.push(block);
    this.#starts.push(this.length);
    this.#reserved += block.length;
  }

  #release(): void {
    this.#options.budget?.give(counting(this.#reserved));
    this.#blocks = [];
    this.#starts = [];
    this.#reserved = 0;
  }

  /** Moves all blocks to the file. */
  #spill(): void {
    const starts = this.#starts;
    for (const [at, block] of this.#blocks.entries()) {
      this.#append(block.subarray(0, (starts[at + 1] ?? this.length) - starts[at]!));
    }
    this.#release();
  }

  #append(bytes: Uint8Array): void {
    this.openFile();
    this.#file!.write(bytes, this.#fileLength);
    this.#fileLength += bytes.length;
  }

  /** Returns the number of the block that has an address. */
  #blockAt(address: number): number {
    const starts = this.#starts;
    let low = 0;
    for (let high = starts.length; high - low > 1;) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= address) low = middle;
      else high = middle;
    }
    return low;
  }

  #load(address: number, length: number): void {
    // views of the previous bytes have expired, so that their memory can be reused
    const whole = this.#loaded.buffer.byteLength >= length
      ? new Uint8Array(this.#loaded.buffer)
      : new Uint8Array(length);
    this.#loadedStart = address;
    this.#loaded = whole.subarray(0, this.#file!.read(whole.subarray(0, length), address));
  }
}

/** Returns how many of the reserved bytes count. */
function counting(reserved: number): number {
  return Math.max(0, reserved - FREE_SIZE);
}
