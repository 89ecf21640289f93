/**
 * A hash of addresses in UTF-8 of 64 bits, in two numbers of 32.
 *
 * It is seeded at random, so that a collision can be neither foreseen nor made: among 50,000
 * addresses the odds of one are 7 in 10¹¹, among the 500,000 that `maxEntries` allows 7 in 10⁹.
 *
 * Bytes are taken by the eight, four for each half of the state, which then stir each other: for
 * given bytes no two states become one, and for a given state no two eights of bytes do. The last
 * eight overlap those before, so that no single bytes are left. 35 ns for an address of 70 bytes.
 *
 * @module
 */

/** Two random 32-bit numbers that make hashes unforeseeable. */
export type HashSeed = readonly [number, number];

/** A fresh seed. */
export function randomSeed(): HashSeed {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [high, low];
}

const ENCODER = new TextEncoder();

/** A shorter address is made longer. */
const MIN_BYTES = 8;

/** Long texts are written down piece by piece: 200 MB more for one of 200 MB would be too much. */
const PIECE_BYTES = 4096;

/** The last piece is longer than the others, so that there always is one of eight bytes or more. */
const LONG_BYTES = 2 * PIECE_BYTES;

/** Where addresses that come as text are written: two pieces wait, and a letter has up to three bytes. */
const SCRATCH = new Uint8Array(5 * PIECE_BYTES);
const SCRATCH_VIEW = new DataView(SCRATCH.buffer);

/** Mixes a 32-bit state so that every bit depends on all (the finalizer of MurmurHash3). */
function mixed(state: number): number {
  let hash = state;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** The highest bit of each byte of a word that tells where a control character stands. */
const MARKS = 0x80808080;

/** A word with such a bit set where a control character stands, or behind one; other bits vary. */
function controlMarks(word: number): number {
  return (word - 0x20202020) & ~word;
}

/** The same for a `<`. */
function tagMarks(word: number): number {
  const bytes = word ^ 0x3c3c3c3c;
  return (bytes - 0x01010101) & ~bytes;
}

/** How many bytes stand before a `<` that is in one of two words. */
function placeOfTag(first: number, second: number): number {
  const marks = tagMarks(first) & MARKS;
  return marks !== 0 ? lowestByte(marks) : 4 + lowestByte(tagMarks(second) & MARKS);
}

/** The first byte of a word that is marked: the last of the marks may be those of a borrow. */
function lowestByte(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}

/** The beginning of an address, hashed as far as whole eights of bytes reach. */
export interface HashedBeginning {
  /** The whole of it. */
  readonly text: string;
  /** Bytes that are hashed. */
  readonly length: number;
  /** One half of the state behind them. */
  readonly high: number;
  /** The other half. */
  readonly low: number;
}

/** Hashes one address after the other. */
export class AddressHash {
  /** One half of the last hash. */
  high = 0;
  /** The other half. */
  low = 0;
  /** Whether the last address had control characters in it. */
  hasControl = false;
  /** What it begins with. */
  seedHigh: number;
  /** The other half of it. */
  seedLow: number;
  /** The last that was asked for: most documents of a site have the same. */
  #beginning: HashedBeginning | undefined;

  constructor([high, low]: HashSeed) {
    this.seedHigh = high;
    this.seedLow = low;
  }

  /** Hashes an address. */
  takeText(address: string): void {
    const { length } = address;
    if (length < MIN_BYTES || length > PIECE_BYTES) return this.#takeAny(address);
    for (let at = 0; at < length; at++) {
      const code = address.charCodeAt(at);
      if (code > 0x7f) return this.#takeAny(address);
      SCRATCH[at] = code;
    }
    this.take(SCRATCH_VIEW, 0, length);
  }

  /** The same for an address of any length, of any characters. */
  #takeAny(address: string): void {
    const text = address.length < MIN_BYTES ? address.padEnd(MIN_BYTES, "\0") : address;
    const pieces = new LongHash(this);
    let waiting = 0;
    for (let at = 0; at < text.length;) {
      const end = endOfPiece(text, at);
      waiting += ENCODER.encodeInto(text.slice(at, end), SCRATCH.subarray(waiting)).written;
      const rest = pieces.takeMost(SCRATCH_VIEW, 0, waiting);
      SCRATCH.copyWithin(0, rest, waiting);
      waiting -= rest;
      at = end;
    }
    pieces.takeLast(SCRATCH_VIEW, 0, waiting);
    if (address.length < MIN_BYTES) this.high = mixed(this.high ^ address.length);
  }

  /** Hashes the address between two places, eight bytes at least. */
  take(view: DataView, start: number, end: number): void {
    if (end - start >= LONG_BYTES) return this.#takeLong(view, start, end);
    this.#stirIn(view, start, end);
    this.#seal(end - start);
  }

  /**
   * Hashes the address that ends before the next `<`, of which it tells the place: half the time of
   * looking for it first. It must begin as told. −1 where the `<` is too far, or not there.
   */
  takeToTag(view: DataView, start: number, beginning: HashedBeginning): number {
    let { high, low } = beginning;
    let controls = 0;
    let end = -1;
    const last = Math.min(view.byteLength, start + LONG_BYTES) - 8;
    for (let at = start + beginning.length; end < 0; at += 8) {
      if (at > last) return -1;
      let first = view.getInt32(at, true), second = view.getInt32(at + 4, true);
      if (((tagMarks(first) | tagMarks(second)) & MARKS) !== 0) {
        end = at + placeOfTag(first, second);
        if (end === at) break;
        first = view.getInt32(end - 8, true);
        second = view.getInt32(end - 4, true);
      }
      controls |= controlMarks(first) | controlMarks(second);
      high = Math.imul(high ^ first, 0x9e3779b1);
      low = Math.imul(low ^ second, 0x85ebca6b);
      high ^= low >>> 15;
      low ^= high >>> 13;
    }
    this.high = high;
    this.low = low;
    this.hasControl = (controls & MARKS) !== 0;
    this.#seal(end - start);
    return end;
  }

  /** What `takeToTag()` need not hash again of addresses that begin with this, in ASCII. */
  behind(beginning: string): HashedBeginning {
    if (this.#beginning?.text !== beginning) this.#beginning = this.#hashed(beginning);
    return this.#beginning;
  }

  #hashed(text: string): HashedBeginning {
    const length = Math.min(text.length, PIECE_BYTES) & -8;
    ENCODER.encodeInto(text.slice(0, length), SCRATCH);
    const hash = new AddressHash([this.seedHigh, this.seedLow]);
    hash.#stirIn(SCRATCH_VIEW, 0, length);
    return { text, length, high: hash.high, low: hash.low };
  }

  /**
   * Takes the bytes between two places by the eight; the last eight may overlap those before. The four
   * steps stand in `takeToTag()` too: two numbers in and out of a function would be an object each time.
   */
  #stirIn(view: DataView, start: number, end: number): void {
    let high = this.seedHigh, low = this.seedLow;
    let controls = 0;
    const last = end - 8;
    for (let next = start, at = -1; at < last; next += 8) {
      at = next < last ? next : last;
      const first = view.getInt32(at, true), second = view.getInt32(at + 4, true);
      controls |= controlMarks(first) | controlMarks(second);
      high = Math.imul(high ^ first, 0x9e3779b1);
      low = Math.imul(low ^ second, 0x85ebca6b);
      high ^= low >>> 15;
      low ^= high >>> 13;
    }
    this.high = high;
    this.low = low;
    this.hasControl = (controls & MARKS) !== 0;
  }

  /** Makes a hash of what was taken. */
  #seal(length: number): void {
    this.high = mixed(this.high ^ length);
    this.low = mixed(this.low);
  }

  #takeLong(view: DataView, start: number, end: number): void {
    const pieces = new LongHash(this);
    pieces.takeLast(view, pieces.takeMost(view, start, end), end);
  }
}

/** Hashes a long address piece by piece, each piece with the hash of those before as its seed. */
class LongHash {
  readonly #hash: AddressHash;
  readonly #seed: HashSeed;
  #hasControl = false;

  constructor(hash: AddressHash) {
    this.#hash = hash;
    this.#seed = [hash.seedHigh, hash.seedLow];
  }

  /** Takes pieces as long as enough follows for one more: the place behind them. */
  takeMost(view: DataView, start: number, end: number): number {
    const hash = this.#hash;
    let at = start;
    for (; end - at >= LONG_BYTES; at += PIECE_BYTES) {
      hash.take(view, at, at + PIECE_BYTES);
      hash.seedHigh = hash.high;
      hash.seedLow = hash.low;
      this.#hasControl ||= hash.hasControl;
    }
    return at;
  }

  /** Takes the rest: the hash then is that of the whole. */
  takeLast(view: DataView, start: number, end: number): void {
    const hash = this.#hash;
    hash.take(view, start, end);
    hash.hasControl ||= this.#hasControl;
    [hash.seedHigh, hash.seedLow] = this.#seed;
  }
}

/** Where a piece of a text ends, between two characters. */
function endOfPiece(text: string, start: number): number {
  const end = start + PIECE_BYTES;
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
