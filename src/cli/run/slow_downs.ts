import { grouped } from "../../data/text.ts";
import { duration, rate, wholeDuration } from "../../data/words.ts";
import { type RequestReport, slowedFor } from "../../http/request_report.ts";

const MIN_PAUSE = 3000;

export class SlowDowns {
  readonly #refusals = new Map<number, number>();
  #longestInterval = 0;
  #last: { readonly report: RequestReport; readonly at: number } | undefined;

  add(report: RequestReport): void {
    const { phase, status, intervalMs = 0 } = report;
    if (phase !== "slow-down" || status === undefined) return;
    this.#refusals.set(status, (this.#refusals.get(status) ?? 0) + 1);
    this.#longestInterval = Math.max(this.#longestInterval, intervalMs);
    this.#last = { report, at: performance.now() };
  }

  /** Returns the rate, such as `rate limited: 1 request/s`, or a long pause, after a refusal. */
  now(): string | undefined {
    if (this.#last === undefined) return undefined;
    const { report, at } = this.#last;
    const { intervalMs = 0, delayMs = 0 } = report;
    const elapsed = performance.now() - at;
    if (elapsed > slowedFor(report)) return undefined;
    const left = delayMs - elapsed;
    return `rate limited: ${
      left > MIN_PAUSE ? `next request in ${wholeDuration(left)}` : rateText(intervalMs)
    }`;
  }

  /** Returns a line such as `slowed down by the server: 12 × 429, down to 1 request/s`. */
  summary(): string | undefined {
    if (this.#refusals.size === 0) return undefined;
    const counts = [...this.#refusals].map(([status, count]) => `${grouped(count)} × ${status}`);
    const slowest = rateText(this.#longestInterval);
    return `slowed down by the server: ${counts.join(", ")}, down to ${slowest}`;
  }
}

/** Returns a rate such as `4 requests/s` or `1 request every 5 s`. */
function rateText(interval: number): string {
  const perSecond = 1000 / Math.max(interval, 1);
  return perSecond < 0.95 ? `1 request every ${duration(interval)}` : rate(perSecond, "request");
}
