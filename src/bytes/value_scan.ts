/**
 * Scans values in UTF-8: their end, what they contain, and their hash, several bytes at a time.
 *
 * The hash is HalfSipHash-1-3 (https://github.com/veorq/SipHash) with 64 bits: keyed, so that a hostile
 * document can neither foresee nor make collisions. Among the 500,000 addresses that `maxEntries`
 * allows, the probability of one is 7 in 10⁹.
 *
 * @module
 */

import { asciiReference } from "./ascii_reference.ts";
import { BytePattern } from "./byte_pattern.ts";

/** The value has an `&` that may begin a reference. */
export const REFERENCE = 1;
/** The value has a byte below the space, line ends included. */
export const CONTROL = 2;
/** The value has a byte above 0x7f: it must be decoded as UTF-8. */
export const WIDE = 4;

/** Key of hashes: two numbers of 32 bits. */
export type HashKey = readonly [number, number];

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20, AMPERSAND = 0x26, LT = 0x3c;
/** A byte that UTF-8 never has. */
const NO_BYTE = 0xff;
const HIGH_BITS = 0x80808080 | 0;
/** Length up to which a loop encodes ASCII faster than an encoder. */
const MAX_LOOP = 256;
/** `amp;` */
const AMP = 0x3b706d61;
const AMP_REFERENCE = 5 << 8 | 0x26;
const ENCODER = new TextEncoder();

export function randomKey(): HashKey {
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [first, second];
}

/** Common beginning of values, without `<`, `&` or control characters, whose hash is known. */
export class HashedPrefix extends BytePattern {
  readonly text: string;
  readonly isAscii: boolean;
  /** State of the hash after its whole words. */
  readonly state: Int32Array;

  constructor(text: string, view: DataView, state: Int32Array) {
    super(view, 0, view.byteLength);
    this.text = text;
    this.isAscii = this.length === text.length;
    this.state = state;
  }
}

/** UTF-8, and a string in which each byte has the same offset, as those of a `Window`. */
interface ScannedBytes {
  readonly view: DataView;
  readonly text: string;
}

/** The properties are those of the last value. */
export class ValueScan {
  start = 0;
  end = 0;
  /** Offset of the `<` after it. */
  tag = 0;
  /** {@linkcode REFERENCE}, {@linkcode CONTROL} and {@linkcode WIDE}. */
  flags = 0;
  /** Number of its references, if it was hashed as an address. */
  references = 0;
  /** Offsets of these references. */
  readonly offsets: number[] = [];
  /** Their characters and lengths, see {@linkcode asciiReference}. */
  readonly codes: number[] = [];
  /** Whether it has a `<`. */
  hasTag = false;
  high = 0;
  low = 0;
  /** The expected prefix, if the value was hashed and begins with it. */
  prefix: HashedPrefix | undefined = undefined;
  #expected: HashedPrefix | undefined;
  readonly #initial: Int32Array;
  /** State of the hash after the whole words. */
  readonly #state = new Int32Array(4);
  /** Offset from which the length of the value is counted: its start, moved by what references save. */
  #from = 0;
  /** Number of bytes of the last odd word. */
  #count = 0;
  readonly #scratch = new Uint8Array(MAX_LOOP);

  constructor([first, second]: HashKey) {
    this.#initial = Int32Array.of(first, second ^ 0xee, first ^ 0x6c796765, second ^ 0x74656462);
  }

  /** Expects values that begin with a prefix, which is then not scanned again. */
  expect(prefix: HashedPrefix): void {
    this.#expected = prefix;
  }

  hashPrefix(text: string): HashedPrefix {
    const view = this.text(text);
    return new HashedPrefix(text, view, this.#state.slice());
  }

  /**
   * Scans up to the next `<`; returns false if there is none. An address is hashed, and read without
   * the white space around it.
   */
  toTag({ view, text }: ScannedBytes, start: number, isAddress: boolean): boolean {
    const limit = view.byteLength;
    if (!isAddress) {
      this.#find(view, start, limit, LT);
      this.start = start;
      this.tag = this.end;
      return this.tag < limit;
    }
    const isPadded = start < limit && view.getUint8(start) <= SPACE;
    const from = this.start = isPadded ? endOfSpace(view, start, limit) : start;
    const expected = this.#expected;
    this.prefix = expected !== undefined && expected.isAt(view, from) ? expected : undefined;
    this.#hash(view, from, limit, text, true);
    const end = this.tag = this.end;
    return end < limit && (view.getUint8(end) === LT || this.#toTagAfter(view, text, end));
  }

  /** Goes on after an address that ends in white space or a control character. */
  #toTagAfter(view: DataView, text: string, end: number): boolean {
    const limit = view.byteLength;
    this.tag = endOfSpace(view, end, limit);
    if (this.tag < limit && view.getUint8(this.tag) !== LT) {
      // it is inside the address
      this.#find(view, this.start, limit, LT);
      this.tag = this.end;
      this.#hash(view, this.start, this.tag, text, false);
    }
    return this.tag < limit;
  }

  /**
   * Returns the offset of the next byte `stop`, such as the quote that ends an attribute value; -1 if
   * there is none before `limit`. `flags` and `hasTag` are those of the value.
   */
  toByte(view: DataView, start: number, stop: number, limit: number): number {
    this.#find(view, start, limit, stop);
    return this.end < limit ? this.end : -1;
  }

  /** Scans and hashes a range in which an `&` is an `&`. */
  range(view: DataView, start: number, end: number): void {
    this.#matchPrefix(view, start, end);
    this.#hash(view, start, end, undefined, false);
  }

  /** Scans and hashes a range in which references are read. */
  escapedRange({ view, text }: ScannedBytes, start: number, end: number): void {
    this.#matchPrefix(view, start, end);
    this.#hash(view, start, end, text, false);
  }

  #matchPrefix(view: DataView, start: number, end: number): void {
    const expected = this.#expected;
    const isExpected = expected !== undefined && expected.length <= end - start &&
      expected.isAt(view, start);
    this.prefix = isExpected ? expected : undefined;
  }

  flagsOf(view: DataView, start: number, end: number): number {
    this.#find(view, start, end, NO_BYTE);
    return this.flags;
  }

  /** Scans and hashes a text; returns its bytes in UTF-8, valid until the next value. */
  text(text: string): DataView {
    const bytes = this.#asciiBytes(text) ?? ENCODER.encode(text);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.range(view, 0, bytes.length);
    return view;
  }

  #asciiBytes(text: string): Uint8Array | undefined {
    if (text.length > MAX_LOOP) return undefined;
    const scratch = this.#scratch;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 0x7f) return undefined;
      scratch[at] = code;
    }
    return scratch.subarray(0, text.length);
  }

  /** Scans up to the byte `stop`, or to `limit` without one. */
  #find(view: DataView, start: number, limit: number, stop: number): void {
    const stops = Math.imul(stop, 0x01010101);
    let refs = 0, controls = 0, wide = 0, tags = 0, at = start;
    for (let last = limit - 8; at <= last; at += 8) {
      let a = view.getInt32(at, true), b = view.getInt32(at + 4, true);
      const first = equalBytes(a, stops) & HIGH_BITS, second = equalBytes(b, stops) & HIGH_BITS;
      if ((first | second) !== 0) {
        const end = at + (first !== 0 ? lowestByte(first) : 4 + lowestByte(second));
        if (end - start < 8) break;
        // the last eight bytes, which overlap those before
        last = at = end - 8;
        a = view.getInt32(at, true);
        b = view.getInt32(at + 4, true);
      }
      refs |= equalBytes(a, 0x26262626) | equalBytes(b, 0x26262626);
      tags |= equalBytes(a, 0x3c3c3c3c) | equalBytes(b, 0x3c3c3c3c);
      controls |= ((a - 0x20202020) & ~a) | ((b - 0x20202020) & ~b);
      wide |= a | b;
    }
    for (let byte = 0; at < limit && (byte = view.getUint8(at)) !== stop; at++) {
      if (byte === AMPERSAND) refs = HIGH_BITS;
      if (byte === LT) tags = HIGH_BITS;
      if (byte < SPACE) controls = HIGH_BITS;
      if (byte > 0x7f) wide = HIGH_BITS;
    }
    this.prefix = undefined;
    this.end = at;
    this.flags = flagsFrom(refs, controls, wide);
    this.hasTag = (tags & HIGH_BITS) !== 0;
  }

  /**
   * Scans and hashes up to `limit`; if `isAddress`, up to a `<` or white space. References in `text`,
   * the same bytes, are hashed as the characters that they mean, if these are ASCII.
   */
  #hash(
    view: DataView,
    start: number,
    limit: number,
    text: string | undefined,
    isAddress: boolean,
  ): void {
    const { prefix } = this, last = limit - 4;
    let state = this.#initial, at = start, wide = 0;
    if (prefix !== undefined) {
      state = prefix.state;
      at += prefix.length & -4;
      wide = prefix.isAscii ? 0 : HIGH_BITS;
    }
    const { offsets, codes } = this, lastAmp = text === undefined ? -1 : limit - 8;
    let v0 = state[0]!, v1 = state[1]!, v2 = state[2]!, v3 = state[3]!, references = 0;
    for (; at <= last; at += 4) {
      let word = view.getInt32(at, true);
      const marks = oddBytes(word) & HIGH_BITS;
      if (marks !== 0) {
        // only `&amp;`, which has one byte more than a word, is read here
        if (at > lastAmp) break;
        const index = lowestByte(marks), after = -256 << 8 * index;
        const isAmp = view.getInt32(at + index + 1, true) === AMP &&
          view.getUint8(at + index) === AMPERSAND;
        word = word & ~after | view.getInt32(at + 4, true) & after;
        // `a` in place of the `&`
        if (!isAmp || (oddBytes(word ^ 0x47 << 8 * index) & HIGH_BITS) !== 0) break;
        offsets[references] = at + index;
        codes[references++] = AMP_REFERENCE;
        at += 4;
      }
      wide |= word;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v2 = (v2 + v3) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (((v0 << 16) | (v0 >>> 16)) + v3) | 0;
      v2 = (v2 + v1) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    // up to three bytes may be left
    let end = at, left = 0, byte = 0;
    for (; end < limit && !isOdd(byte = view.getUint8(end)); end++) left |= byte << 8 * (end - at);
    this.references = references;
    this.flags = (((wide | left) & HIGH_BITS) !== 0 ? WIDE : 0) | (references > 0 ? REFERENCE : 0);
    this.end = end;
    const from = start + 4 * references;
    const isEnded = end === limit || isAddress && byte !== AMPERSAND;
    if (isEnded) this.#finish(left | (end - from) << 24, v0, v1, v2, v3);
    else {
      this.end = at;
      this.#from = from;
      this.#hashRest(view, limit, text, isAddress, v0, v1, v2, v3);
    }
  }

  /**
   * Continues at a word that needs attention. It is not part of the loop before, which is faster without
   * calls inside it (`deno task bench --shapes`, plain).
   */
  #hashRest(
    view: DataView,
    limit: number,
    text: string | undefined,
    isAddress: boolean,
    a: number,
    b: number,
    c: number,
    d: number,
  ): void {
    let v0 = a, v1 = b, v2 = c, v3 = d, wide = 0;
    for (;;) {
      const word = this.#nextWord(view, limit, text, isAddress);
      if (this.#count < 4) {
        if (((wide | word) & HIGH_BITS) !== 0) this.flags |= WIDE;
        return this.#finish(word | (this.end - this.#from) << 24, v0, v1, v2, v3);
      }
      wide |= word;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v2 = (v2 + v3) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (((v0 << 16) | (v0 >>> 16)) + v3) | 0;
      v2 = (v2 + v1) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
  }

  /**
   * Reads a word at `end`, references decoded, and moves `end` after it. `#count` is the number of its
   * bytes, fewer than four if the value ends.
   */
  #nextWord(
    view: DataView,
    limit: number,
    text: string | undefined,
    isAddress: boolean,
  ): number {
    let at = this.end, count = 0, word = 0;
    if (at + 4 <= limit) {
      word = view.getInt32(at, true);
      // `&` and `<` are bytes like any other without references
      const marks = text === undefined ? spaces(word) : oddBytes(word);
      if ((marks & HIGH_BITS) === 0) {
        this.end = at + 4;
        this.#count = 4;
        return word;
      }
      word = 0;
    }
    for (; count < 4 && at < limit; count++) {
      let byte = view.getUint8(at++);
      if (byte === AMPERSAND && text !== undefined) {
        const reference = asciiReference(text, at - 1);
        this.#addReference(at - 1, reference);
        if (reference !== 0) {
          byte = reference & 0xff;
          at += (reference >> 8) - 1;
          this.#from += (reference >> 8) - 1;
        }
      } else if (byte <= SPACE || byte === LT) {
        if (isAddress) {
          at--;
          break;
        }
        if (byte < SPACE) this.flags |= CONTROL;
      }
      word |= byte << 8 * count;
    }
    this.end = at;
    this.#count = count;
    return word;
  }

  #addReference(at: number, reference: number): void {
    const index = this.references++;
    this.flags |= REFERENCE;
    this.offsets[index] = at;
    this.codes[index] = reference;
  }

  /**
   * Hashes the last word: one round, then three for each half of the hash. One loop for all rounds is
   * slower (`deno task bench`, plain).
   */
  #finish(word: number, a: number, b: number, c: number, d: number): void {
    const state = this.#state;
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = d;
    let v0 = a, v1 = b, v2 = c, v3 = d ^ word;
    for (let round = 0; round < 7; round++) {
      v0 = (v0 + v1) | 0;
      v2 = (v2 + v3) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (((v0 << 16) | (v0 >>> 16)) + v3) | 0;
      v2 = (v2 + v1) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      if (round === 0) {
        v0 ^= word;
        v2 ^= 0xee;
      } else if (round === 3) {
        this.high = v1 ^ v3;
        v1 ^= 0xdd;
      }
    }
    this.low = v1 ^ v3;
  }
}

function flagsFrom(refs: number, controls: number, wide: number): number {
  return ((refs & HIGH_BITS) !== 0 ? REFERENCE : 0) | ((controls & HIGH_BITS) !== 0 ? CONTROL : 0) |
    ((wide & HIGH_BITS) !== 0 ? WIDE : 0);
}

/** Whether a byte needs attention, see {@linkcode oddBytes}. */
function isOdd(byte: number): boolean {
  return byte <= SPACE || byte === LT || byte === AMPERSAND;
}

function endOfSpace(view: DataView, start: number, limit: number): number {
  for (let at = start; at < limit; at++) {
    const byte = view.getUint8(at);
    if (byte > SPACE || (byte !== SPACE && byte !== LF && byte !== TAB && byte !== CR)) return at;
  }
  return limit;
}

/**
 * Sets the highest bit of each byte of `word` that equals the byte repeated in `pattern`; that of bytes
 * after it may be set too.
 */
function equalBytes(word: number, pattern: number): number {
  const x = word ^ pattern;
  return (x - 0x01010101) & ~x;
}

/** Sets the highest bit of `<`, `&`, white space and control characters, as {@linkcode equalBytes} does. */
function oddBytes(word: number): number {
  return equalBytes(word, 0x3c3c3c3c) | equalBytes(word, 0x26262626) | spaces(word);
}

/** Sets the highest bit of white space and control characters. */
function spaces(word: number): number {
  return (word - 0x21212121) & ~word;
}

/** Index of the lowest byte that is marked. */
function lowestByte(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}
