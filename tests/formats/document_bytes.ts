/**
 * Bytes of documents, also of such as are no UTF-8.
 *
 * @module
 */

/** Characters that stand for single bytes which are no UTF-8: U+F780 for 0x80, and so on. */
const RAW_BYTES_REGEXP = /[\uf780-\uf7ff]+/g;
const RAW_BYTE = 0xf700;

const encoder = new TextEncoder();

/** Encodes a text, the characters of `raw()` as the bytes they denote. */
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
  let place = 0;
  for (const piece of pieces) {
    bytes.set(piece, place);
    place += piece.length;
  }
  return bytes;
}

/** Characters that stand for these bytes. */
export function raw(...bytes: number[]): string {
  return String.fromCharCode(...bytes.map((byte) => RAW_BYTE + byte));
}
