/**
 * Errors that end a command, with their exit codes, and the commands that hints print.
 *
 * @module
 */

import type { Verdict } from "../data/events.ts";
import { quotedWord } from "../data/text.ts";
import { withoutPassword, withoutPasswords } from "../data/url.ts";
import { IS_DENO } from "../platform/environment.ts";
import { fileURLToPath } from "../platform/host.ts";
import { commandArguments } from "../platform/process.ts";

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

/** The permissions of Deno that all options together need. */
const PERMISSIONS = "--allow-net --allow-read --allow-write --allow-env";

/** `module` is the URL of a module beside the main one. */
export function permittedCommand(
  flags: string = PERMISSIONS,
  module: string = import.meta.url,
  args: readonly string[] = commandArguments(),
): string {
  if (!module.startsWith("file:")) {
    return `deno install --global --force --name sitetree ${flags} jsr:@sitetree/sitetree/cli`;
  }
  const isPackage = !module.endsWith(".ts");
  const main = isPackage ? "npm:@sitetree/sitetree" : fileURLToPath(new URL("./main.ts", module));
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
