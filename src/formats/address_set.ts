/**
 * Which addresses a sitemap has given already, at 16 bytes or so an address.
 *
 * A `Set<string>` costs 600 ns and a copy of the string per page; this keeps a 64-bit hash of each
 * address in a typed array. The hash is seeded at random, so a collision can be neither foreseen nor
 * made: among 50,000 addresses the odds of one are 7 in 10¹¹, among the 500,000 that `maxEntries`
 * allows 7 in 10⁹.
 *
 * @module
 */

const FIRST_CAPACITY = 64;

/** A table of which less than a part in so many was used is not worth wiping. */
const MIN_USE = 32;

/** Two random 32-bit numbers that make hashes unforeseeable. */
export type HashSeed = readonly [number, number];

/** The state of the hash after the first characters of an address. */
export interface HashedBeginning {
  /** How many characters, a multiple of four. */
  readonly length: number;
  /** One half. */
  readonly high: number;
  /** The other half. */
  readonly low: number;
}

/** A fresh seed. */
export function randomSeed(): HashSeed {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [high, low];
}

/** Mixes a 32-bit state so that every bit depends on all (the finalizer of MurmurHash3). */
function mixed(state: number): number {
  let hash = state;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** A set of addresses that can only grow. */
export class AddressSet {
  readonly #seed: HashSeed;
  #table = new Int32Array(2 * FIRST_CAPACITY);
  #size = 0;

  constructor(seed: HashSeed) {
    this.#seed = seed;
  }

  /** Adds an address: false when it was there already. */
  add(address: string): boolean {
    const length = address.length;
    let high = this.#seed[0], low = this.#seed[1];
    let at = 0;
    let odd = 0;
    for (; at + 4 <= length; at += 4) {
      const first = address.charCodeAt(at), second = address.charCodeAt(at + 1);
      const third = address.charCodeAt(at + 2), fourth = address.charCodeAt(at + 3);
      if ((first | second | third | fourth) > 0x7f) return this.#addOdd(address);
      const word = first | second << 8 | third << 16 | fourth << 24;
      odd |= word - 0x21212121;
      high = Math.imul(high ^ word, 0x01000193);
      high ^= high >>> 15;
      low = Math.imul(((low << 5) | (low >>> 27)) + word, 0x9e3779b1);
    }
    for (; at < length; at++) {
      const code = address.charCodeAt(at);
      if (code > 0x7f || code < 0x21) return this.#addOdd(address);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(((low << 5) | (low >>> 27)) + code, 0x9e3779b1);
    }
    return (odd & 0x80808080) === 0
      ? this.#insert(mixed(high ^ length), mixed(low))
      : this.#addOdd(address);
  }

  /** What addresses that begin alike need not be hashed for again; the text is printable ASCII. */
  beginning(text: string): HashedBeginning {
    const length = text.length & ~3;
    let high = this.#seed[0], low = this.#seed[1];
    for (let at = 0; at < length; at += 4) {
      const word = text.charCodeAt(at) | text.charCodeAt(at + 1) << 8 |
        text.charCodeAt(at + 2) << 16 | text.charCodeAt(at + 3) << 24;
      high = Math.imul(high ^ word, 0x01000193);
      high ^= high >>> 15;
      low = Math.imul(((low << 5) | (low >>> 27)) + word, 0x9e3779b1);
    }
    return { length, high, low };
  }

  /**
   * Adds an address given by its bytes, four at a time: the same as `add()` of its text. For other
   * than printable ASCII it does nothing and answers `undefined`; such addresses go by their text.
   */
  addBytes(
    view: DataView,
    start: number,
    end: number,
    beginning: HashedBeginning,
  ): boolean | undefined {
    let high = beginning.high, low = beginning.low;
    let at = start + beginning.length;
    let odd = 0;
    for (; at + 4 <= end; at += 4) {
      const word = view.getInt32(at, true);
      // the highest bit of a byte is set where it is not ASCII, or below "!" and so borrows
      odd |= word | (word - 0x21212121);
      high = Math.imul(high ^ word, 0x01000193);
      high ^= high >>> 15;
      low = Math.imul(((low << 5) | (low >>> 27)) + word, 0x9e3779b1);
    }
    for (; at < end; at++) {
      const code = view.getUint8(at);
      odd |= code | (code - 0x21);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(((low << 5) | (low >>> 27)) + code, 0x9e3779b1);
    }
    if ((odd & 0x80808080) !== 0) return undefined;
    return this.#insert(mixed(high ^ (end - start)), mixed(low));
  }

  /** Addresses with other than printable ASCII, by all 16 bits of their characters. */
  #addOdd(address: string): boolean {
    let high = this.#seed[0], low = this.#seed[1];
    for (let at = 0; at < address.length; at++) {
      const code = address.charCodeAt(at);
      high = Math.imul(high ^ code, 0x85ebca6b);
      high ^= high >>> 13;
      low = Math.imul(((low << 7) | (low >>> 25)) + code, 0x9e3779b1);
    }
    return this.#insert(mixed(high ^ ~address.length), mixed(low));
  }

  /** Forgets all addresses; a table that was used well stays for the next. */
  clear(): void {
    if (this.#size * MIN_USE < this.#table.length) this.#table = new Int32Array(2 * FIRST_CAPACITY);
    else this.#table.fill(0);
    this.#size = 0;
  }

  #insert(high: number, low: number): boolean {
    // both halves zero marks an empty place
    if ((high | low) === 0) low = 1;
    const table = this.#table;
    const mask = table.length - 1;
    let place = (high << 1) & mask;
    for (;; place = (place + 2) & mask) {
      const thereHigh = table[place]!, thereLow = table[place + 1]!;
      if ((thereHigh | thereLow) === 0) break;
      if (thereHigh === high && thereLow === low) return false;
    }
    table[place] = high;
    table[place + 1] = low;
    if (++this.#size * 4 > mask) this.#grow();
    return true;
  }

  #grow(): void {
    const old = this.#table;
    // large steps while it is small: moving what is there costs a third of all the adding else
    const table = new Int32Array(old.length * (this.#size < 4096 ? 8 : 4));
    const mask = table.length - 1;
    for (let at = 0; at < old.length; at += 2) {
      const high = old[at]!, low = old[at + 1]!;
      if ((high | low) === 0) continue;
      let place = (high << 1) & mask;
      while ((table[place]! | table[place + 1]!) !== 0) place = (place + 2) & mask;
      table[place] = high;
      table[place + 1] = low;
    }
    this.#table = table;
  }
}

/** Sets to be used for one document after another. */
export class AddressSets {
  readonly #seed: HashSeed;
  readonly #free: AddressSet[] = [];

  /** All of them hash alike. */
  constructor(seed: HashSeed = randomSeed()) {
    this.#seed = seed;
  }

  /** An empty set. */
  take(): AddressSet {
    return this.#free.pop() ?? new AddressSet(this.#seed);
  }

  /** Takes a set back. */
  give(set: AddressSet): void {
    set.clear();
    this.#free.push(set);
  }
}
