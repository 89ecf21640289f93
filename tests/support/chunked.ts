/** Cuts bytes into chunks, so that a parser can be shown to mind no edge. @module */

/** `bytes` in chunks of `size`, the last one shorter where need be; `Infinity` gives it whole. */
export function chunked(bytes: Uint8Array, size: number): Uint8Array[] {
  if (!(size >= 1)) throw new RangeError(`Cannot cut into chunks of "${size}" bytes`);
  if (bytes.length <= size) return bytes.length === 0 ? [] : [bytes];
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    chunks.push(bytes.subarray(start, start + size));
  }
  return chunks;
}
