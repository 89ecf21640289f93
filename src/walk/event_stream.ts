/**
 * One async generator over events that come in batches.
 *
 * Hand-written: an item costs 97 ns out of a buffer, 305 ns through an async generator, and 500 ns
 * and more through nested ones. Those who make the events hand over whole batches, one a chunk, and
 * go on when more is wanted.
 *
 * @module
 */

/** Hands a batch over. Resolves when all of it was taken and more is wanted; rejects when never. */
export type Send<T> = (items: readonly T[]) => Promise<void> | undefined;

/** What stands behind a stream. */
export interface BatchSource<T> {
  /** Makes the items. Called by the first `next()`; several batches may be sent at once. */
  run(send: Send<T>): Promise<void>;
  /** Ends everything that is under way, at once and for good. */
  stop(reason: unknown): void;
}

/** A batch that waits to be taken, or is being taken. */
interface Offer<T> {
  readonly items: readonly T[];
  /** More is wanted. */
  readonly resolve: () => void;
  /** Nothing more is. */
  readonly reject: (reason: unknown) => void;
}

/** A call of `next()` that waits. */
interface Waiting<T> {
  readonly resolve: (result: IteratorResult<T, void>) => void;
  readonly reject: (reason: unknown) => void;
}

/** Whether a value is a signal, be it another library's. */
export function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

const DONE: IteratorReturnResult<void> = { done: true, value: undefined };

/** Hands out the items of batches, one by one. */
export class EventStream<T> implements AsyncGenerator<T, void, void> {
  readonly #source: BatchSource<T>;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);
  #running: Promise<void> | undefined;
  /** The batch in hand. */
  #offer: Offer<T> | undefined;
  #at = 0;
  /** Batches that come after it. */
  readonly #offers: Offer<T>[] = [];
  #done = false;
  /** An error that nobody has met yet. */
  #failure: { readonly reason: unknown } | undefined;
  /** Calls of `next()` that wait, in their order. */
  readonly #waiting: Waiting<T>[] = [];

  /** Nothing happens before the first `next()`; from then on, `signal` ends it. */
  constructor(source: BatchSource<T>, signal?: AbortSignal) {
    this.#source = source;
    // one that is none is the source's to complain about, when it begins
    this.#signal = isSignal(signal) ? signal : undefined;
  }

  next(): Promise<IteratorResult<T, void>> {
    const items = this.#offer?.items;
    if (items !== undefined && this.#at < items.length && this.#waiting.length === 0) {
      return Promise.resolve({ done: false, value: items[this.#at++]! });
    }
    if (this.#running === undefined && !this.#done) this.#start();
    if (this.#done) return this.#ended();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#serve();
    });
  }

  async return(): Promise<IteratorResult<T, void>> {
    await this.#finish();
    return DONE;
  }

  async throw(error: unknown): Promise<IteratorResult<T, void>> {
    await this.#finish();
    throw error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#finish();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #start(): void {
    if (this.#signal?.aborted) return this.#fail(this.#signal.reason);
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#running = this.#source.run((items) => this.#take(items))
      .then(() => this.#end(), (error) => this.#fail(error));
  }

  /** Takes a batch over. */
  #take(items: readonly T[]): Promise<void> | undefined {
    if (items.length === 0) return undefined;
    if (this.#done) return Promise.reject(left());
    return new Promise((resolve, reject) => {
      this.#offers.push({ items, resolve, reject });
      this.#serve();
    });
  }

  /** Gives those who wait what there is; who made what was taken goes on when there are more. */
  #serve(): void {
    while (this.#waiting.length > 0) {
      if (this.#offer !== undefined && this.#at < this.#offer.items.length) {
        this.#waiting.shift()!.resolve({ done: false, value: this.#offer.items[this.#at++]! });
        continue;
      }
      this.#offer?.resolve();
      this.#offer = this.#offers.shift();
      this.#at = 0;
      if (this.#offer === undefined) return;
    }
  }

  /** The answer to a call after the end: an error that nobody has met yet, then nothing more. */
  #ended(): Promise<IteratorResult<T, void>> {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure === undefined ? Promise.resolve(DONE) : Promise.reject(failure.reason);
  }

  /** Ends with an error: the first waiting call rejects, or else the next one. */
  #fail(reason: unknown): void {
    if (this.#done) return;
    this.#source.stop(reason);
    const first = this.#waiting.shift();
    if (first === undefined) this.#failure = { reason };
    else first.reject(reason);
    this.#end();
  }

  #end(): void {
    if (this.#done) return;
    this.#done = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    for (const { resolve } of this.#waiting.splice(0)) resolve(DONE);
    const { reject } = this.#offer ?? {};
    this.#offer = undefined;
    // what they hold is let go; what they say of being stopped is of no interest
    reject?.(left());
    for (const offer of this.#offers.splice(0)) offer.reject(left());
  }

  async #finish(): Promise<void> {
    this.#failure = undefined;
    if (!this.#done) {
      this.#end();
      this.#source.stop(left());
    }
    // it may be in the middle of something that was just stopped; when it is through, nothing is
    // open any more
    await this.#running;
  }
}

function left(): DOMException {
  return new DOMException("The walk was left", "AbortError");
}
