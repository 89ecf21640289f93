/**
 * The checksum of gzip (RFC 1952 §8).
 *
 * @module
 */

import { builtin } from "./environment.ts";

/** Computes the checksum of some bytes, given the checksum of those before them. */
export type Crc32 = (bytes: Uint8Array, value: number) => number;

const POLYNOMIAL = 0xedb88320;
/** Number of bytes per step of the table lookup. */
const SLICES = 8;

/** Returns the function of `node:zlib`, or one that uses tables if there is none. */
export function createCrc32(): Crc32 {
  const crc32 = builtin("node:zlib")?.crc32;
  // signed in Deno 2.2
  return crc32 === undefined ? createTableCrc32() : (bytes, value) => crc32(bytes, value) >>> 0;
}

/** Returns a function that computes the checksum by tables, eight bytes at a time. */
export function createTableCrc32(): Crc32 {
  const table = createTable();
  return (bytes, value) => {
    let crc = ~value, at = 0;
    for (const last = bytes.length - SLICES; at <= last; at += SLICES) {
      const low = crc ^
        (bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24);
      crc = table[0x700 | low & 0xff]! ^ table[0x600 | low >>> 8 & 0xff]! ^
        table[0x500 | low >>> 16 & 0xff]! ^ table[0x400 | low >>> 24]! ^
        table[0x300 | bytes[at + 4]!]! ^ table[0x200 | bytes[at + 5]!]! ^
        table[0x100 | bytes[at + 6]!]! ^ table[bytes[at + 7]!]!;
    }
    for (; at < bytes.length; at++) crc = crc >>> 8 ^ table[(crc ^ bytes[at]!) & 0xff]!;
    return ~crc >>> 0;
  };
}

/** Checksums of each byte followed by 0 to 7 zeros. */
function createTable(): Int32Array {
  const table = new Int32Array(256 * SLICES);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ POLYNOMIAL : crc >>> 1;
    table[byte] = crc;
  }
  for (let at = 256; at < table.length; at++) {
    const shorter = table[at - 256]!;
    table[at] = shorter >>> 8 ^ table[shorter & 0xff]!;
  }
  return table;
}
