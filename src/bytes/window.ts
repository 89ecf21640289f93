/**
 * A window of a document: UTF-8 bytes, and a string in which every byte has the same offset.
 *
 * @module
 */

import { latin1Of } from "../platform/text.ts";
import { ownCopy } from "../data/text.ts";

/** A byte order mark at the beginning of a window is text like any other. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const ENCODER = new TextEncoder();
const REPLACEMENT = "\ufffd";
/** U+FFFD in UTF-8, as latin1. */
const REPLACEMENT_BYTES = "\xef\xbf\xbd";
/** What U+FFFE and U+FFFF begin with in UTF-8, as latin1. */
const NONCHARACTER_BYTES = "\xef\xbf";

/** The highest bit of each byte of a word. */
const HIGH_BITS = 0x80808080 | 0;
/** The lowest one. */
const LOW_BITS = 0x01010101;

const EMPTY = new Uint8Array(0);

/** Bytes of a document with their text. */
export class Window {
  /** The bytes: valid UTF-8. */
  bytes: Uint8Array = EMPTY;
  /** The same bytes, to be read four or eight at a time. */
  view: DataView = new DataView(EMPTY.buffer);
  /** A string of the same length: the text if it is ASCII, else its bytes as latin1. */
  text = "";
  /** Whether all of it is ASCII. */
  isAscii = true;
  /** Whether U+FFFD, U+FFFE or U+FFFF may occur in it. */
  hasSpecials = false;
  /** The text itself, if it is not ASCII. */
  #decoded = "";
  // how far characters were counted: bytes, and the characters before that
  #countedBytes = 0;
  #countedCharacters = 0;

  /** Loads bytes; returns how many invalid sequences had to be replaced by U+FFFD. */
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
    this.#countedBytes = this.#countedCharacters = 0;
    if (invalid === 0) {
      this.#set(bytes, latin1);
      return 0;
    }
    const repaired = ENCODER.encode(text);
    this.hasSpecials = true;
    this.#set(repaired, latin1Of(repaired));
    return invalid;
  }

  /** The text of a range: a slice, which keeps the text of the whole window alive. */
  slice(start: number, end: number, isWide: boolean): string {
    if (!isWide || this.isAscii) return this.text.slice(start, end);
    const first = this.#characterAt(start);
    return this.#decoded.slice(first, this.#characterAt(end));
  }

  /** The text of a range as a string that keeps nothing else alive. */
  copy(start: number, end: number, isWide: boolean): string {
    return ownCopy(this.slice(start, end, isWide));
  }

  /** Index of the character at a byte. Counted from the last one: 30 ns where decoding a value takes 500. */
  #characterAt(byte: number): number {
    const counted = this.#countedBytes;
    this.#countedCharacters += byte < counted
      ? -charactersIn(this.view, byte, counted)
      : charactersIn(this.view, counted, byte);
    this.#countedBytes = byte;
    return this.#countedCharacters;
  }

  #set(bytes: Uint8Array, text: string): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.text = text;
  }
}

/** Number of UTF-16 units in a range of UTF-8. */
function charactersIn(view: DataView, start: number, end: number): number {
  let at = start, characters = 0;
  for (; at + 4 <= end; at += 4) {
    const word = view.getInt32(at, true);
    characters += 4;
    if ((word & HIGH_BITS) === 0) continue;
    const seventh = word >>> 7 & LOW_BITS, sixth = word >>> 6 & LOW_BITS;
    const continuing = seventh & ~sixth;
    // of four bytes in UTF-8 come two UTF-16 units
    const long = seventh & sixth & word >>> 5 & word >>> 4;
    characters += sumOfBytes(long) - sumOfBytes(continuing);
  }
  for (; at < end; at++) {
    const code = view.getUint8(at);
    if ((code & 0xc0) !== 0x80) characters += code >= 0xf0 ? 2 : 1;
  }
  return characters;
}

/** Adds the bytes of a word, each 0 or 1. */
function sumOfBytes(word: number): number {
  return Math.imul(word, LOW_BITS) >>> 24;
}

/** Bytes that wait for those that follow them, in memory that is used again. */
export class HeldBytes {
  #memory = EMPTY;
  /** How many bytes wait. */
  length = 0;

  /** The bytes; valid until some are added. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.length);
  }

  /** Adds a copy of some bytes. */
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

  /** Keeps only these bytes, which may be part of those that wait. */
  reset(bytes: Uint8Array): void {
    this.length = 0;
    if (bytes.length > 0) this.add(bytes);
  }
}

/** Length of bytes without an incomplete character at their end. */
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
