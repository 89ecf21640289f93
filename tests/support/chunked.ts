/** Splits bytes into chunks, to test parsers at every boundary. @module */

/** Splits `bytes` into chunks of `size`; `Infinity` returns one chunk. */
export function chunked(bytes: Uint8Array, size: number): Uint8Array[] {
  if (!(size >= 1)) throw new RangeError(`Cannot split into chunks of "${size}" bytes`);
  if (bytes.length <= size) return bytes.length === 0 ? [] : [bytes];
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    chunks.push(bytes.subarray(start, start + size));
  }
  return chunks;
}
