/**
 * Transactions on a database, and its prepared statements.
 *
 * @module
 */

import { type Database, rollBack, type SqlValue, type Statement } from "../platform/sqlite.ts";

/** Options of {@linkcode Transaction}. */
export interface TransactionOptions {
  /** Whether one is open already, and nothing is kept. */
  readonly dryRun: boolean;
  /** Returns the error to throw for one of the database. */
  readonly errorOf: (error: unknown) => unknown;
}

/** One transaction after the other, each open from the first change to `commit()`. */
export class Transaction {
  readonly #database: Database;
  readonly #options: TransactionOptions;
  readonly #statements = new Map<string, Statement>();
  #isOpen: boolean;

  constructor(database: Database, options: TransactionOptions) {
    this.#database = database;
    this.#options = options;
    this.#isOpen = options.dryRun;
  }

  /** Whether there are changes to commit. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Returns the first row. */
  get<T>(sql: string, ...values: SqlValue[]): T | undefined {
    return this.#do(() => this.#statement(sql).get(...values)) as T | undefined;
  }

  /** Returns all rows. */
  all<T>(sql: string, ...values: SqlValue[]): T[] {
    return this.#do(() => this.#statement(sql).all(...values)) as T[];
  }

  /** Returns the rows one after the other. */
  iterate<T>(sql: string, ...values: SqlValue[]): Iterable<T> {
    return this.#do(() => this.#statement(sql).iterate(...values)) as Iterable<T>;
  }

  /** Runs a statement that changes something. */
  run(sql: string, ...values: SqlValue[]): ReturnType<Statement["run"]> {
    if (!this.#isOpen) {
      this.exec("BEGIN IMMEDIATE");
      this.#isOpen = true;
    }
    return this.#do(() => this.#statement(sql).run(...values));
  }

  /** Runs statements outside of a transaction, or in a dry run. */
  exec(sql: string): void {
    this.#do(() => this.#database.exec(sql));
  }

  /** Keeps the changes, unless this is a dry run. */
  commit(): void {
    if (!this.#isOpen || this.#options.dryRun) return;
    this.exec("COMMIT");
    this.#isOpen = false;
  }

  /** Drops the changes. */
  rollBack(): void {
    if (this.#isOpen) rollBack(this.#database);
    this.#isOpen = false;
  }

  #do<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw this.#options.errorOf(error);
    }
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
