/**
 * The checksum of gzip (RFC 1952 §8).
 *
 * @module
 */

import { builtin } from "./environment.ts";

/** Computes the checksum of some bytes, given the checksum of those before them. */
export type Crc32 = (bytes: Uint8Array, value: number) => number;

const POLYNOMIAL = 0xedb88320;

/** Returns the function of `node:zlib`, or one that uses a table if there is none. */
export function createCrc32(): Crc32 {
  const crc32 = builtin("node:zlib")?.crc32;
  // signed in Deno 2.2
  return crc32 === undefined ? createTableCrc32() : (bytes, value) => crc32(bytes, value) >>> 0;
}

/** Returns a function that computes the checksum by a table. */
export function createTableCrc32(): Crc32 {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
  return (bytes, value) => {
    let crc = ~value;
    for (const byte of bytes) crc = crc >>> 8 ^ table[(crc ^ byte) & 0xff]!;
    return ~crc >>> 0;
  };
}
