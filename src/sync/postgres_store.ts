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
  type Connection,
  hex,
  literal,
  Postgres,
  type PostgresOptions,
  type Statement,
} from "./postgres.ts";
import { isRolledBack, PostgresError } from "./postgres_errors.ts";
import { SCHEMA_VERSION, versionFault } from "./migrations.ts";
import { creation, inDialect, LOST_CODE, pendingSteps } from "./schema.ts";
import {
  ACKNOWLEDGE,
  type Batch,
  type BegunRun,
  type CommitOptions,
  type FoundPage,
  type KnownSite,
  NEW_SITE,
  onConflict,
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
/** Code of the error if a role lacks a privilege. */
const DENIED_CODE = "42501";
/** Most repeats of a commit that the server has rolled back. */
const MAX_REPEATS = 3;
/** Number before those of changes in dry runs. */
const FIRST_PRETENDED = 2 ** 52;
/** Inserts sites, given number, homepage, {@linkcode NEW_VALUES} and fence. */
export const INSERT_SITE: string = `insert into sitetree.stored_site as s (id, homepage, ${
  Object.keys(NEW_SITE).join(", ")
}, fence)`;
export const NEW_VALUES: string = Object.values(NEW_SITE).map(literal).join(", ");

/** Fails unless a run may write. */
const HOLD = "select sitetree.hold($1, $2)";
const TAKE = "select sitetree.take_numbers($1) as last";
const RETURN = "select sitetree.return_numbers($1, $2)";

export class PostgresStore implements Store {
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly version: number;
  readonly hashKey: HashKey;
  repeats = 0;
  readonly server: Postgres;
  /** The transaction of dry runs. */
  #pretended: Connection | undefined;
  /** None of these numbers is ever committed. */
  #pretendedNumber = FIRST_PRETENDED;

  private constructor(server: Postgres, settings: Settings, isReadOnly: boolean) {
    this.name = server.name;
    this.isReadOnly = isReadOnly;
    this.server = server;
    this.hashKey = [settings.get("hash_key_1")!, settings.get("hash_key_2")!];
    this.version = settings.get("version")!;
  }

  /** A writer creates the snapshot unless there is one, or brings it up to date. */
  static async open(
    url: string,
    { readOnly = false, ...options }: PostgresOptions & { readonly readOnly?: boolean },
  ): Promise<PostgresStore> {
    const server = await Postgres.open(url, options);
    try {
      if (!readOnly) {
        await changeTables(server, async (session) => {
          const settings = await readSettings(server, session);
          if (settings === undefined) return creation("postgres", randomKey());
          return pendingSteps("postgres", settings.get("version")!)[0];
        });
      }
      const settings = await readSettings(server);
      if (settings !== undefined) return new PostgresStore(server, settings, readOnly);
      throw new Error(`Cannot open "${server.name}": it has no snapshot`);
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get #session(): Connection {
    return this.#pretended ?? this.server;
  }

  async read<T>(sql: string, ...values: SqlValue[]): Promise<T[]> {
    const { rows } = await this.#session.query(inDialect(sql), values);
    return rows as T[];
  }

  async beginRun(homepage: string): Promise<BegunRun> {
    const { rows: [site] } = await this.#session.query<StoredSite>(
      `${INSERT_SITE} values (nextval('sitetree.site_number'), $1, ${NEW_VALUES},
         nextval('sitetree.run_number'))
       on conflict (homepage) do update set fence = excluded.fence returning s.*`,
      [homepage],
    );
    return { site: site!, known: await this.load(site!.id) };
  }

  async load(site: number): Promise<KnownSite> {
    const [sitemaps, head] = await this.#session.queryAll(
      [inDialect(SELECT_SITEMAPS), site],
      ["select last_value as head from sitetree.change_number"],
    );
    return { sitemaps: sitemaps!.rows, head: head!.rows[0]!.head };
  }

  async find(site: number, keys: readonly number[]): Promise<FoundPage[]> {
    // key by key: a site counts as an average one, all of whose pages may look cheaper to read
    const { rows } = await this.#session.query<FoundPage>(
      `select p.*, exists (select from sitetree.other_listing o
       where o.site = p.site and o.page = p.id)::int as is_shared
       from (select distinct unnest($2::bigint[]) as key) k cross join lateral (
         select * from sitetree.stored_page p where p.site = $1 and p.key = k.key offset 0
       ) p`,
      [site, keys],
    );
    return rows;
  }

  async commit(build: (batch: Batch) => void, options: CommitOptions = {}): Promise<void> {
    for (let repeats = 0;; repeats++) {
      try {
        return await this.#commit(build, options);
      } catch (error) {
        if (repeats === MAX_REPEATS || !isRolledBack(error)) throw error;
        this.repeats++;
      }
    }
  }

  async #commit(build: (batch: Batch) => void, options: CommitOptions): Promise<void> {
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
      await this.server.exchange([...hold, [TAKE, numbers]], ({ last }) => statements(last));
    } else await this.server.queryAll(...hold, ...statements());
  }

  async acknowledge(consumer: string, sequence: number): Promise<void> {
    await this.server.query(inDialect(ACKNOWLEDGE), [consumer, sequence]);
  }

  async head(): Promise<number> {
    const { rows: [row] } = await this.#session.query<{ head: number }>(
      "select sitetree.head() as head",
    );
    return row!.head;
  }

  async pretend(): Promise<() => Promise<void>> {
    const { session, rollBack } = await this.server.begin();
    this.#pretended = session;
    return async () => {
      this.#pretended = undefined;
      await rollBack();
    };
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}

export function isLost(error: unknown): boolean {
  return (Object(error) as { readonly code?: unknown }).code === LOST_CODE;
}

type Settings = ReadonlyMap<string, number>;

/** Returns `undefined` without a snapshot. Throws if it is of a version that cannot be used. */
export async function readSettings(
  server: Postgres,
  session: Connection = server,
): Promise<Settings | undefined> {
  if (!await isDefined(session, "setting")) return undefined;
  const { rows } = await session.query<{ name: string; value: number }>(
    "select name, value from sitetree.setting",
  );
  const settings = new Map(rows.map(({ name, value }) => [name, value]));
  const fault = versionFault(settings.get("version")!);
  if (fault === undefined) return settings;
  const code = settings.get("version")! > SCHEMA_VERSION ? "newer-schema" : "unsupported";
  throw unusable(server, code, fault);
}

/**
 * Whether there is a table or a function. `to_regclass()` would answer from a cache that does not see
 * what others create.
 */
export async function isDefined(session: Connection, name: string): Promise<boolean> {
  const { rows: [row] } = await session.query<{ found: boolean }>(
    `select exists (
       select from (
         select relname as name, relnamespace as schema from pg_class
         union all select proname, pronamespace from pg_proc
       ) as d join pg_namespace n on n.oid = d.schema
       where n.nspname = 'sitetree' and d.name = $1
     ) as found`,
    [name],
  );
  return row!.found;
}

/** Returns the statements that create or change tables next; `undefined` if they are as they should be. */
type NextChange = (session: Connection) => Promise<string | undefined>;

/** Creates or changes tables, each time in a transaction, and one process at a time. */
export async function changeTables(server: Postgres, nextOf: NextChange): Promise<void> {
  try {
    while (await nextOf(server) !== undefined) {
      await server.transaction(async (session) => {
        await session.query("select pg_advisory_xact_lock($1)", [SCHEMA_LOCK]);
        // another process may have done so meanwhile
        const statements = await nextOf(session);
        if (statements !== undefined) await session.queryAll([statements]);
      });
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== DENIED_CODE) throw error;
    const reason = "its owner has to create its tables, or bring them up to date";
    throw unusable(server, "unsupported", reason, error);
  }
}

function unusable(
  { name }: Postgres,
  code: PostgresError["code"],
  reason: string,
  cause?: unknown,
): PostgresError {
  return new PostgresError(code, `Cannot use "${name}": ${reason}`, { cause });
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
    const sql = `delete from sitetree.${table} t using ${source} r where ${equal(names)}`;
    const [site, ...otherSites] = new Set([...rows.values()].map((row) => row["site"]));
    if (site === undefined || otherSites.length > 0) return [sql, json];
    // the list alone counts as a hundred rows, so that a scan of the table may look cheaper
    return [`${sql} and t.site = $2`, json, site];
  }
  if (verb === "update") {
    const set = others(table, names).map((column) => `${column} = r.${column}`).join(", ");
    const keys = equal(TABLE_KEYS[table]);
    return [`update sitetree.${table} t set ${set} from ${source} r where ${keys}`, json];
  }
  return [
    `insert into sitetree.${table} (${columns}) select ${columns} from ${source}
     ${onConflict(table, names)}`,
    json,
  ];
}
