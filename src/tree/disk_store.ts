/**
 * A page store on disk: a temporary file, written and read in blocks.
 *
 * @module
 */

import { disposedError, type PageStore } from "./page_list.ts";
import { TemporaryFile, type TemporaryFileOptions } from "../platform/temporary_file.ts";

/** Runs are gathered up to this before they are written. */
const WRITE_SIZE = 256 * 1024;
/** Read at once, since the runs that follow are mostly the next to be asked for. */
const READ_SIZE = 64 * 1024;

/** A tree that nobody disposed of takes its file with it when it is collected as garbage. */
const abandoned: FinalizationRegistry<TemporaryFile> | undefined =
  // workerd has none by default
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry((file) => file[Symbol.dispose]());

/** A store in a temporary file. An address is a position in the file. */
export class DiskStore implements PageStore {
  readonly #file: TemporaryFile;
  #disposed = false;
  /** What is not in the file yet. */
  #waiting = new Uint8Array(0);
  #waitingLength = 0;
  /** How many bytes the file has. */
  #fileLength = 0;
  /** A part of the file, and where it begins. */
  #block = new Uint8Array(0);
  #blockStart = 0;

  /** Makes the file at once: a directory that cannot take it is an error here, not at a read. */
  constructor(options: TemporaryFileOptions) {
    this.#file = new TemporaryFile(options);
    abandoned?.register(this, this.#file, this);
  }

  write(bytes: Uint8Array): number {
    if (this.#disposed) throw disposedError();
    const address = this.#fileLength + this.#waitingLength;
    if (this.#waitingLength + bytes.length > this.#waiting.length) {
      if (this.#waitingLength > 0) this.#flush();
      this.#waiting = new Uint8Array(Math.max(WRITE_SIZE, bytes.length));
    }
    this.#waiting.set(bytes, this.#waitingLength);
    this.#waitingLength += bytes.length;
    return address;
  }

  read(address: number, length: number): Uint8Array {
    if (this.#disposed) throw disposedError();
    if (this.#waitingLength > 0) this.#flush();
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
    abandoned?.unregister(this);
    this.#waiting = this.#block = new Uint8Array(0);
  }

  /** Puts what waits into the file. */
  #flush(): void {
    this.#file.write(this.#waiting.subarray(0, this.#waitingLength), this.#fileLength);
    this.#fileLength += this.#waitingLength;
    this.#waitingLength = 0;
    this.#waiting = new Uint8Array(0);
  }

  #load(address: number, length: number): void {
    // A view of the block before is dead by now, so its memory is used again.
    const whole = this.#block.buffer.byteLength >= length
      ? new Uint8Array(this.#block.buffer)
      : new Uint8Array(length);
    this.#blockStart = address;
    this.#block = whole.subarray(0, this.#file.read(whole.subarray(0, length), address));
  }
}

/** Settings of {@linkcode diskStore}. */
export interface DiskStoreOptions {
  /**
   * The directory of the temporary file. Default: that of the system for temporary files, which on
   * some systems is in memory.
   */
  readonly directory?: string;
}

/**
 * A page store on disk, for `collect()`: pages go to a temporary file, and the tree takes next to
 * no memory however many pages it has.
 *
 * The file has no name where the system permits that, and is gone when the tree is disposed of or
 * the process ends. A store is for one tree. In Deno it needs permission to read and write in the
 * directory, and to read the environment unless `directory` is given.
 *
 * @param options Where the file is.
 * @returns A new store.
 * @throws {Error} If the file cannot be made in the directory, or the runtime has no file system.
 *
 * @example
 * ```ts
 * import { collect, SitemapPage, type TreeEvent } from "@sitetree/sitetree";
 * import { diskStore } from "@sitetree/sitetree/store";
 * import { assertEquals } from "@std/assert";
 *
 * const sitemap = {
 *   id: 0,
 *   type: "IndexWebsiteSitemap",
 *   url: "https://example.com/",
 *   level: -1,
 *   parent: null,
 *   index: 0,
 * } as const;
 * const events: TreeEvent[] = [
 *   { type: "sitemap-entered", sitemap },
 *   { type: "page", page: new SitemapPage({ url: "https://example.com/a" }), sitemap },
 * ];
 *
 * using tree = await collect(events, { store: diskStore() });
 * for (const page of tree.allPages()) assertEquals(page.url, "https://example.com/a");
 * ```
 */
export function diskStore(options: DiskStoreOptions = {}): PageStore {
  return new DiskStore(options);
}
