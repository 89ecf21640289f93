/** A run that a fleet does not have, or input that it cannot take. */
export class FleetError extends Error {
  /** Reason, for programs. */
  readonly code: "invalid-input" | "unknown-run";

  /** Creates an error with its code. */
  constructor(code: FleetError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FleetError";
    this.code = code;
  }
}

export function unknownRun(run: string): FleetError {
  return new FleetError("unknown-run", `Unknown run "${run}"`);
}
