// @ts-types="npm:@types/pg@8.23.1"
import pg from "pg";
import { isStorable } from "../data/text.ts";
import { withoutPassword } from "../data/url.ts";
import { openError, PostgresError } from "./postgres_errors.ts";

/** By the names of columns; 64-bit numbers are numbers, times are dates. */
// deno-lint-ignore no-explicit-any
type Row = Record<string, any>;

interface Result<R = Row> {
  readonly rows: R[];
  /** Number of rows returned or changed. */
  readonly count: number;
}

/** Runs statements, perhaps in a transaction. */
export interface Connection {
  query<R = Row>(sql: string, values?: readonly unknown[]): Promise<Result<R>>;
  /** Runs several statements in one message, and returns the result of each. */
  queryAll(...statements: Statement[]): Promise<Result[]>;
}

type Value = null | number | string | Uint8Array;

/** A statement with its values, which are `$1`, `$2` and so on in it. */
export type Statement = readonly [sql: string, ...values: Value[]];

/** How to connect to a PostgreSQL server. */
export interface PostgresOptions {
  /** Maximum number of connections. Default: 10. */
  readonly connections?: number;
  /**
   * Whether the connections are those of a pool such as PgBouncer in transaction mode: nothing is set
   * for a connection, only for a transaction. Default: false.
   */
  readonly pooled?: boolean;
}

const CONNECT_TIMEOUT = 10_000;
/** Milliseconds after which a statement counts as lost, as if the connection had broken. */
const QUERY_TIMEOUT = 120_000;
/** The same for those that may take long: the longest that a timer has. */
const PATIENT_TIMEOUT = 2 ** 31 - 1;
const BEGIN_PATIENTLY =
  "begin; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0";
const LOCK_TIMEOUT = 10_000;
/** Milliseconds that a transaction may wait for its next statement: its process may have been stopped. */
const IDLE_TIMEOUT = 2000;
/** Oldest version of the server, as it states it. */
const OLDEST_SERVER = 150_000;
/** Maximum number of statements that are planned once. */
const MAX_STATEMENTS = 500;
/** Type of 64-bit integers, which ids and counts have; all of them are safe integers. */
const INT8 = 20;

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    type === INT8 ? Number : pg.types.getTypeParser(type, format),
};

type PatientQuery = pg.QueryConfig & { readonly query_timeout: number };

export class Postgres implements Connection {
  /** Its address, without password. */
  readonly name: string;
  readonly #pool: pg.Pool;
  readonly #isPooled: boolean;
  /** Names of statements, which each connection plans once. */
  readonly #names = new Map<string, string>();
  readonly #planned = new WeakMap<pg.PoolClient, Set<string>>();

  private constructor(url: string, { connections = 10, pooled = false }: PostgresOptions) {
    this.name = withoutPassword(url);
    this.#isPooled = pooled;
    this.#pool = new pg.Pool({
      connectionString: withoutSslWarning(url),
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      query_timeout: QUERY_TIMEOUT,
      keepAlive: true,
      types: TYPES,
      ...(!pooled && {
        application_name: "sitetree",
        lock_timeout: LOCK_TIMEOUT,
        idle_in_transaction_session_timeout: IDLE_TIMEOUT,
      }),
    });
    // a broken connection would end the process otherwise; the next statement reports it
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
  }

  /** @throws {PostgresError} if it cannot be reached, refuses the user, or is too old */
  static async open(url: string, options: PostgresOptions = {}): Promise<Postgres> {
    const server = new Postgres(url, options);
    try {
      const { rows: [row] } = await server.query<{ n: number }>(
        "select current_setting('server_version_num')::int as n",
      );
      if (row!.n >= OLDEST_SERVER) return server;
      throw new PostgresError(
        "unsupported",
        `Cannot use "${server.name}": PostgreSQL 15 or later is needed`,
      );
    } catch (error) {
      await server.close();
      throw error instanceof PostgresError ? error : openError(server.name, error);
    }
  }

  query<R = Row>(sql: string, values?: readonly unknown[]): Promise<Result<R>> {
    return this.#run(this.#pool, sql, values);
  }

  async queryAll(...statements: Statement[]): Promise<Result[]> {
    if (!this.#isPooled) {
      return await this.#withClient((client) => this.#runAll(client, statements));
    }
    const all: readonly Statement[] = [[SETTINGS], ...statements];
    return (await this.#withClient((client) => this.#runAll(client, all))).slice(1);
  }

  /** Runs a transaction that may wait for others, and for this process, and may take long. */
  transaction<T>(work: (session: Connection) => Promise<T>): Promise<T> {
    return this.#withClient(async (client) => {
      await client.query(BEGIN_PATIENTLY);
      const result = await work(this.#sessionOf(client));
      await client.query("commit");
      return result;
    });
  }

  /** Begins such a transaction, which is rolled back. */
  async begin(): Promise<{ readonly session: Connection; rollBack(): Promise<void> }> {
    const client = await this.#pool.connect();
    await client.query(BEGIN_PATIENTLY);
    return {
      session: this.#sessionOf(client),
      // a connection that is closed rolls it back too
      rollBack: () => Promise.resolve(client.release(true)),
    };
  }

  #sessionOf(client: pg.PoolClient): Connection {
    return {
      query: (sql, values) => this.#run(client, sql, values, PATIENT_TIMEOUT),
      queryAll: (...statements) => this.#runAll(client, statements, PATIENT_TIMEOUT),
    };
  }

  /** Runs a transaction in two messages: the second depends on the last row of the first. */
  async exchange(
    statements: readonly Statement[],
    next: (row: Row) => readonly Statement[],
  ): Promise<void> {
    await this.#withClient(async (client) => {
      const begin = this.#isPooled ? `begin; ${SETTINGS}` : "begin";
      const results = await this.#runAll(client, [[begin], ...statements]);
      await this.#runAll(client, [...next(results.at(-1)!.rows[0]!), ["commit"]]);
    });
  }

  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      // after an error it is closed, which rolls back
      client.release(failure);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #run<R>(
    queryable: pg.Pool | pg.PoolClient,
    sql: string,
    values: readonly unknown[] = [],
    query_timeout = QUERY_TIMEOUT,
  ): Promise<Result<R>> {
    const odd = values.find((value) => typeof value === "string" && !isStorable(value));
    if (odd !== undefined) throw new RangeError(`Cannot use ${JSON.stringify(odd)} in a database`);
    const config: PatientQuery = { ...this.#nameOf(sql), text: sql, query_timeout };
    const { rows, rowCount } = await queryable.query(config, values as unknown[]);
    return { rows: rows as R[], count: rowCount ?? 0 };
  }

  /** Statements with values are planned once for a connection. */
  async #runAll(
    client: pg.PoolClient,
    statements: readonly Statement[],
    query_timeout = QUERY_TIMEOUT,
  ): Promise<Result[]> {
    const planned = this.#planned.get(client) ?? new Set();
    this.#planned.set(client, planned);
    const message = statements.map(([sql, ...values]) => {
      const { name } = values.length === 0 ? {} : this.#nameOf(sql);
      if (name === undefined) return withLiterals(sql, values);
      const execute = `execute many_${name}(${values.map(literal).join(", ")})`;
      if (planned.has(name)) return execute;
      planned.add(name);
      return `prepare many_${name} as ${sql};\n${execute}`;
    });
    const config: PatientQuery = { text: message.join(";\n"), query_timeout };
    const answer = await client.query(config);
    const results = [answer as unknown as pg.QueryResult | pg.QueryResult[]].flat();
    return results.filter(({ command }) => command !== "PREPARE")
      .map(({ rows, rowCount }) => ({ rows, count: rowCount ?? 0 }));
  }

  #nameOf(sql: string): { readonly name?: string } {
    if (this.#isPooled) return {};
    let name = this.#names.get(sql);
    if (name === undefined) {
      if (this.#names.size === MAX_STATEMENTS) return {};
      this.#names.set(sql, name = `sitetree_${this.#names.size}`);
    }
    return { name };
  }
}

/** Settings of a transaction, where a connection has none. */
const SETTINGS = `select set_config('lock_timeout', '${LOCK_TIMEOUT}', true),
  set_config('idle_in_transaction_session_timeout', '${IDLE_TIMEOUT}', true)`;

function withLiterals(sql: string, values: readonly Value[]): string {
  if (values.length === 0) return sql;
  return sql.replace(/\$(\d+)/g, (_, number) => literal(values[number - 1]!));
}

export function literal(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : hex(value);
  return `'${text.includes("'") ? text.replaceAll("'", "''") : text}'`;
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hex(bytes: Uint8Array): string {
  let text = "\\x";
  for (const byte of bytes) text += HEX_BYTES[byte];
  return text;
}

/** Returns a connection string whose `sslmode` means what it does for other programs. */
function withoutSslWarning(url: string): string {
  if (!/[?&]sslmode=/.test(url) || url.includes("uselibpqcompat=")) return url;
  return `${url}&uselibpqcompat=true`;
}
