/**
 * Failures of requests: their code and reason, the same on every runtime, and whether they are retried.
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
  const isFinal = codesOf(error).some((code) => NOT_FOUND.codes!.includes(code));
  return isFinal
    ? new InvalidSitemapError("network", NOT_FOUND.reason, { cause: error })
    : new TransientError("network", UNRESOLVED.reason, { cause: error });
}

/** Returns the reason of an error while reading a body. */
export function bodyFailure(error: unknown): string {
  const { reason } = classify(error);
  return reason === UNKNOWN.reason ? "Truncated body" : `Truncated body: ${reason}`;
}

/** Whether an error is a timeout, of the runtime or of our own. */
export function isTimeout(error: unknown): boolean {
  return classify(error).code === "timeout";
}

/** A kind of failure. */
interface FailureClass {
  /** Default: `network`. */
  readonly code?: "blocked" | "timeout";
  readonly reason: string;
  /** Whether a retry would fail as well. */
  readonly isFinal?: true;
  /** Names and codes of its errors. */
  readonly codes?: readonly string[];
  /** Messages of its errors, for runtimes without codes. */
  readonly messages?: RegExp;
}

const NOT_FOUND: FailureClass = {
  reason: "Host name not found",
  isFinal: true,
  codes: ["ENOTFOUND", "ENODATA", "EAI_NONAME", "EAI_NODATA"],
  messages: /name or service not known|no such host|nodename nor servname|no address associated/,
};

const UNRESOLVED: FailureClass = {
  reason: "Host name cannot be resolved",
  codes: ["EAI_AGAIN", "EAI_FAIL", "ESERVFAIL", "DNSException"],
  messages: /dns error|name resolution|getaddrinfo/,
};

const UNKNOWN: FailureClass = { reason: "Request failed" };

/** Kinds of failures; the first that matches applies. */
const CLASSES: readonly FailureClass[] = [
  {
    reason: "No permission to contact the host",
    code: "blocked",
    isFinal: true,
    codes: ["NotCapable", "PermissionDenied", "EPERM", "ERR_ACCESS_DENIED"],
  },
  {
    reason: "Port not allowed",
    code: "blocked",
    isFinal: true,
    messages: /port \d+ (?:is|are) blocked|bad port/,
  },
  {
    reason: "Invalid URL",
    isFinal: true,
    codes: ["ERR_INVALID_URL", "URIError"],
    messages: /^invalid url|failed to parse url|invalid host|invalid dns name/,
  },
  NOT_FOUND,
  UNRESOLVED,
  {
    reason: "Timed out",
    code: "timeout",
    codes: [
      "TimeoutError",
      "ETIMEDOUT",
      "UND_ERR_CONNECT_TIMEOUT",
      "UND_ERR_HEADERS_TIMEOUT",
      "UND_ERR_BODY_TIMEOUT",
    ],
    messages: /timed out|timeout/,
  },
  {
    reason: "Invalid TLS certificate",
    codes: [
      "CERT_HAS_EXPIRED",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    messages: /certificate/,
  },
  {
    reason: "Connection refused",
    codes: ["ECONNREFUSED", "ConnectionRefused"],
    messages: /\brefused|unable to connect/,
  },
  {
    reason: "Connection reset",
    codes: ["ECONNRESET", "ECONNABORTED", "EPIPE", "UND_ERR_SOCKET", "ConnectionClosed"],
    messages:
      /reset|connection closed|socket closed|other side closed|connection error|handshake eof/,
  },
  {
    reason: "TLS handshake failed",
    codes: ["EPROTO"],
    messages: /\btls\b|\bssl\b|handshake|corrupt message|fatal alert/,
  },
  {
    reason: "Host unreachable",
    codes: ["EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"],
    messages: /unreachable|no route to host/,
  },
  {
    reason: "Invalid HTTP response",
    codes: ["HTTPParserError"],
    messages: /invalid http|parse error|invalid header|parsed|hyper::error/,
  },
  {
    reason: "Invalid Content-Encoding",
    codes: ["Z_DATA_ERROR", "Z_BUF_ERROR", "ERR_BROTLI_INVALID"],
    messages: /gzip|deflate|brotli|decompress|decod/,
  },
];

/** Length of the beginning and the end of a message that are matched: the rest may quote the site. */
const MAX_MESSAGE = 200;
/** Number of nested causes that are matched. */
const MAX_CAUSES = 5;

function classify(error: unknown): FailureClass {
  if (error instanceof TimeoutError) return { reason: error.message, code: "timeout" };
  if (error instanceof ShortBodyError) return { reason: error.message };
  const codes = codesOf(error), messages = messagesOf(error);
  return CLASSES.find((kind) =>
    kind.codes?.some((code) => codes.includes(code)) ||
    messages.some((message) => kind.messages?.test(message))
  ) ?? UNKNOWN;
}

function* causesOf(error: unknown): Generator<Partial<Error & { code: unknown }>, void, void> {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === "object" && cause !== null; depth++) {
    yield cause;
    cause = (cause as Error).cause;
  }
}

/** Returns the names and codes of an error and its causes. */
function codesOf(error: unknown): string[] {
  return [...causesOf(error)].flatMap(({ name, code }) => [String(name), String(code)]);
}

function messagesOf(error: unknown): string[] {
  if (typeof error === "string") return [error.slice(0, MAX_MESSAGE).toLowerCase()];
  return [...causesOf(error)].flatMap(({ message = "" }) => {
    const text = withoutUrl(String(message)).toLowerCase();
    return [text.slice(0, MAX_MESSAGE), text.slice(-MAX_MESSAGE)];
  });
}

/** Removes the URL that Deno quotes before the reason, since it may contain any word. */
function withoutUrl(message: string): string {
  const at = message.lastIndexOf(": client error ");
  return at < 0 ? message : message.slice(at);
}
