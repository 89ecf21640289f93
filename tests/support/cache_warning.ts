/**
 * Removes what Deno 2.9.5 prints, rarely, if many processes open a cache of its own at the same time. It
 * works without the cache then.
 *
 * @module
 */

const WARNING_REGEXP = /^Failed to open cache file '[^'\n]*', opening in-memory cache\.\r?\n/gm;

export function withoutCacheWarning(output: string): string {
  return output.replace(WARNING_REGEXP, "");
}
