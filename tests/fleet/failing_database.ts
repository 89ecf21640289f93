/**
 * A database whose connection breaks on purpose: before and after statements, and after a commit.
 *
 * @module
 */

import type { Database, Result, Row, Session } from "../../src/fleet/database.ts";

/** Where a connection breaks: at a statement, or when the answer to a commit is lost. */
export type FailpointPhase = "before" | "after" | "commit";

/** A point at which a connection can break. */
export interface Failpoint {
  /** Names the statements of the transaction up to this point, and the phase. */
  readonly id: string;
  readonly phase: FailpointPhase;
  /** Last statement. */
  readonly sql: string;
  /** Whether it is in a transaction. */
  readonly isTransaction: boolean;
}

/** Wraps a database, and breaks the connection wherever it is asked to. */
export class FailingDatabase implements Database {
  /** Points that were passed or have failed, by their ids. */
  readonly seen: Map<string, Failpoint> = new Map();
  /** Decides whether the connection breaks. */
  breaksAt: (point: Failpoint) => boolean = () => false;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async query<R = Row>(sql: string, values?: readonly unknown[]): Promise<Result<R>> {
    const statements = ["outside of transactions", sql];
    this.#pass(statements, "before");
    const result = await this.#database.query<R>(sql, values);
    this.#pass(statements, "after");
    return result;
  }

  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const statements = ["transaction"];
    const result = await this.#database.transaction((session) =>
      work({
        query: async <R>(sql: string, values?: readonly unknown[]) => {
          statements.push(sql);
          this.#pass(statements, "before");
          const result = await session.query<R>(sql, values);
          this.#pass(statements, "after");
          return result;
        },
      })
    );
    this.#pass(statements, "commit");
    return result;
  }

  /** Does nothing, as several fleets share the database. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #pass(statements: readonly string[], phase: FailpointPhase): void {
    const [kind] = statements;
    const sql = statements.at(-1)!;
    const id = `${statements.map(shapeOf).join(";")} ${phase}`;
    const point = { id, phase, sql, isTransaction: kind === "transaction" };
    this.seen.set(id, point);
    if (!this.breaksAt(point)) return;
    throw Object.assign(new Error("Connection terminated"), { code: "08006" });
  }
}

/** Returns a statement without what differs from run to run. */
function shapeOf(sql: string): string {
  return sql.replace(/\s+/g, " ").replace(/'[^']*'/g, "''").replace(/[\da-f-]{8,}|\d+/g, "#");
}
