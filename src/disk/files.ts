/**
 * Files to read and to write, and why that fails, in words that do not depend on the runtime.
 *
 * @module
 */

import { messageOf } from "../data/errors.ts";
import { hasPermission } from "../platform/environment.ts";
import { openToRead, stat, type Stats, statSync } from "../platform/host.ts";
import { codeOf, isPermissionError } from "../platform/process.ts";

type Verb = "read" | "write";
type Reason = readonly [reason: string, hint?: string];

/** Reasons by the code of the error, for which each runtime has its own message. */
const REASONS: Readonly<Record<string, Readonly<Record<Verb, Reason>>>> = {
  EACCES: {
    read: ["permission denied"],
    write: ["permission denied", "the file and its folder must be writable"],
  },
  ENOENT: {
    read: ["no such file or folder"],
    write: ["no such folder", "create the folder first"],
  },
  EISDIR: both("it is a folder", "name a file in it"),
  ELOOP: both("too many symbolic links"),
  ENOSPC: both("no space left on device"),
  EROFS: both("read-only file system"),
};

function both(...reason: Reason): Record<Verb, Reason> {
  return { read: reason, write: reason };
}

/** `ENOTDIR: not a directory, open '/a/b'` of Node, or `Not a directory (os error 20)` of Deno. */
const MESSAGE_REGEXP = /^(?:E[A-Z0-9]+: )?(.*?)(?:, [a-z]+(?: '.*)?| \(os error \d+\).*)?$/s;

/** Returns why a file cannot be read or written, and perhaps what to do about it. */
export function fileReason(verb: Verb, error: unknown): Reason {
  if (isPermissionError(error)) return [`no permission to ${verb} files`];
  const code = codeOf(error) ?? "";
  const known = REASONS[code === "EPERM" ? "EACCES" : code]?.[verb];
  if (known !== undefined) return known;
  const message = messageOf(error);
  // without the system call and the path, which may be that of a temporary file
  return [MESSAGE_REGEXP.exec(message)?.[1] ?? message];
}

export function folderError(): Error {
  return Object.assign(new Error("Is a directory"), { code: "EISDIR" });
}

/** Opens a file, but no folder, which only some systems refuse. */
export async function openFile(path: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if ((await stat(path)).isDirectory()) throw folderError();
  return await openToRead(path);
}

/** Returns what is at a path; nothing without permission to look, since that would prompt. */
export function statOf(path: string): Stats | undefined {
  if (!hasPermission({ name: "read", path })) return undefined;
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
