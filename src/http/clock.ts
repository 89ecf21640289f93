/**
 * Time and chance, so that tests can have their own.
 *
 * @module
 */

import { eventLoopTurn, startTimer } from "../platform/timers.ts";
import type { Cancellation } from "./cancellation.ts";

/** A timer that a process may wait for or not. */
export interface Alarm {
  /** A process waits for it, as it does in the beginning. */
  hold(): void;
  /** A process that has nothing else to do does not wait for it. */
  release(): void;
  /** It does not ring. */
  stop(): void;
}

/** What the library asks of the clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment, unaffected by changes of the system time. */
  elapsed(): number;
  /** Resolves after a turn of the event loop: timers, signals and I/O come first. */
  turn(): Promise<void>;
  /** Calls back after so many milliseconds, unless the answer is called before. */
  after(milliseconds: number, callback: () => void): () => void;
  /** The same, but a process that has nothing else to do does not wait for it. */
  meanwhile(milliseconds: number, callback: () => void): () => void;
  /** The same, but a process waits for it only as long as it is told to. */
  alarm(milliseconds: number, callback: () => void): Alarm;
  /** A number from 0 to 1, as `Math.random()`. */
  random(): number;
}

/** Longer delays overflow to none at all. */
const MAX_DELAY = 2 ** 31 - 1;

/** The real one. */
export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  turn: eventLoopTurn,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, MAX_DELAY));
    return () => clearTimeout(timer);
  },
  meanwhile(milliseconds, callback) {
    const timer = startTimer(Math.min(milliseconds, MAX_DELAY), callback);
    timer.unref();
    return timer.clear;
  },
  alarm(milliseconds, callback) {
    const timer = startTimer(Math.min(milliseconds, MAX_DELAY), callback);
    return { hold: timer.ref, release: timer.unref, stop: timer.clear };
  },
  random: Math.random,
};

/** Waits, unless it is given up before: then it rejects with the reason. */
export function sleep(
  milliseconds: number,
  clock: Clock,
  cancellation: Cancellation,
): Promise<void> {
  if (cancellation.cancelled) return Promise.reject(cancellation.reason);
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const sleeper = {
      cancel(reason: unknown) {
        stopTimer();
        reject(reason);
      },
    };
    const stopTimer = clock.after(milliseconds, () => {
      cancellation.remove(sleeper);
      resolve();
    });
    cancellation.add(sleeper);
  });
}

/** Milliseconds of work after which the event loop gets a turn. */
const MAX_BUSY = 8;

/**
 * Gives the event loop its turns during work that never waits, as with bodies that are in memory:
 * deadlines, signals and Ctrl-C would have to wait for the end of it.
 */
export class EventLoopTurns {
  readonly #clock: Clock;
  #last: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#last = clock.elapsed();
  }

  /** Returns a promise of the next turn when it is due, else `undefined`. */
  due(): Promise<void> | undefined {
    if (this.#clock.elapsed() - this.#last < MAX_BUSY) return undefined;
    return this.#turn();
  }

  async #turn(): Promise<void> {
    await this.#clock.turn();
    this.#last = this.#clock.elapsed();
  }
}

// MERGED: One timer for everything that must not take for ever.  A timer for each wait would cost 3 µs and 1.5 KB, three times a document; and hardly any ever rings.

/** Something that must come to its end in time. */
export interface Watched {
  /** When its time is up, by `Clock.elapsed()`. */
  readonly deadline: number;
  /** Its time is up. It is no longer watched. */
  expire(): void;
}

/** Watches over many at once. While it watches nobody, no process waits for its timer. */
export class Watchdog {
  readonly #clock: Clock;
  /** No more than there are requests under way. An array: sets leave tables behind as they change. */
  readonly #watched: Watched[] = [];
  readonly #ring = (): void => this.#look();
  #alarm: Alarm | undefined;
  /** When the timer rings: at the earliest deadline, or before. */
  #ringsAt = Infinity;

  /** Watches by this clock. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches until it is forgotten, or its time is up. */
  watch(watched: Watched): void {
    if (this.#watched.push(watched) === 1) this.#alarm?.hold();
    if (watched.deadline < this.#ringsAt) this.#ringAt(watched.deadline);
  }

  /** Watches no longer: it came to its end. */
  forget(watched: Watched): void {
    const at = this.#watched.lastIndexOf(watched);
    if (at < 0) return;
    const last = this.#watched.pop()!;
    if (last !== watched) this.#watched[at] = last;
    // not stopped: another is about to be watched, and a timer that is left alone costs nothing
    if (this.#watched.length === 0) this.#alarm?.release();
  }

  /** Nothing more is to be watched: lets go of the timer. */
  stop(): void {
    this.#alarm?.stop();
    this.#alarm = undefined;
    this.#ringsAt = Infinity;
  }

  #look(): void {
    this.stop();
    const now = this.#clock.elapsed();
    const expired = this.#watched.filter(({ deadline }) => deadline <= now);
    for (const watched of expired) {
      // those before may have ended it
      if (!this.#watched.includes(watched)) continue;
      this.forget(watched);
      watched.expire();
    }
    const earliest = Math.min(...this.#watched.map(({ deadline }) => deadline));
    if (earliest < this.#ringsAt) this.#ringAt(earliest);
  }

  #ringAt(deadline: number): void {
    this.stop();
    this.#ringsAt = deadline;
    this.#alarm = this.#clock.alarm(Math.max(0, deadline - this.#clock.elapsed()), this.#ring);
  }
}
