/**
 * Scans values in UTF-8: their end, what they contain, and their hash, several bytes at a time.
 *
 * The hash is HalfSipHash-1-3 (https://github.com/veorq/SipHash) with 64 bits: keyed, so that a hostile
 * document can neither foresee nor make collisions. Among the 500,000 addresses that `maxEntries`
 * allows, the probability of one is 7 in 10⁹.
 *
 * @module
 */

/** The value has an `&`. */
export const REFERENCE = 1;
/** The value has a byte below the space, line ends included. */
export const CONTROL = 2;
/** The value has a byte above 0x7f: it must be decoded as UTF-8. */
export const WIDE = 4;

/** Key of hashes: two numbers of 32 bits. */
export type HashKey = readonly [number, number];

const LT = 0x3c;
const AMPERSAND = 0x26;
const SPACE = 0x20;
/** A byte that UTF-8 never has. */
const NO_BYTE = 0xff;
/** The highest bit of each byte of a word. */
const HIGH_BITS = 0x80808080 | 0;
/** Length up to which a loop encodes ASCII faster than an encoder. */
const MAX_LOOP = 256;
const EMPTY = new Uint8Array(0);
const ENCODER = new TextEncoder();

export function randomKey(): HashKey {
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [first, second];
}

/** A copy of some UTF-8, to be compared eight bytes at a time with what is at many offsets. */
export class BytePattern {
  readonly length: number;
  /** Eights from the beginning, read as numbers, which UTF-8 never makes NaN; bytes if it is shorter. */
  readonly #parts: readonly number[];
  /** The last eight, which may overlap those before. */
  readonly #last: number;

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

/** Scans values; the properties are those of the last one. */
export class ValueScan {
  /** Offset of its end. */
  end = 0;
  /** {@linkcode REFERENCE}, {@linkcode CONTROL} and {@linkcode WIDE}. */
  flags = 0;
  /** Whether it has a `<`. */
  hasTag = false;
  /** One half of its hash. */
  high = 0;
  low = 0;
  /** The expected prefix, if the value of {@linkcode toTag} begins with it. */
  prefix: HashedPrefix | undefined = undefined;
  #expected: HashedPrefix | undefined;
  readonly #initial: Int32Array;
  /** State of the hash after the whole words. */
  readonly #state = new Int32Array(4);
  #scratch = EMPTY;
  #scratchView = new DataView(EMPTY.buffer);
  #gathered = 0;

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

  /** Scans up to the next `<`, and hashes the value if `isHashed`; returns false if there is none. */
  toTag(view: DataView, start: number, isHashed: boolean): boolean {
    const limit = view.byteLength;
    if (isHashed) {
      const expected = this.#expected;
      this.prefix = expected !== undefined && expected.isAt(view, start) ? expected : undefined;
      this.#hash(view, start, limit, LT);
    } else this.#find(view, start, limit, LT);
    return this.end < limit;
  }

  /**
   * Returns the offset of the next `quote`, a byte, that ends an attribute value; -1 if there is none.
   * `flags` and `hasTag` are those of the value.
   */
  toQuote(view: DataView, start: number, quote: number): number {
    this.#find(view, start, view.byteLength, quote);
    return this.end < view.byteLength ? this.end : -1;
  }

  range(view: DataView, start: number, end: number): void {
    this.prefix = undefined;
    this.#hash(view, start, end, NO_BYTE);
  }

  /** Returns the flags of a range, without its hash. */
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

  /** Returns the bytes of a short ASCII text. */
  #asciiBytes(text: string): Uint8Array | undefined {
    if (text.length > MAX_LOOP) return undefined;
    this.begin();
    this.#reserve(text.length);
    const scratch = this.#scratch;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 0x7f) return undefined;
      scratch[at] = code;
    }
    return scratch.subarray(0, text.length);
  }

  /** Begins a value that comes in pieces of bytes, which are gathered faster than those of a string. */
  begin(): void {
    this.#gathered = 0;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const scratch = this.#scratch;
    let at = this.#gathered;
    for (let i = start; i < end; i++) scratch[at++] = bytes[i]!;
    this.#gathered = at;
  }

  addByte(byte: number): void {
    this.#reserve(1);
    this.#scratch[this.#gathered++] = byte;
  }

  /** Scans and hashes the value that was added. */
  finish(): void {
    this.range(this.#scratchView, 0, this.#gathered);
  }

  #reserve(length: number): void {
    const needed = this.#gathered + length;
    if (needed <= this.#scratch.length) return;
    const grown = new Uint8Array(Math.max(256, 2 * needed));
    grown.set(this.#scratch.subarray(0, this.#gathered));
    this.#scratch = grown;
    this.#scratchView = new DataView(grown.buffer);
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
    this.end = at;
    this.flags = flagsFrom(refs, controls, wide);
    this.hasTag = (tags & HIGH_BITS) !== 0;
  }

  /** Scans and hashes up to the byte `stop`, or to `limit` without one. */
  #hash(view: DataView, start: number, limit: number, stop: number): void {
    const { prefix } = this, stops = Math.imul(stop, 0x01010101);
    let state = this.#initial, at = start, refs = 0, controls = 0, wide = 0;
    if (prefix !== undefined) {
      state = prefix.state;
      at += prefix.length & -4;
      wide = prefix.isAscii ? 0 : HIGH_BITS;
    }
    let v0 = state[0]!, v1 = state[1]!, v2 = state[2]!, v3 = state[3]!;
    for (const last = limit - 4; at <= last; at += 4) {
      const word = view.getInt32(at, true);
      if ((equalBytes(word, stops) & HIGH_BITS) !== 0) break;
      refs |= equalBytes(word, 0x26262626);
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
    // up to three bytes are left
    let end = at, left = 0;
    for (let byte = 0; end < limit && (byte = view.getUint8(end)) !== stop; end++) {
      left |= byte << 8 * (end - at);
      if (byte === AMPERSAND) refs = HIGH_BITS;
      if (byte < SPACE) controls = HIGH_BITS;
    }
    this.end = end;
    this.flags = flagsFrom(refs, controls, wide | left);
    this.#finish(left | (end - start) << 24, v0, v1, v2, v3);
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

/**
 * Sets the highest bit of each byte of `word` that equals the byte repeated in `pattern`; that of bytes
 * after it may be set too.
 */
function equalBytes(word: number, pattern: number): number {
  const x = word ^ pattern;
  return (x - 0x01010101) & ~x;
}

/** Index of the lowest byte that is marked. */
function lowestByte(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}
