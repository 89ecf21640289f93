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
    | "in-use"
    | "unsupported"
    | "invalid-input"
    | "unknown-run";
  /** Process that uses the directory, if the code is `in-use`, and its status page, if known. */
  readonly owner: { readonly pid: number; readonly url?: string } | undefined;

  /** Creates an error with its code. */
  constructor(
    code: FleetError["code"],
    message: string,
    options: ErrorOptions & { readonly owner?: FleetError["owner"] } = {},
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
