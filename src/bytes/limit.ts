/**
 * A ceiling on bytes.
 *
 * @module
 */

import { CutError } from "../errors.ts";
import type { ByteSource } from "./byte_source.ts";

/**
 * At most `maxBytes` of a source. If it has even one more, it is cancelled, and `read()` rejects with
 * a `CutError` of that code once everything below the ceiling was given.
 */
export function limited(
  source: ByteSource,
  maxBytes: number,
  code: "too-large" | "robots-too-large",
): ByteSource {
  let left = maxBytes;
  let error: CutError | undefined;
  return {
    async read() {
      if (error !== undefined) throw error;
      const chunk = await source.read();
      if (chunk === undefined) return undefined;
      if (chunk.length > left) {
        error = new CutError(code, `Content is larger than ${maxBytes} bytes`);
        source.cancel(error);
        if (left === 0) throw error;
      }
      const below = chunk.subarray(0, left);
      left -= below.length;
      return below;
    },
    cancel(reason) {
      error = undefined;
      source.cancel(reason);
    },
  };
}
