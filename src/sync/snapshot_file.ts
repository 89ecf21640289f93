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
    closeDatabase(this.database, "PRAGMA wal_checkpoint");
    if (this.#lock !== undefined) closeDatabase(this.#lock);
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

function failure(verb: string, path: string, error: unknown): Error {
  const fault = sqliteFault(error);
  const message = error instanceof Error ? error.message : error;
  const reason = fault === "other" ? message : REASONS[fault];
  return new Error(`Cannot ${verb} "${path}": ${reason}`, { cause: error });
}

function openReader(file: string, latest: number): SnapshotFile {
  const versions = { oldest: latest, latest };
  try {
    return new SnapshotFile(openChecked(file, versions, { readOnly: true }));
  } catch (error) {
    if (!["no-access", "read-only"].includes(sqliteFault(error)) || hasLog(file)) throw error;
    // A write-ahead log cannot be created in a read-only folder, and nothing is in one.
    return new SnapshotFile(openChecked(file, versions, { readOnly: true, immutable: true }));
  }
}

function openWriter(file: string, migrations: readonly string[]): SnapshotFile {
  const isFile = file !== ":memory:";
  if (isFile && fileExists(file)) {
    // Before a lock file is created beside the file of another program. Its log is written to the
    // file when it is closed, unless it is read-only.
    const versions = { oldest: 0, latest: migrations.length };
    closeDatabase(openChecked(file, versions, { readOnly: hasLog(file) }));
  }
  const lock = isFile ? lockFile(`${file}.lock`) : undefined;
  const isNew = isFile && !fileExists(file);
  let database: Database | undefined;
  try {
    database = openDatabase(file);
    migrate(database, migrations);
    return new SnapshotFile(database, lock);
  } catch (error) {
    if (database !== undefined) closeDatabase(database);
    if (isNew) tryRemoveFile(file);
    if (lock !== undefined) closeDatabase(lock);
    throw error;
  }
}

/** Acquires the lock of a snapshot. */
function lockFile(file: string): Database {
  return acquireLock(
    file,
    (error) => sqliteFault(error) === "locked" ? error : failure("lock", file, error),
  );
}

/** Creates or updates the schema, all or nothing. */
function migrate(database: Database, migrations: readonly string[]): void {
  const latest = migrations.length;
  database.exec("BEGIN IMMEDIATE");
  const version = checkedVersion(database, { oldest: 0, latest });
  for (const sql of migrations.slice(version)) database.exec(sql);
  // A read-only file fails here, and not before. A new file is empty or complete: it has no log yet.
  database.exec(`
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${latest};
    ${version === latest ? "ROLLBACK" : "COMMIT"};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
  `);
}

/** Versions of the schema that are accepted; that of an empty database is 0. */
interface Versions {
  readonly oldest: number;
  readonly latest: number;
}

function openChecked(file: string, versions: Versions, options: OpenDatabaseOptions): Database {
  const database = openDatabase(file, options);
  try {
    checkedVersion(database, versions);
    return database;
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}

/** Returns the version of the schema; throws if it is not accepted, or not that of a snapshot. */
function checkedVersion(database: Database, { oldest, latest }: Versions): number {
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
  if (isEmpty && oldest > 0) throw new Error("empty database");
  if (version < oldest) throw new Error(`schema version ${version} is older than ${oldest}`);
  if (version <= latest) return version;
  throw new Error(`schema version ${version} is newer than ${latest}; update sitetree`);
}
