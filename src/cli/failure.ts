/**
 * What ends a command before its time, with the code that the process exits with.
 *
 * @module
 */

import type { Verdict } from "../data/events.ts";
import { hasPermission } from "../platform/environment.ts";
import { codeOf, isPermissionError } from "../platform/host.ts";
import { permittedCommand } from "./permissions.ts";

/** What the process exits with. */
export const EXIT_CODES: Readonly<
  Record<Verdict | "failure" | "usage" | "interrupted", number>
> = {
  complete: 0,
  failure: 1,
  usage: 2,
  partial: 3,
  none: 4,
  blocked: 5,
  interrupted: 130,
};

/** Exit codes of operands, the worst first. */
const WORST_FIRST: readonly number[] = [
  EXIT_CODES.interrupted,
  EXIT_CODES.failure,
  EXIT_CODES.usage,
  EXIT_CODES.blocked,
  EXIT_CODES.partial,
  EXIT_CODES.none,
  EXIT_CODES.complete,
];

/** Returns the worse of two exit codes. */
export function worstExitCode(one: number, other: number): number {
  return WORST_FIRST.find((code) => code === one || code === other) ?? Math.max(one, other);
}

/** A command cannot go on. */
export class Failure extends Error {
  /** What the process exits with. */
  readonly exitCode: number;
  /** What to do next, where there is something. */
  readonly hint: string | undefined;

  /** Makes one of what failed, what to do next, and what it comes from. */
  constructor(message: string, hint?: string, options?: ErrorOptions & { exitCode?: number }) {
    super(message, options);
    this.name = "Failure";
    this.exitCode = options?.exitCode ?? EXIT_CODES.failure;
    this.hint = hint;
  }
}

/** The arguments make no sense. */
export class UsageError extends Failure {
  /** Makes one of what is wrong, and of what to write instead. */
  constructor(message: string, hint?: string) {
    super(message, hint, { exitCode: EXIT_CODES.usage });
    this.name = "UsageError";
  }
}

/** A signal such as Ctrl-C asked for the end. */
export class Interrupted extends Error {
  /** What the process exits with. */
  readonly exitCode: number;

  /** Makes one for a signal. */
  constructor(exitCode: number) {
    super("Interrupted");
    this.name = "Interrupted";
    this.exitCode = exitCode;
  }
}

/** Whoever read the output has gone away, as `head` does. */
export class OutputClosed extends Error {
  /** Makes one of the error that told. */
  constructor(options?: ErrorOptions) {
    super("The reader of the output has gone away", options);
    this.name = "OutputClosed";
  }
}

// MERGED: Errors of the file system, as messages with a hint.

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
