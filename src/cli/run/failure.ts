/**
 * Errors that end a command: exit codes, messages for errors of the file system, and the commands
 * that hints print.
 *
 * @module
 */

import { messageOf } from "../../data/errors.ts";
import type { Verdict } from "../../data/events.ts";
import { quotedWord } from "../../data/text.ts";
import { withoutPassword, withoutPasswords } from "../../data/url.ts";
import { hasPermission, IS_DENO } from "../../platform/environment.ts";
import { fileURLToPath } from "../../platform/host.ts";
import { codeOf, commandArguments, isPermissionError } from "../../platform/process.ts";

export const EXIT_CODES: Readonly<
  Record<Verdict | "failure" | "usage" | "changes" | "findings" | "interrupted", number>
> = {
  complete: 0,
  failure: 1,
  usage: 2,
  partial: 3,
  none: 4,
  blocked: 5,
  changes: 10,
  findings: 11,
  interrupted: 130,
};

const { interrupted, failure, usage, blocked, partial, none, findings, complete } = EXIT_CODES;
const WORST_FIRST = [interrupted, failure, usage, blocked, partial, none, findings, complete];

export function worstExitCode(one: number, other: number): number {
  return WORST_FIRST.find((code) => code === one || code === other) ?? Math.max(one, other);
}

/** An error that ends a command. Its texts have no passwords of URLs, in the place of paths too. */
export class Failure extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions & { exitCode?: number }) {
    super(withoutPasswords(message), options);
    this.name = "Failure";
    this.exitCode = options?.exitCode ?? EXIT_CODES.failure;
    this.hint = hint === undefined ? undefined : withoutPasswords(hint);
  }
}

export class UsageError extends Failure {
  constructor(message: string, hint?: string) {
    super(message, hint, { exitCode: EXIT_CODES.usage });
    this.name = "UsageError";
  }
}

export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("Interrupted");
    this.name = "Interrupted";
    this.exitCode = exitCode;
  }
}

/** The reader of the output closed it, as `head` does. */
export class OutputClosed extends Error {
  constructor(options?: ErrorOptions) {
    super("Output closed by its reader", options);
    this.name = "OutputClosed";
  }
}

type Verb = "read" | "write";
type Reason = readonly [reason: string, hint?: string];

/** `more` is the hint if the reason itself has none. */
export function fileFailure(verb: Verb, path: string, error: unknown, more?: string): Failure {
  const [reason, hint = more] = isPermissionError(error)
    ? permissionReason(verb)
    : reasonOf(verb, error);
  return new Failure(`Cannot ${verb} "${path}": ${reason}`, hint, { cause: error });
}

export function folderError(): Error {
  return Object.assign(new Error("Is a directory"), { code: "EISDIR" });
}

function permissionReason(verb: Verb): Reason {
  // devices need all permissions
  const isGranted = hasPermission({ name: "read" }) && hasPermission({ name: "write" });
  const command = isGranted ? permittedCommand("--allow-all") : permittedCommand();
  return [`no permission to ${verb} files`, `run: ${command}`];
}

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

function reasonOf(verb: Verb, error: unknown): Reason {
  const code = codeOf(error) ?? "";
  const known = REASONS[code === "EPERM" ? "EACCES" : code]?.[verb];
  if (known !== undefined) return known;
  const message = messageOf(error);
  // without the system call and the path, which may be that of a temporary file
  return [MESSAGE_REGEXP.exec(message)?.[1] ?? message];
}

/** The permissions of Deno that all options together need. */
const PERMISSIONS = "--allow-net --allow-read --allow-write --allow-env";

/** `module` is the URL of a module in a folder beside the main one. */
export function permittedCommand(
  flags: string = PERMISSIONS,
  module: string = import.meta.url,
  args: readonly string[] = commandArguments(),
): string {
  if (!module.startsWith("file:")) {
    return `deno install --global --force --name sitetree ${flags} jsr:@sitetree/sitetree/cli`;
  }
  const isPackage = !module.endsWith(".ts");
  const main = isPackage ? "npm:@sitetree/sitetree" : fileURLToPath(new URL("../main.ts", module));
  const words = [main, ...withoutSecrets(args)].map(quotedWord);
  return ["deno run", flags, ...words].join(" ");
}

export function withoutSecrets(args: readonly string[]): string[] {
  return args.map((word, at) => {
    const isHeader = /^(?:-\w*H|--header)$/.test(args[at - 1] ?? "") ||
      /^(?:-[^\WH]*H.*:|--header=)/.test(word);
    return isHeader ? word.replace(/:.*$/s, ": …") : withoutPassword(word);
  });
}

export function insecureHint(): string {
  if (!IS_DENO) return "set NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment instead";
  const args = commandArguments().filter((word) => word !== "--insecure");
  const flags = `--unsafely-ignore-certificate-errors ${PERMISSIONS}`;
  return `run: ${permittedCommand(flags, undefined, args)}`;
}
