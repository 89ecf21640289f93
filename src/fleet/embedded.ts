/**
 * PGlite, PostgreSQL in this process, as the database of a fleet. One process per directory.
 *
 * @module
 */

import { PGlite, type Transaction } from "@electric-sql/pglite";
import { lockDirectory } from "../platform/directory_lock.ts";
import type { Database, Result } from "./database.ts";
import { FleetError } from "./errors.ts";

/** A database in a directory that this process owns. */
export interface EmbeddedDatabase extends Database {
  /** Tells other processes where this one serves its status. */
  announce(url: string): void;
}

/**
 * Opens the database in a directory, which is created if it does not exist.
 *
 * @throws {FleetError} if another process uses it, or if it cannot be opened
 */
export async function openEmbedded(directory: string): Promise<EmbeddedDatabase> {
  const lock = lockOf(directory);
  if ("owner" in lock) {
    const { pid, url } = lock.owner ?? {};
    const user = pid === undefined ? "another process" : `pid ${pid}`;
    const served = url === undefined ? "" : `, status at ${url}`;
    throw new FleetError("in-use", `Cannot open "${directory}": in use by ${user}${served}`, {
      owner: lock.owner,
    });
  }
  let lite: PGlite;
  try {
    lite = await PGlite.create({ dataDir: `${directory}/data` });
  } catch (cause) {
    lock.release();
    throw openError(directory, cause);
  }
  return {
    backend: "pglite",
    query: (sql, values) => run(lite, sql, values),
    transaction: (work) =>
      lite.transaction((transaction) =>
        work({ query: (sql, values) => run(transaction, sql, values) })
      ),
    announce: (url) => lock.announce(url),
    async close() {
      await lite.close();
      lock.release();
    },
  };
}

function lockOf(directory: string): ReturnType<typeof lockDirectory> {
  try {
    return lockDirectory(directory);
  } catch (cause) {
    throw openError(directory, cause);
  }
}

function openError(directory: string, cause: unknown): FleetError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FleetError("unreachable", `Cannot open "${directory}": ${reason}`, { cause });
}

async function run<R>(
  queryable: PGlite | Transaction,
  sql: string,
  values?: readonly unknown[],
): Promise<Result<R>> {
  // a statement with values must be a single one
  const all = values === undefined || values.length === 0
    ? await queryable.exec(sql)
    : [await queryable.query(sql, [...values])];
  const rows = all.flatMap(({ rows }) => rows) as R[];
  return { rows, count: rows.length || (all.at(-1)?.affectedRows ?? 0) };
}
