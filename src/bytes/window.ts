/**
 * A window of a document: UTF-8 bytes, a string in which every byte has the same offset, and lines.
 *
 * @module
 */

import { latin1Of } from "../platform/text.ts";
import { ownCopy } from "../data/text.ts";

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const ENCODER = new TextEncoder();
const REPLACEMENT = "\ufffd";
/** U+FFFD in UTF-8, as latin1. */
const REPLACEMENT_BYTES = "\xef\xbf\xbd";
/** Beginning of U+FFFE and U+FFFF in UTF-8, as latin1. */
const NONCHARACTER_BYTES = "\xef\xbf";

const HIGH_BITS = 0x80808080 | 0;
const LOW_BITS = 0x01010101;

const EMPTY = new Uint8Array(0);

export class Window {
  /** Valid UTF-8. */
  bytes: Uint8Array = EMPTY;
  /** The same bytes, to read four or eight at a time. */
  view: DataView = new DataView(EMPTY.buffer);
  /** String of the same length: the text if it is ASCII, else its bytes as latin1. */
  text = "";
  isAscii = true;
  /** Whether U+FFFD, U+FFFE or U+FFFF may occur in it. */
  hasSpecials = false;
  /** The text itself, if it is not ASCII. */
  #decoded = "";
  /** Byte up to which UTF-16 units were counted. */
  #countedBytes = 0;
  #countedUnits = 0;

  /** Loads bytes; returns the number of invalid sequences, which U+FFFD replaces. */
  load(bytes: Uint8Array): number {
    const text = UTF8.decode(bytes);
    const isShort = text.length === bytes.length;
    const hasReplacement = text.includes(REPLACEMENT);
    this.isAscii = isShort && !hasReplacement;
    if (this.isAscii) {
      this.hasSpecials = false;
      this.#set(bytes, text);
      return 0;
    }
    const latin1 = latin1Of(bytes);
    this.hasSpecials = latin1.includes(NONCHARACTER_BYTES);
    const invalid = hasReplacement
      ? countOf(text, REPLACEMENT) - countOf(latin1, REPLACEMENT_BYTES)
      : 0;
    this.#decoded = text;
    this.#countedBytes = this.#countedUnits = 0;
    if (invalid === 0) {
      this.#set(bytes, latin1);
      return 0;
    }
    const repaired = ENCODER.encode(text);
    this.hasSpecials = true;
    this.#set(repaired, latin1Of(repaired));
    return invalid;
  }

  /** Returns the text of a range, as a slice that keeps the text of the whole window alive. */
  slice(start: number, end: number, isWide: boolean): string {
    if (!isWide || this.isAscii) return this.text.slice(start, end);
    const first = this.#unitAt(start);
    return this.#decoded.slice(first, this.#unitAt(end));
  }

  copy(start: number, end: number, isWide: boolean): string {
    return ownCopy(this.slice(start, end, isWide));
  }

  /** Index of the UTF-16 unit at a byte, counted from the last one: decoding each value is slower. */
  #unitAt(byte: number): number {
    const counted = this.#countedBytes;
    this.#countedUnits += byte < counted
      ? -unitsIn(this.view, byte, counted)
      : unitsIn(this.view, counted, byte);
    this.#countedBytes = byte;
    return this.#countedUnits;
  }

  #set(bytes: Uint8Array, text: string): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.text = text;
  }
}

export function windowText(text: string): string {
  return latin1Of(ENCODER.encode(text));
}

/** Number of UTF-16 units in a range of UTF-8. */
function unitsIn(view: DataView, start: number, end: number): number {
  let at = start, units = 0;
  for (; at + 4 <= end; at += 4) {
    const word = view.getInt32(at, true);
    units += 4;
    if ((word & HIGH_BITS) === 0) continue;
    const seventh = word >>> 7 & LOW_BITS, sixth = word >>> 6 & LOW_BITS;
    const continuing = seventh & ~sixth;
    // four bytes make two units
    const long = seventh & sixth & word >>> 5 & word >>> 4;
    units += sumOfBytes(long) - sumOfBytes(continuing);
  }
  for (; at < end; at++) {
    const code = view.getUint8(at);
    if ((code & 0xc0) !== 0x80) units += code >= 0xf0 ? 2 : 1;
  }
  return units;
}

/** Adds the bytes of a word, each 0 or 1. */
function sumOfBytes(word: number): number {
  return Math.imul(word, LOW_BITS) >>> 24;
}

/** Bytes held until those after them arrive, in memory that is reused. */
export class HeldBytes {
  #memory = EMPTY;
  length = 0;

  /** Valid until more are added. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.length);
  }

  add(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length > this.#memory.length) {
      const grown = new Uint8Array(Math.max(1024, 2 * length));
      grown.set(this.bytes);
      this.#memory = grown;
    }
    this.#memory.set(bytes, this.length);
    this.length = length;
  }

  /** Replaces the bytes, by others or by a part of them. */
  reset(bytes: Uint8Array): void {
    this.length = 0;
    if (bytes.length > 0) this.add(bytes);
  }
}

/** Returns the length of bytes without an incomplete character at their end. */
export function wholeCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back]!;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return size > back ? length - back : length;
    }
  }
  return length;
}

function countOf(text: string, searched: string): number {
  let count = 0;
  for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + 1)) count++;
  return count;
}

/** Counts the lines of a text by LF. Offsets must not decrease, so that counting is linear. */
export class LineCounter {
  /** Line at the offset `at`, from 1. */
  line: number;
  at = 0;
  #text: string;
  /** Offset of the next line end, as far as it was looked for. */
  #lineEnd = -1;

  constructor(line = 1, text = "") {
    this.line = line;
    this.#text = text;
  }

  /** Continues at the beginning of another text. */
  load(text: string): void {
    this.#text = text;
    this.#lineEnd = -1;
    this.at = 0;
  }

  count(at: number): number {
    return at > this.at ? this.#countTo(at) : this.line;
  }

  #countTo(at: number): number {
    if (this.#lineEnd < this.at) this.#lineEnd = this.#findLineEnd(this.at);
    while (this.#lineEnd < at) {
      this.line++;
      this.#lineEnd = this.#findLineEnd(this.#lineEnd + 1);
    }
    this.at = at;
    return this.line;
  }

  #findLineEnd(from: number): number {
    const found = this.#text.indexOf("\n", from);
    return found < 0 ? Infinity : found;
  }
}
