/**
 * Attempts at a document: their turns, and what follows a failure.
 *
 * ```
 *  takeTurn() ─► request ─┬─► endTurn(): answer
 *      ▲                  ├─► failureOf() ─► delayAfter() ─┬─► the failure is final: thrown
 *      │                  └─► endTurn(): no outcome        │
 *      └──── after the delay, or the pause of the host ◄───┘
 * ```
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import type { InvalidSitemapError } from "../data/errors.ts";
import { isRobotsUrl } from "../data/url.ts";
import { type Clock, type Signals, throwIfAborted } from "./clock.ts";
import type { Exchange, RequestMethod } from "./exchange.ts";
import { failureFor, reported, RequestError, StatusError } from "./failure.ts";
import type { Validators } from "./headers.ts";
import {
  type Host,
  isRefusal,
  type Outcome,
  Pace,
  type PacedSubject,
  type PaceOptions,
  type SharedPace,
  type Turn,
} from "./pace.ts";
import type { RequestReporter, RequestSubject } from "./request_report.ts";
import { delayBefore, parseRetryAfter } from "./retry.ts";

export interface AttemptOptions extends PaceOptions {
  readonly retries: number;
}

/** Attempts at one document, its redirects included. */
export class RetryBudget implements RequestSubject, PacedSubject {
  readonly sitemap: string;
  /** Number of failures that may still be retried; negative after a failure that was not. */
  retriesLeft: number;
  readonly isRetried: boolean;
  attempt: number;
  waited = 0;
  answersBefore = -1;
  exchange: Exchange | undefined;
  /**
   * Method of a request whose body is not needed. By `HEAD`, only refusals are retried, and no response
   * says nothing about the host: a `GET` follows. Default: `GET`, for the body.
   */
  method: RequestMethod | undefined;
  turn: Turn | undefined;
  readonly signals: Signals;
  /** Validators that make the request for their URL conditional. */
  readonly validators: Validators | undefined;
  readonly #controller = new AbortController();

  /** `attempt` counts from 1. */
  constructor(
    sitemap: string,
    retriesLeft: number,
    signal: AbortSignal,
    attempt = 1,
    validators?: Validators,
  ) {
    this.sitemap = sitemap;
    this.retriesLeft = retriesLeft;
    this.isRetried = retriesLeft > 0;
    this.attempt = attempt;
    this.validators = validators;
    this.signals = [signal, this.#controller.signal];
  }

  get isAborted(): boolean {
    return this.signals.some(({ aborted }) => aborted);
  }

  cancel(reason?: unknown): void {
    this.#controller.abort(reason);
    this.exchange?.cancel(reason);
  }

  /** Takes a retry for another form of the request, which is made without retries too. */
  takeRetry(): boolean {
    return !this.isRetried || this.retriesLeft-- > 0;
  }

  endTurn(outcome: Outcome = { type: "none" }): void {
    this.turn?.host.end(this.turn, outcome);
    this.turn = undefined;
  }

  /** Throws if the attempt was aborted, or by a function of the caller. */
  failureOf(error: unknown): InvalidSitemapError {
    try {
      throwIfAborted(this.signals);
      return failureFor(error);
    } catch (error) {
      this.endTurn();
      throw error;
    }
  }
}

export function isOverload(status: number | undefined): boolean {
  return status === STATUS_CODE.TooManyRequests || status === STATUS_CODE.ServiceUnavailable;
}

export class Attempts {
  readonly pace: Pace;
  readonly #options: AttemptOptions;
  readonly #clock: Clock;
  readonly #reporter: RequestReporter;
  readonly #check: (robots: URL) => Promise<void>;
  /** Whether hosts that refuse a request are waited for. */
  readonly #isPatient: boolean;
  readonly #isShared: boolean;

  /** `check` requests a robots.txt once, whatever the response is. */
  constructor(
    options: AttemptOptions,
    clock: Clock,
    reporter: RequestReporter,
    parts: {
      readonly check: (robots: URL) => Promise<void>;
      readonly sharedPace?: SharedPace | undefined;
    },
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#reporter = reporter;
    this.#check = parts.check;
    this.#isShared = parts.sharedPace !== undefined;
    this.#isPatient = options.retries > 0 || this.#isShared;
    this.pace = new Pace(options, clock, parts.sharedPace);
  }

  takeTurn(url: URL, budget: RetryBudget): Promise<void> | undefined {
    const host = this.pace.host(url);
    if (host.down !== undefined) throw host.down;
    const open = (turn: Turn) => void (budget.turn = turn);
    const turn = host.turn(url, budget, budget.signals);
    return turn instanceof Promise ? turn.then(open) : open(turn);
  }

  /** A `Retry-After` begins before the body is looked at. */
  receive({ status, headers }: Response, budget: RetryBudget): void {
    const turn = budget.turn!;
    turn.hasResponse = true;
    if (!isOverload(status) || !this.#isPatient) return;
    const retryAfter = parseRetryAfter(headers.get("retry-after"), this.#clock.now()) ?? 0;
    if (retryAfter <= this.#options.maxRetryDelay) turn.host.pause(retryAfter);
  }

  /** Ends the turn of an attempt that failed. Throws the failure if no other attempt follows. */
  async delayAfter(
    failure: InvalidSitemapError,
    budget: RetryBudget,
    retry: number,
  ): Promise<number> {
    const { turn } = budget;
    if (turn === undefined || !(failure instanceof RequestError)) {
      budget.endTurn();
      throw failure;
    }
    const { host, url } = turn;
    const outcome = this.#outcomeOf(failure, turn, budget);
    budget.endTurn(outcome);
    if (outcome.type === "refusal") return this.#delayAfterRefusal(outcome.failure, turn, budget);
    if (outcome.type === "long-refusal") {
      // the shared pace decides whether to wait
      if (this.#isShared && budget.retriesLeft-- > 0) return 0;
      throw giveUp(tooLong(outcome.failure), host, budget);
    }
    const isTentative = budget.method === "HEAD" && !isRefusal(failure);
    if (!failure.isTransient || isTentative) throw failure;
    if (host.isSuspect && !isRobotsUrl(url)) {
      // the host is down if robots.txt has no response either
      await this.#check(new URL("/robots.txt", url));
      if (host.isSuspect) host.close(failure);
    }
    if (budget.retriesLeft-- <= 0 || !host.allowsRetry(failure, 0)) {
      throw giveUp(failure, host, budget);
    }
    const { retryAfter } = failure instanceof StatusError ? failure : {};
    if ((retryAfter ?? 0) > this.#options.maxRetryDelay) {
      throw giveUp(tooLong(failure as StatusError), host, budget);
    }
    const delay = retryAfter ?? delayBefore(retry, this.#options, this.#clock);
    if (!host.allowsRetry(failure, delay)) throw giveUp(failure, host, budget);
    return delay;
  }

  #outcomeOf(failure: RequestError, { hasResponse }: Turn, { method }: RetryBudget): Outcome {
    if (failure.isTransient && isRefusal(failure) && this.#isPatient) {
      const isLong = (failure.retryAfter ?? 0) > this.#options.maxRetryDelay;
      return { type: isLong ? "long-refusal" : "refusal", failure };
    }
    if (!hasResponse) return method === "HEAD" ? { type: "none" } : { type: "silence", failure };
    return { type: (failure.status ?? 500) < 500 ? "answer" : "error" };
  }

  /** The pace of the host then delays the next attempt. */
  #delayAfterRefusal(failure: StatusError, { host, url }: Turn, budget: RetryBudget): number {
    const { interval: intervalMs = 0, pauseLeft } = host;
    const details = { ...reported(failure), intervalMs, delayMs: pauseLeft };
    this.#reporter.report("slow-down", url, budget, details);
    if (budget.retriesLeft <= 0 || !host.allowsRetry(failure, pauseLeft)) {
      throw giveUp(failure, host, budget);
    }
    return pauseLeft;
  }
}

function tooLong(failure: StatusError): RequestError {
  return failure.with(`asks to wait ${Math.ceil(failure.retryAfter! / 1000)} s`);
}

function giveUp(failure: RequestError, host: Host, budget: RetryBudget): RequestError {
  host.giveUp();
  budget.retriesLeft = -1;
  return failure;
}
