/**
 * The file of a snapshot: its lock, the version of its schema, and its errors.
 *
 * @module
 */

import {
  type Database,
  databaseSize,
  isOpenError,
  openDatabase,
  removeDatabase,
  sqliteReason,
} from "../platform/sqlite.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

/** Milliseconds to wait for other programs that write to the file, such as a shell of SQLite. */
const BUSY_TIMEOUT = 1000;

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
    release(this.database);
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
  const file = path === "" || path.startsWith("file:") ? `./${path}` : path;
  try {
    return readOnly ? openReader(file, migrations) : openWriter(file, migrations);
  } catch (error) {
    throw failure("open", path, error);
  }
}

/**
 * Returns the error to throw for one that was caught while a snapshot was used: that of SQLite with
 * the path and a reason, others as they are.
 */
export function snapshotError(path: string, error: unknown): unknown {
  return sqliteReason(error) === undefined ? error : failure("write", path, error);
}

function failure(verb: string, path: string, error: unknown): Error {
  const reason = sqliteReason(error) ?? (error instanceof Error ? error.message : error);
  return new Error(`Cannot ${verb} "${path}": ${reason}`, { cause: error });
}

function openReader(file: string, migrations: readonly string[]): SnapshotFile {
  if (databaseSize(file) === undefined) throw new Error("no such file");
  try {
    return new SnapshotFile(openVersion(file, { latest: migrations.length, readOnly: true }));
  } catch (error) {
    if (!isOpenError(error) || databaseSize(`${file}-wal`)) throw error;
    // The folder is read-only, so that the files of the write-ahead log cannot be created, and there
    // is none with changes.
    const options = { latest: migrations.length, readOnly: true, immutable: true };
    return new SnapshotFile(openVersion(file, options));
  }
}

/** Opens a database for reading, which must have the latest version of the schema. */
function openVersion(
  file: string,
  options: { latest: number; readOnly: boolean; immutable?: boolean },
): Database {
  const { latest } = options;
  const database = openDatabase(file, options);
  try {
    const version = versionOf(database, latest);
    if (version === latest) return database;
    throw new Error(
      version === 0
        ? "empty database"
        : `schema version ${version} must be updated to ${latest} by a writer`,
    );
  } catch (error) {
    release(database);
    throw error;
  }
}

function openWriter(file: string, migrations: readonly string[]): SnapshotFile {
  if (file === ":memory:") {
    return new SnapshotFile(prepareForWriting(openDatabase(file), migrations));
  }
  if (databaseSize(file) !== undefined) checkUnchanged(file, migrations.length);
  const lock = acquireLock(`${file}.lock`);
  const isNew = databaseSize(file) === undefined;
  let database: Database | undefined;
  try {
    database = openDatabase(file);
    return new SnapshotFile(prepareForWriting(database, migrations), lock);
  } catch (error) {
    if (database !== undefined) release(database);
    if (isNew) removeDatabase(file);
    release(lock);
    throw error;
  }
}

/** Throws for a database of another program, before a lock file is created beside it. */
function checkUnchanged(file: string, latest: number): void {
  // A writer that closes a database adds the write-ahead log to it. A reader leaves one behind.
  const database = openDatabase(file, { readOnly: databaseSize(`${file}-wal`) !== undefined });
  try {
    versionOf(database, latest);
  } finally {
    release(database);
  }
}

/** Acquires the lock of a snapshot, which a process also releases when it is killed. */
function acquireLock(file: string): Database {
  const lock = openDatabase(file);
  try {
    lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    release(lock);
    throw error;
  }
}

/** Creates or updates the schema, all or nothing. */
function prepareForWriting(database: Database, migrations: readonly string[]): Database {
  // a file that cannot be written to fails here
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; BEGIN IMMEDIATE`);
  for (const sql of migrations.slice(versionOf(database, migrations.length))) database.exec(sql);
  database.exec(`
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${migrations.length};
    COMMIT;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = OFF;
  `);
  return database;
}

/**
 * Returns the version of the schema; 0 for an empty database.
 *
 * @throws {Error} If the database is not a snapshot, or if its version is later than `latest`.
 */
function versionOf(database: Database, latest: number): number {
  // by exec() first, since Deno 2.2 hides the errors of prepare()
  database.exec("PRAGMA user_version");
  const { id, version, tables } = database.prepare(`
    SELECT
      (SELECT application_id FROM pragma_application_id) AS id,
      (SELECT user_version FROM pragma_user_version) AS version,
      (SELECT count(*) FROM sqlite_schema) AS tables
  `).get() as { id: number; version: number; tables: number };
  const isEmpty = id === 0 && version === 0 && tables === 0;
  if (id !== APPLICATION_ID && !isEmpty) throw new Error("SQLite database of another program");
  if (version <= latest) return version;
  throw new Error(`schema version ${version} is newer than ${latest}; update sitetree`);
}

/** Rolls an open transaction back and closes a database. */
function release(database: Database): void {
  try {
    // Deno 2.2 keeps the locks of a database that is closed with statements
    database.exec("ROLLBACK");
  } catch {
    // no transaction was open
  }
  database.close();
}
