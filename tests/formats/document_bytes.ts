/**
 * Bytes of documents, invalid UTF-8 included.
 *
 * @module
 */

/** Private-use characters for single bytes: U+F780 for 0x80, and so on. */
const RAW_BYTES_REGEXP = /[\uf780-\uf7ff]+/g;
const RAW_BYTE = 0xf700;

const encoder = new TextEncoder();

/** Encodes a text in UTF-8, and the characters of `raw()` as single bytes. */
export function documentBytes(text: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const found of text.matchAll(RAW_BYTES_REGEXP)) {
    pieces.push(encoder.encode(text.slice(at, found.index)));
    pieces.push(Uint8Array.from(found[0], (letter) => letter.charCodeAt(0) - RAW_BYTE));
    at = found.index + found[0].length;
  }
  pieces.push(encoder.encode(text.slice(at)));
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

/** Returns the characters for these bytes, each at least 0x80. */
export function raw(...bytes: number[]): string {
  return String.fromCharCode(...bytes.map((byte) => RAW_BYTE + byte));
}
