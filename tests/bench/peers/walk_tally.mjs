// @ts-self-types="./walk_tally.d.mts"
/**
 * What every walker reports, in Node or in Deno: pages, a checksum, times and the peak of memory.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import process from "node:process";

/** Peak resident set size in MiB; Linux tells it exactly, `maxRSS` stands in elsewhere. */
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

  /** Takes the address of one page; its length and an end of it stand for the whole, as it is hot. */
  add(url) {
    if (this.#pages++ === 0) this.#first = performance.now();
    this.#checksum = (Math.imul(this.#checksum, 31) + url.length * 128 +
      url.charCodeAt(url.length - 2)) | 0;
  }

  /** What was seen, with the time until now. */
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
