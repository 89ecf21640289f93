/**
 * fast-check with a seed, so that property tests try the same cases in every run. A failure prints
 * the seed and the path of its case; `SITETREE_SEED` replaces the seed. `SITETREE_SHRINK=0` keeps
 * the first case that fails, since smaller ones of a large document take long to find.
 *
 * @module
 */

import fc from "fast-check";

const DEFAULT_SEED = 20240506;

/** Seed of random cases that are not made by fast-check. */
export const SEED: number = Number(Deno.env.get("SITETREE_SEED") ?? DEFAULT_SEED);

fc.configureGlobal({ seed: SEED, endOnFailure: Deno.env.get("SITETREE_SHRINK") === "0" });

export default fc;
