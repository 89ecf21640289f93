/**
 * How much the addresses may take that are listed and not visited yet.
 *
 * An index of 100 MiB is little but addresses, and twelve of them can stand inside each other: held
 * all at once they would take more than a gigabyte.
 *
 * @module
 */

import type { InvalidCode, WarningCode } from "../data/codes.ts";
import type { Verdict } from "../data/events.ts";
import type { AddressList } from "./addresses.ts";
import { isRefusal, isUnreachable } from "./failure.ts";

/** Characters that are kept for each sitemap that a walk may visit, and at least. */
const CHARACTERS_EACH = 256;
const MIN_CHARACTERS = 16 * 1024 * 1024;

/** What an address takes beside its characters. */
const ADDRESS_WEIGHT = 32;

/** Room for addresses that wait, shared by all indexes of a walk. */
export class ChildBudget {
  #left: number;

  /** 16 Mi characters for as many sitemaps as are visited by default; more for more. */
  constructor(maxSitemaps: number) {
    this.#left = Math.max(MIN_CHARACTERS, maxSitemaps * CHARACTERS_EACH);
  }

  /** Takes room for an address: false where there is none. */
  take(url: string): boolean {
    const weight = url.length + ADDRESS_WEIGHT;
    if (weight > this.#left) return false;
    this.#left -= weight;
    return true;
  }

  /** Gives the room of addresses back. */
  give({ length, characters }: AddressList): void {
    this.#left += characters + length * ADDRESS_WEIGHT;
  }
}

// MERGED: Counts of a walk, and its verdict.

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
