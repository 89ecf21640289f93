/**
 * Timers and turns of the event loop.
 *
 * @module
 */

import { builtin } from "./environment.ts";

/** A running timer. */
export interface Timer {
  /** Keeps the process alive, as it does in the beginning. */
  readonly ref: () => void;
  /** Lets the process end before it, where there is a process. */
  readonly unref: () => void;
  /** Stops it. */
  readonly clear: () => void;
}

// in every runtime that has them, only timers of Node can let the process end
const timers: TimerFunctions = builtin("node:timers") ?? globalThis;

/** Functions of `node:timers`, of which browsers have some. */
interface TimerFunctions {
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: never): void;
  setImmediate?(callback: () => void): unknown;
}

/** Calls back after so many milliseconds, at most 2³¹ - 1. */
export function startTimer(milliseconds: number, callback: () => void): Timer {
  const timer = timers.setTimeout(callback, milliseconds) as Partial<Timer>;
  return {
    ref: () => void timer.ref?.(),
    unref: () => void timer.unref?.(),
    clear: () => timers.clearTimeout(timer as never),
  };
}

/** Resolves after a turn of the event loop. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (timers.setImmediate !== undefined) timers.setImmediate(resolve);
    else turnByMessage(resolve);
  });
}

/** Calls back after a turn, in runtimes without `setImmediate`: nested timeouts take 4 ms in browsers. */
export function turnByMessage(callback: () => void): void {
  if (typeof MessageChannel === "undefined") return void setTimeout(callback, 0);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    // an open port keeps a process alive
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
