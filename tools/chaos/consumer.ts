/**
 * A consumer that reads the changes of a snapshot while others write.
 *
 * @module
 */

import type { Snapshot } from "../../src/sync/mod.ts";

const NAME = "chaos";
/** Milliseconds between two looks. */
const INTERVAL = 300;

/** Reads changes until it is ended. */
export class Consumer {
  readonly #snapshot: Snapshot;
  readonly #seen: number[] = [];
  readonly #reading: Promise<void>;
  #isEnding = false;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#reading = this.#read();
  }

  /** Number of changes. */
  get count(): number {
    return this.#seen.length;
  }

  /** Ends, and returns what it did not see, or saw in the wrong order. */
  async end(): Promise<string[]> {
    this.#isEnding = true;
    await this.#reading;
    await this.#look();
    const faults: string[] = [];
    const seen = new Set(this.#seen);
    let missed = 0;
    for await (const { sequence } of this.#snapshot.changes()) if (!seen.delete(sequence)) missed++;
    if (missed > 0) faults.push(`A consumer has missed ${missed} changes`);
    if (seen.size > 0) faults.push(`A consumer has seen ${seen.size} changes that are not there`);
    return faults;
  }

  async #read(): Promise<void> {
    while (!this.#isEnding) {
      // the database may be down
      await this.#look().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
  }

  async #look(): Promise<void> {
    let last = this.#seen.at(-1) ?? 0;
    for await (const { sequence } of this.#snapshot.changes({ consumer: NAME })) {
      // what it has not acknowledged comes again
      if (sequence > last) this.#seen.push(last = sequence);
    }
    if (last > 0) await this.#snapshot.ack(NAME, last);
  }
}
