/** Turns of requests, without requests. @module */

import type { Clock, Signals } from "../../src/http/clock.ts";
import {
  Pace,
  type PacedSubject,
  type PaceOptions,
  type SharedPace,
  type Turn,
} from "../../src/http/pace.ts";

const OPTIONS: PaceOptions = {
  wait: 0,
  randomWait: false,
  retryDelay: 1000,
  maxRetryDelay: 60_000,
  maxWait: 600_000,
  concurrency: 4,
};

export function newPace(
  clock: Clock,
  options: Partial<PaceOptions> = {},
  shared?: SharedPace,
): Pace {
  return new Pace({ ...OPTIONS, ...options }, clock, shared);
}

export function newSubject(): PacedSubject {
  return { waited: 0, answersBefore: -1, retriesLeft: 4 };
}

export async function turnOf(pace: Pace, host: string, signals: Signals = []): Promise<Turn> {
  const url = new URL(`http://${host}`);
  return await pace.host(url).turn(url, newSubject(), signals);
}
