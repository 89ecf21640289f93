/**
 * Errors inside the library. Except for errors of the caller, they become events and are never thrown
 * to the caller.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "./codes.ts";

/** Truncated body or compressed data. Everything before the cut was delivered and is kept. */
export class TruncatedError extends Error {
  /** Code of the warning that reports it. */
  readonly code: WarningCode;

  constructor(code: WarningCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TruncatedError";
    this.code = code;
  }
}

/** Unusable sitemap. */
export class InvalidSitemapError extends Error {
  /** Code of the event that reports it. */
  readonly code: InvalidCode;

  constructor(code: InvalidCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "InvalidSitemapError";
    this.code = code;
  }
}

/** Error of a function of the caller, as its cause, on its way to the caller. */
export class CallerError extends Error {
  constructor(cause: unknown) {
    super("A function of the caller failed", { cause });
    this.name = "CallerError";
  }
}

/** Returns the error for pages that are read or written after their store was disposed of. */
export function disposedError(): TypeError {
  return new TypeError("Cannot read pages: their store has been disposed of");
}
