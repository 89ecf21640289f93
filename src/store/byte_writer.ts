/**
 * Bytes that grow: numbers and strings are written one after the other.
 *
 * @module
 */

import { MAX_UNIT_BYTES, writeWtf8 } from "./wtf8.ts";

/** Eight bytes, enough for one number of any size. */
const MAX_NUMBER_BYTES = 8;
const FIRST_SIZE = 1024;

const double = new Float64Array(1);
const doubleBytes = new Uint8Array(double.buffer);

/** Writes numbers and strings into bytes that grow as needed. */
export class ByteWriter {
  /** The bytes; what counts is the first `length` of them. Replaced when they grow. */
  bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
  /** How many bytes were written. */
  length = 0;

  /** Makes room for `count` more bytes. */
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
    this.reserve(MAX_NUMBER_BYTES);
    // Bit operations know 32 bits only.
    for (; value > 0x7fff_ffff; value = Math.floor(value / 0x80)) {
      this.bytes[this.length++] = (value % 0x80) | 0x80;
    }
    for (; value > 0x7f; value >>>= 7) this.bytes[this.length++] = (value & 0x7f) | 0x80;
    this.bytes[this.length++] = value;
  }

  /** Writes any number, exactly. */
  double(value: number): void {
    double[0] = value;
    this.raw(doubleBytes);
  }

  /** Writes a string: how many bytes, then the bytes. */
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

  /** A string that is not all ASCII: how many bytes it takes is known only afterwards. */
  #wideText(value: string): void {
    this.reserve(MAX_NUMBER_BYTES + value.length * MAX_UNIT_BYTES);
    const start = this.length + MAX_NUMBER_BYTES;
    const end = writeWtf8(this.bytes, start, value, 0);
    this.varint(end - start);
    this.bytes.copyWithin(this.length, start, end);
    this.length += end - start;
  }

  /** Writes bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }
}
