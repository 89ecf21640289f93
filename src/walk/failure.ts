/**
 * Reasons why a document cannot be used, and how they are classified.
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

/** Failure of a sitemap that is not an index and whose pages are not wanted. */
export const UNWANTED: Failure = { code: "unfetched", reason: "Pages are not wanted" };

/** Whether the failure of a known path is not reported: it is in the tree already, or unwanted. */
export function isSilent({ code }: Failure): boolean {
  return code === "already-visited" || code === UNWANTED.code;
}

/**
 * Returns the failure for an error of a request.
 *
 * @throws the error of a callback, and any error that is not a failure
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof InvalidSitemapError) {
    return { code: error.code, reason: error.message, status: statusOf(error) };
  }
  throw error instanceof CallerError ? error.cause : error;
}

/** Returns the failure of a document that is not declared and was cut before its kind was known. */
export function truncated({ code, message }: CutError, failure: Failure): Failure {
  if (code === "body-cut") return { code: "network", reason: message };
  return code === "gzip-cut" ? { ...failure, reason: message, cut: true } : failure;
}

/** Codes of requests that got no response. */
const UNREACHABLE_CODES: ReadonlySet<InvalidCode> = new Set<InvalidCode>(["network", "timeout"]);

/** Statuses of a resource that does not exist. */
const MISSING_STATUSES: ReadonlySet<number> = new Set([404, 410]);

/** Whether a request got no response, or not all of it. */
export function isUnreachable({ code }: Pick<Failure, "code">): boolean {
  return UNREACHABLE_CODES.has(code);
}

/** Whether a request was refused or failed, so that it is unknown whether there is a sitemap. */
export function isRefusal({ code, status }: Pick<Failure, "code" | "status">): boolean {
  if (status === undefined) return code === "blocked" || isUnreachable({ code });
  const isAnswered = status >= 200 && status < 400;
  return !isAnswered && !MISSING_STATUSES.has(status);
}

/** Whether robots.txt counts as one that disallows everything (RFC 9309 §2.3.1.4). */
export function isDisallowAll({ code, status }: Failure): boolean {
  return status === undefined ? isUnreachable({ code }) : status >= 500 || status === 429;
}

/** Whether there is no sitemap at a known path, which is not worth a warning. */
export function isMissing({ code, status, cut }: Failure): boolean {
  if (cut) return false;
  if (code === "not-a-sitemap" || code === "empty") return true;
  return status !== undefined && MISSING_STATUSES.has(status);
}
