/**
 * A chunk of UTF-8 as the fast lane wants it: bytes and text with one offset.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { ownCopy } from "../text.ts";
import { trimSpace } from "../url.ts";
import { decodeReferences } from "../xml/references.ts";

// what a value may hold
const HIGH = 1;
const CONTROL = 2;

/** What cannot stand in a value without being told, counted or trimmed: general business. */
// deno-lint-ignore no-control-regex -- XML forbids most of them, the others end lines
const UNPLAIN_REGEXP = /[\0-\x1f\ufffd-\uffff]/;

const UTF8 = new TextDecoder();

/** No `&` in the rest of the chunk. */
const NOWHERE = 0x7fffffff;

/** A chunk of UTF-8. */
export class FastChunk {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** The same, for words of four. */
  readonly view: DataView;
  /** A string of the same length: the text where it is ASCII, else its bytes as latin1. */
  readonly text: string;
  /** Whether all of it is ASCII. */
  readonly isAscii: boolean;
  #buffer: Buffer | undefined;
  /** The next `&`, so that it is not looked for again with every value. */
  #ampersand = -1;

  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset, length } = bytes;
    this.bytes = bytes;
    this.view = new DataView(buffer, byteOffset, length);
    // 5 µs for 64 KiB, where `Buffer` takes 40
    const text = UTF8.decode(bytes);
    this.isAscii = text.length === length;
    this.text = this.isAscii ? text : this.#asBuffer().toString("latin1");
  }

  /** Whether a value holds an `&`; values must be asked about in the order in which they stand. */
  hasReference(start: number, end: number): boolean {
    if (this.#ampersand < start) {
      const found = this.text.indexOf("&", start);
      this.#ampersand = found < 0 ? NOWHERE : found;
    }
    return this.#ampersand < end;
  }

  /** A copy of the text between two places, which holds nothing but itself. */
  copy(start: number, end: number): string {
    return this.isAscii || (this.#marks(start, end) & HIGH) === 0
      ? this.#asciiCopy(start, end)
      : this.#asBuffer().toString("utf8", start, end);
  }

  /**
   * A copy of a trimmed value, references decoded; `undefined` where it is empty, or where there is
   * something to it that must be told.
   */
  value(start: number, end: number, isEscaped: boolean): string | undefined {
    const marks = this.#marks(start, end);
    if ((marks & CONTROL) !== 0 || start >= end) return undefined;
    if ((marks & HIGH) === 0) {
      const text = this.#asciiCopy(start, end);
      return isEscaped ? decoded(text) : text;
    }
    const text = this.#asBuffer().toString("utf8", start, end);
    if (UNPLAIN_REGEXP.test(text) || trimSpace(text) !== text) return undefined;
    return isEscaped ? decoded(text) : text;
  }

  #asBuffer(): Buffer {
    const { buffer, byteOffset, length } = this.bytes;
    return this.#buffer ??= Buffer.from(buffer, byteOffset, length);
  }

  #asciiCopy(start: number, end: number): string {
    return ownCopy(this.text.slice(start, end));
  }

  /** What stands between two places, four bytes at a time. */
  #marks(start: number, end: number): number {
    const view = this.view;
    let high = 0, low = 0;
    let at = start;
    for (; at + 4 <= end; at += 4) {
      const bytes = view.getInt32(at, true);
      high |= bytes;
      // a byte below the space borrows, which sets its highest bit
      low |= bytes - 0x20202020;
    }
    for (; at < end; at++) {
      const byte = view.getUint8(at);
      high |= byte;
      low |= byte - 0x20;
    }
    // where there are high bytes, the pattern looks for control characters
    if ((high & 0x80808080) !== 0) return HIGH;
    return (low & 0x80808080) !== 0 ? CONTROL : 0;
  }
}

/** A chunk with nothing in it. */
export const NO_CHUNK: FastChunk = new FastChunk(new Uint8Array(0));

/** A value with its references decoded; `undefined` where there is something to be told. */
function decoded(text: string): string | undefined {
  let isPlain = true;
  const value = decodeReferences(text, () => void (isPlain = false));
  return isPlain && value !== "" && trimSpace(value) === value ? value : undefined;
}

/** Four letters as a word of four bytes, little-endian. */
export function word(letters: string): number {
  return new DataView(new TextEncoder().encode(letters).buffer).getInt32(0, true);
}

/** Bytes to be recognised four at a time; the last four may overlap those before. */
export class Pattern {
  /** How many bytes. */
  readonly length: number;
  readonly #first: number;
  readonly #last: number;
  readonly #lastPlace: number;
  /** The fours between the first and the last. */
  readonly #middle: readonly number[];

  /** Of four ASCII characters at least. */
  constructor(text: string) {
    this.length = text.length;
    this.#first = word(text.slice(0, 4));
    this.#last = word(text.slice(-4));
    this.#lastPlace = text.length - 4;
    const middle = [];
    for (let at = 4; at < this.#lastPlace; at += 4) middle.push(word(text.slice(at, at + 4)));
    this.#middle = middle;
  }

  /** Whether they stand at a place. */
  standsAt(view: DataView, at: number): boolean {
    if (at + this.length > view.byteLength) return false;
    if (view.getInt32(at, true) !== this.#first) return false;
    if (view.getInt32(at + this.#lastPlace, true) !== this.#last) return false;
    const middle = this.#middle;
    for (let i = 0; i < middle.length; i++) {
      if (view.getInt32(at + 4 * i + 4, true) !== middle[i]) return false;
    }
    return true;
  }
}
