/** A clock that jumps from timer to timer. @module */

import { setImmediate } from "node:timers";
import type { Clock, Timer } from "../../src/http/clock.ts";

interface FakeTimer {
  readonly at: number;
  readonly callback: () => void;
  /** Whether it keeps the process alive. */
  isRef: boolean;
}

/** Turns of the event loop without a timer after which a test is considered to hang. */
const MAX_IDLE_TURNS = 200;

/** A clock whose time passes only when a test lets it. */
export class FakeClock implements Clock {
  /** Milliseconds since 1970. */
  time: number = Date.UTC(2024, 0, 1);
  /** Results of `random()`, in turn; then 0. */
  readonly randoms: number[];
  /** Delay of every timer that fired, in order. */
  readonly waited: number[] = [];
  readonly #timers = new Set<FakeTimer>();

  constructor(...randoms: number[]) {
    this.randoms = randoms;
  }

  /** Number of running timers that keep the process alive. */
  get pending(): number {
    return [...this.#timers].filter(({ isRef }) => isRef).length;
  }

  /** Number of all running timers. */
  get running(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.time;
  }

  elapsed(): number {
    return this.time;
  }

  random(): number {
    return this.randoms.shift() ?? 0;
  }

  startTimer(milliseconds: number, callback: () => void): Timer {
    const timer = { at: this.time + milliseconds, callback, isRef: true };
    this.#timers.add(timer);
    return {
      ref: () => void (timer.isRef = true),
      unref: () => void (timer.isRef = false),
      clear: () => void this.#timers.delete(timer),
    };
  }

  startBackgroundTimer(milliseconds: number, callback: () => void): Timer {
    return this.startTimer(milliseconds, callback);
  }

  after(milliseconds: number, callback: () => void): void {
    this.startTimer(milliseconds, callback);
  }

  turn(): Promise<void> {
    return nextTurn();
  }

  /** Lets everything happen that takes no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await nextTurn();
  }

  /** Settles as a promise does, while timers fire one after the other. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => void (settled = true);
    promise.then(done, done);
    let idle = 0;
    for (;;) {
      await this.settle();
      if (settled) return promise;
      if (this.jump()) idle = 0;
      else if (++idle > MAX_IDLE_TURNS) throw new Error("Promise pending without a timer");
    }
  }

  /** Jumps to the next timer that keeps the process alive. Returns whether there was one. */
  jump(): boolean {
    const timers = [...this.#timers].sort((one, other) => one.at - other.at);
    const next = timers.find(({ isRef }) => isRef);
    if (next === undefined) return false;
    for (const timer of timers) if (!timer.isRef && timer.at <= next.at) this.#fire(timer);
    this.waited.push(next.at - this.time);
    this.time = Math.max(this.time, next.at);
    this.#fire(next);
    return true;
  }

  #fire(timer: FakeTimer): void {
    this.#timers.delete(timer);
    timer.callback();
  }

  /** Lets time pass without firing a timer. */
  skip(milliseconds: number): void {
    this.time += milliseconds;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
