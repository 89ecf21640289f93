// @ts-self-types="./walk_tally.d.mts"
/**
 * Result of a walker, in Node or Deno: pages, a checksum, times and peak memory.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import process from "node:process";

/** Peak resident set size in MiB: exact on Linux, `maxRSS` elsewhere. */
function peakRss() {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}

/** Counts pages from now on. */
export class WalkTally {
  #start = performance.now();
  #first = NaN;
  #pages = 0;
  #checksum = 0;

  /** Adds the URL of a page, hashing only its length and last characters for speed. */
  add(url) {
    if (this.#pages++ === 0) this.#first = performance.now();
    this.#checksum = (Math.imul(this.#checksum, 31) + url.length * 128 +
      url.charCodeAt(url.length - 2)) | 0;
  }

  /** Returns the result so far. */
  result() {
    return {
      seconds: (performance.now() - this.#start) / 1000,
      firstPage: (this.#first - this.#start) / 1000,
      pages: this.#pages,
      checksum: this.#checksum,
      peakRss: peakRss(),
    };
  }
}
