/**
 * A file that is written atomically.
 *
 * @module
 */

import { codeOf, IS_WINDOWS } from "../platform/host.ts";
import {
  chmod,
  chown,
  dirname,
  lstat,
  openToWrite,
  readlink,
  realpath,
  renameSync,
  resolve,
  stat,
  type Stats,
  unlinkSync,
  type WritableFile,
} from "../platform/host_files.ts";
import { fileFailure, folderError } from "./file_failure.ts";
import type { Output } from "./sink.ts";
import { createTemporary } from "./temporary_file.ts";

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
