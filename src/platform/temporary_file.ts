/**
 * A file that is gone with its owner: closed, disposed of, or at the end of the process.
 *
 * @module
 */

import { builtin } from "./environment.ts";

type FileSystem = typeof import("node:fs");

/** Files that still have a name, to be removed at the end of the process. */
const named = new Set<TemporaryFile>();

function removeAll(): void {
  for (const file of named) file[Symbol.dispose]();
}

function remember(file: TemporaryFile): void {
  // One listener for all files: the eleventh of its own would bring up Node's leak warning.
  if (named.size === 0) {
    builtin("node:process")?.on("exit", removeAll);
    // `Deno.exit()` sends this one only, which Node does not know.
    globalThis.addEventListener?.("unload", removeAll);
  }
  named.add(file);
}

/** Whether the file had a name still. */
function forget(file: TemporaryFile): boolean {
  const had = named.delete(file);
  if (had && named.size === 0) {
    builtin("node:process")?.off("exit", removeAll);
    globalThis.removeEventListener?.("unload", removeAll);
  }
  return had;
}

/** Creates a file for reading and writing. */
function openNew(fs: FileSystem, path: string, directory: string): number {
  try {
    return fs.openSync(path, "wx+", 0o600);
  } catch (error) {
    // Node adds the call and the path, which is of no use to anyone.
    const reason = error instanceof Error ? error.message.replace(/, open '.*$/s, "") : error;
    throw new Error(`Cannot create a temporary file in "${directory}": ${reason}`, {
      cause: error,
    });
  }
}

/** How a {@linkcode TemporaryFile} is made. */
export interface TemporaryFileOptions {
  /** The directory it is in. Default: that of the system for temporary files. */
  readonly directory?: string;
  /** Removes the name of an open file; throws where the system cannot. Default: `unlinkSync`. */
  readonly unlinkOpen?: (path: string) => void;
}

/** A new file, open for reading and writing, that nobody else sees for long. */
export class TemporaryFile implements Disposable {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #descriptor: number;
  #open = true;

  /**
   * Creates the file.
   *
   * @throws {Error} If it cannot be created.
   */
  constructor(options: TemporaryFileOptions = {}) {
    const fs = builtin("node:fs"), os = builtin("node:os");
    const path = builtin("node:path");
    if (fs === undefined || os === undefined || path === undefined) {
      throw new Error("Cannot create a temporary file: this runtime has no file system");
    }
    const { directory = os.tmpdir(), unlinkOpen = fs.unlinkSync } = options;
    this.#fs = fs;
    this.#path = path.join(directory, `sitetree-${crypto.randomUUID()}.pages`);
    this.#descriptor = openNew(fs, this.#path, directory);
    try {
      // Without a name it is gone with the process however that ends, kill signals included.
      unlinkOpen(this.#path);
    } catch {
      // Windows keeps the name of an open file: then it is removed after closing.
      remember(this);
    }
  }

  /** Writes all of `bytes` at `position`. */
  write(bytes: Uint8Array, position: number): void {
    for (let written = 0; written < bytes.length;) {
      const rest = bytes.length - written;
      written += this.#fs.writeSync(this.#descriptor, bytes, written, rest, position + written);
    }
  }

  /** Reads into `bytes` from `position` on, to the end of either, and returns how many were read. */
  read(bytes: Uint8Array, position: number): number {
    let count = 0;
    while (count < bytes.length) {
      const rest = bytes.length - count;
      const read = this.#fs.readSync(this.#descriptor, bytes, count, rest, position + count);
      if (read === 0) break;
      count += read;
    }
    return count;
  }

  /** Closes and removes the file. */
  [Symbol.dispose](): void {
    if (!this.#open) return;
    this.#open = false;
    this.#fs.closeSync(this.#descriptor);
    if (forget(this)) this.#fs.rmSync(this.#path, { force: true });
  }
}
