/**
 * One pass over the bytes of a value: where it ends, what is in it, and its hash.
 *
 * The hash has 64 bits in two numbers of 32 and is seeded at random, so that collisions can be neither
 * foreseen nor made: among the 500,000 addresses that `maxEntries` allows the odds of one are 7 in 10⁹.
 * Bytes are taken eight at a time, four for each half of the state, which then mix with each other: for
 * given bytes no two states become one. The last eight overlap those before.
 *
 * @module
 */

import { BytePattern } from "./byte_pattern.ts";

/** The value has an `&`. */
export const REFERENCE = 1;
/** The value has a byte below the space, line ends included. */
export const CONTROL = 2;
/** The value has a byte above 0x7f: it must be decoded as UTF-8. */
export const WIDE = 4;

/** Two random 32-bit numbers that make hashes unforeseeable. */
export type HashSeed = readonly [number, number];

/** Returns a fresh seed. */
export function randomSeed(): HashSeed {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [high, low];
}

const LT = 0x3c;
const AMPERSAND = 0x26;
const SPACE = 0x20;
/** The highest bit of each byte of a word. */
const MARKS = 0x80808080 | 0;
const NO_BYTES = new Uint8Array(0);
const NO_VIEW = new DataView(NO_BYTES.buffer);
/** Longer texts are not worth keeping memory for. */
const MAX_SCRATCH = 64 * 1024;
const ENCODER = new TextEncoder();

/** Marks each byte of `word` that equals the byte repeated in `pattern`; bytes behind it may be marked too. */
function equalMarks(word: number, pattern: number): number {
  const x = word ^ pattern;
  return (x - 0x01010101) & ~x;
}

function flagsFrom(refs: number, controls: number, wide: number): number {
  return ((refs & MARKS) !== 0 ? REFERENCE : 0) | ((controls & MARKS) !== 0 ? CONTROL : 0) |
    ((wide & MARKS) !== 0 ? WIDE : 0);
}

/** Index of the lowest byte that is marked. */
function lowestByte(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}

/** Mixes a 32-bit state so that every bit depends on all (the finalizer of MurmurHash3). */
function mixed(state: number): number {
  let hash = state;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** The beginning of values, hashed as far as whole eights of bytes reach; it has no `<`, `&` or control. */
export class HashedPrefix extends BytePattern {
  readonly text: string;
  readonly isAscii: boolean;
  /** Number of bytes that are hashed. */
  readonly hashed: number;
  readonly high: number;
  readonly low: number;

  constructor(text: string, view: DataView, high: number, low: number) {
    super(view, 0, view.byteLength);
    this.text = text;
    this.isAscii = this.length === text.length;
    this.hashed = this.length & -8;
    this.high = high;
    this.low = low;
  }
}

/** Scans one value after the other. */
export class ValueScan {
  /** Where the last value ends. */
  end = 0;
  /** {@linkcode REFERENCE}, {@linkcode CONTROL} and {@linkcode WIDE} of the last value. */
  flags = 0;
  /** Whether the last attribute value has a `<`. */
  hasTag = false;
  /** One half of the hash of the last value. */
  high = 0;
  /** The other half. */
  low = 0;
  readonly #seedHigh: number;
  readonly #seedLow: number;
  // made when it is needed
  #scratch = NO_BYTES;
  #scratchView = NO_VIEW;
  #gathered = 0;
  /** The prefix that the last value of {@linkcode toTag} begins with, if it is the expected one. */
  prefix: HashedPrefix | undefined = undefined;
  #expected: HashedPrefix | undefined;

  constructor([high, low]: HashSeed) {
    this.#seedHigh = high;
    this.#seedLow = low;
  }

  /** Expects values that begin with a prefix: what they have in common is not hashed again. */
  expect(prefix: HashedPrefix): void {
    this.#expected = prefix;
  }

  /** Hashes a prefix of eight bytes or more. */
  hashPrefix(text: string): HashedPrefix {
    const bytes = ENCODER.encode(text);
    const view = new DataView(bytes.buffer);
    let high = this.#seedHigh, low = this.#seedLow;
    const length = bytes.length & -8;
    for (let at = 0; at < length; at += 8) {
      high = Math.imul(high ^ view.getInt32(at, true), 0x9e3779b1);
      low = Math.imul(low ^ view.getInt32(at + 4, true), 0x85ebca6b);
      high ^= low >>> 15;
      low ^= high >>> 13;
    }
    return new HashedPrefix(text, view, high, low);
  }

  /** Scans from `start` to the next `<`; false if there is none. */
  toTag(view: DataView, start: number): boolean {
    let high = this.#seedHigh, low = this.#seedLow, refs = 0, controls = 0, wide = 0, at = start;
    let end = -1;
    const expected = this.#expected;
    if (expected !== undefined && expected.isAt(view, start)) {
      this.prefix = expected;
      at += expected.hashed;
      high = expected.high;
      low = expected.low;
      wide = expected.isAscii ? 0 : MARKS;
    } else this.prefix = undefined;
    for (const last = view.byteLength - 8; end < 0; at += 8) {
      if (at > last) return this.#toTagBytewise(view, start, at);
      let a = view.getInt32(at, true), b = view.getInt32(at + 4, true);
      const first = equalMarks(a, 0x3c3c3c3c) & MARKS, second = equalMarks(b, 0x3c3c3c3c) & MARKS;
      if ((first | second) !== 0) {
        end = at + (first !== 0 ? lowestByte(first) : 4 + lowestByte(second));
        if (end === at && end > start) break;
        if (end - start < 8) {
          this.range(view, start, end);
          return true;
        }
        a = view.getInt32(end - 8, true);
        b = view.getInt32(end - 4, true);
      }
      refs |= equalMarks(a, 0x26262626) | equalMarks(b, 0x26262626);
      controls |= ((a - 0x20202020) & ~a) | ((b - 0x20202020) & ~b);
      wide |= a | b;
      high = Math.imul(high ^ a, 0x9e3779b1);
      low = Math.imul(low ^ b, 0x85ebca6b);
      high ^= low >>> 15;
      low ^= high >>> 13;
    }
    this.#settle(end, end - start, refs, controls, wide, high, low);
    return true;
  }

  #toTagBytewise(view: DataView, start: number, from: number): boolean {
    let end = from;
    while (end < view.byteLength && view.getUint8(end) !== LT) end++;
    if (end === view.byteLength) return false;
    this.range(view, start, end);
    return true;
  }

  /** Scans a range. */
  range(view: DataView, start: number, end: number): void {
    this.prefix = undefined;
    let high = this.#seedHigh, low = this.#seedLow, refs = 0, controls = 0, wide = 0;
    if (end - start < 8) {
      for (let at = start; at < end; at++) {
        const byte = view.getUint8(at);
        if (byte === AMPERSAND) refs = MARKS;
        if (byte < SPACE) controls = MARKS;
        if (byte > 0x7f) wide = MARKS;
        high = Math.imul(high ^ byte, 0x9e3779b1);
        low ^= high >>> 13;
      }
    } else {
      const last = end - 8;
      for (let next = start, at = -1; at < last; next += 8) {
        at = next < last ? next : last;
        const a = view.getInt32(at, true), b = view.getInt32(at + 4, true);
        refs |= equalMarks(a, 0x26262626) | equalMarks(b, 0x26262626);
        controls |= ((a - 0x20202020) & ~a) | ((b - 0x20202020) & ~b);
        wide |= a | b;
        high = Math.imul(high ^ a, 0x9e3779b1);
        low = Math.imul(low ^ b, 0x85ebca6b);
        high ^= low >>> 15;
        low ^= high >>> 13;
      }
    }
    this.#settle(end, end - start, refs, controls, wide, high, low);
  }

  /**
   * Finds the end of an attribute value that begins at `start`: the next `quote`, a byte. Returns -1 if
   * there is none; `flags` are those of the value, `hasTag` whether it has a `<`.
   */
  toQuote(view: DataView, start: number, quote: number): number {
    const quotes = Math.imul(quote, 0x01010101);
    let refs = 0, controls = 0, wide = 0, tags = 0, at = start;
    for (const last = view.byteLength - 8; at <= last; at += 8) {
      const a = view.getInt32(at, true), b = view.getInt32(at + 4, true);
      if (((equalMarks(a, quotes) | equalMarks(b, quotes)) & MARKS) !== 0) break;
      refs |= equalMarks(a, 0x26262626) | equalMarks(b, 0x26262626);
      tags |= equalMarks(a, 0x3c3c3c3c) | equalMarks(b, 0x3c3c3c3c);
      controls |= ((a - 0x20202020) & ~a) | ((b - 0x20202020) & ~b);
      wide |= a | b;
    }
    for (let byte = 0; at < view.byteLength && (byte = view.getUint8(at)) !== quote; at++) {
      if (byte === AMPERSAND) refs = MARKS;
      if (byte === LT) tags = MARKS;
      if (byte < SPACE) controls = MARKS;
      if (byte > 0x7f) wide = MARKS;
    }
    if (at === view.byteLength) return -1;
    this.flags = flagsFrom(refs, controls, wide);
    this.hasTag = (tags & MARKS) !== 0;
    return at;
  }

  /** Flags of a range, without its hash. */
  flagsOf(view: DataView, start: number, end: number): number {
    let refs = 0, controls = 0, wide = 0, at = start;
    for (; at + 4 <= end; at += 4) {
      const word = view.getInt32(at, true);
      refs |= equalMarks(word, 0x26262626);
      controls |= (word - 0x20202020) & ~word;
      wide |= word;
    }
    for (; at < end; at++) {
      const byte = view.getUint8(at);
      if (byte === AMPERSAND) refs = MARKS;
      if (byte < SPACE) controls = MARKS;
      if (byte > 0x7f) wide = MARKS;
    }
    return flagsFrom(refs, controls, wide);
  }

  /** Begins a value that comes in pieces. */
  begin(): void {
    this.#gathered = 0;
  }

  /** Adds a piece. Bytes, as `charCodeAt()` of a string that was just joined is slower. */
  add(bytes: Uint8Array, start: number, end: number): void {
    let at = this.#gathered;
    if (at + end - start > this.#scratch.length) this.#grow(at + end - start);
    const scratch = this.#scratch;
    for (let i = start; i < end; i++) scratch[at++] = bytes[i]!;
    this.#gathered = at;
  }

  /** Adds a byte. */
  addByte(byte: number): void {
    if (this.#gathered === this.#scratch.length) this.#grow(this.#gathered + 1);
    this.#scratch[this.#gathered++] = byte;
  }

  /** Scans the value that was added. */
  finish(): void {
    this.range(this.#scratchView, 0, this.#gathered);
  }

  /** Scans a text, as the bytes that it has in UTF-8. */
  text(text: string): void {
    const { length } = text;
    if (length > MAX_SCRATCH) {
      const bytes = ENCODER.encode(text);
      return this.range(new DataView(bytes.buffer), 0, bytes.length);
    }
    if (3 * length > this.#scratch.length) this.#grow(3 * length);
    const scratch = this.#scratch;
    let at = 0;
    for (let code = 0; at < length && (code = text.charCodeAt(at)) < 0x80; at++) scratch[at] = code;
    const end = at === length ? at : ENCODER.encodeInto(text, scratch).written;
    this.range(this.#scratchView, 0, end);
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(256, 2 * length));
    grown.set(this.#scratch.subarray(0, this.#gathered));
    this.#scratch = grown;
    this.#scratchView = new DataView(grown.buffer);
  }

  #settle(
    end: number,
    length: number,
    refs: number,
    controls: number,
    wide: number,
    high: number,
    low: number,
  ): void {
    this.end = end;
    this.flags = flagsFrom(refs, controls, wide);
    this.high = mixed(high ^ length);
    this.low = mixed(low);
  }
}
