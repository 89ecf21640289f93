/**
 * Permission to ask a host, for the walk of one attempt: a lease, and the time of the next request.
 *
 * @module
 */

import { type Signals, sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import type { SharedPace } from "../http/pace.ts";
import type { Claim } from "./attempt.ts";
import type { Database } from "./database.ts";
import { acquireLease, type LeaseTerms, pauseHost, reserveRequest } from "./lease.ts";

/** Milliseconds to wait for the lease of a host that sitemaps are on besides that of the site. */
const MAX_LEASE_WAIT = 10_000;
/** Milliseconds between two attempts to lease it. */
const LEASE_INTERVAL = 500;
/** Seconds after which a task is repeated that could not lease such a host; random, up to twice. */
const BUSY_DELAY = 5;

/** Reason to end an attempt: its host has to be left alone for longer than a walk may wait. */
export class PutOffError extends Error {
  /** Seconds before the next attempt. */
  readonly delay: number;
  /** Whether the attempt counts as failed: the host refused it. */
  readonly isFailure: boolean;

  constructor(message: string, delay: number, isFailure: boolean) {
    super(message);
    this.name = "PutOffError";
    this.delay = delay;
    this.isFailure = isFailure;
  }
}

/** Options of a {@linkcode HostPace}. */
export interface HostPaceOptions extends LeaseTerms {
  readonly database: Database;
  /** Maximum milliseconds that a walk waits for a host. */
  readonly maxWait: number;
  /** Repeats a statement while the connection is broken and the lease lasts. */
  readonly repeat: <T>(statement: () => Promise<T>) => Promise<T>;
  /** Aborts when the walk ends. */
  readonly signal: AbortSignal;
  /** Ends the walk. */
  readonly abort: (reason: unknown) => void;
}

/** Pace of the hosts of one attempt, with the pace of all other workers. */
export class HostPace implements SharedPace {
  /** Hosts that the attempt has leased, first that of its site. */
  readonly hosts: Set<string>;
  readonly #claim: Claim;
  readonly #options: HostPaceOptions;
  /** Hosts that are being leased. */
  readonly #leasing = new Map<string, Promise<void>>();
  /** Time of the next request by host, by the clock of this process. */
  readonly #freeAt = new Map<string, number>();
  /** Hosts that asked for a pause during this attempt. */
  readonly #refusing = new Set<string>();
  /** Pauses that are being written. */
  readonly #pauses = new Set<Promise<void>>();

  constructor(claim: Claim, options: HostPaceOptions) {
    this.#claim = claim;
    this.#options = options;
    this.hosts = new Set([claim.host]);
    if (claim.delay > 0) this.#freeAt.set(claim.host, SYSTEM_CLOCK.elapsed() + claim.delay);
  }

  turn({ hostname }: URL, wait: number, signals: Signals): Promise<void> | undefined {
    const isFree = this.hosts.has(hostname) && wait === 0 && this.#options.perHost === 1 &&
      !this.#freeAt.has(hostname);
    return isFree ? undefined : this.#turn(hostname, wait, signals);
  }

  pause(host: string, milliseconds: number): void {
    const { hostname } = new URL(`http://${host}`);
    const until = SYSTEM_CLOCK.elapsed() + milliseconds;
    this.#refusing.add(hostname);
    this.#freeAt.set(hostname, Math.max(until, this.#freeAt.get(hostname) ?? 0));
    const written = this.#ask((database) => pauseHost(database, hostname, milliseconds))
      // the walk is aborted
      .catch(() => {})
      .finally(() => this.#pauses.delete(written));
    this.#pauses.add(written);
  }

  /** Resolves when all pauses and leases are written. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#pauses, ...this.#leasing.values()]);
  }

  async #turn(hostname: string, wait: number, signals: Signals): Promise<void> {
    if (!this.hosts.has(hostname)) await this.#lease(hostname);
    const freeAt = this.#freeAt.get(hostname) ?? 0;
    const ownDelay = freeAt - SYSTEM_CLOCK.elapsed();
    if (ownDelay > 0) await this.#wait(hostname, ownDelay, signals);
    else this.#freeAt.delete(hostname);
    if (wait === 0 && this.#options.perHost === 1) return;
    const delay = await this.#ask((database) => reserveRequest(database, hostname, wait));
    if (delay > 0) await this.#wait(hostname, delay, signals);
  }

  async #wait(hostname: string, delay: number, signals: Signals): Promise<void> {
    if (delay > this.#options.maxWait) {
      const seconds = Math.ceil(delay / 1000);
      const message = `${hostname} may not be asked for ${seconds} s`;
      this.#end(new PutOffError(message, seconds, this.#refusing.has(hostname)));
    }
    await sleep(delay, SYSTEM_CLOCK, signals);
  }

  /** Leases a host once for all requests that wait for it. */
  #lease(hostname: string): Promise<void> {
    const leasing = this.#leasing.get(hostname) ??
      this.#acquire(hostname).finally(() => this.#leasing.delete(hostname));
    this.#leasing.set(hostname, leasing);
    return leasing;
  }

  async #acquire(hostname: string): Promise<void> {
    const start = SYSTEM_CLOCK.elapsed();
    const acquire = (database: Database) =>
      acquireLease(database, hostname, this.#claim, this.#options);
    while (!await this.#ask(acquire)) {
      if (SYSTEM_CLOCK.elapsed() - start > MAX_LEASE_WAIT) {
        const delay = BUSY_DELAY * (1 + Math.random());
        this.#end(new PutOffError(`${hostname} is busy`, delay, false));
      }
      await sleep(LEASE_INTERVAL * (0.5 + Math.random()), SYSTEM_CLOCK, [this.#options.signal]);
    }
    this.hosts.add(hostname);
    const delay = await this.#ask((database) => reserveRequest(database, hostname, 0));
    if (delay > 0) this.#freeAt.set(hostname, SYSTEM_CLOCK.elapsed() + delay);
  }

  /** Asks the database. If that fails, the walk ends: the site is not to blame. */
  async #ask<T>(question: (database: Database) => Promise<T>): Promise<T> {
    const { database, repeat, abort } = this.#options;
    try {
      return await repeat(() => question(database));
    } catch (error) {
      abort(error);
      throw error;
    }
  }

  #end(reason: Error): never {
    this.#options.abort(reason);
    throw reason;
  }
}
