/**
 * What a fleet needs of PostgreSQL, in a server or embedded.
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

/** A database of either kind. */
export interface Database extends Session {
  /** Kind of the database, for the queue. */
  readonly backend: "postgres" | "pglite";
  /** Runs statements in one transaction, which is rolled back if `work` rejects. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Classes of errors that say something about the statement, so that it fails again. */
const PERMANENT_REGEXP = /^(?:0A|22|23|42|54)/;

/** Whether a statement may succeed if it is repeated: the connection broke, or a deadlock. */
export function isTransient(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  if (typeof code === "string") return !PERMANENT_REGEXP.test(code);
  return error instanceof Error &&
    /connection|timeout|terminated|not queryable|closed/i.test(error.message);
}

/** Returns text that PostgreSQL can store: it has no NUL. */
export function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
}
