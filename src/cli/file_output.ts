/**
 * A file that is there whole or not at all.
 *
 * @module
 */

import { createGzip, type Gzip } from "node:zlib";
import { fileFailure } from "./file_failure.ts";
import type { Output } from "./sink.ts";

/**
 * Opens a file before anything else is done, so that a path that cannot be written is told at once.
 *
 * What goes in is written beside it, under a name of its own that becomes the file's at the end.
 * What is no plain file, such as a device or a pipe, is written to as it is. A name that ends in
 * `.gz` is gzipped.
 */
export async function openFile(path: string): Promise<Output> {
  try {
    const there = await statOf(path);
    if (there?.isDirectory) throw new Deno.errors.IsADirectory();
    if (there !== undefined && !there.isFile) {
      return new FileOutput(path, await Deno.open(path, { write: true }), undefined);
    }
    // A link stays a link: what it leads to is replaced.
    const target = there === undefined ? path : await Deno.realPath(path);
    const temporary = temporaryName(target);
    const file = await Deno.open(temporary, { write: true, createNew: true });
    const output = new FileOutput(path, file, { temporary, target });
    const mode = there?.mode ?? undefined;
    if (mode !== undefined && Deno.build.os !== "windows") await Deno.chmod(temporary, mode);
    return output;
  } catch (error) {
    throw fileFailure("write", path, error);
  }
}

/** The name that is written to, and the one it takes. */
interface Names {
  readonly temporary: string;
  readonly target: string;
}

class FileOutput implements Output {
  readonly isTerminal = false;
  readonly isFile = true;
  readonly #path: string;
  readonly #file: Deno.FsFile;
  /** Absent where the path itself is written to. */
  readonly #names: Names | undefined;
  readonly #gzip: GzipPieces | undefined;
  #open = true;
  #done = false;

  constructor(path: string, file: Deno.FsFile, names: Names | undefined) {
    this.#path = path;
    this.#file = file;
    this.#names = names;
    if (path.endsWith(".gz")) this.#gzip = new GzipPieces((bytes) => writeAll(file, bytes));
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await (this.#gzip === undefined ? writeAll(this.#file, bytes) : this.#gzip.write(bytes));
    } catch (error) {
      throw fileFailure("write", this.#path, error);
    }
  }

  async commit(): Promise<void> {
    try {
      await this.#gzip?.end();
      if (this.#names !== undefined) await this.#file.syncData();
      this.#close();
      if (this.#names !== undefined) await Deno.rename(this.#names.temporary, this.#names.target);
      this.#done = true;
    } catch (error) {
      this.discard();
      throw fileFailure("write", this.#path, error);
    }
  }

  discard(): void {
    if (this.#done) return;
    this.#done = true;
    this.#gzip?.destroy();
    this.#close();
    if (this.#names === undefined) return;
    try {
      Deno.removeSync(this.#names.temporary);
    } catch (error) {
      // Someone was faster: it is gone, which is all that counts.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  #close(): void {
    if (this.#open) this.#file.close();
    this.#open = false;
  }
}

/** Packs pieces, and takes the next one when there is room for it. */
class GzipPieces {
  readonly #gzip: Gzip = createGzip();
  readonly #written: Promise<void>;

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#written = this.#drain(write);
    // Told by `write()` and `end()`.
    this.#written.catch(() => {});
  }

  async #drain(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    for await (const piece of this.#gzip) await write(piece as Uint8Array);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gzip.write(bytes, () => resolve());
    await Promise.race([promise, this.#written]);
  }

  async end(): Promise<void> {
    this.#gzip.end();
    await this.#written;
  }

  destroy(): void {
    this.#gzip.destroy();
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

async function statOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** A name in the same folder, since only within a file system a file takes a name at once. */
function temporaryName(target: string): string {
  const at = Math.max(target.lastIndexOf("/"), target.lastIndexOf("\\")) + 1;
  return `${target.slice(0, at)}.${target.slice(at)}.${crypto.randomUUID().slice(0, 8)}.part`;
}
