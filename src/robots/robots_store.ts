/**
 * What is known of the robots.txt of many hosts, in bounded memory: first come, first kept.
 *
 * | robots.txt                          | what follows                                      |
 * | ----------------------------------- | ------------------------------------------------- |
 * | fits into what is left of the store | it is kept to the end                             |
 * | does not fit                        | it is dropped, and the store is full              |
 * | of another host, in a full store    | it is not asked for; what it says is unknown      |
 *
 * Nothing is evicted: the pages of many hosts may come in turn, and each host would be asked again and
 * again. The robots.txt of a site comes before those of other hosts.
 *
 * @module
 */

const MAX_BYTES = 32 * 1024 * 1024;
/** Bytes of an entry, about, without its origin and what is known of it. */
const ENTRY_BYTES = 512;

export class RobotsStore<T> {
  readonly #known = new Map<string, T>();
  #bytes = 0;
  isFull = false;

  get(origin: string): T | undefined {
    return this.#known.get(origin);
  }

  add(origin: string, known: T, bytes: number): boolean {
    const sum = this.#bytes + ENTRY_BYTES + 2 * origin.length + bytes;
    if (sum > MAX_BYTES) this.isFull = true;
    if (this.isFull) return false;
    this.#bytes = sum;
    this.#known.set(origin, known);
    return true;
  }
}
