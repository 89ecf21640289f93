import { builtin } from "./environment.ts";

/** Functions of `node:timers`, of which browsers have some. */
interface TimerFunctions {
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: never): void;
  setImmediate?(callback: () => void): unknown;
}

// only timers of Node can be unreferenced in every runtime that has processes
const timers: TimerFunctions = builtin("node:timers") ?? globalThis;

/** Longest delay in milliseconds; a longer one overflows, and the timer fires at once. */
const MAX_DELAY = 2 ** 31 - 1;

export interface Timer {
  /** Keeps the process alive until the timer fires, as it does at first. */
  ref(): void;
  unref(): void;
  clear(): void;
}

export function startTimer(milliseconds: number, callback: () => void): Timer {
  const timer = timers.setTimeout(callback, Math.min(milliseconds, MAX_DELAY)) as Partial<Timer>;
  return {
    ref: () => void timer.ref?.(),
    unref: () => void timer.unref?.(),
    clear: () => timers.clearTimeout(timer as never),
  };
}

export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (timers.setImmediate !== undefined) timers.setImmediate(resolve);
    else turnByMessage(resolve);
  });
}

/** Calls back after a turn without `setImmediate`: nested timeouts take 4 ms in browsers. */
function turnByMessage(callback: () => void): void {
  if (typeof MessageChannel === "undefined") return void setTimeout(callback, 0);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    // an open port keeps a process alive
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
