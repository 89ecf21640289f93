/**
 * Errors of a fleet.
 *
 * @module
 */

/** Reason of a {@linkcode FleetError}, for programs. */
export type FleetErrorCode =
  | "unreachable"
  | "credentials"
  | "newer-schema"
  | "in-use"
  | "unsupported"
  | "invalid-input"
  | "unknown-run";

/** Process that uses the directory of a fleet. */
export interface FleetOwner {
  /** Its process id. */
  readonly pid: number;
  /** Its status page, if it serves one. */
  readonly url?: string;
}

/** A fleet that cannot be opened, or a run that it does not have. */
export class FleetError extends Error {
  /** Reason, for programs. */
  readonly code: FleetErrorCode;
  /** Process that uses the directory, if the code is `in-use` and it is known. */
  readonly owner: FleetOwner | undefined;

  /** Creates an error with its code. */
  constructor(
    code: FleetErrorCode,
    message: string,
    options: ErrorOptions & { readonly owner?: FleetOwner | undefined } = {},
  ) {
    super(message, options);
    this.name = "FleetError";
    this.code = code;
    this.owner = options.owner;
  }
}

/** The lease of a site ended: another worker has it, or will have it. Nothing more may be written. */
export class LostError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "LostError";
  }
}
