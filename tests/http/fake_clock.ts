/** A clock that stands still until somebody waits for it. @module */

import { setImmediate } from "node:timers";
import type { Alarm, Clock } from "../../src/http/clock.ts";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
  /** Whether somebody waits for it. */
  isHeld: boolean;
}

/** How many turns of the event loop nothing may happen before a test is taken to hang. */
const MAX_IDLE_TURNS = 200;

/** A clock that jumps from timer to timer. */
export class FakeClock implements Clock {
  /** Milliseconds since 1970. */
  time: number = Date.UTC(2024, 0, 1);
  /** What `random()` gives, in turn; then 0. */
  readonly randoms: number[];
  /** Every delay that a timer really waited for, in order. */
  readonly waited: number[] = [];
  readonly #timers = new Set<Timer>();

  /** A clock with such chances. */
  constructor(...randoms: number[]) {
    this.randoms = randoms;
  }

  /** How many timers are running that somebody waits for. */
  get pending(): number {
    return [...this.#timers].filter(({ isHeld }) => isHeld).length;
  }

  /** How many timers are running at all. */
  get running(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.time;
  }

  elapsed(): number {
    return this.time;
  }

  turn(): Promise<void> {
    return nextTurn();
  }

  random(): number {
    return this.randoms.shift() ?? 0;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const { stop } = this.alarm(milliseconds, callback);
    return stop;
  }

  meanwhile(milliseconds: number, callback: () => void): () => void {
    return this.after(milliseconds, callback);
  }

  alarm(milliseconds: number, callback: () => void): Alarm {
    const timer: Timer = { at: this.time + milliseconds, callback, isHeld: true };
    this.#timers.add(timer);
    return {
      hold: () => void (timer.isHeld = true),
      release: () => void (timer.isHeld = false),
      stop: () => void this.#timers.delete(timer),
    };
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await nextTurn();
  }

  /** The outcome of a promise, with time passing as fast as it may. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => void (settled = true);
    promise.then(done, done);
    let idle = 0;
    for (;;) {
      await this.settle();
      if (settled) return promise;
      if (this.jump()) idle = 0;
      else if (++idle > MAX_IDLE_TURNS) throw new Error("Nothing happens, and no timer is running");
    }
  }

  /** Jumps to the next timer that somebody waits for: whether there was one. */
  jump(): boolean {
    const next = earliest([...this.#timers].filter(({ isHeld }) => isHeld));
    if (next === undefined) return false;
    // those that nobody waits for ring on the way
    const unheld = [...this.#timers].filter(({ isHeld, at }) => !isHeld && at <= next.at);
    for (const timer of unheld) this.#ring(timer);
    this.waited.push(next.at - this.time);
    this.#ring(next);
    return true;
  }

  #ring(timer: Timer): void {
    this.#timers.delete(timer);
    if (timer.isHeld) this.time = Math.max(this.time, timer.at);
    timer.callback();
  }

  /** Lets time pass without any timer noticing: nobody waited. */
  skip(milliseconds: number): void {
    this.time += milliseconds;
  }
}

function earliest(timers: readonly Timer[]): Timer | undefined {
  return timers.reduce<Timer | undefined>(
    (first, timer) => first === undefined || timer.at < first.at ? timer : first,
    undefined,
  );
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
