/**
 * The queue between the producers of events and the loop that consumes them.
 *
 * Producers send arrays, one per piece of a document, and wait. Consumers take single items by
 * `next()` or arrays by `batches()`, both from the head of the queue:
 *
 * ```
 * send() ─► offered ─► taken ─► the next call resumes the producer
 * ```
 *
 * Written by hand, since an async generator adds promises to every item.
 *
 * @module
 */

import { type EventStream, MAX_BATCH_ITEMS } from "../data/batches.ts";
import { CallerError } from "../data/errors.ts";
import type { FinishedEvent } from "../data/events.ts";
import { isSignal } from "../data/option_rules.ts";

/**
 * Sends items. The promise resolves when all of them were taken and more are wanted, and rejects
 * when the stream has ended. The array must not change afterwards.
 */
export type Send<T> = (items: readonly T[]) => Promise<void> | undefined;

/**
 * Produces the items of a stream, and resolves with its last event. Called once, by the first
 * `next()`; several sends may be pending at once. When `signal` is aborted, all work in progress has
 * to end immediately.
 */
export type Producer<T, Finished extends FinishedEvent = FinishedEvent> = (
  send: Send<T>,
  signal: AbortSignal,
) => Promise<Finished>;

interface Offer<T> {
  readonly items: readonly T[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

const DONE: IteratorReturnResult<void> = { done: true, value: undefined };

export class EventQueue<T, Finished extends FinishedEvent = FinishedEvent>
  implements EventStream<T, Finished> {
  readonly #produce: Producer<T, Finished>;
  readonly #errorOf: (finished: Finished) => Error | undefined;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);
  #running: Promise<void> | undefined;
  /** Offers with items left to take, oldest first. */
  readonly #offers: Offer<T>[] = [];
  /** Number of items taken from the first offer. */
  #at = 0;
  /** Offers taken completely; the next call resumes their producers. */
  readonly #taken: Offer<T>[] = [];
  /**
   * Answers pending calls of `next()`, of the stream or of an iterator over batches, oldest first.
   * While there is one, `#offers` and `#taken` are empty.
   */
  readonly #calls: (() => void)[] = [];
  #isDone = false;
  finished: Finished | undefined;
  /** An error that no call has thrown yet. */
  #failure: { readonly reason: unknown } | undefined;

  /**
   * Starts with the first `next()`; from then on, `signal` ends it. If `errorOf` returns an error for
   * the last event, that is thrown after the last item.
   */
  constructor(
    produce: Producer<T, Finished>,
    signal?: AbortSignal,
    errorOf: (finished: Finished) => Error | undefined = () => undefined,
  ) {
    this.#produce = produce;
    this.#errorOf = errorOf;
    // any other value is rejected by the producer, with the other options
    this.#signal = isSignal(signal) ? signal : undefined;
  }

  next(): Promise<IteratorResult<T, void>> {
    const items = this.#offers[0]?.items;
    // fast path: not the last item of its offer, and no producer to resume
    if (items !== undefined && this.#at < items.length - 1 && this.#taken.length === 0) {
      return Promise.resolve({ done: false, value: items[this.#at++]! });
    }
    return this.#pull(this.#takeItem);
  }

  async return(): Promise<IteratorReturnResult<void>> {
    await this[Symbol.asyncDispose]();
    return DONE;
  }

  async throw(error: unknown): Promise<IteratorReturnResult<void>> {
    await this[Symbol.asyncDispose]();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  batches(): AsyncGenerator<readonly T[], void, void> {
    const iterator: AsyncGenerator<readonly T[], void, void> = {
      next: () => this.#pull(this.#takeBatch),
      return: () => this.return(),
      throw: (error) => this.throw(error),
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  /** Answers a call by `take`, now if something is ready, else with the next offer or at the end. */
  #pull<R>(take: () => R): Promise<IteratorResult<R, void>> {
    if (this.#running === undefined && !this.#isDone) this.#start();
    this.#resumeProducers();
    return new Promise((resolve, reject) => {
      const answer = () => {
        const failure = this.#failure;
        if (this.#offers.length > 0) return resolve({ done: false, value: take() });
        this.#failure = undefined;
        if (failure === undefined) resolve(DONE);
        else reject(failure.reason);
      };
      if (this.#offers.length > 0 || this.#isDone) answer();
      else this.#calls.push(answer);
    });
  }

  readonly #takeItem = (): T => {
    const { items } = this.#offers[0]!;
    const item = items[this.#at++]!;
    if (this.#at === items.length) this.#retire();
    return item;
  };

  readonly #takeBatch = (): readonly T[] => {
    const first = this.#offers[0]!.items;
    if (this.#offers.length === 1 && this.#at === 0 && first.length <= MAX_BATCH_ITEMS) {
      this.#retire();
      return first;
    }
    const batch: T[] = [];
    while (this.#offers.length > 0 && batch.length < MAX_BATCH_ITEMS) {
      const { items } = this.#offers[0]!;
      const end = Math.min(items.length, this.#at + MAX_BATCH_ITEMS - batch.length);
      while (this.#at < end) batch.push(items[this.#at++]!);
      if (end === items.length) this.#retire();
    }
    return batch;
  };

  /** Removes the first offer from the queue; all of it was taken. */
  #retire(): void {
    this.#taken.push(this.#offers.shift()!);
    this.#at = 0;
  }

  #resumeProducers(): void {
    if (this.#taken.length === 0) return;
    for (const { resolve } of this.#taken.splice(0)) resolve();
  }

  #start(): void {
    if (this.#signal?.aborted) return this.#fail(this.#signal.reason);
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#running = this.#produce((items) => this.#offer(items), this.#stop.signal)
      .then(
        (finished) => this.#finish(finished),
        (error) => this.#fail(error instanceof CallerError ? error.cause : error),
      );
  }

  /** Ends after the last item was taken. */
  #finish(finished: Finished): void {
    if (this.#isDone) return;
    this.finished = finished;
    const error = this.#errorOf(finished);
    if (error === undefined) this.#end();
    else this.#fail(error);
  }

  #offer(items: readonly T[]): Promise<void> | undefined {
    if (items.length === 0) return undefined;
    if (this.#isDone) return Promise.reject(walkLeft());
    return new Promise((resolve, reject) => {
      this.#offers.push({ items, resolve, reject });
      while (this.#calls.length > 0 && this.#offers.length > 0) {
        this.#calls.shift()!();
        if (this.#calls.length > 0) this.#resumeProducers();
      }
    });
  }

  /** Ends with an error, thrown by the first pending call, or else by the next one. */
  #fail(reason: unknown): void {
    if (this.#isDone) return;
    this.#stop.abort(reason);
    this.#failure = { reason };
    this.#end();
  }

  #end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    for (const answer of this.#calls.splice(0)) answer();
    for (const { reject } of this.#taken.splice(0)) reject(walkLeft());
    for (const { reject } of this.#offers.splice(0)) reject(walkLeft());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#failure = undefined;
    if (!this.#isDone) {
      this.#end();
      this.#stop.abort(walkLeft());
    }
    // nothing is open once the producer has settled
    await this.#running;
  }
}

function walkLeft(): DOMException {
  return new DOMException("Walk ended by its consumer", "AbortError");
}
