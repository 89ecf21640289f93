/**
 * Limits how many walks read large sitemaps at the same time, for the sake of memory.
 *
 * @module
 */

import { startTimer } from "../platform/timers.ts";

/** Walks that read at the same time. */
const MAX_ACTIVE = 4;
/** Milliseconds after which one does not count any more: its server is slow, and must not hold up others. */
const MAX_TIME = 3000;

export class ReadingGate {
  /** Walks that are reading, and since when. */
  readonly #active = new Map<object, number>();
  /** Walks that wait, the first in line first. */
  readonly #waiting: (() => void)[] = [];

  /** Waits until a walk may read a large sitemap. */
  async enter(walk: object): Promise<void> {
    while (this.#countActive() >= MAX_ACTIVE) {
      await new Promise<void>((resolve) => {
        const timer = startTimer(MAX_TIME, resolve);
        this.#waiting.push(() => {
          timer.clear();
          resolve();
        });
      });
    }
    this.#active.set(walk, performance.now());
  }

  /** Says that a walk has read it. */
  leave(walk: object): void {
    if (this.#active.delete(walk)) this.#waiting.shift()?.();
  }

  #countActive(): number {
    const now = performance.now();
    return [...this.#active.values()].filter((since) => now - since < MAX_TIME).length;
  }
}
