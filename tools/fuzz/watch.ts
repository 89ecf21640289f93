/**
 * Runs the fuzzer in a worker and reports hanging cases as failures.
 *
 * @module
 */

import type { FuzzOutcome, FuzzTask } from "./fuzz_worker.ts";

/** Milliseconds after which a case counts as hanging. */
const MAX_CASE_TIME = 30_000;
const BLACK_BOX_SIZE = 1024 * 1024;

/** Runs a number of cases; failures of cases do not reject. */
export async function fuzz(seed: number, runs: number): Promise<FuzzOutcome> {
  const blackBox = new SharedArrayBuffer(BLACK_BOX_SIZE);
  const worker = new Worker(new URL("fuzz_worker.ts", import.meta.url), { type: "module" });
  const task: FuzzTask = { seed, runs, blackBox };
  const { promise, resolve } = Promise.withResolvers<FuzzOutcome>();
  worker.onmessage = ({ data }: MessageEvent<FuzzOutcome>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve({ seed, runs: 0, failure: `${event.message}\nlast case: ${lastCase(blackBox)}` });
  };
  worker.postMessage(task);
  const stopWatching = watch(blackBox, (count) => {
    const failure = `Case ${count} hangs\nas base64: ${lastCase(blackBox)}`;
    resolve({ seed, runs: count, failure });
  });
  const outcome = await promise;
  stopWatching();
  worker.terminate();
  return outcome;
}

/** Calls back when a case takes too long. */
function watch(blackBox: SharedArrayBuffer, onHang: (count: number) => void): () => void {
  const counters = new Int32Array(blackBox, 0, 2);
  let seen = -1;
  let since = Date.now();
  const timer = setInterval(() => {
    const count = Atomics.load(counters, 0);
    if (count !== seen) [seen, since] = [count, Date.now()];
    else if (count > 0 && Date.now() - since > MAX_CASE_TIME) onHang(count);
  }, 500);
  return () => clearInterval(timer);
}

/** Returns the current case as base64. */
function lastCase(blackBox: SharedArrayBuffer): string {
  const length = Atomics.load(new Int32Array(blackBox, 0, 2), 1);
  const bytes = new Uint8Array(blackBox, 8, length);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
