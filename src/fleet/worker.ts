/**
 * A worker: claims sites for its slots, and extends the leases of those in progress.
 *
 * @module
 */

import { messageOf } from "../data/errors.ts";
import { sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import { isDisconnected, isTransient, PostgresError } from "../sync/postgres_errors.ts";
import { readSettings } from "../sync/postgres_store.ts";
import { PutOffError } from "./host_pace.ts";
import { claimSites, type ClaimTerms } from "./queue.ts";
import { leaseStart, LostError, ShutdownError, Visit, type VisitSetting } from "./visit.ts";

const POLL_INTERVAL = 500, ERROR_DELAY = 1000;
const UPKEEP_INTERVAL = 1000;
const WATCH_INTERVAL = 500;
/** Milliseconds for which slots that have become free wait for others, to claim for all at once. */
const GATHER = 10;
/** Extensions of a lease during its length. */
const BEATS = 4;
/** Walks for each slot, with those that wait for a host that others are on. */
const MAX_BUSY = 4;
/** Milliseconds before a site is claimed again whose last walk in this process has not ended. */
const WALKED_DELAY = 3000;

interface WorkerSetting extends Omit<VisitSetting, "onFault">, Omit<ClaimTerms, "mayBeSuspect"> {
  readonly slots: number;
  readonly signal: AbortSignal;
  readonly drain: boolean;
  /** Name of the only run whose sites are walked. */
  readonly run: string | undefined;
}

export class Worker {
  readonly #setting: WorkerSetting;
  readonly #visits = new Map<Visit, Promise<void>>();
  readonly #ended = new AbortController();
  /** Ends the wait for the next claim. */
  #waiting = new AbortController();
  #runs: { readonly keys: readonly number[]; readonly at: number } | undefined;
  #isDatabaseLost = false;
  /** Whether a claim has succeeded: what fails from the beginning, and not in passing, ends the work. */
  #hasClaimed = false;

  constructor(setting: WorkerSetting) {
    this.#setting = setting;
  }

  /** Works until the signal is aborted, or until nothing is left; a database that is away is waited for. */
  async work(): Promise<void> {
    const { signal } = this.#setting;
    const onAbort = () => {
      for (const visit of this.#visits.keys()) visit.abort(new ShutdownError("the worker ends"));
      this.#waiting.abort();
    };
    signal.addEventListener("abort", onAbort);
    const background = Promise.all([this.#beat(), this.#watch()]);
    try {
      while (!signal.aborted && await this.#claim());
    } catch (error) {
      onAbort();
      throw error;
    } finally {
      await Promise.all(this.#visits.values());
      signal.removeEventListener("abort", onAbort);
      this.#ended.abort();
      await background;
    }
  }

  /** Slots that are free: a walk that waits for a host, or for its last commit, gives its own away. */
  get #free(): number {
    const { slots } = this.#setting;
    const working = [...this.#visits.keys()].filter(({ isWaiting }) => !isWaiting).length;
    return Math.min(slots - working, slots * MAX_BUSY - this.#visits.size);
  }

  /** Returns whether there may be more sites to claim. */
  async #claim(): Promise<boolean> {
    try {
      const keys = await this.#upkeep();
      if (this.#free <= 0) {
        await this.#pause(UPKEEP_INTERVAL);
        if (this.#free > 0) await this.#pause(GATHER);
        return true;
      }
      for (const key of keys) if (await this.#claimOf(key)) return true;
      if (this.#setting.drain && this.#visits.size === 0) {
        if (keys.length === 0) return false;
        this.#runs = undefined; // perhaps all of them are finished
      }
      await this.#pause(POLL_INTERVAL * (0.75 + Math.random() / 2));
    } catch (error) {
      if (error instanceof PostgresError || !this.#hasClaimed && !isTransient(error)) throw error;
      this.#addFault(error, "Cannot claim sites");
      this.#runs = undefined;
      await this.#pause(ERROR_DELAY);
    }
    return true;
  }

  /** Returns whether there were any. */
  async #claimOf(run: number): Promise<boolean> {
    const { store: { server }, worker, perHost, leaseSeconds, onEvent } = this.#setting;
    const start = leaseStart();
    const mayBeSuspect = ![...this.#visits.keys()].some(({ claim }) => claim.crashes > 0);
    const terms = { worker, perHost, leaseSeconds, mayBeSuspect };
    const { due, claims, failed } = await claimSites(server, run, this.#free, terms);
    this.#hasClaimed = true;
    for (const { homepage: site, failed: reason } of failed) {
      const event = { type: "walked", site, reason, code: "stopped", verdict: "failed" } as const;
      onEvent({ ...event, pages: 0, bytes: 0, isGivenUp: true });
    }
    if (claims.length > 0) onEvent({ type: "claimed", sites: claims.length });
    const onFault = (error: unknown, site: string) => this.#addFault(error, "Cannot walk", site);
    for (const claim of claims) {
      const visit = new Visit(claim, { ...this.#setting, onFault }, terms, {
        start,
        onWaiting: () => this.#waiting.abort(),
      });
      if (this.#setting.signal.aborted) visit.abort(new ShutdownError("the worker ends"));
      // the lease has ended of a walk that has not
      const isWalked = [...this.#visits.keys()].some(({ claim: { site } }) =>
        site.id === claim.site.id
      );
      if (isWalked) {
        visit.abort(new PutOffError("its last walk has not ended", WALKED_DELAY, false));
      }
      const ended = visit.run().then(() => {
        this.#visits.delete(visit);
        this.#waiting.abort();
      });
      this.#visits.set(visit, ended);
    }
    return due > 0;
  }

  /** Returns the runs with sites to walk, the oldest first. */
  async #upkeep(): Promise<readonly number[]> {
    const now = SYSTEM_CLOCK.elapsed();
    if (this.#runs !== undefined && now - this.#runs.at < UPKEEP_INTERVAL) return this.#runs.keys;
    const { store: { server }, run, onEvent } = this.#setting;
    // throws if the tables are newer
    await readSettings(server);
    const results = await server.queryAll(
      ["select sitetree.recover()"],
      ["select sitetree.begin_rounds()"],
      [`select key, name from sitetree.fleet_run r
        where not paused and not sitetree.is_finished(r) order by began, key`],
    );
    const runs = results.at(-1)!.rows.filter(({ name }) => run === undefined || name === run);
    const keys = runs.map(({ key }) => key);
    this.#runs = { keys, at: now };
    if (this.#isDatabaseLost) onEvent({ type: "database-found" });
    this.#isDatabaseLost = false;
    const visits = [...this.#visits.keys()];
    const late = visits.filter(({ isOver }) => isOver).length;
    onEvent({ type: "pulse", walks: visits.length, late });
    return keys;
  }

  async #pause(milliseconds: number): Promise<void> {
    this.#waiting = new AbortController();
    const signals = [this.#setting.signal, this.#waiting.signal];
    await sleep(milliseconds, SYSTEM_CLOCK, signals).catch(() => {});
  }

  async #beat(): Promise<void> {
    const interval = this.#setting.leaseSeconds * 1000 / BEATS;
    while (await this.#waited(interval)) {
      if (this.#visits.size === 0) continue;
      await this.#extend([...this.#visits.keys()]).catch((error) =>
        this.#addFault(error, "Cannot extend leases")
      );
    }
  }

  async #extend(visits: readonly Visit[]): Promise<void> {
    const { store: { server }, leaseSeconds } = this.#setting;
    const before = visits.map((visit) => ({ visit, hosts: visit.hosts }));
    const start = leaseStart();
    const { rows } = await server.query<{ site: number; host: string }>(
      `update sitetree.lease l set until = clock_timestamp() + $1 * interval '1s'
       from unnest($2::bigint[], $3::bigint[]) as v(site, fence)
       where l.site = v.site and l.fence = v.fence and l.until > clock_timestamp()
       returning l.site, l.host`,
      [
        leaseSeconds,
        visits.map(({ claim }) => claim.site.id),
        visits.map(({ claim }) => claim.site.fence),
      ],
    );
    const kept = new Set(rows.map(({ site, host }) => `${site} ${host}`));
    for (const { visit, hosts } of before) {
      const held = new Set(visit.hosts);
      const isKept = hosts.every((host) =>
        kept.has(`${visit.claim.site.id} ${host}`) || !held.has(host)
      );
      if (isKept) visit.extend(start);
      else visit.abort(new LostError("the lease was lost"));
    }
  }

  /** Ends walks whose leases have ended, also while the database does not answer. */
  async #watch(): Promise<void> {
    while (await this.#waited(WATCH_INTERVAL)) {
      for (const visit of this.#visits.keys()) {
        if (visit.isOver) visit.abort(new LostError("the lease has ended"));
      }
    }
  }

  /** Says once that the database cannot be reached. */
  #addFault(error: unknown, action: string, site?: string): void {
    const { onEvent } = this.#setting;
    const reason = messageOf(error);
    if (!isDisconnected(error)) {
      onEvent({
        type: "fault",
        reason: `${action}: ${reason}`,
        ...(site !== undefined && { site }),
      });
    } else if (!this.#isDatabaseLost) {
      this.#isDatabaseLost = true;
      onEvent({ type: "database-lost", reason });
    }
  }

  async #waited(milliseconds: number): Promise<boolean> {
    await sleep(milliseconds, SYSTEM_CLOCK, [this.#ended.signal]).catch(() => {});
    return !this.#ended.signal.aborted;
  }
}
