/**
 * Errors of a fleet.
 *
 * @module
 */

/** A fleet that cannot be opened, or a run that it does not have. */
export class FleetError extends Error {
  /** Reason, for programs. */
  readonly code:
    | "unreachable"
    | "credentials"
    | "newer-schema"
    | "unsupported"
    | "invalid-input"
    | "unknown-run";

  /** Creates an error with its code. */
  constructor(code: FleetError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FleetError";
    this.code = code;
  }
}

/** The lease of a site ended: another worker has it, or will have it. Nothing more may be written. */
export class LostError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "LostError";
  }
}
