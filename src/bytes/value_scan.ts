/**
 * Bytes that are compared with what is at many offsets.
 *
 * @module
 */

/** A copy of some UTF-8, compared eight bytes at a time; the last eight may overlap those before. */
export class BytePattern {
  /** Number of bytes. */
  readonly length: number;
  /** Eights from the beginning, read as numbers, which UTF-8 never makes NaN; bytes if it is shorter. */
  readonly #parts: readonly number[];
  readonly #last: number;

  /** Copies a range. */
  constructor(view: DataView, start: number, end: number) {
    const parts: number[] = [];
    this.length = end - start;
    if (this.length < 8) { for (let at = start; at < end; at++) parts.push(view.getUint8(at)); }
    else for (let at = start; at < end - 8; at += 8) parts.push(view.getFloat64(at, true));
    this.#parts = parts;
    this.#last = this.length < 8 ? NaN : view.getFloat64(end - 8, true);
  }

  /** Whether it is at an offset. */
  isAt(view: DataView, at: number): boolean {
    const last = at + this.length - 8;
    if (last < at) return this.#isShortAt(view, at);
    if (last + 8 > view.byteLength || view.getFloat64(last, true) !== this.#last) return false;
    const parts = this.#parts;
    for (let i = 0, from = at; i < parts.length; i++, from += 8) {
      if (view.getFloat64(from, true) !== parts[i]) return false;
    }
    return true;
  }

  #isShortAt(view: DataView, at: number): boolean {
    const parts = this.#parts;
    if (at + parts.length > view.byteLength) return false;
    for (let i = parts.length - 1; i >= 0; i--) {
      if (view.getUint8(at + i) !== parts[i]) return false;
    }
    return true;
  }
}

// MERGED: One pass over the bytes of a value: where it ends, what is in it, and its hash.  The hash is HalfSipHash-1-3 (https://github.com/veorq/SipHash), which has 64 bits and a key, made for tables whose keys come from strangers: without the key, collisions can be neither foreseen nor made. Among the 500,000 addresses that `maxEntries` allows, the odds of one are 7 in 10⁹.

/** The value has an `&`. */
export const REFERENCE = 1;
/** The value has a byte below the space, line ends included. */
export const CONTROL = 2;
/** The value has a byte above 0x7f: it must be decoded as UTF-8. */
export const WIDE = 4;

/** Key of hashes: two numbers of 32 bits. */
export type HashKey = readonly [number, number];

/** Returns a random key. */
export function randomKey(): HashKey {
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [first, second];
}

const LT = 0x3c;
const AMPERSAND = 0x26;
const SPACE = 0x20;
const SPACES = 0x20202020;
/** UTF-8 never has it. */
const NO_BYTE = 0xff;
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

/** The beginning of values, hashed as far as whole words reach; it has no `<`, `&` or control. */
export class HashedPrefix extends BytePattern {
  readonly text: string;
  readonly isAscii: boolean;
  /** Number of bytes that are hashed. */
  readonly hashed: number;
  /** State of the hash behind them. */
  readonly state: Int32Array;

  constructor(text: string, view: DataView, state: Int32Array) {
    super(view, 0, view.byteLength);
    this.text = text;
    this.isAscii = this.length === text.length;
    this.hashed = this.length & -4;
    this.state = state;
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
  /** The prefix that the last value of {@linkcode toTag} begins with, if it is the expected one. */
  prefix: HashedPrefix | undefined = undefined;
  #expected: HashedPrefix | undefined;
  readonly #initial: Int32Array;
  /** State of the hash behind the whole words of the last value. */
  readonly #state = new Int32Array(4);
  // made when it is needed
  #scratch = NO_BYTES;
  #scratchView = NO_VIEW;
  #gathered = 0;

  constructor([first, second]: HashKey) {
    this.#initial = Int32Array.of(first, second ^ 0xee, first ^ 0x6c796765, second ^ 0x74656462);
  }

  /** Expects values that begin with a prefix: what they have in common is not scanned again. */
  expect(prefix: HashedPrefix): void {
    this.#expected = prefix;
  }

  /** Hashes a prefix. */
  hashPrefix(text: string): HashedPrefix {
    const bytes = ENCODER.encode(text);
    const view = new DataView(bytes.buffer);
    this.range(view, 0, bytes.length);
    return new HashedPrefix(text, view, this.#state.slice());
  }

  /** Scans from `start` to the next `<`, and hashes the value if it is to be; false if there is none. */
  toTag(view: DataView, start: number, isHashed: boolean): boolean {
    const limit = view.byteLength;
    if (isHashed) {
      const expected = this.#expected;
      this.prefix = expected !== undefined && expected.isAt(view, start) ? expected : undefined;
      this.#hash(view, start, limit, LT);
    } else this.#find(view, start, LT);
    return this.end < limit;
  }

  /** Scans and hashes a range of UTF-8. */
  range(view: DataView, start: number, end: number): void {
    this.prefix = undefined;
    this.#hash(view, start, end, NO_BYTE);
  }

  /** Scans and hashes up to a byte, or to the limit without one. */
  #hash(view: DataView, start: number, limit: number, stop: number): void {
    const { prefix } = this;
    const stops = Math.imul(stop, 0x01010101);
    let state = this.#initial, at = start, refs = 0, controls = 0, wide = 0, end = -1;
    if (prefix !== undefined) {
      state = prefix.state;
      at += prefix.hashed;
      wide = prefix.isAscii ? 0 : MARKS;
    }
    let v0 = state[0]!, v1 = state[1]!, v2 = state[2]!, v3 = state[3]!;
    for (const last = limit - 4; at <= last; at += 4) {
      const word = view.getInt32(at, true);
      const found = equalMarks(word, stops) & MARKS;
      if (found !== 0) {
        end = at + lowestByte(found);
        break;
      }
      refs |= equalMarks(word, 0x26262626);
      controls |= (word - 0x20202020) & ~word;
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
    if (end < 0) { for (end = at; end < limit && view.getUint8(end) !== stop;) end++; }
    // the last four bytes, which overlap those before; without as many, filled up with blanks
    const length = end - start, left = end - at;
    let tail = SPACES;
    if (length >= 4) tail = view.getInt32(end - 4, true);
    else for (let i = start; i < end; i++) tail = tail >>> 8 | view.getUint8(i) << 24;
    refs |= equalMarks(tail, 0x26262626);
    controls |= (tail - 0x20202020) & ~tail;
    wide |= tail;
    this.end = end;
    this.flags = flagsFrom(refs, controls, wide);
    // its last word is what is left of it, and its length
    const last = length << 24 | (left === 0 ? 0 : tail >>> 32 - 8 * left);
    this.#finish(last, v0, v1, v2, v3);
  }

  /** Hashes the last word: seven rounds, four for each half of the hash. */
  #finish(last: number, a: number, b: number, c: number, d: number): void {
    let v0 = a, v1 = b, v2 = c, v3 = d ^ last;
    const state = this.#state;
    state[0] = v0;
    state[1] = v1;
    state[2] = v2;
    state[3] = d;
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
        v0 ^= last;
        v2 ^= 0xee;
      } else if (round === 3) {
        this.high = v1 ^ v3;
        v1 ^= 0xdd;
      }
    }
    this.low = v1 ^ v3;
  }

  /**
   * Finds the end of an attribute value that begins at `start`: the next `quote`, a byte. Returns -1 if
   * there is none; `flags` are those of the value, `hasTag` whether it has a `<`.
   */
  toQuote(view: DataView, start: number, quote: number): number {
    this.#find(view, start, quote);
    return this.end < view.byteLength ? this.end : -1;
  }

  /** Scans up to a byte, or to the end of the view without one. */
  #find(view: DataView, start: number, stop: number): void {
    const stops = Math.imul(stop, 0x01010101);
    let refs = 0, controls = 0, wide = 0, tags = 0, at = start;
    for (let last = view.byteLength - 8; at <= last; at += 8) {
      let a = view.getInt32(at, true), b = view.getInt32(at + 4, true);
      const first = equalMarks(a, stops) & MARKS, second = equalMarks(b, stops) & MARKS;
      if ((first | second) !== 0) {
        const end = at + (first !== 0 ? lowestByte(first) : 4 + lowestByte(second));
        if (end - start < 8) break;
        // the last eight bytes, which overlap those before
        last = at = end - 8;
        a = view.getInt32(at, true);
        b = view.getInt32(at + 4, true);
      }
      refs |= equalMarks(a, 0x26262626) | equalMarks(b, 0x26262626);
      tags |= equalMarks(a, 0x3c3c3c3c) | equalMarks(b, 0x3c3c3c3c);
      controls |= ((a - 0x20202020) & ~a) | ((b - 0x20202020) & ~b);
      wide |= a | b;
    }
    for (let byte = 0; at < view.byteLength && (byte = view.getUint8(at)) !== stop; at++) {
      if (byte === AMPERSAND) refs = MARKS;
      if (byte === LT) tags = MARKS;
      if (byte < SPACE) controls = MARKS;
      if (byte > 0x7f) wide = MARKS;
    }
    this.end = at;
    this.flags = flagsFrom(refs, controls, wide);
    this.hasTag = (tags & MARKS) !== 0;
  }

  /** Flags of a range, which is not hashed. */
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
}
