/**
 * What a walk counts, and what it amounts to in the end.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "../codes.ts";
import type { Verdict } from "../events.ts";

/** Codes that say nothing against a walk: what they stand for was read elsewhere. */
const HARMLESS_CODES: ReadonlySet<InvalidCode> = new Set<InvalidCode>([
  "recursion",
  "already-visited",
]);

/** Codes by which somebody refused us, or was out of reach. */
const REFUSED_CODES: ReadonlySet<InvalidCode> = new Set<InvalidCode>([
  "network",
  "timeout",
  "blocked",
]);

/** Statuses by which somebody refused us. */
const REFUSED_STATUSES: ReadonlySet<number> = new Set([401, 403, 407, 429, 451]);

/** Whether a failure means that we were refused or could not get through. */
export function isRefusal(code: InvalidCode, status: number | undefined): boolean {
  if (status === undefined) return REFUSED_CODES.has(code);
  return status >= 500 || REFUSED_STATUSES.has(status);
}

/** The ceilings that end a walk. */
export type WalkCeiling = Extract<WarningCode, "deadline" | "max-pages" | "max-sitemaps">;

/** Counts while a walk goes on. */
export class Tally {
  /** Sitemaps read, robots.txt included. */
  sitemaps = 0;
  /** Pages yielded. */
  pages = 0;
  /** Declared sitemaps that are unusable. */
  invalid = 0;
  /** Repairs and losses. */
  warnings = 0;
  /** Inflated bytes. */
  bytes = 0;
  /** Known paths asked for. */
  probes = 0;
  /** The ceiling that ended the walk. */
  endedBy: WalkCeiling | undefined;
  #readAny = false;
  #refused = false;
  #lost = false;

  /** A sitemap was read. */
  read(isRobots: boolean, complete: boolean): void {
    if (!isRobots) this.#readAny = true;
    if (!complete) this.#lost = true;
  }

  /** A declared sitemap is unusable. */
  declaredInvalid(code: InvalidCode, status: number | undefined): void {
    this.invalid++;
    if (!HARMLESS_CODES.has(code)) this.#lost = true;
    if (isRefusal(code, status)) this.#refused = true;
  }

  /** robots.txt could not be read. */
  robotsFailed(code: InvalidCode, status: number | undefined): void {
    if (!isRefusal(code, status)) return;
    this.#refused = true;
    // RFC 9309 §2.3.1.3: a 4xx means that there are no rules, and so no declarations; but one that
    // says "not now" does not
    if (status === undefined || status >= 500 || status === 429) this.#lost = true;
  }

  /** A known path failed otherwise than by not being there. */
  probeFailed(code: InvalidCode, status: number | undefined): void {
    if (isRefusal(code, status)) this.#refused = true;
  }

  /** What the walk amounts to. */
  get verdict(): Verdict {
    if (this.endedBy !== undefined) return "partial";
    if (this.#readAny) return this.#lost ? "partial" : "complete";
    if (this.#refused) return "blocked";
    return this.#lost ? "partial" : "none";
  }
}
