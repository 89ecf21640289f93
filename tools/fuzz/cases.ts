/**
 * Cases of the fuzzer: a document, mutations, chunk sizes and limits.
 *
 * @module
 */

import fc from "fast-check";
import type { ParseOptions } from "../../mod.ts";
import { corpus } from "./corpus.ts";
import { documents, type Sample } from "./documents.ts";
import { mutated, type Mutation, mutations } from "./mutations.ts";
import { assertChunkInvariant, assertKeepsPrefix, assertResumes } from "./properties.ts";

/** One in this many cases is also read from a truncated body. */
const RESUMED = 6;

/** One case. */
export interface FuzzCase {
  readonly sample: Sample;
  readonly changes: readonly Mutation[];
  readonly sizes: readonly number[];
  readonly limits: ParseOptions;
}

const sizes: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constantFrom([1], [7], [1, 2, 3], [1024], [1500, 1], [100, 2000], [64 * 1024]),
  fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1000, max: 3000 })), {
    minLength: 1,
    maxLength: 6,
  }),
);

const limits: fc.Arbitrary<ParseOptions> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }).map((maxEntries) => ({ maxEntries })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((maxBytes) => ({ maxBytes })) },
);

/** Cases from generated documents and from all fixtures. */
export function fuzzCases(): fc.Arbitrary<FuzzCase> {
  const sample = fc.oneof(documents, fc.constantFrom(...corpus()));
  return fc.record({ sample, changes: mutations, sizes, limits });
}

/** Bytes of a case. */
export function bytesOf({ sample, changes }: FuzzCase): Uint8Array {
  return mutated(sample.bytes, changes).bytes;
}

/** Runs one case; rejects if a property does not hold. */
export async function runCase({ sample, changes, sizes, limits }: FuzzCase): Promise<void> {
  const { bytes, intact } = mutated(sample.bytes, changes);
  const broken = { ...sample, bytes };
  const events = await assertChunkInvariant(broken, sizes, limits);
  await assertKeepsPrefix(broken, intact, limits, events);
  // two walks take several times as long as the rest
  if (bytes.length % RESUMED === 0) await assertResumes(broken, sizes, limits);
}
