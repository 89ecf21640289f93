import { type Utf8Reader, utf8Reader } from "../platform/text.ts";

/** Number of bytes for 2^53, seven bits each. */
const MAX_VARINT_BYTES = 8;
const FIRST_SIZE = 1024;
const ENCODER = new TextEncoder();

export class ByteReader {
  readonly bytes: Uint8Array;
  at = 0;
  #decode: Utf8Reader | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

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

  text(): string {
    const length = this.varint(), start = this.at;
    this.at += length;
    this.#decode ??= utf8Reader(this.bytes);
    return this.#decode(start, this.at);
  }
}

export class ByteWriter {
  /** The first `length` are written; replaced when they grow. */
  bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
  length = 0;

  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

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

  /** Writes a well-formed string: its number of bytes, then the bytes. */
  text(value: string): void {
    const bytes = ENCODER.encode(value);
    this.varint(bytes.length);
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }
}
