/**
 * The process of the command line: arguments, standard streams, terminal, signals, exit, and the
 * permissions of Deno.
 *
 * Deno's own functions are used for permissions, and for streams and files that are read and written
 * while Ctrl-C must work: its `node:` modules block the event loop while a pipe is empty or full.
 *
 * @module
 */

import process from "node:process";
import { once } from "node:events";
import {
  closeSync,
  createReadStream,
  fdatasync,
  fstat,
  fstatSync,
  open,
  type Stats,
  write,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { DENO, hasPermission } from "./environment.ts";

/** Whether this is Windows. */
export const IS_WINDOWS: boolean = process.platform === "win32";

/** Returns the arguments of the command line. */
export function commandArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** Returns the runtime and the system, such as `Node.js 24.1.0, linux arm64`. */
export function runtimeName(): string {
  const { deno, bun, node }: Readonly<Record<string, string | undefined>> = process.versions;
  const runtime = deno ? `Deno ${deno}` : bun ? `Bun ${bun}` : `Node.js ${node}`;
  return `${runtime}, ${process.platform} ${process.arch}`;
}

/** Whether the environment asks for no colors. */
export function noColor(): boolean {
  return DENO?.noColor ?? Boolean(process.env["NO_COLOR"]);
}

/** Code of an error of the system, such as `ENOENT`; `undefined` for other errors. */
export function codeOf(error: unknown): string | undefined {
  const { code } = Object(error);
  return typeof code === "string" ? code : undefined;
}

/** Whether a standard stream is a terminal. */
export function isTerminal(stream: "stdout" | "stderr"): boolean {
  return isatty(stream === "stdout" ? 1 : 2);
}

/** Returns the width of the terminal; `undefined` without one. */
export function terminalWidth(): number | undefined {
  // not the streams of pipes, which Node would make non-blocking
  if (isatty(2)) return process.stderr.columns;
  return isatty(1) ? process.stdout.columns : undefined;
}

/** Whether standard output goes into a file, and standard error not into the same. */
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

/** Writes bytes to standard output. They are written once the promise resolves. */
export async function writeOutput(bytes: Uint8Array): Promise<void> {
  if (DENO !== undefined) {
    for (let at = 0; at < bytes.length;) at += await DENO.stdout.write(bytes.subarray(at));
  } else if (isatty(1) || isPipe(1)) {
    await writeToStream(process.stdout, bytes);
  } else {
    // Node's stream for a file ignores how much of a piece was written
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
      // the event of a failure comes later
      if (error) return reject(error);
      stream.off("error", reject);
      resolve();
    });
  });
}

/** Milliseconds between two attempts to write into a full pipe. */
const FULL_PIPE_DELAY = 5;

/** Writes bytes to standard error before it returns. */
export function writeErrorSync(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(2, bytes, at);
    } catch (error) {
      // a full pipe that a process has made non-blocking, perhaps another one
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_DELAY);
    }
  }
}

/** Returns standard input. */
export function standardInput(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return DENO?.stdin.readable ??
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Signals that ask for the end of the process, with the exit codes of shells. */
const SIGNALS: readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] = IS_WINDOWS
  ? [["SIGINT", 130]]
  : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]];

/** Calls back for each signal that asks for the end, with an exit code for it. */
export function onSignal(callback: (exitCode: number) => void): void {
  for (const [signal, exitCode] of SIGNALS) process.on(signal, () => callback(exitCode));
}

/** Ends the process, even though it waits for a pipe. */
export function exit(exitCode: number): never {
  const [signal] = SIGNALS.find(([, code]) => code === exitCode) ?? [];
  // `process.exit()` of Node waits for a read of a pipe that gives nothing
  if (signal !== undefined && DENO === undefined && !IS_WINDOWS) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(exitCode);
}

/** Requests a permission of Deno, at the terminal if need be. Returns whether it is granted. */
export async function requestPermission(descriptor: Deno.PermissionDescriptor): Promise<boolean> {
  return DENO === undefined || (await DENO.permissions.request(descriptor)).state === "granted";
}

/** Whether an error means that Deno has no permission for something. */
export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}

/** Whether a process is running; `undefined` without the permission to look. */
export function isRunning(pid: number): boolean | undefined {
  if (!hasPermission({ name: "run" })) return undefined;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // a process of another user cannot be signalled
    return codeOf(error) === "EPERM";
  }
}

// MERGED: Files of the command line.

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
export { parseArgs } from "node:util";

const openDescriptor = promisify(open);
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
