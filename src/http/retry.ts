import type { Clock } from "./clock.ts";

/** Statuses that may be transient, as in USP. */
export const RETRIED_STATUSES: ReadonlySet<number> = new Set([
  ...[400, 408, 429, 499, 500, 502, 503, 504, 509],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 530, 598],
]);

export interface RetryDelays {
  readonly retryDelay: number;
  readonly maxRetryDelay: number;
}

/** `retry` counts from 1. */
export function delayBefore(
  retry: number,
  { retryDelay, maxRetryDelay }: RetryDelays,
  clock: Pick<Clock, "random">,
): number {
  const jitter = 1 + clock.random() / 4;
  return Math.min(retryDelay * 2 ** (retry - 1), maxRetryDelay) * jitter;
}

const SECONDS_REGEXP = /^\d+$/;
/** Day of the week that an HTTP date begins with; `Date.parse()` accepts much else. */
const DATE_REGEXP = /^[A-Za-z]{3,9},? /;

/** Seconds or a date (RFC 9110 §10.2.3). */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (SECONDS_REGEXP.test(text)) return Number(text) * 1000;
  const time = DATE_REGEXP.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
