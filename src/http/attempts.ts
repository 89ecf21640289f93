/**
 * Attempts at a document: the retries that are left, the turn at its host, and what it shows of that.
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import type { InvalidSitemapError } from "../data/errors.ts";
import { type Signals, throwIfAborted } from "./clock.ts";
import type { Exchange, RequestMethod } from "./exchange.ts";
import { failureFor, type RequestError, type StatusError } from "./failure.ts";
import type { Validators } from "./headers.ts";
import type { Host, Outcome, PacedSubject, Turn } from "./pace.ts";
import type { RequestSubject } from "./request_report.ts";

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

export function tooLong(failure: StatusError): RequestError {
  return failure.with(`asks to wait ${Math.ceil(failure.retryAfter! / 1000)} s`);
}

export function giveUp(failure: RequestError, host: Host, budget: RetryBudget): RequestError {
  host.giveUp();
  budget.retriesLeft = -1;
  return failure;
}
