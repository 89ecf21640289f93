/**
 * Where bytes go.
 *
 * @module
 */

import { hasPermission } from "../platform/environment.ts";
import {
  chmod,
  chown,
  codeOf,
  dirname,
  IS_WINDOWS,
  isOutputFile,
  isRunning,
  isTerminal,
  lstat,
  openToWrite,
  ownerName,
  ownerPid,
  readdir,
  readlink,
  realpath,
  renameSync,
  resolve,
  stat,
  type Stats,
  unlink,
  unlinkSync,
  type WritableFile,
  writeOutput,
} from "../platform/host.ts";
import { fileFailure, folderError, OutputClosed } from "./failure.ts";
import { Screen } from "./terminal.ts";

/** Takes bytes. */
export interface ByteSink {
  /** Writes all of it. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Where a command writes to. */
export interface Output extends ByteSink {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Whether it is a file, which is not seen growing; a pipe may end at a terminal. */
  readonly isFile: boolean;
  /** Completes the output: a file takes its name. */
  commit(): Promise<void>;
  /**
   * Keeps what an interrupted run has written as `NAME.part`, gzip completed. Returns the path,
   * `undefined` where nothing is kept: for devices, pipes, standard output and empty files.
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

// MERGED: Text on standard output, for commands that have no more to say.

/** Prints text on standard output; a reader that has gone away is no reason to complain. */
export async function printText(text: string): Promise<void> {
  const output = await openOutput(undefined, new Screen());
  try {
    await output.write(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
}

// MERGED: Temporary files beside an output, and the removal of those that killed processes left behind.  On Deno, a process holds a lock on its temporary file, which the system releases when the process ends. Unlike a look at the process table, a lock needs no permission, and it is visible across containers that share a folder. Node and Bun have no locks: there the name of the file also has the machine, whose processes can be looked at.

const NAME_REGEXP = /^\.sitetree-(.+)-[0-9a-f]{8}\.tmp$/;

/** A temporary file that is open for writing. */
export interface TemporaryFile {
  /** Path of the file, in the folder of its target. */
  readonly path: string;
  /** The open file. */
  readonly file: WritableFile;
}

/**
 * Creates a temporary file in the folder of its target, since a rename is atomic only within a file
 * system, and removes those of processes that are gone.
 */
export async function createTemporary(
  target: string,
  options: { readonly mode?: number } = {},
): Promise<TemporaryFile> {
  const folder = target.slice(0, Math.max(target.lastIndexOf("/"), target.lastIndexOf("\\")) + 1);
  while (true) {
    const path = `${folder}.sitetree-${ownerName()}-${crypto.randomUUID().slice(0, 8)}.tmp`;
    const file = await openToWrite(path, { ...options, createNew: true });
    const isLocked = await tryLock(file);
    const { nlink, uid } = await file.stat();
    // Another process may have taken it for a stale one before it was locked.
    if (isLocked !== false && nlink !== 0) {
      await removeStale(folder || ".", uid);
      return { path, file };
    }
    file.close();
  }
}

/** Removes the temporary files of a user whose processes are gone, as far as that is possible. */
async function removeStale(folder: string, uid: number | null): Promise<void> {
  // Reading without permission would prompt at a terminal.
  if (!hasPermission({ name: "read", path: folder })) return;
  try {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const owner = entry.isFile() ? NAME_REGEXP.exec(entry.name)?.[1] : undefined;
      const pid = owner === undefined ? undefined : ownerPid(owner);
      if (pid === undefined) continue;
      await removeAbandoned(`${folder}/${entry.name}`, pid, uid).catch(() => {});
    }
  } catch {
    // The folder cannot be listed, which the output does not need.
  }
}

async function removeAbandoned(path: string, pid: number, uid: number | null): Promise<void> {
  const running = isRunning(pid);
  if (running === true || (await lstat(path)).uid !== uid) return;
  const file = await openToWrite(path);
  try {
    const isLocked = file.tryLock === undefined ? running === false : await tryLock(file);
    if (isLocked) await unlink(path);
  } finally {
    file.close();
  }
}

/** Whether the lock was obtained; `undefined` where there are no locks. */
async function tryLock(file: WritableFile): Promise<boolean | undefined> {
  try {
    return await file.tryLock?.(true);
  } catch {
    return undefined;
  }
}

// MERGED: A file that is written atomically.

const ALL_BITS = 0o777;
const OWNER_BITS = 0o600;
const GROUP_BITS = 0o070;
const OTHERS_BITS = 0o007;

/**
 * Opens a file before anything else is done, so that a path that cannot be written is reported at
 * once.
 *
 * The output goes to a temporary file in the same folder, which takes the name in the end: other
 * hard links of a file that it replaces keep the old content. A symbolic link stays, and the file
 * that it leads to is replaced or created. Devices and pipes are written to as they are. A name that
 * ends in `.gz` is gzipped.
 */
export async function openFile(path: string): Promise<Output> {
  try {
    const there = await orMissing(stat(path));
    if (there?.isDirectory()) throw folderError();
    return there === undefined || there.isFile()
      ? await openTemporary(path, there)
      : new FileOutput(path, await openToWrite(path), undefined);
  } catch (error) {
    throw fileFailure("write", path, error);
  }
}

async function openTemporary(path: string, there: Stats | undefined): Promise<Output> {
  const target = await targetOf(path);
  // Taking the name of a write-protected file would succeed.
  if (there !== undefined) (await openToWrite(target)).close();
  const { path: temporary, file } = await createTemporary(
    target,
    there === undefined ? {} : { mode: there.mode & OWNER_BITS },
  );
  const output = new FileOutput(path, file, { temporary, target });
  try {
    if (there !== undefined) await copyAccess(there, temporary);
    return output;
  } catch (error) {
    output.discard();
    throw error;
  }
}

/** The path at the end of all symbolic links, where there may be nothing yet. */
async function targetOf(path: string): Promise<string> {
  const isLink = (await orMissing(lstat(path)))?.isSymbolicLink() ?? false;
  if (!isLink) return path;
  return await targetOf(resolve(await realpath(dirname(path)), await readlink(path)));
}

/** Lets those read and write the temporary file who may do so with the one that it replaces. */
async function copyAccess({ mode, uid, gid }: Stats, temporary: string): Promise<void> {
  if (IS_WINDOWS) return;
  let bits = mode & ALL_BITS;
  try {
    await chown(temporary, uid, gid);
  } catch {
    // Only the superuser can give files away. A group that was one of the others stays so.
    if ((await stat(temporary)).gid !== gid) {
      bits = bits & ~GROUP_BITS | (bits & OTHERS_BITS) << 3;
    }
  }
  await chmod(temporary, bits);
}

/** The name that is written to, and the one it takes. */
interface Names {
  readonly temporary: string;
  readonly target: string;
}

class FileOutput implements Output {
  readonly isTerminal: boolean;
  readonly isFile: boolean;
  readonly #path: string;
  readonly #file: WritableFile;
  /** Absent where the path itself is written to. */
  readonly #names: Names | undefined;
  readonly #gzip: GzipPieces | undefined;
  #open = true;
  #done = false;
  /** Whether there is content, all of it in complete pieces. */
  #state: "empty" | "whole" | "torn" = "empty";

  constructor(path: string, file: WritableFile, names: Names | undefined) {
    this.#path = path;
    this.#file = file;
    this.#names = names;
    this.isTerminal = file.isTerminal();
    this.isFile = !this.isTerminal;
    if (/\.gz$/i.test(path)) this.#gzip = new GzipPieces((bytes) => writeAll(file, bytes));
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      this.#state = "torn";
      await (this.#gzip === undefined ? writeAll(this.#file, bytes) : this.#gzip.write(bytes));
      this.#state = "whole";
    } catch (error) {
      throw fileFailure("write", this.#path, error);
    }
  }

  async commit(): Promise<void> {
    try {
      await this.#gzip?.end();
      if (this.#names !== undefined) await this.#file.syncData();
      this.#close();
      // Synchronous: without its lock, another process would take the file for a stale one.
      if (this.#names !== undefined) renameSync(this.#names.temporary, this.#names.target);
      this.#done = true;
    } catch (error) {
      this.discard();
      throw fileFailure("write", this.#path, error);
    }
  }

  async keepPartial(): Promise<string | undefined> {
    if (this.#done || this.#state !== "whole") return this.discard();
    try {
      await this.#gzip?.end();
      return this.#takePartialName();
    } catch (error) {
      this.discard();
      throw fileFailure("write", `${this.#path}.part`, error);
    }
  }

  keepPartialSync(rest: Uint8Array): string | undefined {
    if (this.#done || this.#state !== "whole" || this.#gzip !== undefined) return this.discard();
    try {
      for (let at = 0; at < rest.length;) at += this.#file.writeSync(rest.subarray(at));
      return this.#takePartialName();
    } catch (error) {
      this.discard();
      throw fileFailure("write", `${this.#path}.part`, error);
    }
  }

  discard(): undefined {
    if (this.#done) return;
    this.#done = true;
    this.#gzip?.abort();
    this.#close();
    if (this.#names === undefined) return;
    try {
      unlinkSync(this.#names.temporary);
    } catch (error) {
      // Another process may have removed it.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  /** Closes the file and renames it synchronously, so that no signal comes in between. */
  #takePartialName(): string | undefined {
    this.#close();
    const partial = this.#names && `${this.#names.target}.part`;
    if (partial !== undefined) renameSync(this.#names!.temporary, partial);
    this.#done = true;
    return partial;
  }

  #close(): void {
    if (this.#open) this.#file.close();
    this.#open = false;
  }
}

/** Gzips pieces, and takes the next one when there is room for it. */
class GzipPieces {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #written: Promise<void>;

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    const { readable, writable } = new CompressionStream("gzip");
    this.#writer = writable.getWriter();
    this.#written = readable.pipeTo(new WritableStream({ write }));
    // Reported by `write()` and `end()`.
    this.#written.catch(() => {});
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#writer.write(bytes);
  }

  async end(): Promise<void> {
    // A sink that fails meanwhile is reported as such by the other promise only.
    this.#writer.close().catch(() => {});
    await this.#written;
  }

  abort(): void {
    // One that failed before needs no abort.
    this.#writer.abort().catch(() => {});
  }
}

async function writeAll(file: WritableFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

/** The result of a look at a path, `undefined` where there is nothing. */
async function orMissing(looking: Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

// MERGED: The output of a command: standard output, or a file.

/** Paths of standard output. */
const STANDARD_PATHS: readonly string[] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/** Opens the output that a path names: standard output for none. */
export async function openOutput(path: string | undefined, screen: Screen): Promise<Output> {
  return path === undefined || STANDARD_PATHS.includes(path)
    ? new StandardOutput(screen)
    : await openFile(path);
}

/** Standard output, with the progress line out of its way. */
class StandardOutput implements Output {
  readonly isTerminal = isTerminal("stdout");
  readonly isFile = isOutputFile();
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const write = () => writeOutput(bytes);
    try {
      await (this.isTerminal ? this.#screen.evict(write) : write());
    } catch (error) {
      if (codeOf(error) === "EPIPE") throw new OutputClosed({ cause: error });
      throw fileFailure("write", "/dev/stdout", error);
    }
  }

  commit(): Promise<void> {
    return Promise.resolve();
  }

  keepPartial(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  keepPartialSync(): undefined {
    // A pipe that is not being read may have no room for the rest.
  }

  discard(): void {
    // A reader has it already.
  }
}
