/**
 * Hashes of names, for tables that must not hold the names themselves as keys: V8 makes every string
 * old that is looked up in a `Map`, and names that come once each, by the million, would pile up.
 *
 * @module
 */

/** Makes hashes unforeseeable, so that nobody can choose names that collide. */
export const HASH_SEED: number = crypto.getRandomValues(new Int32Array(1))[0]!;

/** A hash with one more character in it. */
export function hashedOn(hash: number, code: number): number {
  const mixed = Math.imul(hash ^ code, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** The hash of a name, 32 bits. */
export function nameHash(name: string): number {
  let hash = HASH_SEED;
  for (let at = 0; at < name.length; at++) hash = hashedOn(hash, name.charCodeAt(at));
  return hash;
}
