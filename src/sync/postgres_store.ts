/**
 * The store of a snapshot in PostgreSQL, for any number of writers.
 *
 * A commit is one or two messages to the server: its statements carry their rows as JSON, and those
 * that need sequence numbers take them first. No transaction waits for anything else.
 *
 * @module
 */

import { type HashKey, randomKey } from "../bytes/value_scan.ts";
import {
  hex,
  literal,
  Postgres,
  type PostgresOptions,
  type Session,
  type Statement,
} from "./postgres.ts";
import { PostgresError } from "./postgres_errors.ts";
import { firstSettings, LOST_CODE, POSTGRES_SCHEMA, qualified, VERSION } from "./schema.ts";
import {
  type Batch,
  type CommitOptions,
  type FoundPage,
  type KnownSite,
  NEW_SITE,
  others,
  PAGE_COLUMNS,
  SELECT_SITEMAPS,
  type SqlValue,
  type Store,
  type StoredPage,
  type StoredRow,
  type StoredSite,
  type Table,
  TABLE_KEYS,
} from "./store.ts";

const SCHEMA_LOCK = 7_305_001;
/** Number before those of changes in dry runs. */
const FIRST_PRETENDED = 2 ** 52;
/** Inserts sites, given number, homepage, {@linkcode NEW_VALUES} and fence. */
export const INSERT_SITE: string = `insert into sitetree.stored_site as s (id, homepage, ${
  Object.keys(NEW_SITE).join(", ")
}, fence)`;
export const NEW_VALUES: string = Object.values(NEW_SITE).map(literal).join(", ");

/** Fails unless a run may write. */
export const HOLD = "select sitetree.hold($1, $2)";
const TAKE = "select sitetree.take_numbers($1) as last";
const RETURN = "select sitetree.return_numbers($1, $2)";

export class PostgresStore implements Store {
  readonly hashKey: HashKey;
  readonly #server: Postgres;
  readonly #isReadOnly: boolean;
  /** The transaction of dry runs. */
  #pretended: Session | undefined;
  /** None of these numbers is ever committed. */
  #pretendedNumber = FIRST_PRETENDED;

  private constructor(server: Postgres, hashKey: HashKey, isReadOnly: boolean) {
    this.#server = server;
    this.hashKey = hashKey;
    this.#isReadOnly = isReadOnly;
  }

  /** A writer creates the snapshot unless there is one. */
  static async on(server: Postgres, isReadOnly = false): Promise<PostgresStore> {
    await createSchema(server, isReadOnly);
    const { rows } = await server.query<{ name: string; value: number }>(
      "select name, value from sitetree.setting",
    );
    const settings = new Map(rows.map(({ name, value }) => [name, value]));
    const version = settings.get("version")!;
    if (version > VERSION) {
      throw new PostgresError(
        "newer-schema",
        `Cannot use "${server.name}": schema version ${version} is newer than ${VERSION}; ` +
          "update sitetree",
      );
    }
    const hashKey = [settings.get("hash_key_1")!, settings.get("hash_key_2")!] as const;
    return new PostgresStore(server, hashKey, isReadOnly);
  }

  get #session(): Session {
    return this.#pretended ?? this.#server;
  }

  async read<T>(sql: string, ...values: SqlValue[]): Promise<T[]> {
    const { rows } = await this.#session.query(inDialect(sql), values);
    return rows as T[];
  }

  async load(site: number): Promise<KnownSite> {
    const [sitemaps, head] = await this.#session.queryAll(
      [inDialect(SELECT_SITEMAPS), site],
      ["select last_value as head from sitetree.change_number"],
    );
    return { sitemaps: sitemaps!.rows, head: head!.rows[0]!.head };
  }

  async beginRun(homepage: string): Promise<{ readonly site: StoredSite; readonly run: number }> {
    this.#checkWritable();
    const { rows: [site] } = await this.#session.query<StoredSite>(
      `${INSERT_SITE} values (nextval('sitetree.site_number'), $1, ${NEW_VALUES},
         nextval('sitetree.run_number'))
       on conflict (homepage) do update set fence = excluded.fence returning s.*`,
      [homepage],
    );
    return { site: site!, run: site!.fence };
  }

  async find(site: number, keys: readonly number[]): Promise<FoundPage[]> {
    const { rows } = await this.#session.query<FoundPage>(
      `select p.*, exists (select from sitetree.other_listing o
       where o.site = p.site and o.page = p.id)::int as is_shared
       from sitetree.stored_page p where p.site = $1 and p.key = any($2::bigint[])`,
      [site, keys],
    );
    return rows;
  }

  async commit(build: (batch: Batch) => void, options: CommitOptions = {}): Promise<void> {
    this.#checkWritable();
    const { writer, numbers = 0 } = options;
    const hold: Statement[] = writer === undefined ? [] : [[HOLD, writer.id, writer.fence]];
    const statements = (last = 0) => {
      const batch = new StatementBatch(last, numbers);
      build(batch);
      return batch.statements();
    };
    if (this.#pretended !== undefined) {
      await this.#pretended.queryAll(...statements(this.#pretendedNumber));
      this.#pretendedNumber += numbers;
    } else if (numbers > 0) {
      await this.#server.exchange([...hold, [TAKE, numbers]], ({ last }) => statements(last));
    } else await this.#server.queryAll(...hold, ...statements());
  }

  #checkWritable(): void {
    if (this.#isReadOnly) throw new Error(`Cannot write "${this.#server.name}": opened to be read`);
  }

  async acknowledge(consumer: string, sequence: number): Promise<void> {
    await this.#server.query(
      `insert into sitetree.consumer as c values ($1, $2) on conflict (name)
       do update set acknowledged = greatest(c.acknowledged, excluded.acknowledged)`,
      [consumer, sequence],
    );
  }

  async head(): Promise<number> {
    const { rows: [row] } = await this.#session.query<{ head: number }>(
      "select sitetree.head() as head",
    );
    return row!.head;
  }

  async pretend(): Promise<() => Promise<void>> {
    const { session, rollBack } = await this.#server.begin();
    this.#pretended = session;
    return async () => {
      this.#pretended = undefined;
      await rollBack();
    };
  }

  async close(): Promise<void> {
    await this.#server.close();
  }
}

/** Opens the snapshot in a database, in which it is created unless there is one. */
export async function openPostgresStore(
  url: string,
  { readOnly = false, ...options }: PostgresOptions & { readonly readOnly?: boolean },
): Promise<PostgresStore> {
  const server = await Postgres.open(url, options);
  try {
    return await PostgresStore.on(server, readOnly);
  } catch (error) {
    await server.close();
    throw error;
  }
}

export function isLost(error: unknown): boolean {
  return (Object(error) as { readonly code?: unknown }).code === LOST_CODE;
}

export function inDialect(sql: string): string {
  let cached = DIALECT.get(sql);
  if (cached === undefined) {
    let at = 0;
    cached = qualified(sql).replace(/\?/g, () => `$${++at}`);
    // statements with lists of values differ in their length
    if (DIALECT.size < 500) DIALECT.set(sql, cached);
  }
  return cached;
}

const DIALECT = new Map<string, string>();

async function createSchema(server: Postgres, isReadOnly: boolean): Promise<void> {
  const isThere = "select to_regclass('sitetree.setting') is not null as found";
  const { rows: [known] } = await server.query<{ found: boolean }>(isThere);
  if (known!.found) return;
  if (isReadOnly) throw new Error(`Cannot open "${server.name}": it has no snapshot`);
  await server.transaction(async (session) => {
    await session.query("select pg_advisory_xact_lock($1)", [SCHEMA_LOCK]);
    const { rows: [row] } = await session.query<{ found: boolean }>(isThere);
    if (row!.found) return;
    await session.queryAll([POSTGRES_SCHEMA + qualified(firstSettings(randomKey()))]);
  });
}

/** Statements that write the same columns of rows, which come as JSON. */
interface Group {
  readonly verb: "put" | "update" | "remove";
  readonly table: Table;
  readonly columns: string;
  readonly rows: Map<string, StoredRow>;
}

class StatementBatch implements Batch {
  readonly #statements: (Statement | Group)[] = [];
  /** Last group of each table, to which more rows may be added. */
  readonly #last = new Map<Table, Group>();
  #number: number;
  readonly #end: number;

  constructor(last: number, numbers: number) {
    this.#number = last;
    this.#end = last + numbers;
  }

  addPages(values: readonly SqlValue[]): void {
    if (values.length === 0) return;
    // lists of each column take half the time of JSON
    const lists = PAGE_COLUMNS.map((_, column) => {
      const list: (string | number)[] = [];
      let isNull = true;
      for (let at = column; at < values.length; at += PAGE_COLUMNS.length) {
        const value = values[at]!;
        list.push(elementOf(value));
        isNull &&= value === null;
      }
      // a list that is too short ends in nulls
      return isNull ? "{}" : `{${list.join(",")}}`;
    });
    this.#statements.push([INSERT_PAGES, ...lists]);
  }

  put(table: Table, rows: readonly StoredRow[]): void {
    this.#add("put", table, rows);
  }

  update(table: Table, rows: readonly StoredRow[]): void {
    this.#add("update", table, rows);
  }

  remove(table: Table, rows: readonly StoredRow[]): void {
    this.#add("remove", table, rows);
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.#statements.push([inDialect(sql), ...values]);
  }

  next(): number {
    if (this.#number === this.#end) {
      throw new Error("A commit takes more numbers than it asked for");
    }
    return ++this.#number;
  }

  statements(): Statement[] {
    const statements = this.#statements.map((statement) =>
      "verb" in statement ? statementOf(statement) : statement
    );
    if (this.#number === this.#end) return statements;
    return [...statements, [RETURN, this.#end, this.#number]];
  }

  #add(verb: Group["verb"], table: Table, rows: readonly StoredRow[]): void {
    if (rows.length === 0) return;
    const columns = Object.keys(rows[0]!).join(", ");
    let group = this.#last.get(table);
    if (group?.verb !== verb || group.columns !== columns) {
      group = { verb, table, columns, rows: new Map() };
      this.#last.set(table, group);
      this.#statements.push(group);
    }
    // the last of rows with the same key counts; all columns of one to remove are its key
    const keys = verb === "remove" ? Object.keys(rows[0]!) : TABLE_KEYS[table];
    for (const row of rows) group.rows.set(keys.map((key) => row[key]).join(" "), row);
  }
}

const PAGE_TYPES: Readonly<Partial<Record<keyof StoredPage, string>>> = {
  id: "bigint",
  site: "bigint",
  sitemap: "bigint",
  key: "bigint",
  priority: "double precision",
};

const INSERT_PAGES = `insert into sitetree.stored_page (${PAGE_COLUMNS.join(", ")})
select * from unnest(${
  PAGE_COLUMNS.map((name, at) => `$${at + 1}::${PAGE_TYPES[name] ?? "text"}[]`).join(", ")
})`;

function elementOf(value: SqlValue): string | number {
  if (typeof value === "number") return value;
  return value === null ? "NULL" : `"${String(value).replace(/["\\]/g, "\\$&")}"`;
}

function statementOf({ verb, table, columns, rows }: Group): Statement {
  const json = JSON.stringify(
    [...rows.values()],
    (_name, value) => value instanceof Uint8Array ? hex(value) : value,
  );
  const source = `json_populate_recordset(null::sitetree.${table}, $1)`;
  const names = columns.split(", ");
  const equal = (keys: readonly string[]) => keys.map((key) => `t.${key} = r.${key}`).join(" and ");
  if (verb === "remove") {
    return [`delete from sitetree.${table} t using ${source} r where ${equal(names)}`, json];
  }
  const changed = others(table, names);
  if (verb === "update") {
    const set = changed.map((column) => `${column} = r.${column}`).join(", ");
    const keys = equal(TABLE_KEYS[table]);
    return [`update sitetree.${table} t set ${set} from ${source} r where ${keys}`, json];
  }
  const set = changed.map((column) => `${column} = excluded.${column}`).join(", ");
  return [
    `insert into sitetree.${table} (${columns}) select ${columns} from ${source}
     on conflict (${TABLE_KEYS[table].join(", ")}) do ${
      set === "" ? "nothing" : `update set ${set}`
    }`,
    json,
  ];
}
