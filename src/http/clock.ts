/**
 * Time and chance, so that tests can have their own.
 *
 * @module
 */

/** What the library asks of the clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back after so many milliseconds, unless the answer is called before. */
  after(milliseconds: number, callback: () => void): () => void;
  /** A number from 0 to 1, as `Math.random()`. */
  random(): number;
}

/** The real one. */
export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  after(milliseconds, callback) {
    // longer delays overflow to none at all
    const timer = setTimeout(callback, Math.min(milliseconds, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Waits, but no longer than until the signal is aborted: then it rejects with its reason. */
export function sleep(milliseconds: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(milliseconds, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
