/**
 * Time and chance, so that tests can have their own.
 *
 * @module
 */

import { clearTimeout as clearNodeTimeout, setTimeout as setNodeTimeout } from "node:timers";
import type { Cancellation } from "./cancellation.ts";

/** What the library asks of the clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back after so many milliseconds, unless the answer is called before. */
  after(milliseconds: number, callback: () => void): () => void;
  /** The same, but a process that has nothing else to do does not wait for it. */
  meanwhile(milliseconds: number, callback: () => void): () => void;
  /** A number from 0 to 1, as `Math.random()`. */
  random(): number;
}

/** Longer delays overflow to none at all. */
const MAX_DELAY = 2 ** 31 - 1;

/** The real one. */
export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, MAX_DELAY));
    return () => clearTimeout(timer);
  },
  meanwhile(milliseconds, callback) {
    // only timers of Node's kind can be told not to keep a process up, in every runtime
    const timer = setNodeTimeout(callback, Math.min(milliseconds, MAX_DELAY));
    timer.unref();
    return () => clearNodeTimeout(timer);
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
    const stopTimer = clock.after(milliseconds, () => {
      forget();
      resolve();
    });
    const forget = cancellation.onCancel((reason) => {
      stopTimer();
      reject(reason);
    });
  });
}
