/**
 * How many requests may be under way.
 *
 * @module
 */

/** Whoever fetches ahead: told when there is room, asked to make room. */
export interface LooksAhead {
  /** Whether there is nothing left that it could fetch ahead. */
  readonly exhausted: boolean;
  /** Fetches ahead while there is room. */
  fill(): void;
  /** Gives up the last document that is held back, if there is one; its slot goes to the asker. */
  giveWay(): boolean;
}

/**
 * The slots of a walk. Reading goes first: one slot is never used to fetch ahead, and a document that
 * is held back gives way. So what is held back can never lock out what is to be read before it.
 */
export class Slots {
  readonly #size: () => number;
  /** Lists being walked, the innermost last: it comes first in document order. */
  readonly #lists: LooksAhead[] = [];
  readonly #waiting: (() => void)[] = [];
  #reading = 0;
  #ahead = 0;
  #closed = false;

  /** `size` returns the number of slots, which may change during the walk. */
  constructor(size: () => number) {
    this.#size = size;
  }

  /** Number of slots, at least 1. */
  get size(): number {
    return Math.max(1, this.#size());
  }

  /** Whether anything is fetched ahead. */
  get fetchAhead(): boolean {
    return this.size > 1;
  }

  /** Takes a slot to read; a promise where there is none yet. */
  take(): Promise<void> | undefined {
    if (this.#closed) return undefined;
    if (!this.#full || this.#reclaim(this.#lists.length)) {
      this.#reading++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a slot back that was read in. */
  release(): void {
    this.#reading--;
    this.#offer();
  }

  /** Takes a slot to fetch ahead, if need be from what comes later in document order. */
  tryTakeAhead(list: LooksAhead): boolean {
    if (this.#closed) return false;
    const room = !this.#full && this.#ahead < this.size - 1;
    if (!room && !this.#reclaim(this.#lists.lastIndexOf(list))) return false;
    this.#ahead++;
    return true;
  }

  /** Gives a slot back that was used to fetch ahead. */
  releaseAhead(): void {
    this.#ahead--;
    this.#offer();
  }

  /** A list is walked from now on. */
  enter(list: LooksAhead): void {
    this.#lists.push(list);
  }

  /** A list has been walked. */
  leave(list: LooksAhead): void {
    this.#lists.splice(this.#lists.lastIndexOf(list), 1);
  }

  /**
   * Fetches ahead while there is room, in document order: what comes after a list is not fetched
   * while the list has something left, or the two would take the slots from each other in turn.
   */
  refill(): void {
    for (let at = this.#lists.length - 1; at >= 0 && !this.#closed; at--) {
      const list = this.#lists[at]!;
      list.fill();
      if (!list.exhausted) return;
    }
  }

  /** Nobody needs a slot any more: those who wait go on, and find that the walk has ended. */
  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  get #full(): boolean {
    return this.#reading + this.#ahead >= this.size;
  }

  /** Takes a slot from one of the first `count` lists, the outermost first. */
  #reclaim(count: number): boolean {
    for (let at = 0; at < count; at++) {
      if (!this.#lists[at]!.giveWay()) continue;
      this.#ahead--;
      return true;
    }
    return false;
  }

  /** Gives free slots away: the last to wait reads first, so that few lists are open at a time. */
  #offer(): void {
    if (this.#waiting.length === 0) return this.refill();
    // more than one is free if the number of slots has grown
    while (!this.#full && this.#waiting.length > 0) {
      this.#reading++;
      this.#waiting.pop()!();
    }
  }
}
