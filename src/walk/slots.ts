/**
 * How many requests may be under way.
 *
 * @module
 */

/** Whoever fetches ahead: told when there is room, asked to make room. */
export interface LooksAhead {
  /** Fetches ahead while there is room. */
  fill(): void;
  /** Gives up the last document that is held back, if there is one. */
  giveWay(): boolean;
}

/**
 * Slots for documents fetched ahead of their turn. One slot of `concurrency` is kept for whatever is
 * being read, so that reading never waits for what is held back.
 */
export class AheadSlots {
  readonly #size: number;
  /** Lists being walked, the innermost last: it comes first in document order. */
  readonly #lists: LooksAhead[] = [];
  #used = 0;

  constructor(concurrency: number) {
    this.#size = concurrency - 1;
  }

  /** Takes a slot, if need be from what comes later in document order. */
  tryTake(list: LooksAhead): boolean {
    if (this.#used >= this.#size && !this.#makeRoom(list)) return false;
    this.#used++;
    return true;
  }

  /** Gives a slot back. */
  release(): void {
    this.#used--;
    for (let at = this.#lists.length - 1; at >= 0; at--) this.#lists[at]!.fill();
  }

  /** A list is walked from now on. */
  enter(list: LooksAhead): void {
    this.#lists.push(list);
  }

  /** A list has been walked. */
  leave(list: LooksAhead): void {
    const at = this.#lists.lastIndexOf(list);
    if (at >= 0) this.#lists.splice(at, 1);
  }

  #makeRoom(list: LooksAhead): boolean {
    const own = this.#lists.lastIndexOf(list);
    return this.#lists.slice(0, Math.max(own, 0)).some((outer) => outer.giveWay());
  }
}

/** Slots for documents that are all read at once. */
export class ReadingSlots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(concurrency: number) {
    this.#free = concurrency;
  }

  /** Resolves once there is a slot. */
  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a slot back. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
