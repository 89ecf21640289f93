import type { RequestCode } from "../data/codes.ts";

/**
 * A step of a request, see `WalkOptions.onRequest`.
 *
 * Every `request` is followed by one of `redirect`, `response` and `failure`:
 *
 * ```
 * request ─┬─► redirect ─► request of its target, or failure
 *          ├─► response ─┬─► (the body is read)
 *          │             └─► failure, or retry after a status such as 503
 *          └─► failure
 * failure ──► retry ─► request as the next attempt, unless it is final
 * ```
 *
 * A URL that a policy refuses or whose host name is not found gets a `failure` without a `request`.
 * A truncated body gets a `failure` after its `response`. Statuses such as 404 and browser challenges
 * are responses, not failures. Requests that the walk itself cancels get no further report.
 */
export interface RequestReport {
  /**
   * - `request`: a request is sent
   * - `redirect`: the response redirects, with `status` and `location`; where `fetch` follows
   *   redirects by itself, as browsers do, without `status`, and once for all of them
   * - `response`: the headers of any other response arrived, with `status`
   * - `retry`: another attempt follows after `delayMs`, because of `code`
   * - `slow-down`: the host has refused a request, with `status`, and is asked more slowly from now
   *   on, one request at a time and `intervalMs` apart
   * - `failure`: the response or a part of its body is missing, because of `code`
   */
  readonly phase: "request" | "redirect" | "response" | "retry" | "slow-down" | "failure";
  /** The URL requested. */
  readonly url: string;
  /**
   * The URL that was declared, given or probed, without fragment and user info: `url` before any
   * redirect. That of robots.txt for robots.txt, and of a page for a page.
   */
  readonly sitemap: string;
  /**
   * Number of the attempt to get the sitemap, from 1. Redirects are part of an attempt. Each retry
   * is another one, as is a request for a body that broke off, or for one that was fetched ahead
   * and cancelled to free its slot.
   */
  readonly attempt: number;
  /** Method of a request that is not a `GET`. */
  readonly method?: "HEAD";
  /** Status of a redirect or response; of a retry, if it is the reason. */
  readonly status?: number;
  /** Target of a redirect, as an absolute URL if it is valid. */
  readonly location?: string;
  /**
   * Milliseconds before the next attempt, or before the next request to a host that slows down; the
   * pace of the host may add to them.
   */
  readonly delayMs?: number;
  /** Milliseconds in the `Retry-After` of a response with an error status. */
  readonly retryAfterMs?: number;
  /** Milliseconds between requests to the host after a slow-down; answers make them shorter again. */
  readonly intervalMs?: number;
  /** Reason of a retry or failure; `browser-challenge` of a response that is one. */
  readonly code?: RequestCode;
  /** That of a retry or failure as a sentence, for people. */
  readonly reason?: string;
}

export type RequestSubject = Pick<RequestReport, "sitemap" | "attempt">;

/** Milliseconds, and requests, for which the rate after a refusal counts. */
const SHOWN_TIME = 10_000, SHOWN_REQUESTS = 10;

/** Returns the milliseconds after a refusal in which its host counts as slow. */
export function slowedFor(
  { intervalMs = 0, delayMs = 0 }: Pick<RequestReport, "intervalMs" | "delayMs">,
): number {
  return delayMs + Math.max(SHOWN_TIME, SHOWN_REQUESTS * intervalMs);
}
