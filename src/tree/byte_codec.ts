/**
 * Numbers and strings as bytes.
 *
 * Strings are written as WTF-8, which is UTF-8 with lone surrogates encoded like other code points, so
 * that every JavaScript string is read back exactly.
 *
 * @module
 */

import { type Utf8Reader, utf8Reader } from "../platform/text.ts";

/** Maximum number of bytes for one UTF-16 unit. */
export const MAX_UNIT_BYTES = 3;
/** Number of bytes for 2^53, seven bits each. */
const MAX_VARINT_BYTES = 8;
const FIRST_SIZE = 1024;

/**
 * Writes `text` from index `from` on to `bytes` at `at`, which must be large enough; returns the end.
 */
export function writeWtf8(bytes: Uint8Array, at: number, text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      bytes[at++] = unit;
    } else if (unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >> 6);
      bytes[at++] = 0x80 | (unit & 0x3f);
    } else {
      const point = text.codePointAt(i)!;
      if (point > 0xffff) {
        i++;
        bytes[at++] = 0xf0 | (point >> 18);
        bytes[at++] = 0x80 | ((point >> 12) & 0x3f);
      } else {
        bytes[at++] = 0xe0 | (point >> 12);
      }
      bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[at++] = 0x80 | (point & 0x3f);
    }
  }
  return at;
}

/** Returns the string that `writeWtf8()` wrote; `decode` is the reader of `bytes`. */
export function readWtf8(
  bytes: Uint8Array,
  start: number,
  end: number,
  decode: Utf8Reader,
): string {
  const text = decode(start, end);
  // a lone surrogate is decoded as U+FFFD
  return text.includes("\ufffd") ? readSurrogates(bytes, start, end) : text;
}

function readSurrogates(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end;) {
    const lead = bytes[at++]!;
    let point = lead;
    if (lead >= 0xc0) {
      const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      point = lead & (0x3f >> more);
      for (const stop = at + more; at < stop; at++) point = (point << 6) | (bytes[at]! & 0x3f);
    }
    text += String.fromCodePoint(point);
  }
  return text;
}

/** Reads what a {@linkcode ByteWriter} wrote, in the same order. */
export class ByteReader {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** Offset of the next value. */
  at = 0;
  /** Decodes the bytes; created for the first string. */
  #decode: Utf8Reader | undefined;

  /** Reads from the beginning of `bytes`. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Reads one byte. */
  byte(): number {
    return this.bytes[this.at++]!;
  }

  /** Reads an integer from 0 to 2^53. */
  varint(): number {
    let byte = this.bytes[this.at++]!;
    let value = byte & 0x7f;
    for (let unit = 0x80; byte > 0x7f; unit *= 0x80) {
      byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) * unit;
    }
    return value;
  }

  /** Reads a string. */
  text(): string {
    const length = this.varint();
    const start = this.at;
    this.at += length;
    if (length === 0) return "";
    return readWtf8(this.bytes, start, this.at, this.#decode ??= utf8Reader(this.bytes));
  }
}

/** Writes numbers and strings to a growing array of bytes. */
export class ByteWriter {
  /** Bytes, of which the first `length` are written. Replaced when they grow. */
  bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
  /** Number of bytes written. */
  length = 0;

  /** Grows the array if it has no space for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  /** Writes one byte. */
  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  /** Writes an integer from 0 to 2^53, seven bits a byte, the low ones first. */
  varint(value: number): void {
    this.reserve(MAX_VARINT_BYTES);
    // bitwise operators have 32 bits
    for (; value > 0x7fff_ffff; value = Math.floor(value / 0x80)) {
      this.bytes[this.length++] = (value % 0x80) | 0x80;
    }
    for (; value > 0x7f; value >>>= 7) this.bytes[this.length++] = (value & 0x7f) | 0x80;
    this.bytes[this.length++] = value;
  }

  /** Writes a string: its number of bytes, then the bytes. */
  text(value: string): void {
    const origin = this.length;
    this.varint(value.length);
    this.reserve(value.length);
    const { bytes, length: start } = this;
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0x7f) {
        this.length = origin;
        return this.#wideText(value);
      }
      bytes[start + i] = unit;
    }
    this.length = start + value.length;
  }

  /** Writes a string that is not ASCII, whose number of bytes is known only afterwards. */
  #wideText(value: string): void {
    this.reserve(MAX_VARINT_BYTES + value.length * MAX_UNIT_BYTES);
    const start = this.length + MAX_VARINT_BYTES;
    const end = writeWtf8(this.bytes, start, value, 0);
    this.varint(end - start);
    this.bytes.copyWithin(this.length, start, end);
    this.length += end - start;
  }
}
