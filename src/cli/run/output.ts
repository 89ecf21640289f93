/**
 * The output of a command: standard output, or a file that is written atomically.
 *
 * A file is written to a temporary file in the same folder, since a rename is atomic only within a
 * file system. A run that is killed leaves it; the next run into the same file prints its name.
 *
 * @module
 */

import { hasPermission } from "../../platform/environment.ts";
import {
  basename,
  chmod,
  chown,
  dirname,
  isOutputFile,
  join,
  lstat,
  openToWrite,
  readdirSync,
  readlink,
  realpath,
  renameSync,
  resolve,
  stat,
  type Stats,
  unlinkSync,
  type WritableFile,
  writeOutput,
} from "../../platform/host.ts";
import { codeOf, IS_WINDOWS, isTerminal } from "../../platform/process.ts";
import { GzipWriter } from "../../write/gzip.ts";
import { folderError } from "../../disk/files.ts";
import { OutputClosed } from "../failure.ts";
import { writeFailure } from "./failures.ts";
import type { Messages } from "./terminal.ts";

export interface Output {
  readonly isTerminal: boolean;
  /** Whether it is a file, which is not read while it grows; a pipe may end at a terminal. */
  readonly isFile: boolean;
  write(bytes: Uint8Array): Promise<void>;
  /** Completes the output: a file is renamed to its name. */
  commit(): Promise<void>;
  /**
   * Keeps the output of an interrupted run as `NAME.part`, gzip completed. Returns the path, or
   * `undefined` if nothing is kept: for devices, pipes, standard output and empty files.
   */
  keepPartial(): Promise<string | undefined>;
  /**
   * Does the same for a process that exits at once, with `rest` appended. Discards a file that is
   * gzipped or being written to, since neither can be completed synchronously.
   */
  keepPartialSync(rest: Uint8Array): string | undefined;
  /** Removes an output that was neither completed nor kept. Safe to call at any time. */
  discard(): void;
}

const STANDARD_PATHS: readonly string[] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

export async function openOutput(
  path: string | undefined,
  messages: Messages,
): Promise<Output> {
  return path === undefined || STANDARD_PATHS.includes(path)
    ? standardOutput(messages)
    : await openFile(path, messages);
}

function standardOutput(messages: Messages): Output {
  const isOnTerminal = isTerminal("stdout"), isFile = isOutputFile();
  return {
    isTerminal: isOnTerminal,
    isFile,
    async write(bytes) {
      const write = () => writeOutput(bytes);
      if (!isFile) messages.endSilence();
      try {
        await (isOnTerminal ? messages.withoutProgress(write) : write());
      } catch (error) {
        throw outputError(error);
      }
    },
    commit: () => Promise.resolve(),
    keepPartial: () => Promise.resolve(undefined),
    // the rest could block on a full pipe
    keepPartialSync: () => undefined,
    discard() {},
  };
}

/** Returns the failure of a write to standard output. */
export function outputError(error: unknown): Error {
  if (codeOf(error) === "EPIPE") return new OutputClosed({ cause: error });
  return writeFailure("/dev/stdout", error);
}

/**
 * Opens a file for writing, before anything else is done, so that an error is reported early.
 *
 * Regular files are replaced by rename: other hard links keep the old content, a symbolic link
 * stays, and its target is replaced or created. Devices and pipes are written to directly. A name
 * that ends in `.gz` is gzipped.
 */
async function openFile(path: string, messages: Messages): Promise<Output> {
  try {
    const existing = await orMissing(stat(path));
    if (existing?.isDirectory()) throw folderError();
    return existing === undefined || existing.isFile()
      ? await openTemporary(path, existing, messages)
      : new FileOutput(path, await openToWrite(path));
  } catch (error) {
    throw writeFailure(path, error);
  }
}

async function openTemporary(
  path: string,
  existing: Stats | undefined,
  messages: Messages,
): Promise<Output> {
  const target = await targetOf(path);
  // a rename would replace a write-protected file
  if (existing !== undefined) (await openToWrite(target)).close();
  const folder = /[/\\]$/.test(target) ? target : dirname(target);
  const start = `.${basename(target).slice(0, MAX_NAME_LENGTH).toWellFormed()}.`;
  const [left, ...more] = leftIn(folder, start);
  const temporary = join(folder, `${start}${crypto.randomUUID().slice(0, 8)}.tmp`);
  const mode = existing && { mode: existing.mode & 0o600 };
  const file = await openToWrite(temporary, { createNew: true, ...mode });
  const output = new FileOutput(path, file, { temporary, target });
  try {
    if (existing !== undefined) await copyAccess(existing, temporary);
  } catch (error) {
    output.discard();
    throw error;
  }
  if (left !== undefined) {
    const others = more.length === 0 ? "" : ` and ${more.length} more`;
    messages.note(`Found "${join(folder, left)}"${others}: output of an unfinished run`);
  }
  return output;
}

/** Characters of the name of a file that the name of its temporary file contains. */
const MAX_NAME_LENGTH = 60;

/** Returns the names of the temporary files that other runs have in a folder. */
function leftIn(folder: string, start: string): string[] {
  // reading without permission would prompt at a terminal
  if (!hasPermission({ name: "read", path: folder })) return [];
  try {
    return readdirSync(folder).filter((name) =>
      name.startsWith(start) && /^[0-9a-f]{8}\.tmp$/.test(name.slice(start.length))
    );
  } catch {
    // the folder cannot be listed
    return [];
  }
}

/** Returns the path at the end of all symbolic links, which need not exist. */
async function targetOf(path: string): Promise<string> {
  const isLink = (await orMissing(lstat(path)))?.isSymbolicLink() ?? false;
  if (!isLink) return path;
  return await targetOf(resolve(await realpath(dirname(path)), await readlink(path)));
}

async function copyAccess({ mode, uid, gid }: Stats, temporary: string): Promise<void> {
  if (IS_WINDOWS) return;
  let bits = mode & 0o777;
  try {
    await chown(temporary, uid, gid);
  } catch {
    // only the superuser can change owners; another group gets the bits of others
    if ((await stat(temporary)).gid !== gid) bits = bits & ~0o070 | (bits & 0o007) << 3;
  }
  await chmod(temporary, bits);
}

async function orMissing(status: Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await status;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

class FileOutput implements Output {
  readonly isTerminal: boolean;
  readonly isFile: boolean;
  readonly #path: string;
  readonly #file: WritableFile;
  /** Absent if the path is written to directly. */
  readonly #rename: { readonly temporary: string; readonly target: string } | undefined;
  readonly #gzip: GzipWriter | undefined;
  /** Whether there is content, and no write is under way or has failed. */
  #hasWritten = false;
  #isOpen = true;
  #isDone = false;

  constructor(
    path: string,
    file: WritableFile,
    rename?: { readonly temporary: string; readonly target: string },
  ) {
    this.#path = path;
    this.#file = file;
    this.#rename = rename;
    this.isTerminal = file.isTerminal();
    this.isFile = !this.isTerminal;
    if (/\.gz$/i.test(path)) this.#gzip = new GzipWriter((bytes) => writeAll(file, bytes));
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      this.#hasWritten = false;
      await (this.#gzip === undefined ? writeAll(this.#file, bytes) : this.#gzip.write(bytes));
      this.#hasWritten = true;
    } catch (error) {
      throw writeFailure(this.#path, error);
    }
  }

  async commit(): Promise<void> {
    await this.#finish("");
  }

  async keepPartial(): Promise<string | undefined> {
    if (this.#isDone || !this.#hasWritten) return this.discard();
    return await this.#finish(".part");
  }

  keepPartialSync(rest: Uint8Array): string | undefined {
    if (this.#isDone || !this.#hasWritten || this.#gzip !== undefined) return this.discard();
    try {
      for (let at = 0; at < rest.length;) at += this.#file.writeSync(rest.subarray(at));
      return this.#closeAs(".part");
    } catch (error) {
      this.discard();
      throw writeFailure(`${this.#path}.part`, error);
    }
  }

  discard(): undefined {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#gzip?.abort();
    this.#close();
    try {
      if (this.#rename !== undefined) unlinkSync(this.#rename.temporary);
    } catch (error) {
      // another process may have removed it
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  async #finish(suffix: "" | ".part"): Promise<string | undefined> {
    try {
      await this.#gzip?.end();
      if (this.#rename !== undefined && suffix === "") await this.#file.syncData();
      return this.#closeAs(suffix);
    } catch (error) {
      this.discard();
      throw writeFailure(this.#path + suffix, error);
    }
  }

  #closeAs(suffix: string): string | undefined {
    this.#close();
    const path = this.#rename && this.#rename.target + suffix;
    if (path !== undefined) renameSync(this.#rename!.temporary, path);
    this.#isDone = true;
    return path;
  }

  #close(): void {
    if (this.#isOpen) this.#file.close();
    this.#isOpen = false;
  }
}

async function writeAll(file: WritableFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}
