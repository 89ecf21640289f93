/**
 * Failures of documents, the counts of a walk, and its verdict.
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import type { InvalidCode, RequestCode } from "../data/codes.ts";
import { InvalidSitemapError, type TruncatedError } from "../data/errors.ts";
import type {
  DiscoveryStep,
  FinishedEvent,
  Refusal,
  SitemapResponse,
  Verdict,
  WalkStats,
} from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { withoutUserInfoIn } from "../data/url.ts";
import { requestCodeOf, RequestError } from "../http/failure.ts";
import { RETRIED_STATUSES } from "../http/retry.ts";
import type { WalkOptions } from "./options.ts";

export interface SitemapFailure {
  readonly code: InvalidCode;
  readonly reason: string;
  readonly requestCode?: RequestCode | undefined;
  /** Status of the response, if that is the reason. */
  readonly status?: number | undefined;
  readonly response?: SitemapResponse | undefined;
  /** Whether the document was truncated before its kind was known. */
  readonly cut?: true;
}

/** Failure of a sitemap that is not an index and whose pages are not wanted. */
export const UNWANTED: SitemapFailure = { code: "unfetched", reason: "Pages are not wanted" };

export const SAME_BYTES: SitemapFailure = { code: "unfetched", reason: "Same bytes as before" };

/** Whether the failure of a known path is not reported: it is in the tree already, or unwanted. */
export function isSilent({ code }: SitemapFailure): boolean {
  return code === "already-visited" || code === UNWANTED.code;
}

/** Throws an error that is not a failure. */
export function failureOf(error: unknown): SitemapFailure {
  if (!(error instanceof InvalidSitemapError)) throw error;
  const { code, message: reason } = error;
  const { status, response } = error instanceof RequestError ? error : {};
  return { code, reason, requestCode: requestCodeOf(error), status, response };
}

/** Returns the failure of a document that is not declared and was cut before its kind was known. */
export function truncated(
  { code, message }: TruncatedError,
  failure: SitemapFailure,
): SitemapFailure {
  if (code === "body-cut") return { code: "network", reason: message, requestCode: "truncated" };
  return code === "gzip-cut" ? { ...failure, reason: message, cut: true } : failure;
}

export const MISSING_STATUSES: ReadonlySet<number> = new Set([404, 410]);

/** Whether a request got no response, or not all of it. */
function isUnreachable(code: InvalidCode): boolean {
  return code === "network" || code === "timeout";
}

/** Whether a request was refused or failed, so that it is unknown whether there is a sitemap. */
function isRefusal({ code, status, requestCode }: SitemapFailure): boolean {
  // some have the status 202
  if (requestCode === "browser-challenge") return true;
  if (status === undefined) return code === "blocked" || isUnreachable(code);
  const isAnswered = status >= 200 && status < 400;
  return !isAnswered && !MISSING_STATUSES.has(status);
}

export function isDenied({ status }: Pick<SitemapFailure, "status">): boolean {
  return status === STATUS_CODE.Unauthorized || status === STATUS_CODE.Forbidden;
}

/** RFC 9309 §2.3.1.4. */
export function isDisallowAll({ code, status }: SitemapFailure): boolean {
  return status === undefined ? isUnreachable(code) : status >= 500 || status === 429;
}

/** Whether the site may be down: no response, or one that was retried in vain. */
export function isOutage({ code, status }: SitemapFailure): boolean {
  return status === undefined ? isUnreachable(code) : status >= 500 || RETRIED_STATUSES.has(status);
}

/** Failures of requests that may succeed later. That before a `host-down` counts, not itself. */
const PASSING_CODES: ReadonlySet<RequestCode> = new Set([
  "timeout",
  "dns",
  "connection-refused",
  "connection-reset",
  "host-unreachable",
  "truncated",
  "network",
]);

export function isPassing({ status, requestCode }: SitemapFailure): boolean {
  if (status !== undefined) return RETRIED_STATUSES.has(status);
  return requestCode !== undefined && PASSING_CODES.has(requestCode);
}

/** Whether a document was read and has no entries of a sitemap. */
export function isOtherContent({ code }: Pick<SitemapFailure, "code">): boolean {
  return code === "not-a-sitemap" || code === "empty";
}

/** Whether a known path does not have a sitemap, which is not worth a warning. */
export function isMissing({ code, status, cut }: SitemapFailure): boolean {
  if (cut) return false;
  if (isOtherContent({ code })) return true;
  return status !== undefined && MISSING_STATUSES.has(status);
}

/** Codes of sitemaps that are elsewhere in the tree, so that nothing is missing. */
export const HARMLESS_CODES: ReadonlySet<InvalidCode> = new Set(["recursion", "already-visited"]);

export type WalkLimit = NonNullable<FinishedEvent["endedBy"]>;

/** Limits as the caller gave them, without defaults. */
export type GivenLimits = Pick<WalkOptions, "maxSitemaps" | "maxDepth">;

const MAX_STEPS = 60;

export class Tally {
  sitemaps = 0;
  unwanted = 0;
  pages = 0;
  invalid = 0;
  warnings = 0;
  bytes = 0;
  probes = 0;
  endedBy: WalkLimit | undefined;
  robots: SitemapFailure | undefined;
  readonly #discovery: DiscoveryStep[] = [];
  #refusal: Refusal | undefined;
  #isIncomplete = false;
  /** Whether something is missing for another reason than a limit that the caller gave. */
  #hasLost = false;
  readonly #given: GivenLimits;

  constructor(given: GivenLimits = {}) {
    this.#given = given;
  }

  /** `complete` if nothing of the sitemap is missing, `isLimited` if only a limit cut it. */
  read(isRobots: boolean, complete: boolean, isLimited = false): void {
    if (!isRobots) this.sitemaps++;
    if (!complete) this.#miss(isLimited);
  }

  declaredInvalid(url: string, failure: SitemapFailure): void {
    this.invalid++;
    const { code } = failure;
    if (!HARMLESS_CODES.has(code)) {
      this.#miss(code === "too-deep" && this.#given.maxDepth !== undefined);
    }
    this.failed(url, failure);
  }

  #miss(isLimited: boolean): void {
    this.#isIncomplete = true;
    if (!isLimited) this.#hasLost = true;
  }

  robotsFailed(url: string, failure: SitemapFailure): void {
    this.failed(url, failure);
    const { status } = failure;
    // RFC 9309 §2.3.1.3: after a 4xx there are no rules, so nothing is declared
    const mayDeclare = status === undefined ? isUnreachable(failure.code) : status >= 500;
    if (mayDeclare) this.#miss(false);
  }

  addStep(step: DiscoveryStep): void {
    if (this.#discovery.length < MAX_STEPS) this.#discovery.push(step);
  }

  requireLogin(page: string): void {
    const reason = `Every path redirects to "${excerpt(page)}"`;
    this.#refusal = { url: page, code: "login", reason };
  }

  /** Records what could not be read: the first that was refused is the reason of `blocked`. */
  failed(url: string, failure: SitemapFailure): void {
    if (this.#refusal !== undefined || !isRefusal(failure)) return;
    const { code, requestCode = code as RequestCode, reason } = failure;
    const shown = withoutUserInfoIn(url);
    this.#refusal = { url: shown, code: requestCode, reason, ...withStatus(failure) };
  }

  get verdict(): Verdict {
    if (this.endedBy !== undefined) return "partial";
    if (this.sitemaps === 0 && this.#refusal !== undefined) return "blocked";
    if (this.#isIncomplete) return "partial";
    return this.sitemaps > 0 ? "complete" : "none";
  }

  get #isLimited(): boolean {
    if (this.#hasLost || this.verdict !== "partial") return false;
    return this.endedBy !== "max-sitemaps" || this.#given.maxSitemaps !== undefined;
  }

  finished(
    source: FinishedEvent["source"],
    endedAt: number,
    { durationMs, requests, retries }: Pick<WalkStats, "durationMs" | "requests" | "retries">,
  ): FinishedEvent {
    const { sitemaps, pages, invalid, warnings, bytes, probes, verdict, endedBy, robots } = this;
    const counts = { sitemaps, pages, invalid, warnings, bytes };
    const stats = { ...counts, requests, retries, probes, durationMs: Math.round(durationMs) };
    return {
      type: "finished",
      verdict,
      stats,
      source,
      ...(this.#isLimited && { limited: true }),
      ...(endedBy && { endedBy }),
      endedAt: new Date(endedAt).toISOString(),
      ...(verdict === "blocked" && { blockedBy: this.#refusal! }),
      ...(robots && {
        robots: { code: robots.requestCode ?? robots.code, ...withStatus(robots) },
      }),
      discovery: this.#discovery,
    };
  }
}

export function withStatus({ status }: Pick<SitemapFailure, "status">): { status?: number } {
  return status === undefined ? {} : { status };
}
