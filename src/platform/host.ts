/**
 * The process of the command line: arguments, standard streams, terminal, signals, exit, files, and
 * the permissions of Deno.
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

export const IS_WINDOWS: boolean = process.platform === "win32";

export function commandArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** Returns the names of the runtime and the system, such as `Node.js 24.1.0, linux arm64`. */
export function runtimeName(): string {
  const { deno, bun, node }: Readonly<Record<string, string | undefined>> = process.versions;
  const runtime = deno ? `Deno ${deno}` : bun ? `Bun ${bun}` : `Node.js ${node}`;
  return `${runtime}, ${process.platform} ${process.arch}`;
}

export function noColor(): boolean {
  return DENO?.noColor ?? Boolean(process.env["NO_COLOR"]);
}

/** Returns the code of a system error, such as `ENOENT`; `undefined` for other errors. */
export function codeOf(error: unknown): string | undefined {
  const { code } = Object(error);
  return typeof code === "string" ? code : undefined;
}

export function isTerminal(stream: "stdin" | "stdout" | "stderr"): boolean {
  return isatty(["stdin", "stdout", "stderr"].indexOf(stream));
}

export function terminalWidth(): number | undefined {
  // Node makes a pipe non-blocking when its stream is used
  if (isatty(2)) return process.stderr.columns;
  return isatty(1) ? process.stdout.columns : undefined;
}

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

const FULL_PIPE_DELAY = 5;

export function writeErrorSync(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(2, bytes, at);
    } catch (error) {
      // the pipe is full, and a process has made it non-blocking
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_DELAY);
    }
  }
}

export function standardInput(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return DENO?.stdin.readable ??
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

const SIGNALS: readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] = IS_WINDOWS
  ? [["SIGINT", 130]]
  : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]];

export function onSignal(callback: (exitCode: number) => void): void {
  for (const [signal, exitCode] of SIGNALS) process.on(signal, () => callback(exitCode));
}

export function exit(exitCode: number): never {
  const [signal] = SIGNALS.find(([, code]) => code === exitCode) ?? [];
  // `process.exit()` of Node waits for a pending read of a pipe
  if (signal !== undefined && DENO === undefined && !IS_WINDOWS) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(exitCode);
}

/** Node 22 reports that its SQLite is experimental when it is loaded. */
export function withoutWarnings<T>(callback: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return callback();
  } finally {
    process.emitWarning = emitWarning;
  }
}

export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
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
  return new NodeFile(await openDescriptor(path, options.createNew ? "wx" : "r+", options.mode));
}

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
    // a pending write might otherwise reach another file that reuses the descriptor
    if (!this.#isWriting) closeSync(this.#descriptor);
  }

  isTerminal(): boolean {
    return isatty(this.#descriptor);
  }
}
