/**
 * Tests on PostgreSQL, and runs that are written by SQL.
 *
 * @module
 */

import type { Database } from "../../src/fleet/database.ts";
import { openPostgres } from "../../src/fleet/postgres.ts";
import { createPartitions, migrate } from "../../src/fleet/schema.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";

/** Defines a test whose cases are steps that share a database. */
export function testOnPostgres(
  name: string,
  body: (t: Deno.TestContext, database: Database) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_POSTGRES,
    async fn(t) {
      await using server = await startPostgres();
      const database = await openPostgres(server.url, { connections: 4, leaseSeconds: 30 });
      await withTables(database, () => body(t, database));
    },
  });
}

async function withTables(database: Database, body: () => Promise<void>): Promise<void> {
  try {
    await migrate(database);
    await body();
  } finally {
    await database.close();
  }
}

/** Adds a run with its partitions. Returns its key. */
export async function addRun(database: Database, run: string, total = 0): Promise<number> {
  return await database.transaction(async (session) => {
    const { rows: [row] } = await session.query<{ key: number }>(
      "insert into sitetree.run(id, total) values ($1, $2) returning key",
      [run, total],
    );
    await createPartitions(session, run, row!.key);
    return row!.key;
  });
}

/** Adds rows to a table, of which the keys of the first one are the columns. Returns them. */
export async function addRows(
  database: Database,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  // deno-lint-ignore no-explicit-any
): Promise<any[]> {
  const columns = Object.keys(rows[0]!);
  const added = [];
  for (const row of rows) {
    const values = columns.map((_, at) => `$${at + 1}`);
    const result = await database.query(
      `insert into sitetree.${table}(${columns}) values (${values}) returning *`,
      columns.map((column) => row[column]),
    );
    added.push(result.rows[0]);
  }
  return added;
}

/** Returns the items of a generator. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
