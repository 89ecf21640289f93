/**
 * One request and its response, with time limits and cancellation.
 *
 * ```
 *        send()          headers         read()
 *  new ────────► sending ───────► idle ──────────► reading ───────► ended
 *                   │              │ ▲    chunk      │ │     end
 *                   │              │ └───────────────┘ │
 *                   └──────────────┴─────────┬─────────┘
 *                        error, timeout, cancel()
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
import type { Clock, Watchdog, Watched } from "./clock.ts";

/** Any function that fetches as the global one does. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export type RequestMethod = "HEAD" | "GET";

export interface ExchangeLimits {
  readonly timeout: number;
  readonly maxRequestTime: number;
}

/** Parts that all requests of a walk share. */
export interface ExchangeSetting {
  readonly limits: ExchangeLimits;
  readonly clock: Clock;
  readonly watchdog: Watchdog;
  readonly buffers: BufferPool;
  /**
   * Exchanges that are not closed. A walk that stops cancels them; `bench:site` shows the cost of
   * listeners to its signal.
   */
  readonly open: Exchange[];
}

/** A response that is late, or a body with another length than was announced. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly code: "timeout" | "truncated";
  /** `total` if the request took too long as a whole, `long` if the body has too many bytes. */
  readonly limit: "total" | "long" | undefined;

  constructor(code: "timeout" | "truncated", message: string, limit?: "total" | "long") {
    super(message);
    this.code = code;
    this.limit = limit;
  }
}

interface ExpectedLength {
  readonly bytes: number;
  /** Whether it is that of compressed bytes, and not of a body that the runtime has decompressed. */
  readonly onlyGzip: boolean;
  /** Whether the body must not have more bytes either. */
  readonly isExact: boolean;
}

export class Exchange implements ByteSource, Watched {
  readonly #setting: ExchangeSetting;
  /** The reason is what an aborted exchange throws. */
  readonly #controller = new AbortController();
  #reader: BodyReader | undefined;
  /** First chunk, if it was read ahead. */
  #first: Chunk;
  /** Rejects the pending wait for the server. */
  #interrupt: ((reason: unknown) => void) | undefined;
  deadline: number = Infinity;
  #waitStart = 0;
  /** Milliseconds spent waiting for the server so far. */
  waited = 0;
  #received = 0;
  #isClosed = false;
  #isCancelled = false;
  /** Length of the body; one with fewer bytes is truncated. */
  expected: ExpectedLength | undefined;
  /** Thrown at the end of the body, which is only a part. */
  endError: Error | undefined;
  /** Called when reading fails, unless it was cancelled. An exception replaces the error. */
  onFailure: ((error: unknown) => void) | undefined;
  onClose: (() => void) | undefined;

  constructor(setting: ExchangeSetting) {
    this.#setting = setting;
    setting.open.push(this);
  }

  async send(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
    try {
      const { signal } = this.#controller;
      signal.throwIfAborted();
      const response = await this.#wait(this.#receive(fetch(url, { ...init, signal })));
      this.#endWait();
      return response;
    } catch (error) {
      this.#abort(error);
      throw error;
    }
  }

  async readAhead(): Promise<void> {
    this.#first = await this.read();
  }

  read(): Promise<Chunk> {
    const first = this.#first;
    const hasEnded = this.#isClosed && !this.#controller.signal.aborted;
    if (first === undefined && !hasEnded) return this.#read();
    this.#first = undefined;
    return Promise.resolve(first);
  }

  cancel(reason?: unknown): void {
    if (!this.#isClosed) this.#isCancelled = true;
    this.#abort(reason);
  }

  expire(): void {
    const { timeout, maxRequestTime } = this.#setting.limits;
    this.#abort(
      timeout <= maxRequestTime - this.waited
        ? new ExchangeError("timeout", `No byte within ${timeout} ms`)
        : new ExchangeError("timeout", `Not finished within ${maxRequestTime} ms`, "total"),
    );
  }

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
      let chunk: Chunk;
      do chunk = await this.#wait(this.#reader!.read()); while (chunk?.length === 0);
      signal.throwIfAborted();
      if (chunk !== undefined) {
        this.#endWait();
        if (this.#received === 0 && this.expected?.onlyGzip && !isGzip(chunk)) {
          this.expected = undefined;
        }
        this.#received += chunk.length;
        const { bytes = Infinity, isExact = false } = this.expected ?? {};
        if (isExact && this.#received > bytes) {
          throw new ExchangeError("truncated", `Received more than ${bytes} bytes`, "long");
        }
        return chunk;
      }
      const { bytes = 0 } = this.expected ?? {};
      if (this.#received < bytes) {
        throw new ExchangeError("truncated", `Received ${this.#received} of ${bytes} bytes`);
      }
    } catch (error) {
      // an error after the last byte does not matter
      const isWhole = this.#received >= (this.expected?.bytes ?? Infinity);
      if (!isWhole || isLong(error) || signal.aborted) this.#fail(error);
    }
    if (this.endError !== undefined) this.#fail(this.endError);
    this.#close();
    return undefined;
  }

  #fail(error: unknown): never {
    this.#abort(error);
    if (!this.#isCancelled) this.onFailure?.(error);
    throw error;
  }

  /** Waits for the server within the time limits, whether `fetch` heeds its signal or not. */
  #wait<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    if (signal.aborted) {
      // by the call of `fetch` itself: nothing is left to watch
      promise.catch(() => {});
      return Promise.reject(signal.reason);
    }
    if (this.deadline === Infinity) {
      const { clock, watchdog, limits: { timeout, maxRequestTime } } = this.#setting;
      this.#waitStart = clock.elapsed();
      this.deadline = this.#waitStart + Math.min(timeout, maxRequestTime - this.waited);
      watchdog.watch(this);
    }
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      promise.then(resolve, reject);
    });
  }

  #endWait(): void {
    const { clock, watchdog } = this.#setting;
    this.deadline = Infinity;
    watchdog.forget(this);
    this.waited += clock.elapsed() - this.#waitStart;
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
    const { open, watchdog } = this.#setting;
    watchdog.forget(this);
    open.splice(open.lastIndexOf(this), 1);
    this.#reader?.release();
    this.onClose?.();
  }
}

/** Whether a body has more bytes than its Content-Range, so that what was received may be wrong. */
export function isLong(error: unknown): boolean {
  return error instanceof ExchangeError && error.limit === "long";
}
