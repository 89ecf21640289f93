/**
 * What a fleet needs of PostgreSQL.
 *
 * @module
 */

/** Values of a row by the names of its columns; 64-bit numbers are numbers, times are dates. */
// deno-lint-ignore no-explicit-any
export type Row = Record<string, any>;

/** Result of a query. */
export interface Result<R = Row> {
  readonly rows: R[];
  /** Number of rows returned or changed. */
  readonly count: number;
}

/** Runs statements, perhaps in a transaction. */
export interface Session {
  /** Runs a statement, or several without values. */
  query<R = Row>(sql: string, values?: readonly unknown[]): Promise<Result<R>>;
}

/** A database with its connections. */
export interface Database extends Session {
  /** Runs statements in one transaction, which is rolled back if `work` rejects. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Classes of errors of the server that say nothing about the statement: deadlocks, restarts, … */
const TRANSIENT_REGEXP = /^(?:08|40|53|55|57|58)...$/;
/** Codes of errors of the system, such as ECONNRESET. */
const SYSTEM_REGEXP = /^E[A-Z]+$/;
/** Messages of a connection that broke. */
const BROKEN_REGEXP = /connection|timeout|terminated|not queryable|closed/i;

/** Whether a transaction may succeed if it is repeated. */
export function isTransient(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return isConnectionLost(error) || typeof code === "string" && TRANSIENT_REGEXP.test(code);
}

/** Whether a connection broke, so that the result of a statement is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  if (typeof code === "string") return SYSTEM_REGEXP.test(code) || code.startsWith("08");
  return error instanceof Error && BROKEN_REGEXP.test(error.message);
}

/** Returns text that PostgreSQL can store: it has no NUL. */
export function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
}
