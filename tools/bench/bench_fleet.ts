/**
 * Adds a million sites to a fleet on a throwaway PostgreSQL, and walks sites whose pages it stores: for
 * the first time, and again without changes. Every task runs in a process of its own.
 *
 *     deno task bench:fleet [--scale 0.1] [--rounds N] [--quick] [--base FOLDER]
 *
 * `--scale` is the fraction of sites. `--quick` walks few sites once: it checks that all pages are stored.
 * `--base` is a checkout of another commit, whose fleet does the same in turns.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { Postgres } from "../../src/sync/postgres.ts";
import { HAS_POSTGRES, startPostgres, type TestPostgres } from "../../tests/support/postgres.ts";
import { endedTime, serverTime } from "./cpu_time.ts";
import type { FleetResult } from "./fleet_client.ts";
import { resultOf } from "./launch.ts";
import { count, figure, machine, median, table } from "./table.ts";

/** Settings of the server that is measured: writes are as safe as by default. */
const SETTINGS = {
  fsync: "on",
  full_page_writes: "on",
  shared_buffers: "256MB",
  max_wal_size: "4GB",
};
/** Sites that a process walks at a time. */
const SLOTS = 20;
/** Longest time to read the progress of a run, in milliseconds. */
const MAX_STATUS_TIME = 10;
/** Most bytes of a site that was added. */
const MAX_SITE_BYTES = 700;
const RUN = "bench";
const ROOT = new URL("../../", import.meta.url).pathname;

/** Sizes of a benchmark. */
interface Sizes {
  /** Sites to add, and a tenth of that. */
  readonly enqueued: number;
  /** Times that the progress is read. */
  readonly status: number;
  /** Sites to walk, by their number and that of their pages. */
  readonly shapes: readonly Shape[];
}

interface Shape {
  readonly sites: number;
  readonly pages: number;
}

/** Seconds of a task, those of a core in its process and in the server, peak memory in MiB, and writes. */
interface Figures {
  readonly seconds: number;
  readonly cpu: number;
  readonly serverCpu: number;
  readonly peakRss: number;
  /** Bytes of the write-ahead log. */
  readonly wal: number;
  /** Updates of the table of sites. */
  readonly updates: number;
}

/** Runs a task of a checkout. Its time of a core is with the start of its process. */
async function client(
  folder: string,
  mode: string,
  ...args: (string | number)[]
): Promise<FleetResult & { readonly cpu: number }> {
  const before = await endedTime();
  const result = await resultOf<FleetResult>(
    new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--allow-all", "--no-check"],
        `${folder}/tools/bench/fleet_client.ts`,
        ...[mode, ...args].map(String),
      ],
      cwd: folder,
      stdout: "piped",
      stderr: "inherit",
    }),
  );
  return { ...result, cpu: await endedTime() - before };
}

async function single<R>(database: Postgres, sql: string, values?: unknown[]): Promise<R> {
  return (await database.query<R>(sql, values)).rows[0]!;
}

/** Creates an empty database, in place of one of the same name. Returns its connection string. */
async function emptyDatabase(server: TestPostgres, name: string): Promise<string> {
  const database = await Postgres.open(server.url, { connections: 1 });
  await database.query(`drop database if exists ${name}`);
  await database.query(`create database ${name}`);
  await database.close();
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Adds sites to two runs and reads the progress of the larger one. */
async function benchEnqueue(server: TestPostgres, sizes: Sizes): Promise<void> {
  const rows: string[][] = [];
  for (const sites of [sizes.enqueued / 10, sizes.enqueued]) {
    const url = await emptyDatabase(server, "enqueue");
    await client(ROOT, "enqueue", url, "warm-up", 1);
    const database = await Postgres.open(url, { connections: 1 });
    const before = await single<{ bytes: number }>(database, DATABASE_BYTES);
    console.error(`  adding ${count(sites)} sites …`);
    const { seconds, peakRss, count: added } = await client(ROOT, "enqueue", url, RUN, sites);
    if (added !== sites) throw new Error(`Added ${added} sites, not ${sites}`);
    const { bytes } = await single<{ bytes: number }>(database, DATABASE_BYTES);
    const { seconds: status } = await client(ROOT, "status", url, RUN, sizes.status);
    await database.close();
    const perSite = (bytes - before.bytes) / sites;
    if (sites === 1_000_000 && status * 1000 > MAX_STATUS_TIME) {
      throw new Error(`Reading the progress takes ${figure(status * 1000)} ms`);
    }
    if (sites === 1_000_000 && perSite > MAX_SITE_BYTES) {
      throw new Error(`A site takes ${figure(perSite)} bytes`);
    }
    rows.push([
      count(sites),
      `${figure(seconds)} s`,
      count(sites / seconds),
      `${figure(peakRss)} MiB`,
      figure(perSite),
      `${figure(status * 1000)} ms`,
    ]);
  }
  const head = ["sites added", "time", "sites/s", "peak RSS", "bytes per site", "progress"];
  console.log(`\n## Adding sites\n\n${table(head, rows)}`);
}

const DATABASE_BYTES = "select pg_database_size(current_database()) as bytes";

/** Adds sites to a run and walks them. */
async function walkRun(
  server: TestPostgres,
  { folder, url, run }: { readonly folder: string; readonly url: string; readonly run: string },
  { sites, pages }: Shape,
): Promise<Figures> {
  await client(folder, "enqueue", url, run, sites);
  const database = await Postgres.open(url, { connections: 1 });
  const written = await single<Written>(database, WRITTEN);
  const before = await serverTime(server.pid);
  const { seconds, peakRss, cpu } = await client(folder, "work", url, SLOTS, pages);
  const serverCpu = await serverTime(server.pid) - before;
  const { wal, updates } = await single<Written>(database, WRITTEN);
  await database.close();
  const writes = { wal: wal - written.wal, updates: updates - written.updates };
  return { seconds, peakRss, cpu, serverCpu, ...writes };
}

type Written = Pick<Figures, "wal" | "updates">;

const WRITTEN = `select (pg_current_wal_insert_lsn() - '0/0')::bigint as wal, (
    select n_tup_upd from pg_stat_user_tables
    where schemaname = 'sitetree' and relname = 'fleet_site'
  ) as updates`;
/** Of tasks that only read. */
const NOTHING_WRITTEN = { serverCpu: 0, wal: 0, updates: 0 };

/** Throws unless all pages are stored. */
async function checkPages(url: string, { sites, pages }: Shape): Promise<void> {
  const database = await Postgres.open(url, { connections: 1 });
  const found = await single<{ complete: number; pages: number }>(
    database,
    `select count(*) filter (where verdict = 'complete') as complete,
       (select count(*) from sitetree.stored_page) as pages from sitetree.fleet_site`,
  );
  await database.close();
  if (found.complete !== sites || found.pages !== sites * pages) {
    throw new Error(`${found.complete} complete sites and ${found.pages} pages`);
  }
}

async function benchWalks(
  server: TestPostgres,
  shape: Shape,
  { folder, rounds, base }: {
    readonly folder: string;
    readonly rounds: number;
    readonly base: string | undefined;
  },
): Promise<void> {
  const { sites, pages } = shape;
  const all = new Map<string, Figures[]>();
  const add = (name: string, figures: Figures) => all.set(name, [...all.get(name) ?? [], figures]);
  for (let round = 0; round < rounds; round++) {
    console.error(`  ${count(sites)} sites of ${count(pages)} pages …`);
    if (base !== undefined) {
      const url = await emptyDatabase(server, "base");
      // its second round is another run
      add("base, first round", await walkRun(server, { folder: base, url, run: "first" }, shape));
      add("base, again", await walkRun(server, { folder: base, url, run: "second" }, shape));
    }
    const ndjson = await client(ROOT, "ndjson", `${folder}/x.ndjson`, sites, SLOTS, pages);
    add("walked, written to NDJSON", { ...ndjson, ...NOTHING_WRITTEN });
    const url = await emptyDatabase(server, "walks");
    add("fleet, first round", await walkRun(server, { folder: ROOT, url, run: RUN }, shape));
    await checkPages(url, shape);
    add("fleet, again", await walkRun(server, { folder: ROOT, url, run: RUN }, shape));
    await checkPages(url, shape);
    const read = await client(ROOT, "read", url, RUN);
    if (read.count !== sites * pages) throw new Error(`Read ${read.count} of ${sites * pages}`);
    add("reading the pages", { ...read, ...NOTHING_WRITTEN });
  }
  const rows = Array.from(all, ([title, figures]) => {
    const middle = (of: keyof Figures) => median(figures.map((round) => round[of]));
    const milliseconds = (of: "cpu" | "serverCpu") => figure(middle(of) / sites * 1000);
    return [
      title,
      `${figure(middle("seconds"))} s`,
      count(sites / middle("seconds")),
      count(sites * pages / middle("seconds")),
      milliseconds("cpu"),
      milliseconds("serverCpu"),
      `${figure(middle("peakRss"))} MiB`,
      `${figure(middle("wal") / sites / 1024)} KiB`,
      figure(middle("updates") / sites),
    ];
  });
  const head = [
    ...["", "time", "sites/s", "pages/s", "CPU ms/site", "server's", "peak RSS"],
    ...["WAL/site", "updates/site"],
  ];
  console.log(`\n## ${count(sites)} sites of ${count(pages)} pages\n\n${table(head, rows)}`);
  if (base === undefined) return;
  for (const name of ["first round", "again"]) {
    const [before, after] = [all.get(`base, ${name}`)!, all.get(`fleet, ${name}`)!];
    const ratio = (of: (figures: Figures) => number) =>
      figure(median(before.map(of)) / median(after.map(of)));
    const cpu = ({ cpu, serverCpu }: Figures) => cpu + serverCpu;
    console.log(`\n${name}: ×${ratio(({ seconds }) => seconds)} of base, ×${ratio(cpu)} by CPU`);
  }
}

function sizesOf(quick: boolean, scale: number): Sizes {
  if (quick) {
    return {
      enqueued: 5000,
      status: 5,
      shapes: [{ sites: 40, pages: 100 }, { sites: 4, pages: 2500 }],
    };
  }
  const scaled = (sites: number) => Math.max(10, Math.round(sites * scale));
  return {
    enqueued: scaled(1_000_000),
    status: 50,
    shapes: [{ sites: scaled(2000), pages: 100 }, { sites: scaled(100), pages: 10_000 }],
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      scale: { type: "string", default: "1" },
      rounds: { type: "string" },
      base: { type: "string" },
    },
  });
  const { quick, base } = values;
  const sizes = sizesOf(quick, Number(values.scale));
  const rounds = Number(values.rounds ?? (quick ? 1 : 3));
  console.log(`# Fleets\n\n${machine()}`);
  console.log(
    quick
      ? "Quick: the pages are checked; times of so little mean nothing"
      : "Medians of the rounds; each task in a process of its own",
  );
  if (!HAS_POSTGRES) return console.log("\nPostgreSQL is not installed");
  const folder = await Deno.makeTempDir();
  try {
    await using server = await startPostgres({ settings: SETTINGS });
    for (const shape of sizes.shapes) await benchWalks(server, shape, { folder, rounds, base });
    await benchEnqueue(server, sizes);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
