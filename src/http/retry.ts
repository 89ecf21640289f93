/**
 * What is worth trying again, and after how long.
 *
 * @module
 */

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
