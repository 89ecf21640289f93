/**
 * One request and its response, with time limits and cancellation.
 *
 * ```
 *        send()          headers         read()
 *  new ────────► sending ───────► idle ──────────► reading ───────► ended
 *                   │              │ ▲    chunk      │ │     end
 *                   │              │ └───────────────┘ │
 *                   └──────────────┴─────────┬─────────┘
 *                     error, timeout, cancel(), signal
 *                                            ▼
 *                                         aborted
 * ```
 *
 * The time limits apply while sending and reading. Once ended or aborted, an exchange holds nothing
 * open.
 *
 * @module
 */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";
import { isGzip } from "../bytes/detect_encoding.ts";
import { type BodyReader, bodyReader, type BufferPool } from "./body.ts";
import { type Clock, onAbort, type Signals, throwIfAborted, type Watchdog } from "./clock.ts";
import type { HeaderRecord } from "./headers.ts";

/** Any function that fetches as the global one does. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** Time limits of a request. */
export interface ExchangeLimits {
  /** Milliseconds without a byte. */
  readonly timeout: number;
  /** Milliseconds in all, not counting the time between two reads. */
  readonly maxRequestTime: number;
}

/** Parts that all requests of a walk share. */
export interface ExchangeSetting {
  readonly limits: ExchangeLimits;
  readonly clock: Clock;
  /** Ends requests that exceed the limits. */
  readonly watchdog: Watchdog;
  /** Buffers that bodies are read into. */
  readonly buffers: BufferPool;
}

/** A response, or the rest of one, that did not arrive in time. */
export class TimeoutError extends Error {
  /** Whether the request took too long as a whole. */
  readonly isTotal: boolean;

  /** Creates an error with a message. */
  constructor(message: string, isTotal = false) {
    super(message);
    this.name = "TimeoutError";
    this.isTotal = isTotal;
  }
}

/** A body that ended before its Content-Length. */
export class ShortBodyError extends Error {
  /** Creates an error for a body of which `received` of `expected` bytes arrived. */
  constructor(received: number, expected: number) {
    super(`Received ${received} of ${expected} bytes`);
    this.name = "ShortBodyError";
  }
}

/** One request, and the body of its response as a {@linkcode ByteSource}. */
export class Exchange implements ByteSource {
  readonly #setting: ExchangeSetting;
  readonly #signals: Signals;
  /** Aborts the request. The reason is what an aborted exchange throws. */
  readonly #controller = new AbortController();
  #reader: BodyReader | undefined;
  /** First chunk, if it was read ahead. */
  #first: Chunk;
  /** Rejects the pending wait for the server. */
  #interrupt: ((reason: unknown) => void) | undefined;
  /** Milliseconds spent sending and reading. */
  #waited = 0;
  #received = 0;
  #expected = 0;
  #expectGzip = false;
  #isClosed = false;
  #ignoreSignals: (() => void) | undefined;
  #isCancelled = false;
  #onFailure: ((error: unknown) => void) | undefined;

  /** Creates an exchange that is cancelled when one of `signals` aborts. */
  constructor(setting: ExchangeSetting, signals: Signals) {
    this.#setting = setting;
    this.#signals = signals;
  }

  get ready(): boolean {
    return this.#first !== undefined || this.#hasEnded;
  }

  /** Sends the request, and resolves to the response once its headers arrived. */
  async send(
    fetch: Fetch,
    url: string,
    headers: HeaderRecord,
    redirect: RequestRedirect = "manual",
  ): Promise<Response> {
    try {
      throwIfAborted(this.#signals);
      this.#ignoreSignals = onAbort(this.#signals, (reason) => this.cancel(reason));
      const { signal } = this.#controller;
      return await this.#wait(this.#receive(fetch(url, { headers, redirect, signal })));
    } catch (error) {
      this.#abort(error);
      throw error;
    }
  }

  /**
   * Sets the length of the body; one with fewer bytes is truncated. With `onlyGzip` the length is
   * that of compressed bytes, and does not apply to a body that the runtime has decompressed.
   */
  expectLength(length: number, onlyGzip: boolean): void {
    this.#expected = length;
    this.#expectGzip = onlyGzip;
  }

  /** Calls back when reading fails, unless it was cancelled. An exception replaces the error. */
  onFailure(callback: (error: unknown) => void): void {
    this.#onFailure = callback;
  }

  /** Reads the first chunk ahead; the next `read()` returns it. */
  async readAhead(): Promise<void> {
    this.#first = await this.read();
  }

  read(): Chunk | Promise<Chunk> {
    const first = this.#first;
    if (first === undefined) return this.#hasEnded ? undefined : this.#read();
    this.#first = undefined;
    return first;
  }

  cancel(reason?: unknown): void {
    if (!this.#isClosed) this.#isCancelled = true;
    this.#abort(reason);
  }

  get #hasEnded(): boolean {
    return this.#isClosed && !this.#controller.signal.aborted;
  }

  /** Opens the body of a response; cancels it if the response arrives too late. */
  async #receive(responding: Promise<Response>): Promise<Response> {
    const response = await responding;
    const { body } = response;
    if (this.#isClosed) body?.cancel().catch(() => {});
    else if (body === null) this.#close();
    else this.#reader = bodyReader(body, this.#setting.buffers);
    return response;
  }

  async #read(): Promise<Chunk> {
    const { signal } = this.#controller;
    signal.throwIfAborted();
    try {
      const chunk = await this.#wait(this.#nextChunk(this.#reader!));
      signal.throwIfAborted();
      if (chunk !== undefined) {
        if (this.#received === 0 && this.#expectGzip && !isGzip(chunk)) this.#expected = 0;
        this.#received += chunk.length;
        return chunk;
      }
      if (this.#received < this.#expected) {
        throw new ShortBodyError(this.#received, this.#expected);
      }
    } catch (error) {
      // an error after the last byte does not matter
      const isWhole = this.#expected > 0 && this.#received >= this.#expected;
      if (!isWhole || signal.aborted) {
        this.#abort(error);
        if (!this.#isCancelled) this.#onFailure?.(error);
        throw error;
      }
    }
    this.#close();
    return undefined;
  }

  async #nextChunk(reader: BodyReader): Promise<Chunk> {
    for (;;) {
      const chunk = await reader.read();
      if (chunk?.length !== 0) return chunk;
    }
  }

  /**
   * Waits for the server within the time limits, whether it heeds the signal of the request or not.
   */
  async #wait<T>(promise: Promise<T>): Promise<T> {
    const { clock, watchdog, limits: { timeout, maxRequestTime } } = this.#setting;
    const start = clock.elapsed(), left = maxRequestTime - this.#waited;
    const wait = {
      deadline: start + Math.min(timeout, left),
      expire: () =>
        this.#abort(
          timeout <= left
            ? new TimeoutError(`No byte within ${timeout} ms`)
            : new TimeoutError(`Not finished within ${maxRequestTime} ms`, true),
        ),
    };
    watchdog.watch(wait);
    try {
      return await new Promise((resolve, reject) => {
        this.#interrupt = reject;
        promise.then(resolve, reject);
      });
    } finally {
      watchdog.forget(wait);
      this.#waited += clock.elapsed() - start;
    }
  }

  #abort(reason: unknown): void {
    if (this.#isClosed) return;
    this.#close();
    this.#first = undefined;
    this.#reader?.cancel(reason).catch(() => {});
    this.#controller.abort(reason);
    this.#interrupt?.(this.#controller.signal.reason);
  }

  #close(): void {
    this.#isClosed = true;
    this.#ignoreSignals?.();
    this.#reader?.release();
  }
}
