/**
 * The store of a snapshot in SQLite.
 *
 * Transactions are never open across an `await`: a commit runs its statements at once. Pages are found
 * by a table of hashes. Random keys would touch most of that table in each commit, so that it is filled
 * in order now and then; the pages that were added since are found in memory.
 *
 * @module
 */

import { HashTable } from "../bytes/hash_table.ts";
import type { HashKey } from "../bytes/value_scan.ts";
import {
  closeDatabase,
  type Database,
  openDatabase,
  type PreparedStatement,
  rollBack,
} from "../platform/sqlite.ts";
import { openSnapshotFile, snapshotError, type SnapshotFile } from "./snapshot_file.ts";
import {
  ACKNOWLEDGE,
  type Batch,
  type BegunRun,
  type CommitOptions,
  type FoundPage,
  NEW_SITE,
  onConflict,
  others,
  PAGE_COLUMNS,
  SELECT_SITEMAPS,
  type SqlValue,
  type Store,
  type StoredRow,
  type StoredSite,
  TABLE_KEYS,
} from "./store.ts";

/** Rows of one statement: more take longer to prepare than they save. */
const ROWS = 100;
/** For a commit of another process. */
const MAX_WAIT = 10_000;
const MAX_RECENT = 2_900_000;

export class SqliteStore implements Store {
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly version: number;
  readonly hashKey: HashKey;
  readonly repeats = 0;
  readonly #file: SnapshotFile;
  readonly #database: Database;
  readonly #statements = new Map<string, PreparedStatement>();
  /** Keys of the pages that are not in the table of hashes, and their numbers after the last there. */
  #recent = recentPages();
  /** Last page in the table of hashes. */
  #indexed: number;
  #head: number;
  /** Sites of which no page is in the table of hashes. */
  readonly #freshSites = new Set<number>();
  #isPretending = false;
  /** Whether a commit waits until it is on disk. */
  #syncs: boolean | undefined;
  /** Last numbers that were given to sites and runs, perhaps not stored yet. */
  readonly #numbers = { stored_site: 0, stored_run: 0 };

  constructor(path: string, readOnly: boolean) {
    this.name = path;
    this.isReadOnly = readOnly;
    this.#file = openSnapshotFile(path, readOnly);
    this.#database = this.#file.database;
    const rows = this.#all<{ name: string; value: number }>("SELECT name, value FROM setting");
    const settings = new Map(rows.map(({ name, value }) => [name, value]));
    this.hashKey = [settings.get("hash_key_1") ?? 0, settings.get("hash_key_2") ?? 0];
    this.version = settings.get("version") ?? 0;
    this.#indexed = settings.get("indexed") ?? 0;
    this.#head = this.#lastSequence();
    try {
      if (!readOnly) this.#loadRecent();
    } catch (error) {
      throw snapshotError(path, error);
    }
  }

  #lastSequence(): number {
    const [row] = this.#all<{ head: number }>(
      `SELECT coalesce(max(number), 0) AS head FROM (
         SELECT max(id) AS number FROM stored_page UNION ALL SELECT max(sequence) FROM stored_change
         UNION ALL SELECT value FROM setting WHERE name = 'pruned'
       )`,
    );
    return row!.head;
  }

  read<T>(sql: string, ...values: SqlValue[]): Promise<T[]> {
    return this.#answer(() => this.#all<T>(sql, ...values), "read");
  }

  beginRun(homepage: string): Promise<BegunRun> {
    return this.#answer(() => {
      const [found] = this.#all<StoredSite>(
        "SELECT * FROM stored_site WHERE homepage = ?",
        homepage,
      );
      const fence = this.#numbers.stored_run = this.#nextId("stored_run");
      const id = found?.id ?? (this.#numbers.stored_site = this.#nextId("stored_site"));
      const site = { ...NEW_SITE, ...found, id, homepage, fence };
      if (site.pages === 0) this.#freshSites.add(id);
      const sitemaps = this.#all<StoredRow>(SELECT_SITEMAPS, id);
      return { site, known: { sitemaps, head: this.#head } };
    }, "write");
  }

  #nextId(table: "stored_site" | "stored_run"): number {
    const [row] = this.#all<{ id: number | null }>(`SELECT max(id) AS id FROM ${table}`);
    return Math.max(row?.id ?? 0, this.#numbers[table]) + 1;
  }

  find(site: number, keys: readonly number[]): Promise<FoundPage[]> {
    return this.#answer(() => {
      const ids: number[] = [], recent = this.#recent;
      for (const key of keys) {
        for (let slot = recent.next(key); slot >= 0; slot = recent.next(key, slot + 1)) {
          ids.push(this.#indexed + recent.rows[2 * slot + 1]!);
        }
      }
      const marks = (count: number) => new Array(count).fill("?").join(", ");
      const found: FoundPage[] = [];
      const select = (table: string, column: string, keys: readonly number[]) => {
        for (let at = 0; at < keys.length; at += ROWS) {
          const some: (number | null)[] = keys.slice(at, at + ROWS);
          const size = some.length > 1 ? ROWS : 1;
          while (some.length < size) some.push(null);
          const rows = this.#all<FoundPage>(
            `SELECT p.*, EXISTS (SELECT 1 FROM other_listing AS o
             WHERE o.site = p.site AND o.page = p.id) AS is_shared
             FROM ${table} WHERE ${column} IN (${marks(size)})`,
            ...some,
          );
          for (const row of rows) if (row.site === site) found.push(row);
        }
      };
      select("stored_page AS p", "p.id", ids);
      if (this.#freshSites.has(site)) return found;
      select("page_key AS k JOIN stored_page AS p ON p.id = k.page", "k.key", keys);
      return found;
    }, "read");
  }

  commit(build: (batch: Batch) => void, { numbers = 0 }: CommitOptions = {}): Promise<void> {
    return this.#answer(() => {
      const head = this.#head;
      const added: number[] = [];
      try {
        this.#syncBefore(numbers > 0);
        this.#exec(this.#isPretending ? "SAVEPOINT batch" : "BEGIN IMMEDIATE");
        build(this.#batch(added));
        this.#exec(this.#isPretending ? "RELEASE batch" : "COMMIT");
      } catch (error) {
        this.#head = head;
        if (this.#isPretending) this.#exec("ROLLBACK TO batch; RELEASE batch");
        else rollBack(this.#database);
        throw error;
      }
      for (let at = 0; at < added.length; at += 2) {
        this.#recent.add(added[at]!, added[at + 1]! - this.#indexed);
      }
      // sites that are loaded side by side have no use for so many
      const maxRecent = MAX_RECENT / Math.min(4, Math.max(1, this.#freshSites.size));
      if (this.#recent.size > maxRecent && !this.#isPretending) this.#index();
    }, "write");
  }

  /** Changes are on disk before they are reported; what a walk finds out again need not be. */
  #syncBefore(hasChanges: boolean): void {
    if (this.#isPretending || this.#syncs === hasChanges) return;
    this.#exec(`PRAGMA synchronous = ${hasChanges ? "FULL" : "NORMAL"}`);
    this.#syncs = hasChanges;
  }

  acknowledge(consumer: string, sequence: number): Promise<void> {
    return this.#answer(() => {
      // a reader has a connection of its own for it, whose transaction is short
      const [{ file }] = this.#all<{ file: string }>(
        "SELECT file FROM pragma_database_list WHERE name = 'main'",
      ) as [{ file: string }];
      const database = this.isReadOnly
        ? openDatabase(file, { busyTimeout: MAX_WAIT })
        : this.#database;
      try {
        database.prepare(ACKNOWLEDGE).run(consumer, sequence);
      } finally {
        if (this.isReadOnly) closeDatabase(database);
      }
    }, "write");
  }

  head(): Promise<number> {
    if (!this.isReadOnly) return Promise.resolve(this.#head);
    return this.#answer(() => this.#lastSequence(), "read");
  }

  pretend(): Promise<() => Promise<void>> {
    return this.#answer(() => {
      const head = this.#head;
      this.#exec("BEGIN IMMEDIATE");
      this.#isPretending = true;
      return () =>
        this.#answer(() => {
          rollBack(this.#database);
          this.#isPretending = false;
          this.#head = head;
          Object.assign(this.#numbers, { stored_site: 0, stored_run: 0 });
          // its pages are gone
          this.#loadRecent();
        }, "read");
    }, "write");
  }

  close(): Promise<void> {
    return this.#answer(() => {
      try {
        this.#index();
      } finally {
        this.#file[Symbol.dispose]();
      }
    }, "write");
  }

  #batch(added: number[]): Batch {
    const runEach = (sql: string, columns: readonly string[], rows: readonly StoredRow[]) => {
      if (rows.length === 0) return;
      const statement = this.#statement(sql);
      for (const row of rows) statement.run(...valuesIn(columns, row));
    };
    return {
      addPages: (values) => {
        const width = PAGE_COLUMNS.length;
        this.#insert(INSERT_PAGES, width, values);
        for (let at = 0; at < values.length; at += width) {
          added.push(values[at + KEY_COLUMN] as number, values[at] as number);
        }
      },
      put: (table, rows) => {
        const columns = columnsOf(rows);
        const into = `INSERT INTO ${table} (${columns.join(", ")})`;
        const values = rows.flatMap((row) => valuesIn(columns, row));
        this.#insert(into, columns.length, values, onConflict(table, columns));
      },
      update: (table, rows) => {
        const changed = others(table, columnsOf(rows)), keys = TABLE_KEYS[table];
        const set = changed.map((column) => `${column} = ?`).join(", ");
        runEach(`UPDATE ${table} SET ${set} WHERE ${where(keys)}`, [...changed, ...keys], rows);
      },
      remove: (table, rows) => {
        const columns = columnsOf(rows);
        runEach(`DELETE FROM ${table} WHERE ${where(columns)}`, columns, rows);
        if (table !== "stored_page") return;
        runEach("DELETE FROM page_key WHERE key = ? AND page = ?", ["key", "id"], rows);
      },
      run: (sql, ...values) => void this.#statement(sql).run(...values),
      next: () => ++this.#head,
    };
  }

  /** Inserts rows whose values follow each other, many by a statement. */
  #insert(into: string, width: number, values: readonly SqlValue[], rest = ""): void {
    let at = 0;
    for (const rows of [ROWS, 1]) {
      const size = rows * width;
      if (at + size > values.length || at === values.length) continue;
      const row = `(${"?, ".repeat(width - 1)}?)`;
      const sql = `${into} VALUES ${`${row}, `.repeat(rows - 1)}${row} ${rest}`;
      const statement = this.#statement(sql);
      while (at + size <= values.length) statement.run(...values.slice(at, at += size));
    }
  }

  #index(): void {
    const recent = this.#recent;
    if (recent.size === 0) return;
    try {
      this.#exec("BEGIN IMMEDIATE");
      const values: number[] = [];
      let last = 0;
      const insert = () => this.#insert("INSERT OR IGNORE INTO page_key", 2, values.splice(0));
      for (const [key, page] of sorted(recent)) {
        values.push(key, this.#indexed + page);
        last = Math.max(last, page);
        if (values.length === 2 * ROWS) insert();
      }
      insert();
      this.#statement("UPDATE setting SET value = ? WHERE name = 'indexed'").run(
        this.#indexed + last,
      );
      this.#exec("COMMIT");
      this.#indexed += last;
    } catch (error) {
      rollBack(this.#database);
      throw error;
    }
    this.#recent = recentPages();
    this.#freshSites.clear();
  }

  #loadRecent(): void {
    this.#recent = recentPages();
    const rows = this.#statement("SELECT key, id FROM stored_page WHERE id > ?")
      .iterate(this.#indexed) as Iterable<{ key: number; id: number }>;
    for (const { key, id } of rows) this.#recent.add(key, id - this.#indexed);
  }

  #all<T>(sql: string, ...values: SqlValue[]): T[] {
    return this.#statement(sql).all(...values) as T[];
  }

  #exec(sql: string): void {
    this.#database.exec(sql);
  }

  #statement(sql: string): PreparedStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #answer<T>(action: () => T, verb: "read" | "write"): Promise<T> {
    try {
      return Promise.resolve(action());
    } catch (error) {
      return Promise.reject(snapshotError(this.name, error, verb));
    }
  }
}

/** The number of a page is the first column. */
const KEY_COLUMN = PAGE_COLUMNS.indexOf("key");

const INSERT_PAGES = `INSERT INTO stored_page (${PAGE_COLUMNS.join(", ")})`;

/** All rows have the same. */
function columnsOf([first = {}]: readonly StoredRow[]): string[] {
  return Object.keys(first);
}

function valuesIn(columns: readonly string[], row: StoredRow): SqlValue[] {
  return columns.map((column) => row[column]!);
}

function where(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ?`).join(" AND ");
}

function recentPages(): HashTable {
  return new HashTable({ maxLoad: 0.7 });
}

/** Yields keys with their pages, in the order of the keys. */
function* sorted(recent: HashTable): Generator<readonly [number, number], void, undefined> {
  const { rows } = recent, pairs = new Int32Array(2 * recent.size);
  let pair = 0;
  for (const slot of recent.slots()) {
    pairs[pair++] = rows[2 * slot + 1]!;
    pairs[pair++] = rows[2 * slot]!;
  }
  // the second number is the higher one
  new BigInt64Array(pairs.buffer).sort();
  for (let at = 0; at < pairs.length; at += 2) yield [pairs[at + 1]!, pairs[at]!];
}
