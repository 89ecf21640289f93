/**
 * What ends a command before its time, with the code that the process exits with.
 *
 * @module
 */

import type { Verdict } from "../events.ts";

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
