/**
 * Failures of requests: what they are called, and whether another attempt may help.
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
  /** The status. */
  readonly status: number;
  /** Milliseconds after which to come back, if the response says so. */
  readonly retryAfter: number | undefined;

  /** Makes one for a response that came at `now`. */
  constructor(response: Response, now: number) {
    const texts: Readonly<Record<number, string>> = STATUS_TEXT;
    // not all runtimes pass on the words of the server
    const text = texts[response.status] ?? excerpt(response.statusText ?? "");
    super("http-status", text ? `${response.status} ${text}` : `Status ${response.status}`);
    this.status = response.status;
    this.retryAfter = parseRetryAfter(response.headers.get("retry-after"), now);
  }
}

/** A request without a response, which another attempt may get. */
class PassingError extends InvalidSitemapError {}

/** Status of the response that made a document unusable, if one did. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof StatusError ? error.status : undefined;
}

/** Whether another attempt may help. */
export function isPassing(failure: InvalidSitemapError): boolean {
  return failure instanceof StatusError
    ? isRetried(failure.status)
    : failure instanceof PassingError;
}

/**
 * Returns the failure for what an attempt threw.
 *
 * @throws {CallerError} If a function of the caller failed.
 */
export function failureFor(error: unknown): InvalidSitemapError {
  if (error instanceof CallerError) throw error;
  if (error instanceof InvalidSitemapError) return error;
  const { code = "network", reason, isFinal = false } = classOf(error);
  const Failure = isFinal ? InvalidSitemapError : PassingError;
  return new Failure(code, reason, { cause: error });
}

/** Returns a failed lookup of a host name as a failure of the request. */
export function lookupFailure(error: unknown): InvalidSitemapError {
  const isFinal = codesOf(error).some((code) => NOT_FOUND.codes!.includes(code));
  return isFinal
    ? new InvalidSitemapError("network", NOT_FOUND.reason, { cause: error })
    : new PassingError("network", UNRESOLVED.reason, { cause: error });
}

/** Why a body broke off, in our words. */
export function bodyFailure(error: unknown): string {
  const { reason } = classOf(error);
  return reason === UNKNOWN.reason ? "Body broken off" : `Body broken off: ${reason}`;
}

/** Whether something did not come in time. */
export function isTimeout(error: unknown): boolean {
  return classOf(error).code === "timeout";
}

/** One kind of failure, the same on every runtime. */
interface FailureClass {
  /** Default: `network`. */
  readonly code?: "blocked" | "timeout";
  readonly reason: string;
  /** Whether another attempt would fail in the same way. */
  readonly isFinal?: true;
  /** Names and codes of errors. */
  readonly codes?: readonly string[];
  /** Messages of runtimes that give no codes. */
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

/** The first that matches counts. */
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

/** Longer messages quote what a site sent; what failed is at their beginning or at their end. */
const MAX_MESSAGE = 200;
/** Causes of causes that are looked at. */
const MAX_CAUSES = 5;

function classOf(error: unknown): FailureClass {
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

/** Names and codes of an error and its causes. */
function codesOf(error: unknown): string[] {
  return [...causesOf(error)].flatMap(({ name, code }) => [String(name), String(code)]);
}

function messagesOf(error: unknown): string[] {
  if (typeof error === "string") return [error.slice(0, MAX_MESSAGE).toLowerCase()];
  return [...causesOf(error)].flatMap(({ message = "" }) => {
    const text = withoutAddress(String(message)).toLowerCase();
    return [text.slice(0, MAX_MESSAGE), text.slice(-MAX_MESSAGE)];
  });
}

/** Deno quotes the URL before the reason: it may hold any word. */
function withoutAddress(message: string): string {
  const at = message.lastIndexOf(": client error ");
  return at < 0 ? message : message.slice(at);
}
