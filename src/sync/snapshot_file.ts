/**
 * The file of a snapshot: its lock, the version of its schema, and its errors.
 *
 * @module
 */

import {
  acquireLock,
  closeDatabase,
  type Database,
  fileExists,
  hasLog,
  isSqliteError,
  linkedFile,
  openDatabase,
  type OpenDatabaseOptions,
  type SqliteFault,
  sqliteFault,
  tryRemoveFile,
} from "../platform/sqlite.ts";
import { randomKey } from "../bytes/value_scan.ts";
import { SCHEMA_VERSION, versionFault } from "./migrations.ts";
import { APPLICATION_ID, creation, pendingSteps } from "./schema.ts";

export class SnapshotFile implements Disposable {
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
    closeDatabase(this.database, "PRAGMA wal_checkpoint");
    if (this.#lock !== undefined) closeDatabase(this.#lock);
  }
}

/**
 * Opens the file of a snapshot, or `:memory:`. A writer creates a file that does not exist, and keeps
 * other writers out until it is disposed of.
 *
 * @throws {Error} If it cannot be opened. It is then as it was before.
 */
export function openSnapshotFile(path: string, readOnly: boolean): SnapshotFile {
  // for SQLite these are a URI and a temporary database
  const name = path === "" || path.startsWith("file:") ? `./${path}` : path;
  try {
    const file = linkedFile(name);
    return readOnly ? openReader(file) : openWriter(file);
  } catch (error) {
    throw error instanceof LockError ? error : failure("open", path, error);
  }
}

/** Names another file than the one that is opened. */
class LockError extends Error {}

/** Returns an error of SQLite with the path and a reason, others as they are. */
export function snapshotError(
  path: string,
  error: unknown,
  verb: "read" | "write" = "write",
): unknown {
  return isSqliteError(error) ? failure(verb, path, error) : error;
}

const REASONS: Readonly<Record<SqliteFault, string>> = {
  "locked": "another process is writing to it",
  "full": "disk full",
  "io": "disk I/O error; the disk may be full",
  "corrupt": "corrupt database",
  "not-a-database": "not a SQLite database",
  "read-only": "read-only file",
  "no-access": "no permission to read it, or to create files in its folder",
};

function failure(
  verb: string,
  path: string,
  error: unknown,
  type: new (message: string, options: ErrorOptions) => Error = Error,
): Error {
  const fault = sqliteFault(error);
  const message = error instanceof Error ? error.message : error;
  const reason = fault === "other" ? message : REASONS[fault];
  return new type(`Cannot ${verb} "${path}": ${reason}`, { cause: error });
}

function openReader(file: string): SnapshotFile {
  try {
    return new SnapshotFile(openChecked(file, { readOnly: true }));
  } catch (error) {
    if (!["no-access", "read-only"].includes(sqliteFault(error)) || hasLog(file)) throw error;
    // A write-ahead log cannot be created in a read-only folder, and nothing is in one.
    return new SnapshotFile(openChecked(file, { readOnly: true, immutable: true }));
  }
}

function openWriter(file: string): SnapshotFile {
  const isFile = file !== ":memory:";
  if (isFile && fileExists(file)) {
    // Before a lock file is created beside the file of another program. Its log is written to the
    // file when it is closed, unless it is read-only.
    closeDatabase(openChecked(file, { readOnly: hasLog(file), mayBeEmpty: true }));
  }
  const lock = isFile ? lockFile(`${file}.lock`) : undefined;
  const isNew = isFile && !fileExists(file);
  let database: Database | undefined;
  try {
    database = openDatabase(file);
    prepare(database);
    return new SnapshotFile(database, lock);
  } catch (error) {
    if (database !== undefined) closeDatabase(database);
    if (isNew) tryRemoveFile(file);
    if (lock !== undefined) closeDatabase(lock);
    throw error;
  }
}

function lockFile(file: string): Database {
  return acquireLock(
    file,
    (error) => sqliteFault(error) === "locked" ? error : failure("lock", file, error, LockError),
  );
}

function prepare(database: Database): void {
  database.exec("BEGIN IMMEDIATE");
  const version = checkedVersion(database, true);
  if (version === undefined) database.exec(creation("sqlite", randomKey()));
  // A read-only file fails here, and not before. A new file is empty or complete: it has no log yet.
  database.exec(`
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${SCHEMA_VERSION};
    ${version === undefined ? "COMMIT" : "ROLLBACK"};
    PRAGMA journal_mode = WAL;
    PRAGMA wal_autocheckpoint = 8000;
  `);
  for (const [at, statements] of pendingSteps("sqlite", version ?? SCHEMA_VERSION).entries()) {
    database.exec(`BEGIN IMMEDIATE; ${statements};
      PRAGMA user_version = ${version! + at + 1}; COMMIT`);
  }
}

function openChecked(
  file: string,
  { mayBeEmpty = false, ...options }: OpenDatabaseOptions & { readonly mayBeEmpty?: boolean },
): Database {
  const database = openDatabase(file, options);
  try {
    checkedVersion(database, mayBeEmpty);
    return database;
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}

/** Returns the version of its tables; `undefined` if the database is empty. */
function checkedVersion(database: Database, mayBeEmpty: boolean): number | undefined {
  // by exec() first, since Deno 2.2 hides the errors of prepare()
  database.exec("PRAGMA user_version");
  const [{ id, version, tables }] = database.prepare(`
    SELECT
      (SELECT application_id FROM pragma_application_id) AS id,
      (SELECT user_version FROM pragma_user_version) AS version,
      (SELECT count(*) FROM sqlite_schema) AS tables
  `).all() as [{ id: number; version: number; tables: number }];
  const isEmpty = id === 0 && version === 0 && tables === 0;
  if (isEmpty && mayBeEmpty) return undefined;
  if (isEmpty) throw new Error("empty database");
  if (id !== APPLICATION_ID) throw new Error("SQLite database of another program");
  const fault = versionFault(version);
  if (fault !== undefined) throw new Error(fault);
  return version;
}
