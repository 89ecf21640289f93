/** What processes print, as text. @module */

/** The end of a process, and its output as text. */
export interface ProcessOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Printed by Deno 2.9.5, rarely, if many processes open a cache of its own at the same time. */
const CACHE_WARNING_REGEXP =
  /^Failed to open cache file '[^'\n]*', opening in-memory cache\.\r?\n/gm;

export function withoutCacheWarning(output: string): string {
  return output.replace(CACHE_WARNING_REGEXP, "");
}

export function decoded({ code, stdout, stderr }: Deno.CommandOutput): ProcessOutput {
  const decoder = new TextDecoder();
  const messages = withoutCacheWarning(decoder.decode(stderr));
  return { code, stdout: decoder.decode(stdout), stderr: messages };
}
