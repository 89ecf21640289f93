/**
 * Runs cases in a worker, so that a hanging one can be terminated.
 *
 * @module
 */

/// <reference lib="webworker" />

import fc from "fast-check";
import { bytesOf, type FuzzCase, fuzzCases, runCase } from "./cases.ts";

/** Cases to run. */
export interface FuzzTask {
  readonly seed: number;
  /** Number of cases. */
  readonly runs: number;
  /** Receives the current case: its number, its length, its bytes. */
  readonly blackBox: SharedArrayBuffer;
}

/** Result of a run. */
export interface FuzzOutcome {
  readonly seed: number;
  readonly runs: number;
  /** The failure with its case, if any. */
  readonly failure?: string;
}

function describe({ sample, sizes, limits }: FuzzCase, bytes: Uint8Array): string {
  const details = { url: sample.url, contentType: sample.contentType, sizes, limits };
  const text = JSON.stringify(new TextDecoder().decode(bytes));
  return `${JSON.stringify(details)}\nas text: ${text}\nas base64: ${base64(bytes)}`;
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

async function run({ seed, runs, blackBox }: FuzzTask): Promise<FuzzOutcome> {
  const counters = new Int32Array(blackBox, 0, 2);
  const record = new Uint8Array(blackBox, 8);
  const property = fc.asyncProperty(fuzzCases(), async (fuzzCase) => {
    const bytes = bytesOf(fuzzCase).subarray(0, record.length);
    record.set(bytes);
    Atomics.store(counters, 1, bytes.length);
    Atomics.add(counters, 0, 1);
    await runCase(fuzzCase);
  });
  const outcome = await fc.check(property, { seed, numRuns: runs });
  if (!outcome.failed) return { seed, runs: outcome.numRuns };
  const [found] = outcome.counterexample ?? [];
  const failure = found === undefined
    ? String(outcome.errorInstance)
    : `${outcome.errorInstance}\n${describe(found, bytesOf(found))}`;
  return { seed, runs: outcome.numRuns, failure };
}

self.onmessage = async ({ data }: MessageEvent<FuzzTask>) => {
  self.postMessage(await run(data));
};
