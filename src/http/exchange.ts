/**
 * One request and its answer: time limits, cancelling, the body as a {@linkcode ByteSource}.
 *
 * @module
 */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";
import { isGzip } from "../bytes/detect_encoding.ts";
import { type BodyPiece, type BodyReader, bodyReader } from "./body.ts";
import type { BufferPool } from "./body.ts";
import type { Cancellable, Cancellation } from "./cancellation.ts";
import type { Clock } from "./clock.ts";
import type { HeaderRecord } from "./headers.ts";
import type { Watchdog, Watched } from "./clock.ts";

/** Any function that fetches as the global one does. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** How long a request may take. */
export interface ExchangeLimits {
  /** Milliseconds without a byte. */
  readonly timeout: number;
  /** Milliseconds in all, not counting the time in which nobody asks for bytes. */
  readonly maxRequestTime: number;
}

/** What all requests of a walk share. */
export interface ExchangeSetting {
  /** How long each may take. */
  readonly limits: ExchangeLimits;
  /** By which clock. */
  readonly clock: Clock;
  /** Sees to that. */
  readonly watchdog: Watchdog;
  /** Where bodies are read into. */
  readonly buffers: BufferPool;
}

/** No answer, or no more of it, in time. */
export class TimeoutError extends Error {
  /** Whether the request took too long as a whole. */
  readonly isTotal: boolean;

  /** Makes one that says what was waited for. */
  constructor(message: string, isTotal = false) {
    super(message);
    this.name = "TimeoutError";
    this.isTotal = isTotal;
  }
}

/** A body that ended before its Content-Length. */
export class ShortBodyError extends Error {
  /** Makes one for a body of which `received` of `expected` bytes came. */
  constructor(received: number, expected: number) {
    super(`Body ended after ${received} of ${expected} bytes`);
    this.name = "ShortBodyError";
  }
}

/** One request. It holds nothing open once its body was read to the end, failed, or was cancelled. */
export class Exchange implements ByteSource, Cancellable, Watched {
  readonly #setting: ExchangeSetting;
  readonly #cancellation: Cancellation;
  readonly #controller = new AbortController();
  #reader: BodyReader | undefined;
  #first: Chunk;
  /** Since when the other side is waited for. */
  #waitingSince: number | undefined;
  #waited = 0;
  #deadline = Infinity;
  #interrupt: ((reason: unknown) => void) | undefined;
  #closed = false;
  #expected = 0;
  #onlyGzip = false;
  #received = 0;
  #onBreak: ((error: unknown) => void) | undefined;
  /** Why there is no proper end, where there is none. */
  #broken: { readonly reason: unknown } | undefined;

  /** It is cancelled with `cancellation`. */
  constructor(setting: ExchangeSetting, cancellation: Cancellation) {
    this.#setting = setting;
    this.#cancellation = cancellation;
    cancellation.add(this);
  }

  get ready(): boolean {
    return this.#first !== undefined || this.#hasEnded;
  }

  get deadline(): number {
    return this.#deadline;
  }

  /**
   * Sends the request: the answer, its body not asked for yet; redirects are not followed unless
   * `redirect` says so. A `fetch` that does not mind its signal is not waited for, and what it brings
   * too late is let go.
   */
  send(
    fetch: Fetch,
    url: string,
    headers: HeaderRecord,
    redirect: RequestRedirect = "manual",
  ): Promise<Response> {
    return new Promise<Response>((resolve, reject) => {
      const fail = (error: unknown): void => {
        this.#close();
        reject(error);
      };
      if (this.#broken !== undefined) return fail(this.#broken.reason);
      this.#interrupt = reject;
      this.#wait();
      try {
        const { signal } = this.#controller;
        const answer = fetch(url, { headers, redirect, signal });
        Promise.resolve(answer).then((response) => resolve(this.#begun(response))).catch(fail);
      } catch (error) {
        fail(error);
      }
    });
  }

  /**
   * Expects so many bytes: a body with fewer has no proper end. `onlyGzip` if the length is that of
   * compressed bytes, and the runtime may have decompressed them.
   */
  expect(length: number, onlyGzip: boolean): void {
    this.#expected = length;
    this.#onlyGzip = onlyGzip;
  }

  /** Calls back when the body breaks off and was not cancelled; an exception replaces the error. */
  onBreak(callback: (error: unknown) => void): void {
    this.#onBreak = callback;
  }

  /** Takes a chunk back that was just read: it is the next one again. */
  unread(chunk: Uint8Array): void {
    this.#first = chunk;
  }

  read(): Chunk | Promise<Chunk> {
    const first = this.#first;
    if (first === undefined) return this.#hasEnded ? undefined : this.#readOn();
    this.#first = undefined;
    return first;
  }

  cancel(reason?: unknown): void {
    if (this.#closed) return;
    const interrupt = this.#interrupt;
    this.#close();
    this.#first = undefined;
    this.#reader?.cancel(reason).catch(() => {});
    this.#controller.abort(reason);
    this.#broken = { reason: this.#controller.signal.reason };
    interrupt?.(this.#broken.reason);
  }

  expire(): void {
    const { timeout, maxRequestTime } = this.#setting.limits;
    this.cancel(
      timeout <= maxRequestTime - this.#waited
        ? new TimeoutError(`No byte within ${timeout} ms`)
        : new TimeoutError(`Not finished within ${maxRequestTime} ms`, true),
    );
  }

  /** Whether nothing more comes; what was broken off has no proper end. */
  get #hasEnded(): boolean {
    return this.#closed && this.#broken === undefined;
  }

  /** An answer that came, in time or not. */
  #begun(response: Response): Response {
    this.#interrupt = undefined;
    if (this.#broken !== undefined) discard(response);
    else if (response.body === null) this.#close();
    else {
      this.#rest();
      this.#reader = bodyReader(response.body, this.#setting.buffers);
    }
    return response;
  }

  async #readOn(): Promise<Chunk> {
    this.#throwIfBroken();
    try {
      this.#wait();
      for (;;) {
        const chunk = this.#reader!.take(await this.#interruptible(this.#reader!.ask()));
        this.#throwIfBroken();
        if (chunk === undefined) break;
        if (chunk.length === 0) continue;
        if (this.#received === 0 && this.#onlyGzip && !isGzip(chunk)) this.#expected = 0;
        this.#received += chunk.length;
        this.#rest();
        return chunk;
      }
      if (this.#received < this.#expected) {
        throw new ShortBodyError(this.#received, this.#expected);
      }
    } catch (error) {
      const isWhole = this.#expected > 0 && this.#received >= this.#expected;
      // what follows the last byte does not matter
      if (!isWhole || this.#broken !== undefined) {
        const isCancelled = this.#broken !== undefined && !(error instanceof TimeoutError);
        this.cancel(error);
        if (!isCancelled) this.#onBreak?.(error);
        throw error;
      }
    }
    this.#close();
    return undefined;
  }

  /** The outcome of a promise of the body, which may never settle, or a rejection by `cancel()`. */
  #interruptible(piece: Promise<BodyPiece>): Promise<BodyPiece> {
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      piece.then(resolve, reject);
    });
  }

  /** From now on the other side is waited for, but not for ever. */
  #wait(): void {
    const { limits, clock, watchdog } = this.#setting;
    const now = clock.elapsed();
    const left = Math.min(limits.timeout, limits.maxRequestTime - this.#waited);
    this.#waitingSince = now;
    this.#deadline = now + Math.max(0, left);
    watchdog.watch(this);
  }

  /** Nobody waits for the other side, for the time being. */
  #rest(): void {
    this.#setting.watchdog.forget(this);
    this.#waited += this.#setting.clock.elapsed() - this.#waitingSince!;
    this.#waitingSince = undefined;
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#interrupt = undefined;
    if (this.#waitingSince !== undefined) this.#setting.watchdog.forget(this);
    this.#waitingSince = undefined;
    this.#reader?.release();
    this.#cancellation.remove(this);
  }

  #throwIfBroken(): void {
    if (this.#broken !== undefined) throw this.#broken.reason;
  }
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
