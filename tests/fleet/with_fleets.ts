/**
 * Tests of fleets: each has a database of its own, on a server that those of a file share, and a time
 * limit, since a fleet that hangs is one that fails.
 *
 * @module
 */

// @ts-types="npm:@types/pg@8.23.1"
import pg from "pg";
import {
  type Fleet,
  type FleetOptions,
  openFleet,
  type SiteEntry,
  type WorkOptions,
} from "../../src/fleet/mod.ts";
import { HAS_POSTGRES, patient, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { assertEquals } from "@std/assert";
import { execute } from "../sync/stores.ts";
import { findInconsistencies } from "./consistency.ts";

/** Milliseconds after which a test counts as hanging. */
const TIME_LIMIT = 600_000;
/** Tests that run at a time: most of them wait. */
const LANES = 6;
/** Database that those of tests are copies of. */
const TEMPLATE = "prepared";

/** Options that suit scripted sites: few connections, and no waiting for retries. */
const DEFAULTS: FleetOptions = { connections: 3, retryDelays: [0, 0, 0] };
export const WALK = { useKnownPaths: false, retries: 0, retryDelay: 0 } as const;

// deno-lint-ignore no-explicit-any
type Row = Record<string, any>;

export interface TestDatabase {
  /** Its connection string, for sessions that are patient. */
  readonly url: string;
  /** Its connection string without the settings of tests. */
  readonly plainUrl: string;
  readonly server: TestPostgres;
  /** Opens a fleet that is closed when the test ends. */
  open(options?: FleetOptions): Promise<Fleet>;
  query(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export type FleetTests = Readonly<Record<string, (database: TestDatabase) => Promise<void>>>;

/** Defines tests as steps of one that has their server. */
export function testFleets(
  name: string,
  tests: FleetTests,
  settings: Readonly<Record<string, string | number>> = {},
): void {
  Deno.test({
    name,
    ignore: !HAS_POSTGRES,
    async fn(t) {
      await using server = await startPostgres({ settings: { max_connections: 200, ...settings } });
      await prepare(server);
      const left = Object.entries(tests);
      const lane = async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          const [step, test] = next;
          await t.step({
            name: step,
            fn: () => withDatabase(server, step, test),
            // those of the test itself hold for all of its steps
            sanitizeOps: false,
            sanitizeResources: false,
            sanitizeExit: false,
          });
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    },
  });
}

async function prepare(server: TestPostgres): Promise<void> {
  await execute(server.url, `create database ${TEMPLATE}`);
  await using fleet = await openFleet(server.urlOf(TEMPLATE));
  await fleet.enqueue("first", []);
  await fleet.drop("first");
}

let count = 0;

async function withDatabase(
  server: TestPostgres,
  step: string,
  test: (database: TestDatabase) => Promise<void>,
): Promise<void> {
  const name = `test_${++count}`;
  await execute(server.url, `create database ${name} template ${TEMPLATE}`);
  const plainUrl = server.urlOf(name);
  const url = patient(plainUrl);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on("error", () => {});
  const fleets: Fleet[] = [];
  try {
    await within(TIME_LIMIT, step, () =>
      test({
        url,
        plainUrl,
        server,
        async open({ walk, ...options } = {}) {
          const all = { ...DEFAULTS, ...options, walk: { ...WALK, ...walk } };
          const fleet = await openFleet(url, all);
          fleets.push(fleet);
          return fleet;
        },
        query: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
      }));
  } finally {
    await within(TIME_LIMIT, `close the fleets of ${step}`, async () => {
      await Promise.all(fleets.map((fleet) => fleet.close()));
      await pool.end();
    });
  }
}

/** Returns the result of a function; rejects if it takes too long. */
export async function within<T>(
  milliseconds: number,
  what: string,
  action: () => Promise<T>,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`Not done within ${milliseconds} ms: ${what}`)),
    milliseconds,
  );
  try {
    return await Promise.race([action(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!await condition()) await delay(20);
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Walks all sites of a run. */
export async function walkAll(
  fleet: Fleet,
  sites: Iterable<string | SiteEntry>,
  run = "run",
): Promise<void> {
  await fleet.enqueue(run, sites);
  await fleet.work({ drain: true });
}

/** Starts a worker; returns a function that stops it. */
export function startWorker(fleet: Fleet, options: WorkOptions = {}): () => Promise<void> {
  const stop = new AbortController();
  const working = fleet.work({ ...options, signal: stop.signal });
  return async () => {
    stop.abort();
    await working;
  };
}

/** Returns the verdicts of a run by homepage. */
export async function verdictsOf(
  fleet: Fleet,
  run = "run",
): Promise<Record<string, string | undefined>> {
  const sites = await Array.fromAsync(fleet.sites(run));
  return Object.fromEntries(sites.map(({ homepage, verdict }) => [homepage, verdict]));
}

/** Returns the pages of the sites of a run that have a verdict, as `sitemap page`, sorted. */
export async function pagesOf(fleet: Fleet, run = "run"): Promise<string[]> {
  const lines: string[] = [];
  for await (const { homepage, verdict } of fleet.sites(run)) {
    if (verdict === undefined) continue;
    for await (const { sitemap, page } of fleet.snapshot.pages(homepage)) {
      lines.push(`${sitemap} ${page.url}`);
    }
  }
  return lines.sort();
}

export async function checkRun(
  { query }: TestDatabase,
  { run = "run", isSettled = true }: { readonly run?: string; readonly isSettled?: boolean } = {},
): Promise<void> {
  const session = {
    query: async <R>(sql: string, values?: readonly unknown[]) => {
      const rows = await query(sql, values) as R[];
      return { rows, count: rows.length };
    },
  };
  assertEquals(await findInconsistencies(session, run, { isSettled }), []);
}
