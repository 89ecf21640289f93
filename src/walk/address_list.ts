/**
 * Addresses of sitemaps that wait to be visited, and the limit on all of them together.
 *
 * @module
 */

/** Number of addresses in a block. */
const BLOCK_LENGTH = 32;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/**
 * Addresses in order, each with the time that its index declares for it. Kept as blocks of bytes,
 * since long lists of strings would double the heap (`tests/faults/memory.ts`).
 */
export class AddressList {
  /** Full blocks, as JSON. */
  readonly #blocks: Uint8Array[] = [];
  /** Addresses behind the full blocks. */
  #last: string[] = [];
  readonly #times: number[] = [];
  #characters = 0;
  /** The block that was read last. */
  #decoded: { readonly block: number; readonly urls: readonly string[] } | undefined;

  /** Number of addresses. */
  get length(): number {
    return this.#times.length;
  }

  /** Number of characters of all addresses. */
  get characters(): number {
    return this.#characters;
  }

  /** Adds an address; `time` is in milliseconds since 1970, NaN without one. */
  push(url: string, time: number = NaN): void {
    this.#last.push(url);
    this.#times.push(time);
    this.#characters += url.length;
    if (this.#last.length < BLOCK_LENGTH) return;
    this.#blocks.push(ENCODER.encode(JSON.stringify(this.#last)));
    this.#last = [];
  }

  /** Address at an index from 0. */
  at(index: number): string {
    const block = Math.floor(index / BLOCK_LENGTH);
    return this.#blockAt(block)[index % BLOCK_LENGTH]!;
  }

  /** Time of the address at an index, NaN without one. */
  timeAt(index: number): number {
    return this.#times[index]!;
  }

  #blockAt(block: number): readonly string[] {
    if (block === this.#blocks.length) return this.#last;
    if (this.#decoded?.block !== block) {
      const urls: string[] = JSON.parse(DECODER.decode(this.#blocks[block]));
      this.#decoded = { block, urls };
    }
    return this.#decoded.urls;
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
