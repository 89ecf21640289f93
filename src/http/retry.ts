/**
 * When requests are sent: retries, and the pace of each host.
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import { type Clock, type Signals, sleep } from "./clock.ts";

/** Statuses that may be transient, as in USP. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([
  ...[400, 408, 429, 499, 500, 502, 503, 504, 509],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 530, 598],
]);

/** Whether a request is retried after a response with this status. */
export function isRetried(status: number): boolean {
  return RETRIED_STATUSES.has(status);
}

/** Whether this status asks for fewer requests to the host, not only for a retry of this one. */
export function isBusy(status: number): boolean {
  return status === STATUS_CODE.TooManyRequests || status === STATUS_CODE.ServiceUnavailable;
}

/** Delays between attempts, see `WalkOptions`. */
export interface RetryDelays {
  readonly retryDelay: number;
  readonly maxRetryDelay: number;
}

/**
 * Returns the milliseconds before a retry: those of `Retry-After`, else exponential backoff with
 * jitter between half and all of it.
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

const SECONDS_REGEXP = /^\d+$/;
/** Day of the week that an HTTP date begins with; `Date.parse()` accepts much else. */
const DATE_REGEXP = /^[A-Za-z]{3,9},? /;

/** Returns the milliseconds in a `Retry-After` header, seconds or a date (RFC 9110 §10.2.3). */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (SECONDS_REGEXP.test(text)) return Number(text) * 1000;
  const time = DATE_REGEXP.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

/** Delays between requests to one host, see `WalkOptions`. */
export interface PaceOptions {
  readonly wait: number;
  readonly randomWait: boolean;
}

/** Paces hosts for several walks at once, perhaps in other processes. */
export interface SharedPace {
  /**
   * Resolves when a request to the host of a URL may be sent; the next one is due `wait` milliseconds
   * later. To end the walk, it is aborted before the promise rejects.
   */
  turn(url: URL, wait: number, signals: Signals): Promise<void> | undefined;
  /** Called if a host gets no request for so many milliseconds. */
  pause(host: string, milliseconds: number): void;
}

/** Number of hosts whose pace is kept. */
const MAX_HOSTS = 1000;

/** Delays requests, host by host. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  readonly #shared: SharedPace | undefined;
  /** Time of the next request by host; absent if it may be sent at once. */
  readonly #freeAt = new Map<string, number>();
  /** `Crawl-delay` of robots.txt by host. */
  readonly #crawlDelays = new Map<string, number>();

  constructor(options: PaceOptions, clock: Clock, shared?: SharedPace) {
    this.#options = options;
    this.#clock = clock;
    this.#shared = shared;
  }

  /** Resolves when the next request to the host of a URL may be sent; `undefined` if at once. */
  turn(url: URL, signals: Signals): Promise<void> | undefined {
    const isFree = this.#options.wait === 0 && this.#freeAt.size === 0 &&
      this.#crawlDelays.size === 0;
    if (isFree) return this.#shared?.turn(url, 0, signals);
    return this.#turn(url, signals);
  }

  async #turn(url: URL, signals: Signals): Promise<void> {
    const { host } = url;
    const { wait, randomWait } = this.#options;
    const ownWait = randomWait ? wait * (0.5 + this.#clock.random()) : wait;
    const delay = Math.max(ownWait, this.#crawlDelays.get(host) ?? 0);
    const busyFor = () => (this.#freeAt.get(host) ?? 0) - this.#clock.elapsed();
    // checked again afterwards: another request or a pause may have come first
    for (let left = busyFor(); left > 0; left = busyFor()) await sleep(left, this.#clock, signals);
    if (delay > 0) this.#setFreeAt(host, this.#clock.elapsed() + delay);
    else this.#freeAt.delete(host);
    await this.#shared?.turn(url, delay, signals);
  }

  /**
   * Sends no request to a host for so many milliseconds. Walks that share a pace send none for as long
   * as the host asked for.
   */
  pause(host: string, milliseconds: number, asked: number = milliseconds): void {
    if (milliseconds <= 0) return;
    this.#shared?.pause(host, Math.max(milliseconds, asked));
    const until = this.#clock.elapsed() + milliseconds;
    if (until > (this.#freeAt.get(host) ?? 0)) this.#setFreeAt(host, until);
  }

  /** Sets the `Crawl-delay` of a host, whose robots.txt was just requested. */
  setCrawlDelay(host: string, milliseconds: number): void {
    this.#crawlDelays.set(host, milliseconds);
    this.pause(host, milliseconds);
  }

  /** Sets the time of the next request; drops hosts that are free, or the oldest, if many. */
  #setFreeAt(host: string, time: number): void {
    if (this.#freeAt.size >= MAX_HOSTS && !this.#freeAt.has(host)) {
      const now = this.#clock.elapsed();
      for (const [other, freeAt] of this.#freeAt) if (freeAt <= now) this.#freeAt.delete(other);
      if (this.#freeAt.size >= MAX_HOSTS) this.#freeAt.delete(this.#freeAt.keys().next().value!);
    }
    this.#freeAt.set(host, time);
  }
}
