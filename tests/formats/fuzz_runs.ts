/** How many documents the properties of parsers are tried with. @module */

import type fc from "fast-check";

/**
 * By default, the same documents in every run. With `FUZZ_SECONDS`, runs that long for each property,
 * from `FUZZ_SEED` or a new seed, which is printed.
 */
export function fuzzRuns(numRuns: number): fc.Parameters<unknown> {
  const seconds = Number(Deno.env.get("FUZZ_SECONDS") ?? 0);
  if (seconds === 0) return { numRuns, seed: 20240506 };
  const seed = Number(Deno.env.get("FUZZ_SEED") ?? crypto.getRandomValues(new Int32Array(1))[0]);
  console.log(`FUZZ_SEED=${seed}`);
  const numRunsUntilThen = Number.MAX_SAFE_INTEGER;
  return { numRuns: numRunsUntilThen, interruptAfterTimeLimit: seconds * 1000, seed };
}
