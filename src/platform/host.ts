/**
 * Standard streams and files.
 *
 * On Deno its own functions read and write streams and files, since its `node:` modules block the
 * event loop, and with it Ctrl-C, while a pipe is empty or full.
 *
 * @module
 */

import process from "node:process";
import { once } from "node:events";
import {
  closeSync,
  createReadStream,
  fdatasync,
  fstatSync,
  open,
  openSync,
  readSync,
  type Stats,
  write,
  writeSync,
} from "node:fs";
import { Readable } from "node:stream";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { DENO } from "./environment.ts";

/** Whether standard output is a file, other than that of standard error. */
export function isOutputFile(): boolean {
  try {
    const [output, error] = [fstatSync(1), fstatSync(2)];
    return output.isFile() && (output.ino !== error.ino || output.dev !== error.dev);
  } catch {
    // one of them is closed
    return false;
  }
}

const writeToDescriptor = promisify(write);

export async function writeOutput(bytes: Uint8Array): Promise<void> {
  if (DENO !== undefined) {
    for (let at = 0; at < bytes.length;) at += await DENO.stdout.write(bytes.subarray(at));
  } else if (isatty(1) || isPipe(1)) {
    await writeToStream(process.stdout, bytes);
  } else {
    // the stream of Node for a file ignores partial writes
    for (let at = 0; at < bytes.length;) {
      at += (await writeToDescriptor(1, bytes, at)).bytesWritten;
    }
  }
}

function isPipe(descriptor: number): boolean {
  const stat = fstatSync(descriptor);
  return stat.isFIFO() || stat.isSocket();
}

function writeToStream(stream: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    stream.write(bytes, (error) => {
      // the "error" event is emitted later
      if (error) return reject(error);
      stream.off("error", reject);
      resolve();
    });
  });
}

export function standardInput(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return DENO?.stdin.readable ??
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

export type { Stats };
export {
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
export { chmod, chown, lstat, readlink, realpath, stat } from "node:fs/promises";
export { basename, dirname, join, resolve, sep } from "node:path";
export { fileURLToPath, pathToFileURL } from "node:url";
export { parseArgs } from "node:util";

/** Returns the bytes as Latin-1. */
export function readStart(path: string, length: number): string {
  const descriptor = openSync(path, "r");
  try {
    const bytes = new Uint8Array(length);
    return String.fromCharCode(...bytes.subarray(0, readSync(descriptor, bytes)));
  } finally {
    closeSync(descriptor);
  }
}

const openDescriptor = promisify(open);
const syncDescriptor = promisify(fdatasync);

export async function openToRead(path: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (DENO !== undefined) return (await DENO.open(path)).readable;
  const stream = createReadStream(path);
  await once(stream, "open");
  return Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface WritableFile {
  /** Writes some or all of the bytes. Returns the number of bytes written. */
  write(bytes: Uint8Array): Promise<number>;
  writeSync(bytes: Uint8Array): number;
  syncData(): Promise<void>;
  close(): void;
  isTerminal(): boolean;
}

/** Opens a file for writing; it must exist, or with `createNew` it must not. */
export async function openToWrite(
  path: string,
  options: { readonly createNew?: boolean; readonly mode?: number } = {},
): Promise<WritableFile> {
  if (DENO !== undefined) return await DENO.open(path, { ...options, write: true });
  const flags = options.createNew ? "wx" : "r+";
  const descriptor = await openDescriptor(path, flags, options.mode);
  let isWriting = false, isClosed = false;
  return {
    async write(bytes) {
      isWriting = true;
      try {
        return (await writeToDescriptor(descriptor, bytes)).bytesWritten;
      } finally {
        isWriting = false;
        if (isClosed) closeSync(descriptor);
      }
    },
    writeSync: (bytes) => writeSync(descriptor, bytes),
    syncData: () => syncDescriptor(descriptor),
    close() {
      isClosed = true;
      // a pending write might otherwise reach another file that reuses the descriptor
      if (!isWriting) closeSync(descriptor);
    },
    isTerminal: () => isatty(descriptor),
  };
}
