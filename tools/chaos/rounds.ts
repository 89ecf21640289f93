/**
 * The chaos test: three workers walk 300 sites, round after round, while they and their database are
 * killed and stopped at random.
 *
 * @module
 */

import type { Fleet, FleetOptions } from "../../src/fleet/mod.ts";
import { Postgres } from "../../src/sync/postgres.ts";
import { Random } from "../../tests/support/random.ts";
import { startPostgres, type TestPostgres } from "../../tests/support/postgres.ts";
import { Consumer } from "./consumer.ts";
import { Crew, type Lane } from "./crew.ts";
import { expectationsOf } from "./expectations.ts";
import type { Disturbance } from "./request_log.ts";
import { SiteServer } from "./site_server.ts";
import { type ChaosSite, planSites } from "./sites.ts";
import { StallingProxy } from "./stalling_proxy.ts";
import { type Evidence, explain, verify, verifyMeanwhile } from "./verification.ts";

const RUN = "chaos";
/** A run that is dropped while its sites are walked. */
const OTHER_RUN = "dropped";
/** Rounds, at least. */
const MIN_ROUNDS = 2;
/** Sites that a worker walks at a time. */
const SLOTS = 8;
const LEASE_SECONDS = 8;
/** Options of the workers. */
const OPTIONS: FleetOptions = {
  leaseSeconds: LEASE_SECONDS,
  retryDelays: [1000, 2000],
  walk: { useKnownPaths: false, retries: 1, retryDelay: 50, concurrency: 2 },
};
/**
 * Mean milliseconds before a response; a response takes at most half as long again, which is less
 * than the part of a lease that workers do not use.
 */
const DELAY = 300;
/** Milliseconds between two disturbances, at least and at most. */
const INTERVAL = { min: 1000, max: 3500 } as const;
/** Milliseconds that a worker is stopped, at least and at most; longer than its lease. */
const STOP = { min: 9000, max: 13_000 } as const;
/** Milliseconds in which other workers walk the sites of one that is stopped. */
const LONG_STOP = { min: 12_000, max: 16_000 } as const;
/** Milliseconds that the database is down. */
const MAX_DOWN = 3000;
/** Milliseconds for which a run is paused, at most. */
const MAX_PAUSE = 3000;
/** Milliseconds after the start of a round at which more sites are added. */
const ENQUEUE_TIMES = [0, 3000, 8000] as const;
/** Milliseconds in which all sites must have a verdict after the chaos. */
const DRAIN_LIMIT = 200_000;
/** Milliseconds in which the leases of killed workers end. */
const LEASE_LIMIT = 2 * LEASE_SECONDS * 1000;

/** Something that is done to workers and their database. */
export type Action =
  | "kill"
  | "terminate"
  | "stop"
  | "stall"
  | "cut"
  | "crash"
  | "restart"
  | "disconnect"
  | "crash and stop"
  | "stop and crash"
  | "pause"
  | "retry"
  | "drop";

/** Disturbances, more likely the more often they are listed. */
export const ACTIONS: readonly Action[] = [
  ...["kill", "kill", "terminate", "stop", "stop", "stall", "stall", "cut"] as const,
  ...["crash", "restart", "disconnect", "crash and stop", "stop and crash"] as const,
  ...["pause", "retry", "drop", "drop"] as const,
];

/** Programs of workers: each is started with the address of the database, and more. */
export interface Programs {
  /** The fleet of this process and of workers on Deno. */
  readonly module: URL;
  /** Commands of workers, without their last three arguments. */
  readonly commands: readonly (readonly [program: string, ...args: string[]])[];
}

/** Options of the test. */
export interface ChaosOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly programs: Programs;
  /** What is done to workers and their database, at random. */
  readonly actions: readonly Action[];
  /** Whether to end at the first fault. */
  readonly isFaultExpected: boolean;
  /** Called with the state of the test now and then. */
  readonly onProgress: (message: string) => void;
}

/** Result of the test. */
export interface ChaosResult {
  readonly faults: readonly string[];
  /** Workers that ended by themselves, or did not end. */
  readonly failedWorkers: readonly string[];
  /** Numbers for the report. */
  readonly figures: Readonly<Record<string, number>>;
}

/** What all rounds share. */
interface Stage {
  readonly options: ChaosOptions;
  readonly sites: readonly ChaosSite[];
  readonly postgres: TestPostgres;
  readonly proxies: readonly StallingProxy[];
  readonly server: SiteServer;
  readonly fleet: Fleet;
  readonly observer: Postgres;
  readonly random: Random;
  /** Sites that may be `failed`. */
  readonly excused: Set<string>;
}

/** Runs the test. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seed, minutes, programs } = options;
  const sites = planSites(seed);
  await using postgres = await startPostgres();
  await using server = await SiteServer.listen(sites, { seed, delay: DELAY });
  const { openFleet } = await import(
    programs.module.href
  ) as typeof import("../../src/fleet/mod.ts");
  await using fleet = await openFleet(postgres.url, OPTIONS);
  const observer = await Postgres.open(postgres.url, { connections: 1 });
  const proxies = programs.commands.map(() => new StallingProxy(postgres.url));
  const consumer = new Consumer(fleet.snapshot);
  const stage = {
    ...{ options, sites, postgres, proxies, server, fleet, observer },
    random: new Random(seed),
    excused: new Set<string>(),
  };
  const rounds: RoundResult[] = [];
  const start = Date.now(), end = start + minutes * 60_000;
  const faults: string[] = [];
  try {
    while (rounds.length < MIN_ROUNDS || Date.now() < end) {
      const result = await runRound(stage, rounds.length, minutes * 60_000 / MIN_ROUNDS);
      rounds.push(result);
      faults.push(...result.faults);
      if (faults.length > 0) break;
    }
    faults.push(...await consumer.end());
    const disturbances = rounds.flatMap((round) => round.disturbances);
    const count = (type: Disturbance["type"]) =>
      disturbances.filter((disturbance) => disturbance.type === type).length;
    const { rows: [totals] } = await observer.query<{ runs: number; pages: number }>(
      `select (select count(*) from sitetree.stored_run) as runs,
         (select count(*) from sitetree.stored_page) as pages`,
    );
    const poisoned = rounds.reduce((sum, round) => sum + round.poisoned, 0);
    const figures = {
      rounds: rounds.length,
      seconds: Math.round((Date.now() - start) / 1000),
      kills: count("kill") - poisoned,
      terminations: count("terminate"),
      stops: count("stop"),
      stalls: count("stall"),
      cuts: count("cut"),
      restarts: count("crash"),
      disconnections: count("disconnect"),
      poisoned,
      givenUp: stage.excused.size,
      requests: server.log.length,
      ...totals,
      changes: consumer.count,
      slowestShutdownMs: Math.max(...rounds.map((round) => round.slowest)),
      violations: faults.length,
    };
    return { faults, failedWorkers: rounds.flatMap((round) => round.failedWorkers), figures };
  } finally {
    await consumer.end();
    await observer.close();
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  }
}

/** Result of a round. */
interface RoundResult {
  readonly faults: readonly string[];
  readonly failedWorkers: readonly string[];
  readonly disturbances: readonly Disturbance[];
  readonly poisoned: number;
  readonly slowest: number;
}

/** Walks all sites once, with chaos for some milliseconds. */
async function runRound(stage: Stage, round: number, length: number): Promise<RoundResult> {
  const { options, sites, proxies, server, fleet, observer } = stage;
  const perHost = 1 + round % 2;
  const head = await fleet.snapshot.head();
  const first = server.log.length;
  server.beginRound(round);
  const crew = new Crew(proxies.map((proxy, at): Lane => {
    const [program, ...args] = options.programs.commands[at]!;
    const database = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;
    const given = JSON.stringify({ ...OPTIONS, slots: SLOTS, perHost });
    return { proxy, command: [program, ...args, database, server.url, given] };
  }));
  const chaos = new Chaos(crew, stage);
  const evidence = (): Evidence => ({
    sites,
    log: server.log.slice(first),
    disturbances: [...crew.disturbances, ...chaos.disturbances],
    perHost,
    excused: stage.excused,
  });
  const found = new Set<string>();
  try {
    for (const fault of await work(stage, chaos, length, evidence)) found.add(fault);
  } finally {
    await crew.continued();
    await chaos.settled();
    await crew.end();
  }
  if (found.size === 0 || !options.isFaultExpected) {
    await leasesEnded(observer);
    const truth = {
      before: round === 0 ? new Map() : expectationsOf(sites, round - 1),
      after: expectationsOf(sites, round),
      head,
    };
    const faults = await verify(observer, fleet, RUN, evidence(), truth);
    for (const fault of faults) found.add(fault);
    for (const line of await explain(observer, evidence(), [...found])) options.onProgress(line);
  }
  return {
    faults: [...found].map((fault) => `Round ${round + 1}: ${fault}`),
    failedWorkers: crew.faults,
    disturbances: evidence().disturbances,
    poisoned: crew.poisoned,
    slowest: crew.slowest,
  };
}

/** Adds the sites, disturbs the workers for some time, and waits until all sites have a verdict. */
async function work(
  { options, sites, fleet, observer }: Stage,
  chaos: Chaos,
  length: number,
  evidence: () => Evidence,
): Promise<ReadonlySet<string>> {
  const start = Date.now();
  const faults = new Set<string>();
  const parts = ENQUEUE_TIMES.map((time, at) => ({
    time,
    entries: sites.filter((_, number) => number % ENQUEUE_TIMES.length === at)
      .map(({ entry }) => entry),
  }));
  for (let isOver = false;;) {
    while (parts.length > 0 && Date.now() - start >= parts[0]!.time) {
      const { entries } = parts.shift()!;
      await persistently(() => fleet.enqueue(RUN, entries));
    }
    if (isOver) await wait(1000);
    else await chaos.disturb();
    const left = await persistently(() => countLeft(observer));
    const found = await persistently(() => verifyMeanwhile(observer, RUN, evidence()));
    for (const fault of found) faults.add(fault);
    if (left === 0 && parts.length === 0) return faults;
    if (options.isFaultExpected && faults.size > 0) return faults;
    const time = Date.now() - start;
    if (time > length + DRAIN_LIMIT) return faults.add(`${left} sites without a verdict`);
    if (isOver || time < length) continue;
    isOver = true;
    options.onProgress(`${left} sites without a verdict after ${Math.round(time / 1000)} s`);
  }
}

/** Disturbs workers, their database and their runs. */
class Chaos {
  /** What was done to the database. */
  readonly disturbances: Disturbance[] = [];
  readonly #crew: Crew;
  readonly #stage: Stage;
  readonly #random: Random;
  /** Last crash. */
  #crashing: Promise<void> = Promise.resolve();
  /** Whatever ends later. */
  readonly #pending = new Set<Promise<void>>();

  constructor(crew: Crew, stage: Stage) {
    this.#crew = crew;
    this.#stage = stage;
    this.#random = stage.random;
  }

  /** Waits, and disturbs something. */
  async disturb(): Promise<void> {
    const random = this.#random;
    const { fleet, observer, options } = this.#stage;
    await wait(between(INTERVAL, random));
    const choose = <T>(items: readonly T[]) => random.pick(items);
    switch (random.pick(options.actions)) {
      case "kill":
        return void this.#crew.kill(choose);
      case "terminate":
        return void this.#crew.terminate(choose);
      case "stop":
        return void this.#crew.stop(choose, between(STOP, random));
      case "stall":
        // others take its sites while it is busy, and its transactions arrive late
        return void this.#crew.stall(choose, between(LONG_STOP, random));
      case "cut":
        return void this.#crew.cut(choose);
      case "crash":
        return await this.#crash({ milliseconds: random.below(MAX_DOWN) });
      case "restart":
        return await this.#crash({ milliseconds: 0, signal: "SIGINT" });
      case "disconnect":
        return await persistently(() => this.#disconnect(observer));
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
      case "pause":
        await persistently(() => fleet.pause(RUN));
        return this.#later(random.below(MAX_PAUSE), () => fleet.resume(RUN));
      case "retry":
        await persistently(() => fleet.retry(RUN, { verdict: "partial" }));
        return;
      case "drop":
        return await this.#dropSoon();
    }
  }

  /** Resolves when the database is up, and all that ends later has ended. */
  async settled(): Promise<void> {
    await this.#crashing;
    await Promise.all(this.#pending);
  }

  /** Adds some sites to another run, which is dropped while they are walked. */
  async #dropSoon(): Promise<void> {
    const { fleet, sites } = this.#stage;
    const start = this.#random.below(sites.length);
    const some = sites.slice(start, start + 40).filter(({ shape }) => shape !== "poison");
    await persistently(() => fleet.enqueue(OTHER_RUN, some.map(({ entry }) => entry)));
    this.#later(500 + this.#random.below(MAX_PAUSE), async () => {
      const runs = await fleet.runs();
      if (runs.some(({ id }) => id === OTHER_RUN)) await fleet.drop(OTHER_RUN);
    });
  }

  #later(milliseconds: number, action: () => Promise<void>): void {
    const pending: Promise<void> = wait(milliseconds).then(() => persistently(action))
      .finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  /** Ends all connections of the database. */
  async #disconnect(observer: Postgres): Promise<void> {
    const from = Date.now();
    await observer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'sitetree' and pid <> pg_backend_pid()`,
    );
    this.disturbances.push({ type: "disconnect", from, to: Date.now() });
  }

  /** Crashes the database and starts it again. */
  #crash(options: CrashOptions): Promise<void> {
    return this.#crashing = this.#crashing.then(() => this.#crashNow(options));
  }

  async #crashNow({ milliseconds, signal, onDown, onStart }: CrashOptions): Promise<void> {
    const { postgres } = this.#stage;
    const crash: Disturbance = { type: "crash", from: Date.now(), to: Infinity };
    this.disturbances.push(crash);
    await postgres.kill(signal ?? (this.#random.fraction() < 0.5 ? "SIGQUIT" : "SIGKILL"));
    onDown?.();
    await wait(milliseconds);
    onStart?.();
    await postgres.start();
    crash.to = Date.now();
  }
}

/** A crash or restart of the database. */
interface CrashOptions {
  /** Milliseconds that it is down. */
  readonly milliseconds: number;
  /** How it ends. Default: by a crash. */
  readonly signal?: Deno.Signal;
  /** Called when it is down. */
  readonly onDown?: () => void;
  /** Called before it starts. */
  readonly onStart?: () => void;
}

/** Returns the number of sites without a verdict. */
async function countLeft(observer: Postgres): Promise<number> {
  const { rows: [row] } = await observer.query<{ left: number }>(
    `select count(*) as left from sitetree.fleet_site f join sitetree.fleet_run r on r.key = f.run
     where r.name = $1 and f.round < r.round`,
    [RUN],
  );
  return row!.left;
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
async function leasesEnded(observer: Postgres): Promise<void> {
  for (const limit = Date.now() + LEASE_LIMIT; Date.now() < limit; await wait(500)) {
    const { count } = await observer.query(
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
