/**
 * What is worth trying again, and after how long.
 *
 * @module
 */

import type { Cancellation } from "./cancellation.ts";
import { type Clock, sleep } from "./clock.ts";

/** Statuses that may pass by themselves; the list is that of USP. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([
  ...[400, 408, 429, 499, 500, 502, 503, 504, 509],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 530, 598],
]);

/** Statuses by which a host asks for a pause of all requests, not only of this one. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 503]);

const SECONDS_REGEXP = /^\d+$/;
/** An HTTP date begins with a day of the week; `Date.parse()` makes dates of much that is none. */
const DATE_REGEXP = /^[A-Za-z]{3,9},? /;

/** Whether an answer with this status may be a better one next time. */
export function isRetried(status: number): boolean {
  return RETRIED_STATUSES.has(status);
}

/** Whether the whole host asks to be left alone for a while. */
export function isBusy(status: number): boolean {
  return BUSY_STATUSES.has(status);
}

/** How long to wait between tries. */
export interface RetryDelays {
  /** Before the second try; it doubles with each further one. */
  readonly retryDelay: number;
  /** The longest wait, whatever the server asks for. */
  readonly maxRetryDelay: number;
}

/**
 * How long to wait before trying again: what `Retry-After` says, else exponential with jitter
 * between half and all of it, so that many clients do not come back at once.
 */
export function delayBefore(
  retry: number,
  retryAfter: number | undefined,
  delays: RetryDelays,
  random: () => number,
): number {
  if (retryAfter !== undefined) return Math.min(retryAfter, delays.maxRetryDelay);
  const delay = Math.min(delays.retryDelay * 2 ** (retry - 1), delays.maxRetryDelay);
  return delay * (0.5 + random() / 2);
}

/** Milliseconds that a `Retry-After` header asks for, in seconds or as a date (RFC 9110 §10.2.3). */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (SECONDS_REGEXP.test(text)) return Number(text) * 1000;
  const time = DATE_REGEXP.test(text) ? Date.parse(text) : NaN;
  return time === time ? Math.max(0, time - now) : undefined;
}

// MERGED: How fast a host may be asked: pauses between requests, and pauses that the host asks for.

/** How long to wait between requests to one host. */
export interface PaceOptions {
  /** Milliseconds between the starts of two requests to one host. */
  readonly wait: number;
  /** Whether the wait varies at random, from half to one and a half of it. */
  readonly randomWait: boolean;
}

/** Hosts whose pace is kept. */
const MAX_HOSTS = 1000;

/** Keeps the pace, host by host. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  /** When each host may be asked next; absent where at once. */
  readonly #freeAt = new Map<string, number>();
  /** Waits that robots.txt asks for, by host. */
  readonly #crawlDelays = new Map<string, number>();

  constructor(options: PaceOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Resolves when the host of a URL may be asked; rejects when it is given up. `undefined` at once
   * where there is nothing to wait for.
   */
  turn(url: URL, cancellation: Cancellation): Promise<void> | undefined {
    if (this.#isFree) return undefined;
    const { host } = url;
    const wait = Math.max(this.#wait(), this.#crawlDelays.get(host) ?? 0);
    if (wait === 0 && !this.#freeAt.has(host)) return undefined;
    return this.#inTurn(host, wait, cancellation);
  }

  /** Whether no host has to be waited for: what all of this mostly comes to. */
  get #isFree(): boolean {
    return this.#options.wait === 0 && this.#crawlDelays.size === 0 && this.#freeAt.size === 0;
  }

  async #inTurn(host: string, wait: number, cancellation: Cancellation): Promise<void> {
    for (;;) {
      const now = this.#clock.elapsed();
      const freeAt = this.#freeAt.get(host) ?? now;
      if (freeAt <= now) {
        if (wait === 0) this.#freeAt.delete(host);
        else this.#setFreeAt(host, now + wait);
        return;
      }
      // asked again afterwards: meanwhile another request or a pause may have come first
      await sleep(freeAt - now, this.#clock, cancellation);
    }
  }

  /** Nobody asks this host for so long. */
  pause(host: string, milliseconds: number): void {
    if (milliseconds <= 0) return;
    const until = this.#clock.elapsed() + milliseconds;
    if (until > (this.#freeAt.get(host) ?? 0)) this.#setFreeAt(host, until);
  }

  /** A site may name any number of hosts: those whose time is up are forgotten, else the oldest. */
  #setFreeAt(host: string, time: number): void {
    if (this.#freeAt.size >= MAX_HOSTS && !this.#freeAt.has(host)) {
      const now = this.#clock.elapsed();
      for (const [other, freeAt] of this.#freeAt) if (freeAt <= now) this.#freeAt.delete(other);
      if (this.#freeAt.size >= MAX_HOSTS) this.#freeAt.delete(this.#freeAt.keys().next().value!);
    }
    this.#freeAt.set(host, time);
  }

  /** Takes the `Crawl-delay` of a host, which was just asked for it. */
  setCrawlDelay(host: string, milliseconds: number): void {
    this.#crawlDelays.set(host, milliseconds);
    this.pause(host, milliseconds);
  }

  #wait(): number {
    const { wait, randomWait } = this.#options;
    return randomWait ? wait * (0.5 + this.#clock.random()) : wait;
  }
}
