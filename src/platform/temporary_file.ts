/**
 * A temporary file, removed when it is disposed of or when the process ends.
 *
 * @module
 */

import { builtin, hasPermission } from "./environment.ts";

type FileSystem = typeof import("node:fs");

export interface TemporaryFileOptions {
  /** Directory of the file. Default: that of the system for temporary files. */
  readonly directory?: string;
  /** Removes the name of an open file; throws if the system cannot. Default: `unlinkSync`. */
  readonly unlinkOpen?: (path: string) => void;
}

/** Whether there is a file system, and Deno permits to use it: the folder is in the environment. */
export function canCreateTemporaryFile(): boolean {
  return builtin("node:fs") !== undefined &&
    (["env", "read", "write"] as const).every((name) => hasPermission({ name }));
}

/** Has no name where the system permits that. */
export class TemporaryFile implements Disposable {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #descriptor: number;
  readonly #dispose = (): void => this[Symbol.dispose]();
  #isOpen = true;
  #hasName = false;

  /** @throws {Error} If it cannot be created. */
  constructor(options: TemporaryFileOptions = {}) {
    const fs = builtin("node:fs"), os = builtin("node:os"), path = builtin("node:path");
    if (fs === undefined || os === undefined || path === undefined) {
      throw new TypeError("Cannot create a temporary file: this runtime has no file system");
    }
    const { directory = os.tmpdir(), unlinkOpen = fs.unlinkSync } = options;
    this.#fs = fs;
    this.#path = path.join(directory, `sitetree-${crypto.randomUUID()}.pages`);
    this.#descriptor = openNew(fs, this.#path, directory);
    try {
      // a file without a name is gone with the process, even if that is killed
      unlinkOpen(this.#path);
    } catch {
      // Windows keeps the name of an open file
      this.#hasName = true;
      this.#listenToExit();
    }
  }

  write(bytes: Uint8Array, position: number): void {
    for (let written = 0; written < bytes.length;) {
      const rest = bytes.length - written;
      written += this.#fs.writeSync(this.#descriptor, bytes, written, rest, position + written);
    }
  }

  /** Returns the number of bytes: fewer than `bytes` has at the end of the file. */
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

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#fs.closeSync(this.#descriptor);
    if (!this.#hasName) return;
    this.#ignoreExit();
    this.#fs.rmSync(this.#path, { force: true });
  }

  #listenToExit(): void {
    const process = builtin("node:process");
    // Node warns of a leak if there are more listeners than expected; 0 expects any number
    process?.setMaxListeners((process.getMaxListeners() || Infinity) + 1);
    process?.on("exit", this.#dispose);
    // `Deno.exit()` dispatches no other event
    globalThis.addEventListener?.("unload", this.#dispose);
  }

  #ignoreExit(): void {
    const process = builtin("node:process");
    process?.off("exit", this.#dispose);
    process?.setMaxListeners(process.getMaxListeners() - 1);
    globalThis.removeEventListener?.("unload", this.#dispose);
  }
}

function openNew(fs: FileSystem, path: string, directory: string): number {
  try {
    return fs.openSync(path, "wx+", 0o600);
  } catch (error) {
    // Node appends the call and the path
    const reason = error instanceof Error ? error.message.replace(/, open '.*$/s, "") : error;
    const message = `Cannot create a temporary file in "${directory}": ${reason}`;
    throw new Error(message, { cause: error });
  }
}
