/**
 * The hand-over between the producer of events and the loop that consumes them.
 *
 * The producer sends arrays, one per piece of a document, and waits. Consumers take single items by
 * `next()` or arrays by `batches()`:
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
import type { FinishedEvent } from "../data/events.ts";
import { isSignal } from "../data/option_rules.ts";

/**
 * Sends items. The promise resolves when all of them were taken and more are wanted, and rejects
 * when the stream has ended. The array must not change afterwards.
 */
export type Send<T> = (items: readonly T[]) => Promise<void> | undefined;

/**
 * Produces the items of a stream, and resolves with its last event. Called once, by the first
 * `next()`; it sends when its last items were taken. When `signal` is aborted, all work in progress
 * has to end immediately.
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

/** A pending call of `next()`, of the stream or of an iterator over batches. */
interface Call {
  /** Resolves with the next items. */
  readonly serve: () => void;
  /** Resolves with the end of the stream. */
  readonly end: () => void;
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
  /** What the producer offers, with items left to take. */
  #offer: Offer<T> | undefined;
  /** Number of items taken from it. */
  #at = 0;
  /** Offer taken completely; the next call resumes the producer. */
  #taken: Offer<T> | undefined;
  /** Pending calls, oldest first. While there is one, there is neither of the two. */
  readonly #calls: Call[] = [];
  #isDone = false;
  #finished: Finished | undefined;
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

  get finished(): Finished | undefined {
    return this.#finished;
  }

  next(): Promise<IteratorResult<T, void>> {
    const items = this.#offer?.items;
    // fast path: not the last item, after which the producer is resumed
    if (items !== undefined && this.#at < items.length - 1) {
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

  /** Answers a call by `take`, now if something is ready. */
  #pull<R>(take: () => R): Promise<IteratorResult<R, void>> {
    if (this.#running === undefined && !this.#isDone) this.#start();
    this.#resumeProducer();
    if (this.#offer !== undefined) return Promise.resolve({ done: false, value: take() });
    if (this.#isDone) {
      const failure = this.#failure;
      this.#failure = undefined;
      return failure === undefined ? Promise.resolve(DONE) : Promise.reject(failure.reason);
    }
    return new Promise((resolve, reject) => {
      const serve = () => resolve({ done: false, value: take() });
      this.#calls.push({ serve, end: () => resolve(DONE), reject });
    });
  }

  readonly #takeItem = (): T => {
    const { items } = this.#offer!;
    const item = items[this.#at++]!;
    if (this.#at === items.length) this.#retire();
    return item;
  };

  readonly #takeBatch = (): readonly T[] => {
    const { items } = this.#offer!;
    const isWhole = this.#at === 0 && items.length <= MAX_BATCH_ITEMS;
    const batch = isWhole ? items : items.slice(this.#at, this.#at + MAX_BATCH_ITEMS);
    this.#at += batch.length;
    if (this.#at === items.length) this.#retire();
    return batch;
  };

  #retire(): void {
    this.#taken = this.#offer;
    this.#offer = undefined;
    this.#at = 0;
  }

  #resumeProducer(): void {
    this.#taken?.resolve();
    this.#taken = undefined;
  }

  #start(): void {
    if (this.#signal?.aborted) return this.#fail(this.#signal.reason);
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#running = this.#produce((items) => this.#send(items), this.#stop.signal)
      .then((finished) => this.#finish(finished), (error) => this.#fail(error));
  }

  /** Ends after the last item was taken. */
  #finish(finished: Finished): void {
    if (this.#isDone) return;
    this.#finished = finished;
    const error = this.#errorOf(finished);
    if (error === undefined) this.#end();
    else this.#fail(error);
  }

  #send(items: readonly T[]): Promise<void> | undefined {
    if (items.length === 0) return undefined;
    if (this.#isDone) return Promise.reject(walkLeft());
    return new Promise((resolve, reject) => {
      this.#offer = { items, resolve, reject };
      while (this.#calls.length > 0 && this.#offer !== undefined) this.#calls.shift()!.serve();
      if (this.#calls.length > 0) this.#resumeProducer();
    });
  }

  /** Ends with an error, thrown by the first pending call, or else by the next one. */
  #fail(reason: unknown): void {
    if (this.#isDone) return;
    this.#stop.abort(reason);
    const first = this.#calls.shift();
    if (first === undefined) this.#failure = { reason };
    else first.reject(reason);
    this.#end();
  }

  #end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    for (const { end } of this.#calls.splice(0)) end();
    this.#taken?.reject(walkLeft());
    this.#offer?.reject(walkLeft());
    this.#taken = this.#offer = undefined;
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
