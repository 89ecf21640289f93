/**
 * Reads what a `ByteWriter` wrote, in the same order.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { readWtf8 } from "./wtf8.ts";

const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

/** Reads numbers and strings from bytes. */
export class ByteReader {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** Where the next value begins. */
  at = 0;
  /** The same bytes, once a string is asked for: a `Buffer` costs as much as reading ten numbers. */
  #buffer: Buffer | undefined;

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
    return length === 0 ? "" : readWtf8(this.#asBuffer(), start, this.at);
  }

  #asBuffer(): Buffer {
    const { buffer, byteOffset, length } = this.bytes;
    return this.#buffer ??= Buffer.from(buffer, byteOffset, length);
  }
}
