/**
 * Addresses of sitemaps that wait to be visited, and the limit on all of them together.
 *
 * @module
 */

/** Addresses in order, each with the time that its index declares for it. */
export class AddressList {
  readonly #urls: string[] = [];
  readonly #times: number[] = [];
  #characters = 0;

  /** Number of addresses. */
  get length(): number {
    return this.#urls.length;
  }

  /** Number of characters of all addresses. */
  get characters(): number {
    return this.#characters;
  }

  /** Adds an address; `time` is in milliseconds since 1970, NaN without one. */
  push(url: string, time: number = NaN): void {
    this.#urls.push(url);
    this.#times.push(time);
    this.#characters += url.length;
  }

  /** Address at an index from 0. */
  at(index: number): string {
    return this.#urls[index]!;
  }

  /** Time of the address at an index, NaN without one. */
  timeAt(index: number): number {
    return this.#times[index]!;
  }
}

/** Characters allowed for each sitemap that a walk may visit. */
const CHARACTERS_EACH = 256;
/** Characters allowed in any walk. */
const MIN_CHARACTERS = 16 * 1024 * 1024;
/** Weight of an address besides its characters. */
const ADDRESS_WEIGHT = 64;

/**
 * Limit on the addresses that wait to be visited, shared by all indexes of a walk. An index of 100 MiB
 * is little but addresses, and indexes can be nested.
 */
export class AddressBudget {
  #left: number;

  /** Allows for `maxSitemaps` addresses of 256 characters, and for 16 Mi characters at least. */
  constructor(maxSitemaps: number) {
    this.#left = Math.max(MIN_CHARACTERS, maxSitemaps * CHARACTERS_EACH);
  }

  /** Takes the weight of an address; returns false if it exceeds the budget. */
  take(url: string): boolean {
    const weight = url.length + ADDRESS_WEIGHT;
    if (weight > this.#left) return false;
    this.#left -= weight;
    return true;
  }

  /** Returns the weight of visited addresses to the budget. */
  release({ length, characters }: AddressList): void {
    this.#left += characters + length * ADDRESS_WEIGHT;
  }
}
