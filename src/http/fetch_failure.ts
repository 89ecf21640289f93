/**
 * What a failed request amounts to: worth another try or not, and how it is told.
 *
 * @module
 */

// deno-lint-ignore no-import-prefix -- must resolve without the import map of this project too
import { STATUS_TEXT } from "npm:deno-std@^1.4.0/http/status.js";
import { InvalidSitemapError } from "../errors.ts";
import { CallerError } from "./policy.ts";
import { isRetried, parseRetryAfter } from "./retry.ts";

/** An answer that is neither a document nor a redirect. */
export class StatusError extends InvalidSitemapError {
  /** The status. */
  readonly status: number;
  /** Milliseconds after which to come back, where the answer says so. */
  readonly retryAfter: number | undefined;

  /** Makes one of an answer that came at `now`. */
  constructor(response: Response, now: number) {
    const texts: Readonly<Record<number, string>> = STATUS_TEXT;
    const text = response.statusText || texts[response.status];
    super("http-status", text ? `${response.status} ${text}` : `Status ${response.status}`);
    this.status = response.status;
    this.retryAfter = parseRetryAfter(response.headers.get("retry-after"), now);
  }
}

/** The status that made a document unusable, where one did. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof StatusError ? error.status : undefined;
}

/** A failure that may pass by itself, in our words; `undefined` for a final one. */
export function passingFailure(error: unknown): InvalidSitemapError | undefined {
  if (error instanceof StatusError) return isRetried(error.status) ? error : undefined;
  if (error instanceof InvalidSitemapError || error instanceof CallerError) return undefined;
  const code = isTimeout(error) ? "timeout" : "network";
  return new InvalidSitemapError(code, messageOf(error), { cause: error });
}

/** Whether something did not come in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Deno puts the addresses before the reason; they are known, or of no use. */
const SENDING_REGEXP = /^error sending request .*?: client error \(\w+\): /;

/** `fetch` says only that it failed; why stands in the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error) || cause.message === "") return message;
  return `${message}: ${cause.message.replace(SENDING_REGEXP, "")}`;
}
