/**
 * Adds a million sites to a fleet on a throwaway PostgreSQL, and walks sites whose pages it stores,
 * compared with writing the same pages to NDJSON. Every task runs in a process of its own.
 *
 *     deno task bench:fleet [--scale 0.1] [--rounds N] [--quick]
 *
 * `--scale` is the fraction of sites. `--quick` walks few sites once: it checks that all pages are stored.
 *
 * @module
 */

import { parseArgs } from "node:util";
import type { Database } from "../../src/fleet/database.ts";
import { openPostgres } from "../../src/fleet/postgres.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
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

/** Seconds, and the peak memory of a process in MiB. */
type Figures = Pick<FleetResult, "seconds" | "peakRss">;

/** Figures of one round of walking. */
type WalkRound = Readonly<Record<"ndjson" | "one" | "two" | "read", Figures>>;

async function client(mode: string, ...args: (string | number)[]): Promise<FleetResult> {
  return await resultOf(
    new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--allow-all", "--no-check"],
        new URL("fleet_client.ts", import.meta.url).pathname,
        ...[mode, ...args].map(String),
      ],
      stdout: "piped",
      stderr: "inherit",
    }),
  );
}

async function single<R>(database: Database, sql: string, values?: unknown[]): Promise<R> {
  return (await database.query<R & Record<string, unknown>>(sql, values)).rows[0] as R;
}

/** Returns the bytes of the partitions of a run, by table. */
async function runBytes(database: Database, run: string): Promise<Record<string, number>> {
  const { rows } = await database.query<{ name: string; bytes: number }>(
    `select name, pg_total_relation_size(format('sitetree.%s_%s', name, key)::regclass) as bytes
     from sitetree.run, unnest(array['site', 'sitemap', 'page']) as name where id = $1`,
    [run],
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
}

/** Adds sites to two runs and reads the progress of the larger one. */
async function benchEnqueue(url: string, database: Database, sizes: Sizes): Promise<void> {
  const rows: string[][] = [];
  for (const sites of [sizes.enqueued / 10, sizes.enqueued]) {
    const before = await single<{ bytes: number }>(database, DATABASE_BYTES);
    console.error(`  adding ${count(sites)} sites …`);
    const { seconds, peakRss, count: added } = await client("enqueue", url, `r${sites}`, sites);
    if (added !== sites) throw new Error(`Added ${added} sites, not ${sites}`);
    const { bytes } = await single<{ bytes: number }>(database, DATABASE_BYTES);
    const { seconds: status } = await client("status", url, `r${sites}`, sizes.status);
    if (sites === 1_000_000 && status * 1000 > MAX_STATUS_TIME) {
      throw new Error(`Reading the progress takes ${figure(status * 1000)} ms`);
    }
    rows.push([
      count(sites),
      `${figure(seconds)} s`,
      count(sites / seconds),
      `${figure(peakRss)} MiB`,
      figure((bytes - before.bytes) / sites),
      `${figure(status * 1000)} ms`,
    ]);
  }
  const head = ["sites added", "time", "sites/s", "peak RSS", "bytes per site", "progress"];
  console.log(`\n## Adding sites\n\n${table(head, rows)}`);
}

const DATABASE_BYTES = "select pg_database_size(current_database()) as bytes";

/** Walks the sites of a run in some processes; returns the time until the last was finished. */
async function walkRun(
  { url, database, run, processes }: {
    readonly url: string;
    readonly database: Database;
    readonly run: string;
    readonly processes: number;
  },
  { sites, pages }: Shape,
): Promise<Figures> {
  console.error(`  ${count(sites)} sites of ${count(pages)} pages, ${processes} process(es) …`);
  await client("enqueue", url, run, sites);
  const results = await Promise.all(
    Array.from({ length: processes }, () => client("work", url, SLOTS / processes, pages)),
  );
  const end = await single<{ finished: Date; complete: number; pages: number }>(
    database,
    `select max(finished) as finished, count(*) filter (where verdict = 'complete') as complete,
       (select count(*) from sitetree.page where page.run = $1) as pages
     from sitetree.site where run = $1`,
    [run],
  );
  if (end.complete !== sites || end.pages !== sites * pages) {
    throw new Error(`${end.complete} complete sites and ${end.pages} pages in "${run}"`);
  }
  const began = Math.min(...results.map((result) => result.began));
  const peakRss = Math.max(...results.map((result) => result.peakRss));
  return { seconds: (end.finished.getTime() - began) / 1000, peakRss };
}

async function benchWalks(
  url: string,
  database: Database,
  shape: Shape,
  { folder, rounds }: { readonly folder: string; readonly rounds: number },
): Promise<void> {
  const { sites, pages } = shape;
  const all: WalkRound[] = [];
  let bytes: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    console.error(`  ${count(sites)} sites of ${count(pages)} pages to NDJSON …`);
    const ndjson = await client("ndjson", `${folder}/x.ndjson`, sites, SLOTS, pages);
    const [first, second] = [1, 2].map((processes) => `w${sites}-${round}-${processes}`);
    const one = await walkRun({ url, database, run: first!, processes: 1 }, shape);
    const read = await client("read", url, first!);
    if (read.count !== sites * pages) throw new Error(`Read ${read.count} of ${sites * pages}`);
    bytes = await runBytes(database, first!);
    const two = await walkRun({ url, database, run: second!, processes: 2 }, shape);
    all.push({ ndjson, one, two, read });
    for (const run of [first!, second!]) await dropRun(url, run);
  }
  const middle = (name: keyof WalkRound, of: keyof Figures) =>
    median(all.map((round) => round[name][of]));
  const base = middle("ndjson", "seconds");
  const row = (title: string, name: keyof WalkRound) => {
    const seconds = middle(name, "seconds");
    return [
      title,
      `${figure(seconds)} s`,
      count(sites / seconds),
      count(sites * pages / seconds),
      name === "ndjson" ? "" : `×${figure(seconds / base)}`,
      `${figure(middle(name, "peakRss"))} MiB`,
    ];
  };
  console.log(`\n## ${count(sites)} sites of ${count(pages)} pages\n`);
  console.log(
    table(["", "time", "sites/s", "pages/s", "compared", "peak RSS"], [
      row("walked, written to NDJSON", "ndjson"),
      row("fleet, one process", "one"),
      row("fleet, two processes", "two"),
      row("reading the pages of the fleet", "read"),
    ]),
  );
  const perPage = (bytes["page"] ?? 0) / (sites * pages);
  const perSite = ((bytes["site"] ?? 0) + (bytes["sitemap"] ?? 0)) / sites;
  console.log(`\n${figure(perPage)} bytes per page, ${figure(perSite)} per site with its sitemap`);
}

async function dropRun(url: string, run: string): Promise<void> {
  await client("drop", url, run);
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
    },
  });
  const { quick } = values;
  const sizes = sizesOf(quick, Number(values.scale));
  const rounds = Number(values.rounds ?? (quick ? 1 : 3));
  console.log(`# Fleets\n\n${machine()}`);
  console.log(
    quick
      ? "Quick: the pages are checked; times of so little mean nothing"
      : "Medians of the rounds; each task in processes of its own",
  );
  const folder = await Deno.makeTempDir();
  try {
    if (HAS_POSTGRES) {
      await using server = await startPostgres({ settings: SETTINGS });
      const database = await openPostgres(server.url, { connections: 1, leaseSeconds: 60 });
      try {
        await client("enqueue", server.url, "warm-up", 1);
        await dropRun(server.url, "warm-up");
        for (const shape of sizes.shapes) {
          await benchWalks(server.url, database, shape, { folder, rounds });
        }
        await benchEnqueue(server.url, database, sizes);
      } finally {
        await database.close();
      }
    } else {
      console.log("\nPostgreSQL is not installed");
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
