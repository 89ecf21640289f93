/**
 * The file of a snapshot: its lock, the version of its schema, and its errors.
 *
 * @module
 */

import {
  type Database,
  fileExists,
  hasLog,
  isBusyError,
  isOpenError,
  linkedFile,
  openDatabase,
  removeEmptyFile,
  sqliteReason,
} from "../platform/sqlite.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

/** Options of {@linkcode openSnapshotFile}. */
export interface SnapshotFileOptions {
  /** Whether to only read, also while another process writes. Default: `false`. */
  readonly readOnly?: boolean;
  /** Statements that lead from each version of the schema to the next. Default: `MIGRATIONS`. */
  readonly migrations?: readonly string[];
}

/** The open file of a snapshot. */
export class SnapshotFile implements Disposable {
  /** The database. */
  readonly database: Database;
  readonly #lock: Database | undefined;
  #isOpen = true;

  constructor(database: Database, lock?: Database) {
    this.database = database;
    this.#lock = lock;
  }

  /** Rolls an open transaction back, closes the file, and lets other writers open it. */
  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // the file alone is complete then, even if readers keep the log
    release(this.database, "PRAGMA wal_checkpoint");
    if (this.#lock !== undefined) release(this.#lock);
  }
}

/**
 * Opens the file of a snapshot, or `:memory:`. A writer creates a file that does not exist, updates
 * its schema, and keeps other writers out until it is disposed of.
 *
 * @throws {Error} If it cannot be opened. It is then as it was before.
 */
export function openSnapshotFile(path: string, options: SnapshotFileOptions = {}): SnapshotFile {
  const { readOnly = false, migrations = MIGRATIONS } = options;
  // for SQLite these are a URI and a temporary database
  const name = path === "" || path.startsWith("file:") ? `./${path}` : path;
  try {
    const file = linkedFile(name);
    return readOnly ? openReader(file, migrations.length) : openWriter(file, migrations);
  } catch (error) {
    throw failure("open", path, error);
  }
}

/**
 * Returns the error to throw for one that was caught while a snapshot was used: that of SQLite with
 * the path and a reason, others as they are.
 */
export function snapshotError(
  path: string,
  error: unknown,
  verb: "read" | "write" = "write",
): unknown {
  return sqliteReason(error) === undefined ? error : failure(verb, path, error);
}

function failure(verb: string, path: string, error: unknown): Error {
  const reason = sqliteReason(error) ?? (error instanceof Error ? error.message : error);
  return new Error(`Cannot ${verb} "${path}": ${reason}`, { cause: error });
}

function openReader(file: string, latest: number): SnapshotFile {
  try {
    return new SnapshotFile(openLatest(file, latest));
  } catch (error) {
    if (!isOpenError(error) || hasLog(file)) throw error;
    // a write-ahead log cannot be created in a read-only folder, and nothing is in one
    return new SnapshotFile(openLatest(file, latest, { immutable: true }));
  }
}

/** Opens a database for reading, which must have the latest version of the schema. */
function openLatest(file: string, latest: number, options?: { immutable: boolean }): Database {
  const database = openDatabase(file, { readOnly: true, ...options });
  try {
    const version = versionOf(database, latest);
    if (version === latest) return database;
    const old = `schema version ${version} is older than ${latest}; open it for writing once`;
    throw new Error(version === 0 ? "empty database" : old);
  } catch (error) {
    release(database);
    throw error;
  }
}

function openWriter(file: string, migrations: readonly string[]): SnapshotFile {
  const isFile = file !== ":memory:";
  if (isFile && fileExists(file)) checkOwner(file, migrations.length);
  const lock = isFile ? acquireLock(`${file}.lock`) : undefined;
  const isNew = isFile && !fileExists(file);
  let database: Database | undefined;
  try {
    database = openDatabase(file);
    migrate(database, migrations);
    return new SnapshotFile(database, lock);
  } catch (error) {
    if (database !== undefined) release(database);
    if (isNew) removeEmptyFile(file);
    if (lock !== undefined) release(lock);
    throw error;
  }
}

/** Throws for a file of another program, before a lock file is created beside it. */
function checkOwner(file: string, latest: number): void {
  // closing it would write the log to the file, unless it is read-only
  const database = openDatabase(file, { readOnly: hasLog(file) });
  try {
    versionOf(database, latest);
  } finally {
    release(database);
  }
}

/** Locks a snapshot. The lock of a process that is killed is released. */
function acquireLock(file: string): Database {
  const lock = openDatabase(file, { busyTimeout: 0 });
  try {
    // without a file for the journal
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    release(lock);
    throw isBusyError(error) ? error : failure("lock", file, error);
  }
}

/** Creates or updates the schema, all or nothing. */
function migrate(database: Database, migrations: readonly string[]): void {
  // a file that cannot be written to fails here
  database.exec("BEGIN IMMEDIATE");
  const version = versionOf(database, migrations.length);
  for (const sql of migrations.slice(version)) database.exec(sql);
  if (version < migrations.length) {
    database.exec(`
      PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${migrations.length};
    `);
  }
  // a new file is empty or complete, since it has no log before
  database.exec("COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

/**
 * Returns the version of the schema; 0 for an empty database.
 *
 * @throws {Error} If the database is not a snapshot, or if its version is later than `latest`.
 */
function versionOf(database: Database, latest: number): number {
  // by exec() first, since Deno 2.2 hides the errors of prepare()
  database.exec("PRAGMA user_version");
  const [{ id, version, tables }] = database.prepare(`
    SELECT
      (SELECT application_id FROM pragma_application_id) AS id,
      (SELECT user_version FROM pragma_user_version) AS version,
      (SELECT count(*) FROM sqlite_schema) AS tables
  `).all() as [{ id: number; version: number; tables: number }];
  const isEmpty = id === 0 && version === 0 && tables === 0;
  if (id !== APPLICATION_ID && !isEmpty) throw new Error("SQLite database of another program");
  if (version <= latest) return version;
  throw new Error(`schema version ${version} is newer than ${latest}; update sitetree`);
}

/** Rolls an open transaction back, runs other statements, and closes a database. */
function release(database: Database, ...statements: string[]): void {
  // Deno 2.2 keeps the locks of a database that is closed with statements
  for (const sql of ["ROLLBACK", ...statements]) {
    try {
      database.exec(sql);
    } catch {
      // no transaction is open, or the log cannot be written to the file, and is kept
    }
  }
  database.close();
}
