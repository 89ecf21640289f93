/**
 * Permission to ask a host, for the walk of one site: a lease, and the time of the next request.
 *
 * The host of the site is leased for the whole walk. Other hosts that it names are leased while requests
 * to them are under way.
 *
 * @module
 */

import { type Signals, sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import type { SharedPace } from "../http/pace.ts";
import { startTimer, type Timer } from "../platform/timers.ts";
import type { Postgres } from "../sync/postgres.ts";
import type { Claim, ClaimTerms } from "./queue.ts";

/** Milliseconds to wait for the lease of another host than that of the site, at least; at most twice. */
const MAX_LEASE_WAIT = 10_000;
const LEASE_INTERVAL = 300;
/** Milliseconds after which a site is repeated that could not lease such a host, at least. */
const BUSY_DELAY = 5000;
/** Milliseconds for which a host is kept that no request is under way to. */
const LINGER = 100;

/** Reason to end a walk: a host has to be left alone for longer than it may wait. */
export class PutOffError extends Error {
  /** Milliseconds before the next walk. */
  readonly delay: number;
  /** Whether the walk counts as failed: the host refused it. */
  readonly isFailure: boolean;

  constructor(message: string, delay: number, isFailure: boolean) {
    super(message);
    this.name = "PutOffError";
    this.delay = delay;
    this.isFailure = isFailure;
  }
}

interface HostPaceOptions extends ClaimTerms {
  readonly server: Postgres;
  readonly maxWait: number;
  /** Aborts when the walk ends. */
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  /** Called when the walk begins and ends to wait for a host that others are on. */
  readonly onBusy: (isBusy: boolean) => void;
}

interface NamedHost {
  /** Resolves when it is leased; absent while it is not. */
  leasing: Promise<void> | undefined;
  isLeased: boolean;
  /** Requests that wait or are under way. */
  uses: number;
  timer?: Timer | undefined;
  /** Resolves when the last lease has ended. */
  released?: Promise<void>;
}

export class HostPace implements SharedPace {
  readonly #claim: Claim;
  readonly #options: HostPaceOptions;
  readonly #named = new Map<string, NamedHost>();
  /** Time of the next request by host, by the clock of this process. */
  readonly #freeAt = new Map<string, number>();
  /** Hosts that asked for a pause during this walk. */
  readonly #refusing = new Set<string>();
  readonly #pending = new Set<Promise<void>>();

  constructor(claim: Claim, options: HostPaceOptions) {
    this.#claim = claim;
    this.#options = options;
    this.#delay(claim.host, claim.delay);
  }

  get hosts(): readonly string[] {
    const named = [...this.#named].filter(([, { isLeased }]) => isLeased);
    return [this.#claim.host, ...named.map(([name]) => name)];
  }

  turn({ hostname }: URL, wait: number, signals: Signals): Promise<void> | undefined {
    const isOwn = hostname === this.#claim.host;
    const isFree = isOwn && wait === 0 && this.#options.perHost === 1 &&
      !this.#freeAt.has(hostname);
    return isFree ? undefined : this.#turn(hostname, wait, signals);
  }

  pause(hostname: string, milliseconds: number): void {
    this.#refusing.add(hostname);
    this.#delay(hostname, milliseconds);
    this.#write(
      `insert into sitetree.host as h values ($1, clock_timestamp() + $2 * interval '1 ms')
       on conflict (host) do update set not_before = greatest(h.not_before, excluded.not_before)`,
      [hostname, milliseconds],
    );
  }

  enter(hostname: string): void {
    if (hostname === this.#claim.host) return;
    const host = this.#hostOf(hostname);
    host.uses++;
    host.timer?.clear();
    host.timer = undefined;
  }

  leave(hostname: string): void {
    const host = this.#named.get(hostname);
    if (host === undefined || --host.uses > 0) return;
    host.timer ??= startTimer(LINGER, () => this.#release(hostname, host));
  }

  /** Resolves when all that it writes is written. The leases of the walk end with it. */
  async settled(): Promise<void> {
    for (const { timer } of this.#named.values()) timer?.clear();
    this.#named.clear();
    await Promise.all(this.#pending);
  }

  #hostOf(hostname: string): NamedHost {
    const known = this.#named.get(hostname);
    if (known !== undefined) return known;
    const host = { leasing: undefined, isLeased: false, uses: 0 };
    this.#named.set(hostname, host);
    return host;
  }

  #delay(hostname: string, milliseconds: number): void {
    if (milliseconds <= 0) return;
    const until = SYSTEM_CLOCK.elapsed() + milliseconds;
    this.#freeAt.set(hostname, Math.max(until, this.#freeAt.get(hostname) ?? 0));
  }

  async #turn(hostname: string, wait: number, signals: Signals): Promise<void> {
    if (hostname !== this.#claim.host) {
      const host = this.#hostOf(hostname);
      await (host.leasing ??= this.#acquire(hostname, host));
    }
    const ownDelay = (this.#freeAt.get(hostname) ?? 0) - SYSTEM_CLOCK.elapsed();
    if (ownDelay > 0) await this.#wait(hostname, ownDelay, signals);
    else this.#freeAt.delete(hostname);
    if (wait === 0 && this.#options.perHost === 1) return;
    const delay = await this.#ask<number>("select sitetree.reserve_request($1, $2) as answer", [
      hostname,
      wait,
    ]);
    if (delay > 0) await this.#wait(hostname, delay, signals);
  }

  async #wait(hostname: string, delay: number, signals: Signals): Promise<void> {
    if (delay > this.#options.maxWait) {
      const message = `${hostname} may not be asked for ${Math.ceil(delay / 1000)} s`;
      this.#end(new PutOffError(message, delay, this.#refusing.has(hostname)));
    }
    await sleep(delay, SYSTEM_CLOCK, signals);
  }

  async #acquire(hostname: string, host: NamedHost): Promise<void> {
    await host.released;
    const { perHost, leaseSeconds, worker, signal, onBusy } = this.#options;
    const { run, site } = this.#claim;
    const end = SYSTEM_CLOCK.elapsed() + MAX_LEASE_WAIT * (1 + Math.random());
    let isBusy = false;
    try {
      while (
        !await this.#ask<boolean>(
          `select sitetree.lease_host($1, row($1::text, 0, $2::int, $3::bigint, $4::bigint, $5::text,
             false, null, null)::sitetree.lease, $6, $7) as answer`,
          [hostname, run, site.id, site.fence, worker, perHost, leaseSeconds],
        )
      ) {
        if (!isBusy) onBusy(isBusy = true);
        if (SYSTEM_CLOCK.elapsed() > end) {
          const delay = BUSY_DELAY * (1 + Math.random());
          this.#end(new PutOffError(`${hostname} is busy`, delay, false));
        }
        await sleep(LEASE_INTERVAL * (0.5 + Math.random()), SYSTEM_CLOCK, [signal]);
      }
    } finally {
      if (isBusy) onBusy(false);
    }
    host.isLeased = true;
    const delay = await this.#ask<number>("select sitetree.host_delay($1) as answer", [hostname]);
    this.#delay(hostname, delay);
  }

  #release(hostname: string, host: NamedHost): void {
    host.timer = undefined;
    if (host.uses > 0) return;
    host.leasing = undefined;
    host.isLeased = false;
    const { site } = this.#claim;
    const sql = "delete from sitetree.lease where host = $1 and site = $2 and fence = $3";
    host.released = this.#write(sql, [hostname, site.id, site.fence]);
  }

  /** Writes without waiting for it. The result never rejects: if it fails, the walk is aborted. */
  #write(sql: string, values: readonly unknown[]): Promise<void> {
    const written: Promise<void> = this.#ask(sql, values)
      .then(() => {}, () => {})
      .finally(() => this.#pending.delete(written));
    this.#pending.add(written);
    return written;
  }

  /** Asks the database. If that fails, the walk ends: the site is not to blame. */
  async #ask<T>(sql: string, values: readonly unknown[]): Promise<T> {
    const { server, abort } = this.#options;
    try {
      const { rows: [row] } = await server.query<{ answer: T }>(sql, values);
      return row?.answer as T;
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
