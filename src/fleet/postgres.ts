/**
 * A PostgreSQL server as the database of a fleet.
 *
 * @module
 */

// @ts-types="npm:@types/pg@8.23.1"
import pg from "pg";
import { withoutPassword } from "../data/url.ts";
import { type Database, isConnectionLost, type Result, type Session } from "./database.ts";
import { FleetError } from "./errors.ts";

/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds after which a statement counts as lost, as if the connection had broken. */
const QUERY_TIMEOUT = 120_000;
/** Milliseconds to wait for a lock; the transaction is repeated then. */
const LOCK_TIMEOUT = 10_000;
/** Oldest version of the server, as it states it. */
const OLDEST_VERSION = 150_000;
/** Maximum number of statements that are planned once. */
const MAX_STATEMENTS = 500;
/** Type of 64-bit integers, which ids and counts have; all of them are safe integers. */
const INT8 = 20;

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    type === INT8 ? Number : pg.types.getTypeParser(type, format),
};

/** Options of {@linkcode openPostgres}. */
export interface PostgresOptions {
  /** Maximum number of connections. */
  readonly connections: number;
  /** Seconds after which a transaction of a worker that has stopped is rolled back. */
  readonly leaseSeconds: number;
}

/**
 * Connects to a server.
 *
 * @throws {FleetError} if it cannot be reached, refuses the user, or is too old
 */
export async function openPostgres(
  url: string,
  { connections, leaseSeconds }: PostgresOptions,
): Promise<Database> {
  const name = withoutPassword(url);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "sitetree",
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
    lock_timeout: LOCK_TIMEOUT,
    // a worker that was stopped in the middle of a transaction keeps its locks until then
    idle_in_transaction_session_timeout: Math.ceil(leaseSeconds * 1000),
    keepAlive: true,
    types: TYPES,
  });
  const names = new StatementNames();
  // a restart of the server would end the process otherwise; the next query reports it
  pool.on("error", () => {});
  try {
    const { rows: [row] } = await pool.query(
      "select current_setting('server_version_num')::int as n",
    );
    if (row.n < OLDEST_VERSION) {
      throw new FleetError("unsupported", "PostgreSQL 15 or later is needed");
    }
  } catch (error) {
    await pool.end();
    throw openError(name, error);
  }
  return {
    query: (sql, values) => run(pool, names, sql, values),
    transaction: (work) => transaction(pool, names, work),
    close: () => pool.end(),
  };
}

/** Names of statements, which each connection plans once. */
class StatementNames {
  readonly #names = new Map<string, string>();

  /** Returns the name of a statement; without one beyond a number that no fleet reaches. */
  of(sql: string): { readonly name?: string } {
    let name = this.#names.get(sql);
    if (name === undefined) {
      if (this.#names.size === MAX_STATEMENTS) return {};
      name = `sitetree_${this.#names.size}`;
      this.#names.set(sql, name);
    }
    return { name };
  }
}

async function run<R>(
  queryable: pg.Pool | pg.PoolClient,
  names: StatementNames,
  sql: string,
  values?: readonly unknown[],
): Promise<Result<R>> {
  const result = values === undefined || values.length === 0
    ? await queryable.query(sql)
    : await queryable.query({ ...names.of(sql), text: sql, values: values as unknown[] });
  // several statements have several results
  const all = (Array.isArray(result) ? result : [result]) as pg.QueryResult[];
  return { rows: all.flatMap(({ rows }) => rows), count: all.at(-1)?.rowCount ?? 0 };
}

async function transaction<T>(
  pool: pg.Pool,
  names: StatementNames,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => void (broken = error);
  // a client in use emits its own errors, which would end the process
  client.on("error", onError);
  try {
    await client.query("begin");
    const result = await work({ query: (sql, values) => run(client, names, sql, values) });
    await client.query("commit");
    return result;
  } catch (error) {
    if (isConnectionLost(error)) broken ??= error as Error;
    else await client.query("rollback").catch((failure: Error) => broken = failure);
    throw error;
  } finally {
    client.removeListener("error", onError);
    client.release(broken);
  }
}

/** Reasons by the code of the server or of the system. */
const REASONS: Readonly<Record<string, readonly [FleetError["code"], string]>> = {
  ECONNREFUSED: ["unreachable", "connection refused"],
  ENOTFOUND: ["unreachable", "unknown host"],
  EAI_AGAIN: ["unreachable", "unknown host"],
  ENOENT: ["unreachable", "no such socket"],
  EHOSTUNREACH: ["unreachable", "host unreachable"],
  ENETUNREACH: ["unreachable", "host unreachable"],
  ETIMEDOUT: ["unreachable", "timed out"],
  "28P01": ["credentials", "wrong user or password"],
  "28000": ["credentials", "wrong user or password"],
  "3D000": ["unreachable", "no such database"],
  "57P03": ["unreachable", "the server is starting up or shutting down"],
  "53300": ["unreachable", "too many connections"],
};

function openError(name: string, error: unknown): FleetError {
  if (error instanceof FleetError && error.code === "unsupported") {
    return new FleetError(error.code, `Cannot use "${name}": ${error.message}`);
  }
  // several addresses have several errors
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const { code = "", message = String(cause) } = Object(cause) as Partial<Record<string, string>>;
  const [kind, reason] = REASONS[code] ??
    [/password|SASL|authentication/i.test(message) ? "credentials" : "unreachable", message];
  return new FleetError(kind, `Cannot connect to "${name}": ${reason}`, { cause: error });
}
