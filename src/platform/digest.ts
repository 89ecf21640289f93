import { builtin } from "./environment.ts";

export type Digest = import("node:crypto").Hash;

export function sha256(): Digest {
  const crypto = builtin("node:crypto");
  if (crypto === undefined) throw new Error("Cannot compute a digest: this runtime has no crypto");
  return crypto.createHash("sha256");
}
