/**
 * One request and its answer: timers, cancelling, the body as a {@linkcode ByteSource}.
 *
 * @module
 */

import type { ByteSource } from "../bytes/byte_source.ts";
import type { Cancellation } from "./cancellation.ts";
import { type BodyReader, bodyReader } from "./body_reader.ts";
import type { BufferPool } from "./buffer_pool.ts";
import type { Clock } from "./clock.ts";

/** Any function that fetches as the global one does. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** How long a request may take. */
export interface ExchangeLimits {
  /** Milliseconds without a byte. */
  readonly timeout: number;
  /** Milliseconds in all, not counting the time in which nobody asks for bytes. */
  readonly maxRequestTime: number;
}

/** No answer, or no more of it, in time. */
export class TimeoutError extends Error {
  /** Makes one that says what was waited for. */
  constructor(message: string) {
    super(message);
    this.name = "TimeoutError";
  }
}

/** One request. It holds nothing open once its body was read to the end, failed, or was cancelled. */
export class Exchange implements ByteSource {
  readonly #limits: ExchangeLimits;
  readonly #clock: Clock;
  readonly #buffers: BufferPool;
  readonly #forgetCancellation: () => void;
  readonly #controller = new AbortController();
  #reader: BodyReader | undefined;
  #first: Uint8Array | undefined;
  #waitingSince = 0;
  #waited = 0;
  #stopTimer: (() => void) | undefined;
  #interrupt: ((reason: unknown) => void) | undefined;
  #closed = false;

  /** It is cancelled with `cancellation`. */
  constructor(
    limits: ExchangeLimits,
    clock: Clock,
    cancellation: Cancellation,
    buffers: BufferPool,
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#buffers = buffers;
    this.#forgetCancellation = cancellation.onCancel((reason) => this.cancel(reason));
  }

  /** Sends the request: the answer, its body not asked for yet. */
  async send(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    const answer = new Promise<Response>((resolve) => resolve(fetch(url, { ...init, signal })));
    // an injected `fetch` may not mind the signal: what it brings too late is let go
    answer.then((response) => this.#closed && discard(response), () => {});
    try {
      const response = await this.#guarded(answer);
      if (this.#closed) {
        discard(response);
        throw signal.reason;
      }
      if (response.body !== null) this.#reader = bodyReader(response.body, this.#buffers);
      return response;
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  /** Asks for the first bytes, to be had by the next `read()`: a body that has none fails here. */
  async prime(): Promise<void> {
    this.#first = await this.read();
  }

  async read(): Promise<Uint8Array | undefined> {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    // what was broken off has no proper end
    this.#controller.signal.throwIfAborted();
    if (this.#reader === undefined || this.#closed) {
      this.#close();
      return undefined;
    }
    try {
      for (;;) {
        const { value, done } = await this.#guarded(this.#reader.read());
        if (done) break;
        if (value !== undefined && value.length > 0) return value;
      }
    } catch (error) {
      this.cancel(error);
      throw error;
    }
    this.#close();
    return undefined;
  }

  cancel(reason?: unknown): void {
    if (this.#closed) return;
    this.#close();
    this.#first = undefined;
    const interrupt = this.#interrupt;
    this.#interrupt = undefined;
    this.#reader?.cancel(reason).catch(() => {});
    this.#controller.abort(reason);
    interrupt?.(this.#controller.signal.reason);
  }

  /** Waits for the other side, but not for ever, and not after being cancelled. */
  #guarded<T>(promise: Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(this.#controller.signal.reason);
    this.#startTimer();
    return new Promise<T>((resolve, reject) => {
      this.#interrupt = reject;
      promise.then(
        (value) => {
          this.#pauseTimer();
          this.#interrupt = undefined;
          resolve(value);
        },
        (error) => {
          this.#pauseTimer();
          this.#interrupt = undefined;
          reject(error);
        },
      );
    });
  }

  #startTimer(): void {
    const { timeout, maxRequestTime } = this.#limits;
    const left = maxRequestTime - this.#waited;
    this.#waitingSince = this.#clock.now();
    this.#stopTimer = this.#clock.after(Math.max(0, Math.min(timeout, left)), () => {
      this.cancel(
        new TimeoutError(
          timeout <= left
            ? `No byte within ${timeout} ms`
            : `Not finished within ${maxRequestTime} ms`,
        ),
      );
    });
  }

  #pauseTimer(): void {
    if (this.#stopTimer === undefined) return;
    this.#stopTimer();
    this.#stopTimer = undefined;
    this.#waited += this.#clock.now() - this.#waitingSince;
  }

  #close(): void {
    this.#pauseTimer();
    if (this.#closed) return;
    this.#closed = true;
    this.#reader?.release();
    this.#forgetCancellation();
  }
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
