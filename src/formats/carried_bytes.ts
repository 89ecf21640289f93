/**
 * Bytes that wait for those that follow them, in memory that is used again.
 *
 * The last record of a chunk is seldom complete. Fresh memory for its beginning, and again for all of
 * it, takes two microseconds a chunk: as long as to read five records.
 *
 * @module
 */

const FIRST_CAPACITY = 1024;

/** Small documents come whole, and carry nothing over. */
const NO_MEMORY = new Uint8Array(0);

/** Bytes that wait. */
export class CarriedBytes {
  #memory = NO_MEMORY;
  #length = 0;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** Adds a copy of some bytes. */
  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const memory = new Uint8Array(Math.max(FIRST_CAPACITY, 2 * length));
      memory.set(this.#memory.subarray(0, this.#length));
      this.#memory = memory;
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
  }

  /** All of them, good until some are added again; none is left. */
  take(): Uint8Array {
    const bytes = this.#memory.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }
}
