/**
 * How fast a host is asked after it has refused a request, and how many requests may be under way:
 * additive increase, multiplicative decrease.
 *
 * ```
 *             refusal                 answers                    refusal
 *  unlimited ─────────► 1 request ───────────────► faster until ─────────► slower: what the host has
 *                       per `retryDelay`  +½ each  it refuses              answered per second
 *                                                    ▲                         │
 *                                                    └──── smaller steps ◄─────┘
 * ```
 *
 * Rates are requests per `retryDelay`, so that the same rules hold for any delay. A refused request
 * shows that the host has no request left to give, so the answers between two refusals show its
 * limit. Refusals in a row lengthen the pause, not the interval: the host is closed for a while.
 * Refusals that come as often although the rate was lowered are not caused by it; then only the
 * refused sitemap waits. The servers of `tests/walk/rate_limits_test.ts` show what each rule is for.
 *
 * @module
 */

import type { Clock } from "./clock.ts";
import { delayBefore, type RetryDelays } from "./retry.ts";

/** What a request has waited for: the time of its turn, or the end of another one. */
export type Limit = "rate" | "width";

/** Steps per `retryDelay` by which an answer raises the rate while no limit is known. */
const STEP = 0.5;
/** Part of the distance to the rate that was refused by which an answer raises the rate. */
const APPROACH = 1 / 16;
/** Smallest step, as part of the rate that was refused. */
const MIN_STEP = 1 / 256;
/** The rate that was refused no longer counts if it is exceeded by so much. */
const OUTGROWN = 1.1;
/** A refusal lowers the rate to between these parts of it. */
const MIN_CUT = 0.25, MAX_CUT = 0.9;
/** Part of the rate of answers that is asked for. */
const MARGIN = 0.95;
/** Number of answers after a refusal that prove a rate. */
const MIN_ANSWERS = 4;
const MAX_REFUSALS = 8;
/** Of so many requests... */
const RECENT = 16;
/** ...so many are refused, none of them three in a row, if the rate is not the reason... */
const ERRATIC_REFUSALS = 4;
/** ...but the rate is the reason if so many are refused, or so many in a row. */
const MAX_ERRATIC_REFUSALS = 11, MAX_ERRATIC_ROW = 5;
/** Requests per `retryDelay` by which an answer raises a rate that is not the reason. */
const ERRATIC_STEP = 2;

/** Answers to requests that had to wait for another after which one more may be under way... */
const WIDENING = 8;
/** ...or, after a refusal of several at a time, so many. */
const WIDENING_AGAIN = 16;

/** A refusal that was not preceded by another one. */
interface Refusal {
  readonly time: number;
  /** Number of answers before it. */
  readonly answers: number;
}

/** Times are milliseconds of a monotonic clock. */
export class RateControl {
  /** Number of requests that may be under way. */
  width = 1;
  /** Number of answers since the first refusal. */
  answers = 0;
  readonly #delays: RetryDelays;
  readonly #clock: Pick<Clock, "random">;
  /** Requests per `retryDelay`. */
  #rate = 1;
  /** Rate that was refused last. */
  #ceiling = Infinity;
  /** Number of refusals since the last answer. */
  #row = 1;
  readonly #refusals: Refusal[];
  /** Of the last requests, 0 for an answer, else the number of refusals in a row. */
  readonly #recent: number[] = [];
  /** Whether refusals are not caused by the rate; `undefined` once that was wrong. */
  #isErratic: boolean | undefined = false;
  /** Answers since the width was changed. */
  #steadyAnswers = 0;
  #widening = WIDENING;

  /** Starts with the first refusal, of a request sent at `start`. */
  constructor(delays: RetryDelays, clock: Pick<Clock, "random">, start: number) {
    this.#delays = delays;
    this.#clock = clock;
    this.#refusals = [{ time: start, answers: 0 }];
  }

  get interval(): number {
    return Math.min(this.#delays.retryDelay / this.#rate, this.#delays.maxRetryDelay);
  }

  /** Milliseconds before the next request after the last refusal, if the host has named none. */
  get pause(): number {
    const doublings = this.#row - (this.#isErratic ? 2 : 1);
    const isAlone = this.#refusals.length > 1 && this.#row === 1;
    if (doublings < 0 || isAlone || this.#isErratic && doublings === 0) return this.interval;
    return delayBefore(doublings + 1, this.#delays, this.#clock);
  }

  /** Counts an answer to a request that had to wait for its limit. */
  answer(limit: Limit | undefined, maxWidth: number): void {
    this.#row = 0;
    this.answers++;
    this.#remember(0);
    if (limit === "rate") this.#raise();
    else if (limit === "width" && this.width < maxWidth) {
      if (++this.#steadyAnswers < this.#widening) return;
      this.width++;
      this.#steadyAnswers = 0;
    }
  }

  #raise(): void {
    const ceiling = this.#ceiling;
    this.#rate += this.#rate < ceiling * OUTGROWN && ceiling < Infinity
      ? Math.max(ceiling * MIN_STEP, (ceiling - this.#rate) * APPROACH)
      : this.#isErratic
      ? ERRATIC_STEP
      : STEP;
  }

  /** `start` is when the request was sent. */
  refuse(start: number): void {
    if (this.width > 1) this.#widening = WIDENING_AGAIN;
    this.width = Math.max(1, Math.floor(this.width / 2));
    this.#steadyAnswers = 0;
    this.#row++;
    this.#remember(this.#row);
    const rate = this.#rate;
    const proven = this.#provenRate(start);
    const refused = this.#recent.filter((row) => row > 0).length;
    if (this.#isErratic && refused >= MAX_ERRATIC_REFUSALS) {
      this.#isErratic = undefined;
      this.#rate = this.#answeredSince(this.#refusals[0]!, start, 0);
    } else if (this.#row >= MAX_ERRATIC_ROW) this.#isErratic &&= false;
    else if (this.#isErratic === false) {
      const isFutile = refused >= ERRATIC_REFUSALS && this.#recent.every((row) => row < 3);
      this.#isErratic = rate < proven || isFutile;
    }
    if (this.#isErratic) this.#ceiling = Infinity;
    else if (this.#row === 1) {
      const answered = this.#answeredSince(this.#refusals.at(-1)!, start, 0);
      const next = Math.min(rate * MAX_CUT, Math.max(answered * MARGIN, proven * MAX_CUT));
      this.#rate = Math.max(rate * MIN_CUT, next);
      this.#ceiling = rate;
    }
    if (this.#row > 1) return;
    this.#refusals.push({ time: start, answers: this.answers });
    if (this.#refusals.length > MAX_REFUSALS) this.#refusals.shift();
  }

  /** Returns a rate that the host has answered for a while, starting from a refusal. */
  #provenRate(now: number): number {
    const rates = this.#refusals.filter(({ answers }) => this.answers - answers >= MIN_ANSWERS)
      .map((refusal) => this.#answeredSince(refusal, now, 1));
    return Math.max(0, ...rates);
  }

  /** Returns the rate of all but `spare` of the answers since a refusal. */
  #answeredSince({ time, answers }: Refusal, now: number, spare: number): number {
    const elapsed = Math.max(now - time, 1);
    return (this.answers - answers - spare) * this.#delays.retryDelay / elapsed;
  }

  #remember(row: number): void {
    this.#recent.push(row);
    if (this.#recent.length > RECENT) this.#recent.shift();
  }
}
