/**
 * Failures that travel inside the library. All but those of the caller leave it as events, never as
 * exceptions.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "./codes.ts";

/**
 * A body, or a layer of its packing, ended before it should have. What came before was delivered
 * and counts; the document is cut there.
 */
export class CutError extends Error {
  /** What the cut is told as. */
  readonly code: WarningCode;

  /** Makes a cut with the code it is told as. */
  constructor(code: WarningCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CutError";
    this.code = code;
  }
}

/** A sitemap cannot be used at all. */
export class InvalidSitemapError extends Error {
  /** What the failure is told as. */
  readonly code: InvalidCode;

  /** Makes a failure with the code it is told as. */
  constructor(code: InvalidCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "InvalidSitemapError";
    this.code = code;
  }
}

/** An error of a function of the caller, on its way to the caller. */
export class CallerError extends Error {
  /** Wraps what was thrown. */
  constructor(cause: unknown) {
    super("A function of the caller failed", { cause });
    this.name = "CallerError";
  }
}
