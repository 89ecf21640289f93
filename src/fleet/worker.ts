/**
 * A worker: claims tasks for its slots, and extends the leases of those in progress.
 *
 * @module
 */

import { sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import type { Claim } from "./attempt.ts";
import { claim, isSuspect } from "./claim.ts";
import { LostError } from "./errors.ts";
import { extendLeases } from "./lease.ts";
import type { Job, RunKey } from "./queue.ts";
import { type LeaseStart, leaseStart, ShutdownError, Visit, type VisitSetting } from "./visit.ts";

/** Milliseconds between two looks at an empty queue. */
const POLL_INTERVAL = 500;
/** Milliseconds that the list of runs is used for. */
const RUNS_AGE = 1000;
/** Milliseconds before the next claim after an error. */
const ERROR_DELAY = 1000;
/** Milliseconds between two looks for leases that have ended. */
const WATCH_INTERVAL = 500;
/** Extensions of a lease during its length. */
const BEATS = 4;

/** Settings of a worker. */
export interface WorkerSetting extends VisitSetting {
  readonly slots: number;
  /** Name of the worker, unique in the fleet. */
  readonly name: string;
  /** Ends the work. */
  readonly signal: AbortSignal;
  /** Whether to end when nothing is left. */
  readonly drain: boolean;
}

/** Walks sites in several slots. */
export class Worker {
  readonly #setting: WorkerSetting;
  readonly #visits = new Set<Visit>();
  /** Ends when all slots have ended. */
  readonly #ended = new AbortController();
  /** Runs with sites to walk, and when they were listed. */
  #runs: { readonly list: readonly RunKey[]; readonly at: number } | undefined;
  readonly #prepared = new Set<number>();
  /** Last claim: claims are one after the other, so that an empty queue is asked once. */
  #claiming: Promise<unknown> = Promise.resolve();
  /** Ends the wait for the next look at an empty queue. */
  #waiting = new AbortController();
  #isDrained = false;

  constructor(setting: WorkerSetting) {
    this.#setting = setting;
  }

  /** Works until the signal is aborted, or until nothing is left. */
  async work(): Promise<void> {
    const { slots, signal } = this.#setting;
    const onAbort = () => {
      for (const visit of this.#visits) visit.abort(new ShutdownError("the worker ends"));
    };
    signal.addEventListener("abort", onAbort);
    const background = Promise.all([this.#beat(), this.#watch()]);
    try {
      await Promise.all(Array.from({ length: slots }, (_, slot) => this.#fill(slot)));
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#ended.abort();
      await background;
    }
  }

  async #fill(slot: number): Promise<void> {
    for (;;) {
      const next = this.#claiming.then(() => this.#next(slot));
      this.#claiming = next;
      const visit = await next;
      if (visit === undefined) return;
      if (this.#setting.signal.aborted) visit.abort(new ShutdownError("the worker ends"));
      await visit.run();
      this.#visits.delete(visit);
      // it may have queued further units
      this.#waiting.abort();
    }
  }

  /** Returns the next visit; `undefined` if the work has ended. Never rejects. */
  async #next(slot: number): Promise<Visit | undefined> {
    const { signal } = this.#setting;
    while (!signal.aborted && !this.#isDrained) {
      try {
        const visit = await this.#claim(`${this.#setting.name}/${slot}`);
        if (visit !== undefined) return visit;
        if (!this.#isDrained) await this.#pause(POLL_INTERVAL * (0.75 + Math.random() / 2));
      } catch (error) {
        this.#setting.onWarning(`Cannot claim a site: ${messageOf(error)}`);
        this.#runs = undefined;
        await this.#pause(ERROR_DELAY);
      }
    }
    return undefined;
  }

  async #claim(owner: string): Promise<Visit | undefined> {
    const runs = await this.#listRuns();
    for (const run of runs) {
      for (;;) {
        const start = leaseStart();
        const hasSuspect = [...this.#visits].some((visit) => isSuspect(visit.claim));
        const claimed = await claim(this.#setting, run, { owner, hasSuspect });
        if (claimed === undefined) break;
        if (claimed !== "skipped") return this.#begin(claimed, start);
        if (this.#setting.signal.aborted) return undefined;
      }
    }
    if (this.#setting.drain && this.#visits.size === 0) {
      // perhaps the last site was finished after the runs were listed
      if (runs.length > 0) this.#runs = undefined;
      else this.#isDrained = true;
    }
    return undefined;
  }

  #begin(claimed: Claim, start: LeaseStart): Visit {
    const visit = new Visit(claimed, this.#setting, start);
    this.#visits.add(visit);
    return visit;
  }

  /** Returns the runs that are not paused and have sites without a verdict, the oldest first. */
  async #listRuns(): Promise<readonly RunKey[]> {
    const now = SYSTEM_CLOCK.elapsed();
    if (this.#runs !== undefined && now - this.#runs.at < RUNS_AGE) return this.#runs.list;
    const { database, queue } = this.#setting;
    const { rows } = await database.query<RunKey>(
      `select id, key from sitetree.run r
      where not paused and total > (
        select coalesce(sum(sites + dead), 0) from sitetree.tally t where t.run = r.id
      )
      order by created, key`,
    );
    for (const { key } of rows) {
      if (this.#prepared.has(key)) continue;
      await queue.prepare(key);
      this.#prepared.add(key);
    }
    this.#runs = { list: rows, at: now };
    return rows;
  }

  async #pause(milliseconds: number): Promise<void> {
    this.#waiting = new AbortController();
    const signals = [this.#setting.signal, this.#waiting.signal];
    await sleep(milliseconds, SYSTEM_CLOCK, signals).catch(() => {});
  }

  /** Extends leases and jobs until the work ends. */
  async #beat(): Promise<void> {
    const interval = this.#setting.leaseSeconds * 1000 / BEATS;
    while (await this.#waited(interval)) {
      const visits = [...this.#visits];
      if (visits.length === 0) continue;
      await this.#warned(this.#extend(visits));
      await this.#touch(visits);
    }
  }

  async #warned(extension: Promise<void>): Promise<void> {
    try {
      await extension;
    } catch (error) {
      this.#setting.onWarning(`Cannot extend leases: ${messageOf(error)}`);
    }
  }

  async #extend(visits: readonly Visit[]): Promise<void> {
    const { database, leaseSeconds } = this.#setting;
    const before = visits.map((visit) => ({ visit, hosts: visit.hosts }));
    const start = leaseStart();
    const kept = await extendLeases(database, visits.map(({ claim }) => claim), leaseSeconds);
    const keys = new Set(kept.map(({ site, unit, host }) => `${site} ${unit} ${host}`));
    for (const { visit, hosts } of before) {
      const { site, unit } = visit.claim;
      if (hosts.every((host) => keys.has(`${site} ${unit} ${host}`))) visit.extend(start);
      else visit.abort(new LostError("the lease was lost"));
    }
  }

  async #touch(visits: readonly Visit[]): Promise<void> {
    const jobs = new Map<number, { readonly run: RunKey; readonly jobs: Job[] }>();
    for (const { claim: { key, job } } of visits) {
      const entry = jobs.get(key.key) ?? { run: key, jobs: [] };
      entry.jobs.push(job);
      jobs.set(key.key, entry);
    }
    for (const { run, jobs: attempts } of jobs.values()) {
      await this.#warned(this.#setting.queue.touch(run, attempts));
    }
  }

  /** Ends walks whose leases have ended, also while the database does not answer. */
  async #watch(): Promise<void> {
    while (await this.#waited(WATCH_INTERVAL)) {
      for (const visit of this.#visits) {
        if (visit.isOver) visit.abort(new LostError("the lease has ended"));
      }
    }
  }

  /** Waits; resolves to false if the work has ended. */
  async #waited(milliseconds: number): Promise<boolean> {
    await sleep(milliseconds, SYSTEM_CLOCK, [this.#ended.signal]).catch(() => {});
    return !this.#ended.signal.aborted;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
