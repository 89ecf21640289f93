/**
 * SQLite, by the module `node:sqlite` of Deno, Node and Bun.
 *
 * @module
 */

import type { StatementSync } from "node:sqlite";
import { builtin, hasPermission } from "./environment.ts";

/** The part of a prepared statement that all supported runtimes have. */
export type Statement = Pick<StatementSync, "run" | "get" | "all" | "iterate">;

/** The part of `DatabaseSync` that all supported runtimes have. */
export interface Database {
  /** Runs statements, which are separated by semicolons. */
  exec(sql: string): void;
  /** Prepares a statement. Deno 2.2 does not report why that failed. */
  prepare(sql: string): Statement;
  /** Closes the database. Deno 2.2 keeps it open until its statements are garbage collected. */
  close(): void;
}

/** Options of {@linkcode openDatabase}. */
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

/**
 * Opens a database, without foreign key constraints. A file that does not exist is created.
 *
 * @throws {Error} If the file cannot be opened, or if the runtime lacks SQLite.
 */
export function openDatabase(path: string, options: OpenDatabaseOptions = {}): Database {
  const { readOnly = false, immutable = false, busyTimeout = 1000 } = options;
  const { DatabaseSync } = builtin("node:sqlite") ?? {};
  if (DatabaseSync === undefined) {
    throw new Error("SQLite needs Deno, Node 22.13 or later, or Bun");
  }
  const url = immutable ? builtin("node:url")?.pathToFileURL(path).href : undefined;
  try {
    const location = url === undefined ? path : `${url}?immutable=1`;
    const database = new DatabaseSync(location, { readOnly });
    // the defaults of the runtimes differ
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}; PRAGMA foreign_keys = OFF`);
    return database;
  } catch (error) {
    const reason = isOpenError(error) ? openReason(path, readOnly) : undefined;
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }
}

/** Returns why a file cannot be opened; `undefined` if that is not apparent. */
function openReason(path: string, readOnly: boolean): string | undefined {
  const stats = statsOf(path);
  if (stats !== undefined) return stats.isDirectory() ? "it is a folder" : undefined;
  if (readOnly) return "no such file";
  const folder = builtin("node:path")?.dirname(path) ?? "";
  return mayRead(folder) && !statsOf(folder)?.isDirectory() ? "no such folder" : undefined;
}

// A file of a database must not be opened by other means: closing it releases the locks of the
// process. `stat` opens nothing.

type Stats = ReturnType<typeof import("node:fs").statSync>;

function statsOf(path: string): Stats | undefined {
  try {
    return builtin("node:fs")?.statSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as { code: string }).code)) return undefined;
    throw error;
  }
}

function mayRead(path: string): boolean {
  return hasPermission({ name: "read", path });
}

/** Whether a file exists. */
export function fileExists(path: string): boolean {
  return statsOf(path) !== undefined;
}

/** Whether a database has a write-ahead log with content, as far as Deno permits to find out. */
export function hasLog(path: string): boolean {
  const log = `${path}-wal`;
  return mayRead(log) && (statsOf(log)?.size ?? 0) > 0;
}

/** Removes a file that is empty. */
export function removeEmptyFile(path: string): void {
  if (statsOf(path)?.size === 0) builtin("node:fs")?.rmSync(path);
}

/** Returns the file that a symbolic link refers to; the path itself if it is another file. */
export function linkedFile(path: string): string {
  const fs = builtin("node:fs");
  if (fs === undefined || !fileExists(path)) return path;
  return fs.lstatSync(path).isSymbolicLink() ? fs.realpathSync(path) : path;
}

/** Whether SQLite could not open or create a file. */
export function isOpenError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("unable to open database file");
}

/** Whether another connection has locked a database. */
export function isBusyError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("database is locked");
}

/** Reasons by the message of SQLite or Deno; not all runtimes give the code of an error. */
const REASONS: readonly (readonly [start: string, reason: string])[] = [
  ["database is locked", "another process is writing to it"],
  ["database or disk is full", "disk full"],
  ["file is not a database", "not a SQLite database"],
  ["attempt to write a readonly database", "read-only file"],
  ["database disk image is malformed", "corrupt database"],
  ["disk I/O error", "disk I/O error"],
  ["unable to open database file", "no permission to read it, or to create files in its folder"],
];

/** Returns why SQLite failed; `undefined` for an error that is not of SQLite. */
export function sqliteReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message, name } = error;
  const [, reason] = REASONS.find(([start]) => message.startsWith(start)) ?? [];
  if (reason !== undefined) return reason;
  const isSqlite = (error as { code?: unknown }).code === "ERR_SQLITE_ERROR";
  return isSqlite || name === "NotCapable" ? message : undefined;
}
