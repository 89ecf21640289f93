/**
 * Limits how many walks read large sitemaps at the same time, for the sake of memory.
 *
 * @module
 */

import { startTimer } from "../platform/timers.ts";

const MAX_ACTIVE = 4;
/** Milliseconds after which one does not count any more: its server is slow, and must not hold up others. */
const MAX_TIME = 3000;

export class ReadingGate {
  /** Walks that are reading, and since when. */
  readonly #active = new Map<object, number>();
  /** Wakes the walks that wait, the first in line first. */
  readonly #waiting = new Set<() => void>();

  async enter(walk: object): Promise<void> {
    while (this.#countActive() >= MAX_ACTIVE) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          timer.clear();
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = startTimer(MAX_TIME, wake);
        this.#waiting.add(wake);
      });
    }
    this.#active.set(walk, performance.now());
  }

  leave(walk: object): void {
    const [wakeFirst] = this.#waiting;
    if (this.#active.delete(walk)) wakeFirst?.();
  }

  #countActive(): number {
    const now = performance.now();
    // also those that were stopped
    for (const [walk, since] of this.#active) {
      if (now - since >= MAX_TIME) this.#active.delete(walk);
    }
    return this.#active.size;
  }
}
