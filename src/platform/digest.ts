/**
 * Digests of bytes.
 *
 * @module
 */

import { builtin } from "./environment.ts";

/** A digest being computed. */
export interface Digest {
  /** Adds bytes or text. */
  update(data: Uint8Array | string): void;
  /** Returns the digest in hexadecimal; nothing can be added afterwards. */
  digest(encoding: "hex"): string;
}

/**
 * Starts a SHA-256 digest.
 *
 * @throws {Error} If the runtime has no `node:crypto`.
 */
export function sha256(): Digest {
  const crypto = builtin("node:crypto");
  if (crypto === undefined) throw new Error("Cannot compute a digest: this runtime has no crypto");
  return crypto.createHash("sha256");
}
