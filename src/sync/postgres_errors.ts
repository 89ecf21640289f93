/** A server that cannot be used. */
export class PostgresError extends Error {
  /** Reason, for programs. */
  readonly code: "unreachable" | "credentials" | "newer-schema" | "unsupported";

  /** Creates an error with its code. */
  constructor(code: PostgresError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PostgresError";
    this.code = code;
  }
}

/** Errors of the server that say nothing about the statement: deadlocks, restarts, a late process, … */
const TRANSIENT_REGEXP = /^(?:08|40|53|55|57|58)...$|^25P03$/;
/** Errors with which the server ends connections, or refuses them. */
const ENDED_REGEXP = /^(?:08...|57P0[1-5])$/;
/** Rolled back by the server, and not because of what was to be written: a late process, deadlocks. */
const ROLLED_BACK_REGEXP = /^(?:25P03|40001|40P01)$/;
/** Of a connection that is known to have ended: nothing was sent. */
const UNSENT_REGEXP = /not queryable/;
/** Such as ECONNRESET. */
const SYSTEM_REGEXP = /^E[A-Z]+$/;
const BROKEN_REGEXP = /connection|timeout|terminated|not queryable|closed/i;

export function isTransient(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return isDisconnected(error) || typeof code === "string" && TRANSIENT_REGEXP.test(code);
}

/** Whether nothing of a transaction can have been committed, and it may be repeated. */
export function isRolledBack(error: unknown): boolean {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: string };
  return typeof code === "string"
    ? ROLLED_BACK_REGEXP.test(code)
    : UNSENT_REGEXP.test(message ?? "");
}

export function isDisconnected(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  if (typeof code === "string") return SYSTEM_REGEXP.test(code) || ENDED_REGEXP.test(code);
  return error instanceof Error && BROKEN_REGEXP.test(error.message);
}

const REASONS: Readonly<Record<string, readonly [PostgresError["code"], string]>> = {
  ECONNREFUSED: ["unreachable", "connection refused"],
  ENOTFOUND: ["unreachable", "unknown host"],
  EAI_AGAIN: ["unreachable", "unknown host"],
  ENOENT: ["unreachable", "no such socket"],
  EHOSTUNREACH: ["unreachable", "host unreachable"],
  ENETUNREACH: ["unreachable", "host unreachable"],
  ETIMEDOUT: ["unreachable", "timed out"],
  "28P01": ["credentials", "wrong user or password"],
  "28000": ["credentials", "wrong user or password"],
  "3D000": ["unreachable", "no such database"],
  "57P03": ["unreachable", "the server is starting up or shutting down"],
  "53300": ["unreachable", "too many connections"],
};

export function openError(name: string, error: unknown): PostgresError {
  // several addresses have several errors
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const { code = "", message = String(cause) } = Object(cause) as Partial<Record<string, string>>;
  const [kind, reason] = /unsupported startup parameter/.test(message)
    ? ["unsupported", 'a pool of connections; use the option "pooled"'] as const
    : REASONS[code] ??
      [/password|SASL|authentication/i.test(message) ? "credentials" : "unreachable", message];
  return new PostgresError(kind, `Cannot connect to "${name}": ${reason}`, { cause: error });
}
