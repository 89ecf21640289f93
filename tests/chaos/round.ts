/**
 * One round of the chaos test: three workers walk 300 sites while they and their database are
 * killed and stopped at random.
 *
 * @module
 */

import type { Database } from "../../src/fleet/database.ts";
import { type FleetOptions, openFleet } from "../../src/fleet/mod.ts";
import { openPostgres } from "../../src/fleet/postgres.ts";
import { Random } from "../bench/random.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { Crew } from "./crew.ts";
import type { Disturbance } from "./request_log.ts";
import { SiteServer } from "./site_server.ts";
import { planSites } from "./sites.ts";
import { StallingProxy } from "./stalling_proxy.ts";
import { type Evidence, verify, verifyMeanwhile } from "./verification.ts";

const WORKERS = 3;
const RUN = "chaos";
/** Options of the workers. */
const OPTIONS: FleetOptions = {
  slots: 8,
  leaseSeconds: 10,
  retrySeconds: 1,
  splitAbove: 20,
  walk: { useKnownPaths: false, retries: 1, retryDelay: 50, concurrency: 2 },
};
/**
 * Mean milliseconds before a response; a response takes at most half as long again, which is less
 * than the part of a lease that workers do not use.
 */
const DELAY = 500;
/** Milliseconds between two disturbances, at least and at most. */
const INTERVAL = { min: 1500, max: 5000 } as const;
/** Milliseconds that a worker is stopped, at least and at most; longer than its lease. */
const STOP = { min: 13_000, max: 16_000 } as const;
/** Milliseconds in which other workers walk the sites of one that is stopped. */
const LONG_STOP = { min: 18_000, max: 24_000 } as const;
/** Milliseconds that the database is down. */
const MAX_DOWN = 3000;
/** Milliseconds in which all sites must have a verdict after the chaos. */
const DRAIN_LIMIT = 200_000;
/** Milliseconds in which the leases of killed workers end. */
const LEASE_LIMIT = 15_000;

/** Something that is done to workers and their database. */
export type Action =
  | "kill"
  | "terminate"
  | "stop"
  | "stall"
  | "crash"
  | "crash and stop"
  | "stop and crash";

/** Disturbances, more likely the more often they are listed. */
export const ACTIONS: readonly Action[] = [
  ...["kill", "kill", "terminate", "terminate", "stop", "stop"] as const,
  ...["stall", "stall", "stall", "crash", "crash and stop", "stop and crash"] as const,
];

/** Options of a round. */
export interface RoundOptions {
  readonly seed: number;
  readonly minutes: number;
  /** Program of the workers. */
  readonly program: URL;
  /** What is done to workers and their database, at random. */
  readonly actions: readonly Action[];
  /** Whether to end at the first fault. */
  readonly isFaultExpected: boolean;
  /** Called with the state of the round now and then. */
  readonly onProgress: (message: string) => void;
}

/** Result of a round. */
export interface RoundResult {
  readonly faults: readonly string[];
  /** Workers that ended by themselves, or did not end. */
  readonly failedWorkers: readonly string[];
  /** Numbers for the report. */
  readonly figures: Readonly<Record<string, number>>;
}

/** Runs a round. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { seed, program } = options;
  const sites = planSites(seed);
  await using postgres = await startPostgres();
  await using server = await SiteServer.listen(sites, { seed, delay: DELAY });
  await using fleet = await openFleet(postgres.url, OPTIONS);
  await fleet.enqueue(RUN, sites.map(({ entry }) => entry));
  const database = await openPostgres(postgres.url, { connections: 1, leaseSeconds: 10 });
  const proxies = Array.from({ length: WORKERS }, () => new StallingProxy(socketOf(postgres)));
  const crew = new Crew(proxies, (port) => [
    ...["run", "--no-check", "--frozen", "--allow-all", program.href],
    ...[`postgres://postgres@127.0.0.1:${port}/postgres`, server.url, JSON.stringify(OPTIONS)],
  ]);
  const chaos = new Chaos(crew, postgres, options.actions, new Random(seed));
  const evidence = () => ({
    sites,
    log: server.log,
    disturbances: [...crew.disturbances, ...chaos.crashes],
  });
  const start = Date.now();
  try {
    const found = new Set<string>();
    try {
      for (const fault of await work(database, chaos, options, evidence)) found.add(fault);
    } finally {
      await crew.continued();
      await chaos.settled();
      await crew.end();
    }
    if (found.size === 0 || !options.isFaultExpected) {
      await leasesEnded(database);
      for (const fault of await verify(database, RUN, evidence())) found.add(fault);
    }
    const faults = [...found];
    const count = (type: Disturbance["type"]) =>
      evidence().disturbances.filter((disturbance) => disturbance.type === type).length;
    const figures = {
      seconds: Math.round((Date.now() - start) / 1000),
      kills: count("kill") - crew.poisoned,
      terminations: count("terminate"),
      stops: count("stop"),
      stalls: count("stall"),
      crashes: count("crash"),
      poisoned: crew.poisoned,
      requests: server.log.length,
      ...await totalsOf(database),
      slowestShutdownMs: crew.slowest,
      violations: faults.length,
    };
    return { faults, failedWorkers: crew.faults, figures };
  } finally {
    await database.close();
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  }
}

/** Path of the socket of a server. */
function socketOf({ url, directory }: TestPostgres): string {
  return `${directory}/.s.PGSQL.${new URL(url).port}`;
}

/** Disturbs the workers until the chaos is over, and waits until all sites have a verdict. */
async function work(
  database: Database,
  chaos: Chaos,
  { minutes, isFaultExpected, onProgress }: RoundOptions,
  evidence: () => Evidence,
): Promise<ReadonlySet<string>> {
  const start = Date.now();
  const end = start + minutes * 60_000;
  const limit = end + DRAIN_LIMIT;
  const faults = new Set<string>();
  for (let isOver = false;;) {
    if (isOver) await wait(1000);
    else await chaos.disturb();
    const left = await persistently(() => countLeft(database));
    const found = await persistently(() => verifyMeanwhile(database, RUN, evidence()));
    for (const fault of found) faults.add(fault);
    if (left === 0 || isFaultExpected && faults.size > 0) return faults;
    if (Date.now() > limit) return faults.add(`${left} sites without a verdict`);
    if (isOver || Date.now() < end) continue;
    isOver = true;
    onProgress(`${left} sites without a verdict after ${minutes} minutes`);
  }
}

async function totalsOf(
  database: Database,
): Promise<{ readonly attempts: number; readonly pages: number }> {
  const { rows: [totals] } = await database.query<{ attempts: number; pages: number }>(
    `select (select sum(fence) from sitetree.site)
        + (select coalesce(sum(fence), 0) from sitetree.unit) as attempts,
      (select count(*) from sitetree.page) as pages`,
  );
  return { attempts: Number(totals!.attempts), pages: Number(totals!.pages) };
}

/** Disturbs workers and their database. */
class Chaos {
  /** Crashes of the database. */
  readonly crashes: Disturbance[] = [];
  readonly #crew: Crew;
  readonly #postgres: TestPostgres;
  readonly #actions: readonly Action[];
  readonly #random: Random;
  /** Last crash. */
  #crashing: Promise<void> = Promise.resolve();

  constructor(
    crew: Crew,
    postgres: TestPostgres,
    actions: readonly Action[],
    random: Random,
  ) {
    this.#crew = crew;
    this.#postgres = postgres;
    this.#actions = actions;
    this.#random = random;
  }

  /** Waits, and disturbs something. */
  async disturb(): Promise<void> {
    const random = this.#random;
    await wait(between(INTERVAL, random));
    const choose = <T>(items: readonly T[]) => random.pick(items);
    switch (random.pick(this.#actions)) {
      case "kill":
        return void this.#crew.kill(choose);
      case "terminate":
        return void this.#crew.terminate(choose);
      case "stop":
        return void this.#crew.stop(choose, between(STOP, random));
      case "stall":
        // others take its sites while it is busy, and its transactions arrive late
        return void this.#crew.stall(choose, between(LONG_STOP, random));
      case "crash":
        return await this.#crash({ milliseconds: random.below(MAX_DOWN) });
      case "crash and stop":
        // the worker repeats transactions that have failed when others have done its work
        return await this.#crash({
          milliseconds: 500,
          onStart: () => this.#crew.stop(choose, between(LONG_STOP, random)),
        });
      case "stop and crash":
        // the worker cannot ask whether its leases have ended when it is continued
        return void this.#crew.stop(choose, between(LONG_STOP, random), (proceed) => {
          void this.#crash({ milliseconds: MAX_DOWN, onDown: proceed });
        });
    }
  }

  /** Resolves when the database is up. */
  async settled(): Promise<void> {
    await this.#crashing;
  }

  /** Crashes the database and starts it again. */
  #crash(options: CrashOptions): Promise<void> {
    return this.#crashing = this.#crashing.then(() => this.#crashNow(options));
  }

  async #crashNow({ milliseconds, onDown, onStart }: CrashOptions): Promise<void> {
    const crash: Disturbance = { type: "crash", from: Date.now(), to: Infinity };
    this.crashes.push(crash);
    await this.#postgres.kill(this.#random.fraction() < 0.5 ? "SIGQUIT" : "SIGKILL");
    onDown?.();
    await wait(milliseconds);
    onStart?.();
    await this.#postgres.start();
    crash.to = Date.now();
  }
}

/** A crash of the database. */
interface CrashOptions {
  /** Milliseconds that it is down. */
  readonly milliseconds: number;
  /** Called when it is down. */
  readonly onDown?: () => void;
  /** Called before it starts. */
  readonly onStart?: () => void;
}

/** Returns the number of sites without a verdict. */
async function countLeft(database: Database): Promise<number> {
  const { rows: [row] } = await database.query<{ left: number }>(
    `select total - (
      select coalesce(sum(sites + dead), 0) from sitetree.tally where run = id
    ) as left from sitetree.run where id = $1`,
    [RUN],
  );
  return Number(row!.left);
}

/** Repeats what fails because a crash has broken the connection. */
async function persistently<T>(query: () => Promise<T>): Promise<T> {
  for (let attempt = 0;; attempt++) {
    try {
      return await query();
    } catch (error) {
      if (attempt === 50) throw error;
      await wait(200);
    }
  }
}

/** Waits until the leases of killed workers have ended. */
async function leasesEnded(database: Database): Promise<void> {
  for (const limit = Date.now() + LEASE_LIMIT; Date.now() < limit; await wait(500)) {
    const { count } = await database.query(
      "select from sitetree.lease where until > clock_timestamp()",
    );
    if (count === 0) return;
  }
}

function between({ min, max }: { readonly min: number; readonly max: number }, random: Random) {
  return min + random.fraction() * (max - min);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
