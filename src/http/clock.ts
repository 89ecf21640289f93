/**
 * The clock of a walk, which tests replace, and waits that end with an `AbortSignal` or at a
 * deadline.
 *
 * @module
 */

import { eventLoopTurn, startTimer, type Timer } from "../platform/timers.ts";

export type { Timer };

export interface Clock {
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  random(): number;
  startTimer(milliseconds: number, callback: () => void): Timer;
  /** Does not keep the process alive. */
  startBackgroundTimer(milliseconds: number, callback: () => void): Timer;
  /** Resolves after a turn of the event loop, with its timers, signals and I/O. */
  turn(): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  random: Math.random,
  startTimer,
  startBackgroundTimer(milliseconds, callback) {
    const timer = startTimer(milliseconds, callback);
    timer.unref();
    return timer;
  },
  turn: eventLoopTurn,
};

/**
 * Signals of which each aborts an operation. `AbortSignal.any()` would make one of them, but at a
 * cost for each document that `bench:site` shows.
 */
export type Signals = readonly AbortSignal[];

export function throwIfAborted(signals: Signals): void {
  for (const signal of signals) signal.throwIfAborted();
}

/** Leaves no listeners, since the signal of a walk outlives its requests, and that of a worker all walks. */
export function abortable<T>(promise: Promise<T>, signals: Signals): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      for (const signal of signals) signal.removeEventListener("abort", listener);
    };
    const listener = ({ target }: Event) => {
      leave();
      reject((target as AbortSignal).reason);
    };
    for (const signal of signals) signal.addEventListener("abort", listener);
    promise.then(resolve, reject).finally(leave);
    throwIfAborted(signals);
  });
}

/** Rejects with the reason of the first signal that aborts. */
export async function sleep(milliseconds: number, clock: Clock, signals: Signals): Promise<void> {
  throwIfAborted(signals);
  if (milliseconds <= 0) return;
  let timer: Timer | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = clock.startTimer(milliseconds, resolve);
  });
  await abortable(elapsed, signals).finally(() => timer?.clear());
}

export interface Watched {
  /** By `Clock.elapsed()`. */
  readonly deadline: number;
  expire(): void;
}

/**
 * Watches the deadlines of many waits with one timer. `bench:site` shows the cost of starting one
 * for each wait, of which hardly any fires.
 */
export class Watchdog {
  readonly #clock: Clock;
  // an array, since a `Set` leaves tables behind as it changes (see docs/ARCHITECTURE.md)
  readonly #watched: Watched[] = [];
  #timer: Timer | undefined;
  /** Time at which the timer fires: the earliest deadline, or before. */
  #firesAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watch(watched: Watched): void {
    this.#watched.push(watched);
    if (watched.deadline < this.#firesAt) this.#start(watched.deadline);
    else this.#timer?.ref();
  }

  /** Without any wait, the timer keeps running, but not the process. */
  forget(watched: Watched): void {
    const at = this.#watched.lastIndexOf(watched);
    if (at >= 0) this.#watched.splice(at, 1);
    if (this.#watched.length === 0) this.#timer?.unref();
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#firesAt = Infinity;
  }

  #start(time: number): void {
    this.stop();
    this.#firesAt = time;
    const delay = Math.max(0, time - this.#clock.elapsed());
    this.#timer = this.#clock.startTimer(delay, () => this.#expire());
  }

  #expire(): void {
    this.stop();
    const now = this.#clock.elapsed();
    for (const watched of this.#watched.filter(({ deadline }) => deadline <= now)) {
      // another one may have ended it
      if (!this.#watched.includes(watched)) continue;
      this.forget(watched);
      watched.expire();
    }
    const earliest = Math.min(...this.#watched.map(({ deadline }) => deadline));
    if (earliest < this.#firesAt) this.#start(earliest);
  }
}

/** Milliseconds of work after which the event loop gets a turn. */
const MAX_BUSY = 8;

/**
 * Returns a function that yields to the event loop during work that never waits, such as reading
 * bodies in memory, so that deadlines, signals and Ctrl-C take effect; `undefined` if that is not due.
 */
export function eventLoopTurns(clock: Clock): () => Promise<void> | undefined {
  let last = clock.elapsed();
  const turn = async () => {
    await clock.turn();
    last = clock.elapsed();
  };
  return () => clock.elapsed() - last < MAX_BUSY ? undefined : turn();
}
