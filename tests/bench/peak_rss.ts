/**
 * How much memory this process has had at most.
 *
 * @module
 */

import process from "node:process";

const HIGH_WATER_REGEXP = /^VmHWM:\s+(\d+) kB$/m;

/**
 * Peak resident set size of this process in MiB. Linux tells it exactly; elsewhere `maxRSS` stands
 * in, which may count what the parent had when it started this process.
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
