/**
 * Documents that could not be used, and what that says.
 *
 * @module
 */

import type { InvalidCode } from "../codes.ts";
import { type CutError, InvalidSitemapError } from "../errors.ts";
import { statusOf } from "../http/fetch_failure.ts";
import { CallerError } from "../http/policy.ts";
import { isRefusal } from "./tally.ts";

/** Why a document could not be used. */
export interface Failure {
  /** For programs. */
  readonly code: InvalidCode;
  /** For people. */
  readonly reason: string;
  /** The status of the answer, where that is why. */
  readonly status?: number | undefined;
  /** Whether it was cut before it was clear what it is. */
  readonly cut?: true;
}

/** Thrown for a known path that stands in the tree already: no failure, and nothing to tell. */
export const IN_TREE: InvalidSitemapError = new InvalidSitemapError(
  "already-visited",
  "It stands in the tree already",
);

/** The failure of the same name. */
export const IN_TREE_FAILURE: Failure = { code: IN_TREE.code, reason: IN_TREE.message };

/**
 * The failure that a rejection stands for.
 *
 * Throws what is none: what a function of the caller threw.
 */
export function failureOf(error: unknown): Failure {
  if (error === IN_TREE) return IN_TREE_FAILURE;
  if (error instanceof InvalidSitemapError) {
    return { code: error.code, reason: error.message, status: statusOf(error) };
  }
  throw error instanceof CallerError ? error.cause : error;
}

/** A guess that was cut before it became anything: it may have become a sitemap. */
export function brokenOff({ code, message }: CutError, failure: Failure): Failure {
  if (code === "body-cut") return { code: "network", reason: message };
  return code === "gzip-cut" ? { ...failure, reason: message, cut: true } : failure;
}

/** Whether nobody could say what robots.txt holds (RFC 9309 §2.3.1.4). */
export function isOutOfReach({ code, status }: Failure): boolean {
  if (status !== undefined) return status >= 500 || status === 429;
  return code === "network" || code === "timeout";
}

/** Whether there is simply nothing where a sitemap was guessed. */
export function isMissing({ code, status, cut }: Failure): boolean {
  if (cut) return false;
  if (code === "not-a-sitemap" || code === "empty") return true;
  return status !== undefined && status >= 400 && status < 500 && status !== 400 &&
    !isRefusal(code, status);
}
