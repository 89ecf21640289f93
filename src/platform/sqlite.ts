/**
 * SQLite, by the module `node:sqlite` of Deno, Node and Bun.
 *
 * @module
 */

import { builtin } from "./environment.ts";

/** Value of a column or of a parameter. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** Row by the names of its columns. */
export type Row = Readonly<Record<string, SqlValue>>;

/** Prepared statement. `?` in it are parameters. */
export interface Statement {
  /** Runs the statement. */
  run(...values: SqlValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  /** Returns the first row; `undefined` if there is none. */
  get(...values: SqlValue[]): Row | undefined;
  /** Returns all rows. */
  all(...values: SqlValue[]): Row[];
  /** Returns the rows one after the other. */
  iterate(...values: SqlValue[]): Iterable<Row>;
}

/** The part of `DatabaseSync` that every supported version has. */
export interface Database {
  /** Runs statements, separated by semicolons. */
  exec(sql: string): void;
  /** Prepares a statement. Deno 2.2 reports none of the errors of SQLite here. */
  prepare(sql: string): Statement;
  /** Closes the database. Deno 2.2 keeps it open until its statements are garbage collected. */
  close(): void;
}

/** Options of {@linkcode openDatabase}. */
export interface OpenDatabaseOptions {
  /** Whether writing fails, and the file must exist. Default: `false`. */
  readonly readOnly?: boolean;
  /**
   * Whether no process writes to the file while it is open. Then SQLite needs no other file beside
   * it, and ignores those that exist. Deno permits this only with all permissions. Default: `false`.
   */
  readonly immutable?: boolean;
}

/**
 * Opens a database; a file that does not exist is created.
 *
 * @throws {Error} If the file cannot be opened, or if the runtime lacks SQLite.
 */
export function openDatabase(path: string, options: OpenDatabaseOptions = {}): Database {
  const { readOnly = false, immutable = false } = options;
  const { DatabaseSync } = builtin("node:sqlite") ?? {};
  if (DatabaseSync === undefined) {
    throw new Error("SQLite needs Deno, Node 22.13 or later, or Bun");
  }
  const url = immutable ? builtin("node:url")?.pathToFileURL(path).href : undefined;
  return new DatabaseSync(url === undefined ? path : `${url}?immutable=1`, { readOnly });
}

/**
 * Returns the size of a file in bytes; `undefined` if it does not exist. A file of a database must
 * not be opened by other means: closing it would release the locks of the process.
 *
 * @throws {Error} If it is a folder, or if the folder that it should be in does not exist.
 */
export function databaseSize(path: string): number | undefined {
  const fs = builtin("node:fs"), { dirname } = builtin("node:path") ?? {};
  if (fs === undefined || dirname === undefined) return undefined;
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw new Error("it is a folder");
  if (stats === undefined && !fs.existsSync(dirname(path))) throw new Error("no such folder");
  return stats?.size;
}

/** Removes a database that is not open, with the files beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) {
    builtin("node:fs")?.rmSync(path + suffix, { force: true });
  }
}

/** Whether SQLite could not open or create a file. */
export function isOpenError(error: unknown): boolean {
  return error instanceof Error && /^unable to open database file/.test(error.message);
}

/** Reasons by the message of SQLite, since only some runtimes give its code. */
const REASONS: readonly (readonly [message: RegExp, reason: string])[] = [
  [/^database is locked/, "another process is writing to it"],
  [/^database or disk is full/, "disk full"],
  [/^file is not a database/, "not a SQLite database"],
  [/^attempt to write a readonly database/, "read-only file"],
  [/^database disk image is malformed/, "corrupt database"],
  [/^disk I\/O error/, "disk I/O error"],
  [/^unable to open database file/, "no permission to read it, or to create files in its folder"],
  // permissions of Deno
  [/^Requires (?=\w+ access to)/, "requires "],
];

/** Returns why SQLite failed; `undefined` for errors that are not those of SQLite. */
export function sqliteReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const [pattern, reason = ""] = REASONS.find(([pattern]) => pattern.test(message)) ?? [];
  if (pattern !== undefined) {
    return reason.endsWith(" ") ? message.replace(pattern, reason) : reason;
  }
  return (error as { code?: unknown }).code === "ERR_SQLITE_ERROR" ? message : undefined;
}
