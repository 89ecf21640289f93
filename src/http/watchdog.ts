/**
 * One timer for everything that must not take for ever.
 *
 * A timer for each wait would cost 3 µs and 1.5 KB, three times a document; and hardly any ever rings.
 *
 * @module
 */

import type { Alarm, Clock } from "./clock.ts";

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
