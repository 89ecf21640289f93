/**
 * Counts of a walk, and its verdict.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "../codes.ts";
import type { Verdict } from "../events.ts";
import { isRefusal, isUnreachable } from "./failure.ts";

/** Codes of sitemaps that are in the tree elsewhere: nothing is missing. */
const HARMLESS_CODES: ReadonlySet<InvalidCode> = new Set<InvalidCode>([
  "recursion",
  "already-visited",
]);

/** Limits that end a walk. */
export type WalkCeiling = Extract<WarningCode, "deadline" | "max-pages" | "max-sitemaps">;

/** Counts of a walk in progress. */
export class Tally {
  /** Sitemaps read, including robots.txt. */
  sitemaps = 0;
  /** Pages yielded. */
  pages = 0;
  /** Declared sitemaps that are invalid. */
  invalid = 0;
  /** Warnings reported. */
  warnings = 0;
  /** Decompressed bytes read. */
  bytes = 0;
  /** Known paths requested. */
  probes = 0;
  /** Limit that ended the walk. */
  endedBy: WalkCeiling | undefined;
  #hasRead = false;
  #wasRefused = false;
  #isIncomplete = false;

  /** Counts a sitemap that was read; `complete` means to its end. */
  read(isRobots: boolean, complete: boolean): void {
    if (!isRobots) this.#hasRead = true;
    if (!complete) this.#isIncomplete = true;
  }

  /** Counts a declared sitemap that is invalid. */
  declaredInvalid(code: InvalidCode, status: number | undefined): void {
    this.invalid++;
    if (!HARMLESS_CODES.has(code)) this.#isIncomplete = true;
    if (isRefusal({ code, status })) this.#wasRefused = true;
  }

  /** Notes a declared sitemap that was dropped: its address is missing, unusable or too long. */
  childDropped(): void {
    this.#isIncomplete = true;
  }

  /** Notes that robots.txt could not be read. */
  robotsFailed(code: InvalidCode, status: number | undefined): void {
    if (isRefusal({ code, status })) this.#wasRefused = true;
    // RFC 9309 §2.3.1.3: after a 4xx there are no rules, so nothing is declared
    const mayDeclare = status === undefined ? isUnreachable({ code }) : status >= 500;
    if (mayDeclare) this.#isIncomplete = true;
  }

  /** Notes a known path that could not be read. */
  probeFailed(code: InvalidCode, status: number | undefined): void {
    if (isRefusal({ code, status })) this.#wasRefused = true;
  }

  /** Verdict of the walk. */
  get verdict(): Verdict {
    if (this.endedBy !== undefined) return "partial";
    if (!this.#hasRead && this.#wasRefused) return "blocked";
    if (this.#isIncomplete) return "partial";
    return this.#hasRead ? "complete" : "none";
  }
}
