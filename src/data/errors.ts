/**
 * Errors of the library. Except for {@linkcode BlockedError} and errors of the caller, they become
 * events and are never thrown to the caller.
 *
 * @module
 */

import type { InvalidCode, RequestCode, WarningCode } from "./codes.ts";
import type { FinishedEvent, WalkStats } from "./events.ts";
import { excerpt } from "./text.ts";

/**
 * Nothing of a website could be read, because requests were refused or failed. Thrown by `pages()`,
 * which has no events that would report it. `code` and `status` are those of the first such request.
 *
 * @example
 * ```ts
 * import { BlockedError, pages } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const fetch = () => Promise.resolve(new Response(null, { status: 403 }));
 * try {
 *   for await (const page of pages("https://example.com/", { fetch })) console.log(page.url);
 * } catch (error) {
 *   if (!(error instanceof BlockedError)) throw error;
 *   assertEquals([error.code, error.status], ["http-status", 403]);
 *   assertEquals(
 *     error.message,
 *     'Cannot read the sitemaps of "https://example.com/": 403 Forbidden for robots.txt',
 *   );
 * }
 * ```
 */
export class BlockedError extends Error {
  /** Verdict of the last event of the walk. */
  readonly verdict = "blocked";
  /** Statistics of the last event of the walk. */
  readonly stats: WalkStats;
  /** Reason of the first failure. */
  readonly code: RequestCode;
  /** Status of the response, if that is the reason. */
  declare readonly status?: number;

  /** Creates the error for a homepage without user info and the last event of its walk. */
  constructor(
    homepage: string,
    { stats, blockedBy }: Required<Pick<FinishedEvent, "stats" | "blockedBy">>,
  ) {
    const { url, code, reason, status } = blockedBy;
    const isRobots = url === new URL("robots.txt", homepage).href;
    const subject = isRobots ? "robots.txt" : `"${excerpt(url)}"`;
    const why = code === "login" ? reason : `${reason} for ${subject}`;
    super(`Cannot read the sitemaps of "${excerpt(homepage)}": ${why}`);
    this.name = "BlockedError";
    this.stats = stats;
    this.code = code;
    if (status !== undefined) this.status = status;
  }
}

/** Everything before the cut was delivered and is kept. */
export class TruncatedError extends Error {
  readonly code: WarningCode;

  constructor(code: WarningCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TruncatedError";
    this.code = code;
  }
}

export class InvalidSitemapError extends Error {
  readonly code: InvalidCode;

  constructor(code: InvalidCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "InvalidSitemapError";
    this.code = code;
  }
}

/** Error of a function of the caller, as its cause, on its way to the caller. */
export class CallerError extends Error {
  constructor(cause: unknown) {
    super("A function of the caller failed", { cause });
    this.name = "CallerError";
  }
}

export function disposedError(): TypeError {
  return new TypeError("Cannot read pages: their store has been disposed of");
}

/** Anything can be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
