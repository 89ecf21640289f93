/**
 * Reads what a `ByteWriter` wrote, in the same order.
 *
 * @module
 */

import { type Utf8Reader, utf8Reader } from "../platform/text.ts";
import { readWtf8 } from "./wtf8.ts";

const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

/** Reads numbers and strings from bytes. */
export class ByteReader {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** Where the next value begins. */
  at = 0;
  /** Decodes the bytes; made for the first string, as it costs as much as reading ten numbers. */
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

  /** Reads any number. */
  double(): number {
    for (let i = 0; i < doubleBytes.length; i++) doubleBytes[i] = this.bytes[this.at++]!;
    return double[0]!;
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
