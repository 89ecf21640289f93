/**
 * Failures: why a document cannot be used, and what that means for the walk.
 *
 * @module
 */

import type { InvalidCode } from "../data/codes.ts";
import { CallerError, type CutError, InvalidSitemapError } from "../data/errors.ts";
import { statusOf } from "../http/failure.ts";

/** Reason why a document cannot be used. */
export interface Failure {
  /** For programs. */
  readonly code: InvalidCode;
  /** For people. */
  readonly reason: string;
  /** Status of the response, if that is the reason. */
  readonly status?: number | undefined;
  /** Whether the document was truncated before its kind was known. */
  readonly cut?: true;
}

/** Thrown for a known path that is already in the tree: not a failure, and not reported. */
export const IN_TREE: InvalidSitemapError = new InvalidSitemapError(
  "already-visited",
  "Sitemap is already in the tree",
);

/** Failure for {@linkcode IN_TREE}. */
export const IN_TREE_FAILURE: Failure = { code: IN_TREE.code, reason: IN_TREE.message };

/** Failure of a sitemap that is not an index and whose pages are not wanted; not reported. */
export const UNWANTED_FAILURE: Failure = { code: "unfetched", reason: "Pages are not wanted" };

/** Whether a failure is not reported. */
export function isSilent(failure: Failure): boolean {
  return failure === IN_TREE_FAILURE || failure === UNWANTED_FAILURE;
}

/**
 * Returns the failure for an error of a request.
 *
 * @throws what a function of the caller threw, and any error that is not a failure
 */
export function failureOf(error: unknown): Failure {
  if (error === IN_TREE) return IN_TREE_FAILURE;
  if (error instanceof InvalidSitemapError) {
    return { code: error.code, reason: error.message, status: statusOf(error) };
  }
  throw error instanceof CallerError ? error.cause : error;
}

/** Returns the failure of a known path that was truncated before its kind was known. */
export function brokenOff({ code, message }: CutError, failure: Failure): Failure {
  if (code === "body-cut") return { code: "network", reason: message };
  return code === "gzip-cut" ? { ...failure, reason: message, cut: true } : failure;
}

/** Codes of requests that got no response. */
const UNREACHABLE_CODES: ReadonlySet<InvalidCode> = new Set<InvalidCode>(["network", "timeout"]);

/** Statuses that mean that a resource does not exist. */
const MISSING_STATUSES: ReadonlySet<number> = new Set([404, 410]);

/** Whether a request got no response, or not all of it. */
export function isUnreachable({ code }: Pick<Failure, "code">): boolean {
  return UNREACHABLE_CODES.has(code);
}

/** Whether a request was refused or failed, so that nothing is known of what it was for. */
export function isRefusal({ code, status }: Pick<Failure, "code" | "status">): boolean {
  if (status === undefined) return code === "blocked" || isUnreachable({ code });
  const isAnswered = status >= 200 && status < 400;
  return !isAnswered && !MISSING_STATUSES.has(status);
}

/** Whether robots.txt has to be read as if it disallowed everything (RFC 9309 §2.3.1.4). */
export function isOutOfReach({ code, status }: Failure): boolean {
  return status === undefined ? isUnreachable({ code }) : status >= 500 || status === 429;
}

/** Whether there is no sitemap at a known path, which is not worth a warning. */
export function isMissing({ code, status, cut }: Failure): boolean {
  if (cut) return false;
  if (code === "not-a-sitemap" || code === "empty") return true;
  return status !== undefined && MISSING_STATUSES.has(status);
}
