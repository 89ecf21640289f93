/** Peak memory of this process. @module */

import process from "node:process";

const HIGH_WATER_REGEXP = /^VmHWM:\s+(\d+) kB$/m;

/**
 * Peak resident set size of this process in MiB. Exact on Linux; elsewhere
 * `maxRSS`, which may include memory of the parent process.
 */
export function peakRss(): number {
  const kibibytes = highWaterMark() ?? process.resourceUsage().maxRSS;
  return kibibytes / 1024;
}

function highWaterMark(): number | undefined {
  try {
    const match = HIGH_WATER_REGEXP.exec(Deno.readTextFileSync("/proc/self/status"));
    return match === null ? undefined : Number(match[1]);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
