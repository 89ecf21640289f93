/**
 * Errors of the file system, as messages with a hint.
 *
 * @module
 */

import { hasPermission } from "../platform/environment.ts";
import { codeOf, isPermissionError } from "../platform/host.ts";
import { Failure } from "./failure.ts";
import { permittedCommand } from "./permissions.ts";

type Verb = "read" | "write";
type Reason = readonly [reason: string, hint?: string];

/** Returns the failure for an error of the file system. */
export function fileFailure(verb: Verb, path: string, error: unknown): Failure {
  const [reason, hint] = isPermissionError(error) ? permissionReason(verb) : reasonOf(verb, error);
  return new Failure(`Cannot ${verb} "${path}": ${reason}`, hint, { cause: error });
}

/** Returns the error of a folder in the place of a file. */
export function folderError(): Error {
  return Object.assign(new Error("Is a directory"), { code: "EISDIR" });
}

function permissionReason(verb: Verb): Reason {
  // devices and the like need all permissions
  const isGranted = hasPermission({ name: "read" }) && hasPermission({ name: "write" });
  const command = isGranted ? permittedCommand("--allow-all") : permittedCommand();
  return [`no permission to ${verb} files`, `run: ${command}`];
}

/** Reasons by the code of the error, where runtimes have words of their own. */
const REASONS: Readonly<Record<string, Readonly<Record<Verb, Reason>>>> = {
  EACCES: {
    read: ["permission denied"],
    write: ["permission denied", "the file and its folder must be writable"],
  },
  ENOENT: { read: ["no such file"], write: ["no such folder", "make the folder first"] },
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

function reasonOf(verb: Verb, error: unknown): Reason {
  const code = codeOf(error) ?? "";
  const known = REASONS[code === "EPERM" ? "EACCES" : code]?.[verb];
  if (known !== undefined) return known;
  const message = error instanceof Error ? error.message : String(error);
  // the rest names the call and the path, which may be that of a temporary file
  return [MESSAGE_REGEXP.exec(message)?.[1] ?? message];
}
