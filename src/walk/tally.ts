/**
 * Counts of a walk, and its verdict.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "../data/codes.ts";
import type { TreeEvent, Verdict } from "../data/events.ts";
import { type Failure, isRefusal, isUnreachable } from "./failure.ts";

/** Codes of sitemaps that are elsewhere in the tree, so that nothing is missing. */
export const HARMLESS_CODES: ReadonlySet<InvalidCode> = new Set<InvalidCode>([
  "recursion",
  "already-visited",
]);

/** Limits that end a walk. */
export type WalkLimit = Extract<WarningCode, "deadline" | "max-pages" | "max-sitemaps">;

/** Counts of a walk in progress. */
export class Tally {
  /** Sitemaps read, including robots.txt. */
  sitemaps = 0;
  /** Pages yielded. */
  pages = 0;
  /** Declared sitemaps that are invalid. */
  invalid = 0;
  /** Warnings, including those not sent. */
  warnings = 0;
  /** Decompressed bytes read. */
  bytes = 0;
  /** Known paths requested. */
  probes = 0;
  /** Limit that ended the walk. */
  endedBy: WalkLimit | undefined;
  #hasRead = false;
  #wasRefused = false;
  #isIncomplete = false;

  /** Counts a sitemap that was read; `complete` if nothing of it was lost. */
  read(isRobots: boolean, complete: boolean): void {
    this.sitemaps++;
    if (!isRobots) this.#hasRead = true;
    if (!complete) this.#isIncomplete = true;
  }

  /** Counts a declared sitemap that is invalid. */
  declaredInvalid(failure: Pick<Failure, "code" | "status">): void {
    this.invalid++;
    if (!HARMLESS_CODES.has(failure.code)) this.#isIncomplete = true;
    if (isRefusal(failure)) this.#wasRefused = true;
  }

  /** Records that robots.txt could not be read. */
  robotsFailed(failure: Pick<Failure, "code" | "status">): void {
    if (isRefusal(failure)) this.#wasRefused = true;
    const { status } = failure;
    // RFC 9309 §2.3.1.3: after a 4xx there are no rules, so nothing is declared
    const mayDeclare = status === undefined ? isUnreachable(failure) : status >= 500;
    if (mayDeclare) this.#isIncomplete = true;
  }

  /** Records that a known path could not be read. */
  probeFailed(failure: Pick<Failure, "code" | "status">): void {
    if (isRefusal(failure)) this.#wasRefused = true;
  }

  /** Verdict of the walk. */
  get verdict(): Verdict {
    if (this.endedBy !== undefined) return "partial";
    if (!this.#hasRead && this.#wasRefused) return "blocked";
    if (this.#isIncomplete) return "partial";
    return this.#hasRead ? "complete" : "none";
  }

  /** Returns the last event of the walk. */
  finished(durationMs: number, requests: number, retries: number): TreeEvent {
    const { sitemaps, pages, invalid, warnings, bytes, probes, verdict } = this;
    const counts = { sitemaps, pages, invalid, warnings, bytes };
    const stats = { ...counts, requests, retries, probes, durationMs: Math.round(durationMs) };
    return { type: "finished", verdict, stats };
  }
}
