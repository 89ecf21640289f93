/**
 * Limits how many large sitemaps are read at the same time by walks side by side, for the sake of memory.
 *
 * @module
 */

import { startTimer } from "../platform/timers.ts";

/** Large sitemaps that are read at the same time. */
const MAX_ACTIVE = 2;
/** Milliseconds after which one that gets no bytes does not count, so that it holds up no other. */
const STALLED_AFTER = 1000;

export class ReadingGate {
  /** Readings that may go on, and when they did last. */
  readonly #active = new Map<object, number>();
  #left = Promise.withResolvers<void>();

  /** Waits until a reading may go on. */
  async pass(reading: object): Promise<void> {
    while (!this.#active.has(reading)) {
      const stalled = performance.now() - STALLED_AFTER;
      for (const [other, time] of this.#active) if (time < stalled) this.#active.delete(other);
      if (this.#active.size < MAX_ACTIVE) break;
      const { resolve, promise } = this.#left;
      const timer = startTimer(STALLED_AFTER, resolve);
      await promise;
      timer.clear();
      this.#left = Promise.withResolvers();
    }
    this.#active.set(reading, performance.now());
  }

  /** Ends a reading. */
  leave(reading: object): void {
    if (this.#active.delete(reading)) this.#left.resolve();
  }
}
