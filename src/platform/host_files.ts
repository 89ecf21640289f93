/**
 * Files of the command line.
 *
 * @module
 */

import { once } from "node:events";
import {
  closeSync,
  createReadStream,
  fdatasync,
  fstat,
  open,
  type Stats,
  write,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import { Readable } from "node:stream";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { DENO } from "./environment.ts";

export type { Stats };
export {
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
export { chmod, chown, lstat, readdir, readlink, realpath, stat, unlink } from "node:fs/promises";
export { dirname, join, resolve } from "node:path";
export { fileURLToPath, pathToFileURL } from "node:url";

const openDescriptor = promisify(open);
const writeToDescriptor = promisify(write);
const statDescriptor = promisify(fstat);
const syncDescriptor = promisify(fdatasync);

/** Opens a file for reading. */
export async function openToRead(path: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (DENO !== undefined) return (await DENO.open(path)).readable;
  const stream = createReadStream(path);
  await once(stream, "open");
  return Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** A file that is open for writing. */
export interface WritableFile {
  /** Writes the beginning of some bytes. Returns how many of them. */
  write(bytes: Uint8Array): Promise<number>;
  /** Does the same before it returns. */
  writeSync(bytes: Uint8Array): number;
  /** Makes sure that the content is on the disk. */
  syncData(): Promise<void>;
  /** Closes the file. */
  close(): void;
  /** Whether it is a terminal. */
  isTerminal(): boolean;
  /** Returns the number of its names and its owner. */
  stat(): Promise<{ readonly nlink: number | null; readonly uid: number | null }>;
  /** Returns whether the lock of the file was obtained. Absent on runtimes without locks. */
  tryLock?(exclusive: boolean): Promise<boolean>;
}

/** Options of {@linkcode openToWrite}. */
export interface WriteOptions {
  /** Whether the file must be a new one. Default: false, and the file must exist. */
  readonly createNew?: boolean;
  /** Mode of a new file, before the umask. */
  readonly mode?: number;
}

/** Opens a file for writing. On Deno it has a lock. */
export async function openToWrite(path: string, options: WriteOptions = {}): Promise<WritableFile> {
  if (DENO !== undefined) return await DENO.open(path, { ...options, write: true });
  return new NodeFile(await openDescriptor(path, options.createNew ? "wx" : "r+", options.mode));
}

/** A file of Node and Bun. */
class NodeFile implements WritableFile {
  readonly #descriptor: number;
  #isWriting = false;
  #isClosed = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  async write(bytes: Uint8Array): Promise<number> {
    this.#isWriting = true;
    try {
      return (await writeToDescriptor(this.#descriptor, bytes)).bytesWritten;
    } finally {
      this.#isWriting = false;
      if (this.#isClosed) closeSync(this.#descriptor);
    }
  }

  writeSync(bytes: Uint8Array): number {
    return writeSync(this.#descriptor, bytes);
  }

  async syncData(): Promise<void> {
    await syncDescriptor(this.#descriptor);
  }

  close(): void {
    this.#isClosed = true;
    // the descriptor of a write under way could soon be that of another file
    if (!this.#isWriting) closeSync(this.#descriptor);
  }

  isTerminal(): boolean {
    return isatty(this.#descriptor);
  }

  async stat(): Promise<Stats> {
    return await statDescriptor(this.#descriptor);
  }
}

/**
 * Name of the owner of temporary files: the process, and without locks the machine too, since the
 * processes of another one cannot be looked at.
 */
export function ownerName(): string {
  return DENO === undefined ? `${process.pid}-${machineName()}` : `${process.pid}`;
}

/** Returns the number of the process in a name of {@linkcode ownerName} that this one can judge. */
export function ownerPid(owner: string): number | undefined {
  const [, pid, machine] = /^(\d+)(?:-([\w.]+))?$/.exec(owner) ?? [];
  return pid === undefined || machine !== (DENO === undefined ? machineName() : undefined)
    ? undefined
    : Number(pid);
}

function machineName(): string {
  return hostname().replace(/[^\w.]/g, "_").slice(0, 64);
}
