/**
 * Growth of the time that a reader takes with the length of its text.
 *
 * What counts is the CPU time of a thread for each character, which does not depend on what else the
 * machine does: in linear time, it stays the same; in quadratic time, it grows with the length. Only what
 * is slow is compared. The cases run in a worker, so that a test can detect one that hangs.
 *
 * @module
 */

/// <reference lib="webworker" />

import { assert, assertEquals } from "@std/assert";
import process from "node:process";

/** A case that takes more milliseconds for each character is slow. */
const SLOW = 0.001;
/** Runs of a case that may be slow; the code of the first ones is not optimized. */
const FEW_RUNS = 4;
/** Milliseconds of CPU time by which a slow case is timed; some systems count it in steps of 10. */
const MIN_TIMED = 100;
/** A slow case fails if the time for each character grows by this factor, as often as it is tried. */
const MAX_GROWTH = 2, ATTEMPTS = 3;
/** Below this factor, it is linear. */
const NO_GROWTH = 1.3;
/** Milliseconds after which a case counts as hanging: each takes seconds at most, on any machine. */
const HANG = 600_000;

/** A reader, and what it reads: a text or a list. */
export interface Growing<T> {
  /** Lengths that are compared, the shortest first. */
  readonly lengths: readonly number[];
  readonly make: (length: number) => T;
  readonly run: (subject: T) => unknown;
  /** Whether what is not slow at one length is not tried at the next one. Default: false. */
  readonly isQuick?: boolean;
  /** Milliseconds for each character or item that are slow. Default: {@linkcode SLOW}. */
  readonly slow?: number;
}

/** Throws if a reader takes more time for each character of a longer text. */
export async function assertLinear<T extends { readonly length: number }>(
  name: string,
  { lengths, make, run, isQuick = false, slow = SLOW }: Growing<T>,
  report: (name: string) => void,
): Promise<void> {
  let shorter: T | undefined, costOfShorter = Infinity;
  for (const length of lengths) {
    report(`${length} of ${name}`);
    const subject = make(length);
    const cost = await fewRuns(() => run(subject), slow * subject.length) / subject.length;
    if (cost >= slow) {
      let growth = cost / costOfShorter;
      if (growth >= NO_GROWTH) growth = await growthOf(run, subject, shorter!);
      if (growth >= MAX_GROWTH) throw new Error(`Superlinear time (× ${growth.toFixed(1)})`);
      if (isQuick && shorter !== undefined && growth < NO_GROWTH) return;
    } else if (isQuick) return;
    [shorter, costOfShorter] = [subject, cost];
  }
}

/** Returns the least time of a few runs, or of the first one that takes less than a time. */
async function fewRuns(run: () => unknown, time: number): Promise<number> {
  let least = Infinity;
  for (let runs = 0; runs < FEW_RUNS && least >= time; runs++) {
    const before = cpuTime();
    await run();
    least = Math.min(least, cpuTime() - before);
  }
  return least;
}

/** Returns by which factor a subject costs more than a shorter one, for each character. */
async function growthOf<T extends { readonly length: number }>(
  run: (subject: T) => unknown,
  longer: T,
  shorter: T,
): Promise<number> {
  const costOf = async (subject: T) => await timeOf(() => run(subject)) / subject.length;
  let growth = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && growth >= MAX_GROWTH; attempt++) {
    const cost = await costOf(longer);
    // the code is optimized by now, as for the longer text
    growth = cost / await costOf(shorter);
  }
  return growth;
}

/** Returns the milliseconds of CPU time that a run takes. */
async function timeOf(run: () => unknown): Promise<number> {
  const before = cpuTime();
  for (let runs = 1;; runs++) {
    await run();
    const time = cpuTime() - before;
    if (time >= MIN_TIMED) return time / runs;
  }
}

/** Returns the milliseconds of CPU time of this thread. */
function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Runs cases in a worker that {@linkcode assertWorker} starts. */
export function inWorker(cases: (report: (name: string) => void) => Promise<void>): void {
  self.onmessage = async () => {
    await cases((name) => self.postMessage(name));
    self.postMessage(null);
  };
}

/** Runs the cases of a worker. Fails with the first one that is not linear or hangs, or if they are few. */
export async function assertWorker(url: URL, minCases: number): Promise<void> {
  const worker = new Worker(url, { type: "module" });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let cases = 0, last = "", timer: ReturnType<typeof setTimeout> | undefined;
  worker.onmessage = ({ data }: MessageEvent<string | null>) => {
    clearTimeout(timer);
    if (data === null) return resolve(undefined);
    cases++;
    last = data;
    timer = setTimeout(() => resolve(`Hangs with ${last}`), HANG);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    resolve(`${event.message} with ${last}`);
  };
  worker.postMessage("begin");
  const failure = await promise;
  clearTimeout(timer);
  worker.terminate();
  assertEquals(failure, undefined);
  assert(cases > minCases, `${cases} cases`);
}
