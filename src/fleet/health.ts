import { count } from "../data/text.ts";
import { duration } from "../data/words.ts";
import type { WorkEvent } from "./work_event.ts";

/** Milliseconds without an answer of the database, which is asked once a second. */
const MAX_SILENCE = 10_000;

/**
 * Whether a worker can do its work:
 *
 * | last of `pulse`, `database-lost`, `-found` | reason                           |
 * | ------------------------------------------ | -------------------------------- |
 * | `database-lost`                            | its own                          |
 * | another, more than 10 seconds ago          | no answer from the database      |
 * | `pulse` with leases that are late          | leases were not extended in time |
 * | any other                                  | none                             |
 */
export class Health {
  readonly #now: () => number;
  #answered: number;
  #loss: string | undefined;
  #late = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#answered = now();
  }

  add(event: WorkEvent): void {
    if (event.type === "database-lost") this.#loss = event.reason;
    if (event.type !== "pulse" && event.type !== "database-found") return;
    this.#loss = undefined;
    this.#answered = this.#now();
    this.#late = event.type === "pulse" ? event.late : 0;
  }

  get isDatabaseUp(): boolean {
    return this.#loss === undefined && this.#now() - this.#answered <= MAX_SILENCE;
  }

  get problem(): string | undefined {
    if (this.#loss !== undefined) return `lost the connection to the database: ${this.#loss}`;
    const silence = duration(this.#now() - this.#answered);
    if (!this.isDatabaseUp) return `no answer from the database for ${silence}`;
    return this.#late > 0 ? `${count(this.#late, "lease")} not extended in time` : undefined;
  }
}
