/**
 * Failures of requests: their code and reason, the same on every runtime, and whether they are
 * retried.
 *
 * @module
 */

import { STATUS_TEXT } from "@std/http/status";
import { CallerError, InvalidSitemapError } from "../data/errors.ts";
import { excerpt } from "../data/text.ts";
import { ShortBodyError, TimeoutError } from "./exchange.ts";
import { isRetried, parseRetryAfter } from "./retry.ts";

/** A response that is neither a document nor a redirect. */
export class StatusError extends InvalidSitemapError {
  /** Status of the response. */
  readonly status: number;
  /** Milliseconds in its `Retry-After`. */
  readonly retryAfter: number | undefined;

  /** Creates an error for a response that arrived at `now`. */
  constructor(response: Response, now: number) {
    const texts: Readonly<Record<number, string>> = STATUS_TEXT;
    // HTTP/2 has no reason phrases, and not all runtimes expose those of HTTP/1.1
    const text = texts[response.status] ?? excerpt(response.statusText ?? "");
    super("http-status", text ? `${response.status} ${text}` : `Status ${response.status}`);
    this.status = response.status;
    this.retryAfter = parseRetryAfter(response.headers.get("retry-after"), now);
  }
}

/** A failure that is retried. */
class TransientError extends InvalidSitemapError {}

/** Returns the status of a {@linkcode StatusError}; `undefined` for other errors. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof StatusError ? error.status : undefined;
}

/** Whether a request is retried after a failure. */
export function isTransient(failure: InvalidSitemapError): boolean {
  return failure instanceof StatusError
    ? isRetried(failure.status)
    : failure instanceof TransientError;
}

/**
 * Returns the failure for an error of an attempt.
 *
 * @throws {CallerError} If a function of the caller failed.
 */
export function failureFor(error: unknown): InvalidSitemapError {
  if (error instanceof CallerError) throw error;
  if (error instanceof InvalidSitemapError) return error;
  const { code = "network", reason, isFinal = false } = classify(error);
  const Failure = isFinal ? InvalidSitemapError : TransientError;
  return new Failure(code, reason, { cause: error });
}

/** Returns the failure for an error of a resolver. */
export function lookupFailure(error: unknown): InvalidSitemapError {
  return matches(NOT_FOUND, textsOf(error))
    ? new InvalidSitemapError("network", NOT_FOUND.reason, { cause: error })
    : new TransientError("network", UNRESOLVED.reason, { cause: error });
}

/** Returns the reason of an error while reading a body. */
export function bodyFailure(error: unknown): string {
  const { reason } = classify(error);
  return reason === UNKNOWN ? "Truncated body" : `Truncated body: ${reason}`;
}

/** Whether an error is a timeout, of the runtime or of an exchange. */
export function isTimeout(error: unknown): boolean {
  return classify(error).code === "timeout";
}

/** A kind of failure. */
interface FailureKind {
  readonly reason: string;
  /** Default: `network`. */
  readonly code?: "blocked" | "timeout";
  /** Whether a retry would fail as well. */
  readonly isFinal?: true;
  /** Matches names and codes of its errors, or messages of runtimes without codes. */
  readonly pattern: RegExp;
}

const NOT_FOUND: FailureKind = {
  reason: "Host name not found",
  isFinal: true,
  pattern:
    /^(?:ENOTFOUND|ENODATA|EAI_NO(?:NAME|DATA))$|not known|no such host|no address associated/i,
};

const UNRESOLVED: FailureKind = {
  reason: "Host name cannot be resolved",
  pattern: /^(?:EAI_AGAIN|EAI_FAIL|ESERVFAIL|DNSException)$|dns error|name resolution|getaddrinfo/i,
};

/** Kinds of failures; the first that matches applies. */
const KINDS: readonly FailureKind[] = [
  {
    reason: "No permission to contact the host",
    code: "blocked",
    isFinal: true,
    pattern: /^(?:NotCapable|PermissionDenied|EPERM|ERR_ACCESS_DENIED)$/i,
  },
  {
    reason: "Port not allowed",
    code: "blocked",
    isFinal: true,
    pattern: /port \d+ (?:is|are) blocked|bad port/i,
  },
  {
    reason: "Invalid URL",
    isFinal: true,
    pattern:
      /^(?:ERR_INVALID_URL|URIError)$|^invalid url|failed to parse url|invalid (?:host|dns name)/i,
  },
  NOT_FOUND,
  UNRESOLVED,
  {
    reason: "Timed out",
    code: "timeout",
    pattern:
      /^(?:TimeoutError|ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$|timed out|timeout/i,
  },
  {
    reason: "Invalid TLS certificate",
    pattern: /(?:^|_)CERT(?:_|$)|LEAF_SIGNATURE|certificate/i,
  },
  {
    reason: "Connection refused",
    pattern: /^(?:ECONNREFUSED|ConnectionRefused)$|\brefused|unable to connect/i,
  },
  {
    reason: "Connection reset",
    pattern:
      /ECONNABORTED|EPIPE|ERR_SOCKET|reset|(?:connection|socket|side) ?closed|connection error|handshake eof/i,
  },
  {
    reason: "TLS handshake failed",
    pattern: /^EPROTO$|\btls\b|\bssl\b|handshake|corrupt message|fatal alert/i,
  },
  {
    reason: "Host unreachable",
    pattern: /^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$|unreachable|no route to host/i,
  },
  {
    reason: "Invalid HTTP response",
    pattern: /^HTTPParserError$|invalid http|parse error|invalid header|parsed|hyper::error/i,
  },
  {
    reason: "Invalid Content-Encoding",
    pattern:
      /^(?:Z_DATA_ERROR|Z_BUF_ERROR|ERR_BROTLI_INVALID)$|gzip|deflate|brotli|decompress|decod/i,
  },
];

/** Reason of failures of no kind. */
const UNKNOWN = "Request failed";

/**
 * Length of the beginning and the end of a message that are matched: the rest may quote the site.
 */
const MAX_MESSAGE = 200;
/** Number of nested causes that are matched. */
const MAX_CAUSES = 5;

function classify(error: unknown): Omit<FailureKind, "pattern"> {
  if (error instanceof TimeoutError) return { reason: error.message, code: "timeout" };
  if (error instanceof ShortBodyError) return { reason: error.message };
  const texts = textsOf(error);
  return KINDS.find((kind) => matches(kind, texts)) ?? { reason: UNKNOWN };
}

function matches({ pattern }: FailureKind, texts: readonly string[]): boolean {
  return texts.some((text) => pattern.test(text));
}

/** Returns the names, codes and messages of an error and its causes. */
function textsOf(error: unknown): string[] {
  if (typeof error === "string") return [error.slice(0, MAX_MESSAGE)];
  const texts: string[] = [];
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === "object" && cause !== null; depth++) {
    const { name, code, message = "" } = cause as Partial<Error> & { readonly code?: unknown };
    const text = withoutUrl(String(message));
    texts.push(String(name), String(code), text.slice(0, MAX_MESSAGE), text.slice(-MAX_MESSAGE));
    cause = (cause as Error).cause;
  }
  return texts;
}

/** Removes the URL that Deno quotes before the reason, since it may contain any word. */
function withoutUrl(message: string): string {
  return message.slice(Math.max(0, message.lastIndexOf(": client error ")));
}
