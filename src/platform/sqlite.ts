import { builtin, hasPermission } from "./environment.ts";

type SqlValue = null | number | bigint | string | Uint8Array;

type Row = Record<string, SqlValue>;

/** The part of a prepared statement that all supported runtimes have. */
export interface PreparedStatement {
  run(...values: SqlValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  iterate(...values: SqlValue[]): Iterable<Row>;
}

/** The part of `DatabaseSync` that all supported runtimes have. */
export interface Database {
  exec(sql: string): void;
  /** Deno 2.2 does not report why it fails. */
  prepare(sql: string): PreparedStatement;
  /** Deno 2.2 keeps the file open until its statements are garbage collected. */
  close(): void;
}

export interface OpenDatabaseOptions {
  /** Whether the file must exist, and is not written to. Default: `false`. */
  readonly readOnly?: boolean;
  /**
   * Whether to assume that no process writes to the file. SQLite then needs no files beside it, and
   * ignores a write-ahead log. In Deno this needs all permissions. Default: `false`.
   */
  readonly immutable?: boolean;
  /** Milliseconds to wait for a lock. Default: 1 s. */
  readonly busyTimeout?: number;
}

/** Creates a file that does not exist. */
export function openDatabase(path: string, options: OpenDatabaseOptions = {}): Database {
  const { readOnly = false, immutable = false, busyTimeout = 1000 } = options;
  const { DatabaseSync } = builtin("node:sqlite") ?? {};
  if (DatabaseSync === undefined) throw new Error(UNSUPPORTED);
  const url = immutable ? builtin("node:url")?.pathToFileURL(path).href : undefined;
  let database: Database | undefined;
  try {
    database = new DatabaseSync(url === undefined ? path : `${url}?immutable=1`, { readOnly });
    // the defaults of the runtimes differ
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}; PRAGMA foreign_keys = OFF`);
    return database;
  } catch (error) {
    database?.close();
    const reason = openReason(path, error, readOnly);
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }
}

const UNSUPPORTED = "SQLite needs Deno, Node 22.13 or later, or Bun";

/** Returns why a file cannot be opened; `undefined` if the error says more. */
function openReason(path: string, error: unknown, readOnly: boolean): string | undefined {
  // workerd has the class, but no databases
  if ((error as Error).message === "Illegal constructor") return UNSUPPORTED;
  if (!["no-access", "io"].includes(sqliteFault(error))) return undefined;
  const stats = statsOf(path);
  if (stats !== undefined) return stats.isDirectory() ? "it is a folder" : undefined;
  if (readOnly) return "no such file";
  const folder = builtin("node:path")?.dirname(path) ?? "";
  return mayRead(folder) && !statsOf(folder)?.isDirectory() ? "no such folder" : undefined;
}

/** Messages of SQLite by their beginning; not all runtimes give the code of an error. */
const MESSAGES = [
  ["database is locked", "locked"],
  ["database or disk is full", "full"],
  ["disk I/O error", "io"],
  ["database disk image is malformed", "corrupt"],
  ["file is not a database", "not-a-database"],
  ["attempt to write a readonly database", "read-only"],
  ["unable to open database file", "no-access"],
] as const;

export type SqliteFault = typeof MESSAGES[number][1];

export function sqliteFault(error: unknown): SqliteFault | "other" {
  const message = error instanceof Error ? error.message : "";
  return MESSAGES.find(([start]) => message.startsWith(start))?.[1] ?? "other";
}

/** Whether an error is from opening or using a database. */
export function isSqliteError(error: unknown): boolean {
  const { code, name } = Object(error);
  return code === "ERR_SQLITE_ERROR" || name === "NotCapable" || sqliteFault(error) !== "other";
}

// A file of a database must not be opened by other means: closing it releases the locks that the
// process has on it. The functions below open none.

function mayRead(path: string): boolean {
  return hasPermission({ name: "read", path });
}

function statsOf(path: string): ReturnType<typeof import("node:fs").statSync> {
  try {
    return builtin("node:fs")?.statSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as { code: string }).code)) return undefined;
    throw error;
  }
}

export function fileExists(path: string): boolean {
  return statsOf(path) !== undefined;
}

/** Whether a database has a write-ahead log with content, as far as Deno permits to find out. */
export function hasLog(path: string): boolean {
  const log = `${path}-wal`;
  return mayRead(log) && (statsOf(log)?.size ?? 0) > 0;
}

export function linkedFile(path: string): string {
  const fs = builtin("node:fs");
  if (fs === undefined || !fileExists(path)) return path;
  return fs.lstatSync(path).isSymbolicLink() ? fs.realpathSync(path) : path;
}

export function tryRemoveFile(path: string): void {
  try {
    builtin("node:fs")?.rmSync(path, { force: true });
  } catch {
    // Windows does not while Deno 2.2 keeps it open
  }
}

/** SQLite itself rolls back after some errors. */
export function rollBack(database: Database, ...more: string[]): void {
  for (const sql of ["ROLLBACK", ...more]) {
    try {
      database.exec(sql);
    } catch {
      // no transaction is open, or the log cannot be written to the file, and is kept
    }
  }
}

export function closeDatabase(database: Database, ...statements: string[]): void {
  // Deno 2.2 keeps the locks of a database that is closed with statements
  rollBack(database, ...statements);
  database.close();
}

/** The lock is also released when the process is killed. */
export function acquireLock(file: string, failure: (error: unknown) => unknown): Database {
  const lock = openDatabase(file, { busyTimeout: 0 });
  try {
    // Without a file for the journal. SQLite locks a read-only file only for reading, and says so
    // when it is changed.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 0");
    return lock;
  } catch (error) {
    closeDatabase(lock);
    throw failure(error);
  }
}
