/**
 * Failures of requests: their code and reason, the same on every runtime, and whether they are
 * retried.
 *
 * @module
 */

import { STATUS_TEXT } from "@std/http/status";
import { INVALID_CODES, type InvalidCode, REQUEST_CODES, type RequestCode } from "../data/codes.ts";
import { CallerError, InvalidSitemapError } from "../data/errors.ts";
import type { SitemapResponse } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { ExchangeError } from "./exchange.ts";
import type { RequestReport } from "./request_report.ts";
import { parseRetryAfter, RETRIED_STATUSES } from "./retry.ts";

export class RequestError extends InvalidSitemapError {
  readonly requestCode: RequestCode;
  readonly isTransient: boolean;
  /** Status of the response, if that is the reason. */
  readonly status: number | undefined;
  response: SitemapResponse | undefined;

  constructor(failure: RequestFailure, options?: ErrorOptions) {
    const { code, reason, isFinal = false, invalidCode = invalidCodeOf(code), status } = failure;
    super(invalidCode, reason, options);
    this.requestCode = code;
    this.isTransient = !isFinal;
    this.status = status;
  }
}

export function describeResponse(
  { status, headers }: Pick<Response, "status" | "headers">,
  redirects: number,
): SitemapResponse {
  const contentType = headers.get("content-type");
  const contentEncoding = headers.get("content-encoding");
  return {
    status,
    ...(contentType !== null && { contentType }),
    ...(contentEncoding !== null && { contentEncoding }),
    redirects,
  };
}

function invalidCodeOf(code: RequestCode): InvalidCode {
  if (code === "browser-challenge") return "http-status";
  return Object.hasOwn(INVALID_CODES, code) ? code as InvalidCode : "network";
}

export function hostDown({ code, status, message }: RequestError): RequestError {
  const reason = `Host does not answer: ${message}`;
  return new RequestError({ code: "host-down", invalidCode: code, status, reason, isFinal: true });
}

/** A response that is neither a document nor a redirect. */
export class StatusError extends RequestError {
  declare readonly status: number;
  declare response: SitemapResponse;
  readonly retryAfter: number | undefined;

  constructor(response: Response, now: number, isChallenge = false) {
    const { status } = response;
    const texts: Readonly<Record<number, string>> = STATUS_TEXT;
    // HTTP/2 has no reason phrases, and not all runtimes expose those of HTTP/1.1
    const ownText = excerpt(response.statusText ?? "");
    // a response without a URL is that of a program, which knows best
    const text = (response.url === "" && ownText) || (texts[status] ?? ownText);
    const reason = text ? `${status} ${text}` : `Status ${status}`;
    super({
      code: isChallenge ? "browser-challenge" : "http-status",
      reason: isChallenge ? `${reason} (browser challenge)` : reason,
      status,
      isFinal: isChallenge || !RETRIED_STATUSES.has(status),
    });
    this.retryAfter = parseRetryAfter(response.headers.get("retry-after"), now);
    this.response = describeResponse(response, 0);
  }

  with(more: string): RequestError {
    const { requestCode: code, status, message } = this;
    const reason = `${message}; ${more}`;
    const failure = new RequestError({ code, status, reason, isFinal: true });
    failure.response = this.response;
    return failure;
  }
}

/** A body that failed before its first byte. */
export class BodyError extends RequestError {
  readonly contentEncoding: string | undefined;

  constructor(error: unknown, contentEncoding: string | undefined) {
    const failure = classify(error);
    const isNamed = failure.code === "content-encoding" && contentEncoding !== undefined;
    const reason = isNamed
      ? `Body is not encoded as "${excerpt(contentEncoding)}"`
      : failure.reason;
    super({ ...failure, reason }, { cause: error });
    this.contentEncoding = contentEncoding;
  }
}

/** A partial response to a request for all of a body. */
export class PartialBodyError extends RequestError {
  /** `text` is the range of the response. */
  constructor(text: string) {
    super({ code: "truncated", reason: `Partial response: ${text}`, isFinal: true });
  }
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof RequestError ? error.status : undefined;
}

export type ReportedFailure = Pick<RequestReport, "code" | "reason" | "status">;

export function failureFor(error: unknown): InvalidSitemapError {
  if (error instanceof CallerError) throw error;
  if (error instanceof InvalidSitemapError) return error;
  return new RequestError(classify(error), { cause: error });
}

/** Returns the code of a request that failed; `undefined` if its response is the reason. */
export function requestCodeOf(failure: InvalidSitemapError): RequestCode | undefined {
  if (failure instanceof RequestError) return failure.requestCode;
  return Object.hasOwn(REQUEST_CODES, failure.code) ? failure.code as RequestCode : undefined;
}

export function reported(failure: InvalidSitemapError): ReportedFailure {
  const status = statusOf(failure);
  const code = requestCodeOf(failure) ?? "network";
  return { code, reason: failure.message, ...(status === undefined ? {} : { status }) };
}

export function lookupFailure(error: unknown): InvalidSitemapError {
  const kind = matches(NOT_FOUND, textsOf(error)) ? NOT_FOUND : UNRESOLVED;
  return new RequestError(kind, { cause: error });
}

export function bodyFailure(error: unknown): { code: RequestCode; reason: string } {
  const { code, reason } = classify(error);
  if (code === "content-encoding") return { code, reason };
  return code === UNKNOWN.code
    ? { code: "truncated", reason: "Truncated body" }
    : { code, reason: `Truncated body: ${reason}` };
}

interface RequestFailure {
  readonly code: RequestCode;
  readonly reason: string;
  /** Whether a retry would fail as well. Default: false. */
  readonly isFinal?: boolean;
  /** Code of the sitemap. Default: the same if there is one, else `network`. */
  readonly invalidCode?: InvalidCode;
  readonly status?: number | undefined;
}

interface FailureKind extends RequestFailure {
  /** Matches names and codes of its errors, or messages of runtimes without codes. */
  readonly pattern: RegExp;
}

const NOT_FOUND: FailureKind = {
  code: "host-not-found",
  reason: "Host name not found",
  isFinal: true,
  pattern:
    /^(?:ENOTFOUND|ENODATA|EAI_NO(?:NAME|DATA))$|not known|no such host|no address associated/i,
};

const UNRESOLVED: FailureKind = {
  code: "dns",
  reason: "Host name cannot be resolved",
  pattern: /^(?:EAI_AGAIN|EAI_FAIL|ESERVFAIL|DNSException)$|dns error|name resolution|getaddrinfo/i,
};

/** Kinds of failures; the first that matches applies. */
const KINDS: readonly FailureKind[] = [
  {
    code: "proxy",
    reason: "Proxy requires a login",
    isFinal: true,
    pattern: /proxy auth|proxy response \(407\)/i,
  },
  {
    code: "proxy",
    reason: "Proxy refused to connect",
    pattern: /unsuccessful tunnel|proxy response \(\d+\)|http tunneling/i,
  },
  {
    code: "blocked",
    reason: "No permission to contact the host",
    isFinal: true,
    pattern: /^(?:NotCapable|PermissionDenied|EPERM|ERR_ACCESS_DENIED)$/i,
  },
  {
    code: "blocked",
    reason: "Port not allowed",
    isFinal: true,
    pattern: /port \d+ (?:is|are) blocked|bad port/i,
  },
  {
    code: "invalid-url",
    reason: "Invalid URL",
    isFinal: true,
    pattern:
      /^(?:ERR_INVALID_URL|URIError)$|^invalid url|failed to parse url|invalid (?:host|dns name)/i,
  },
  NOT_FOUND,
  UNRESOLVED,
  {
    code: "timeout",
    reason: "Timed out",
    pattern:
      /^(?:TimeoutError|ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$|timed out|timeout/i,
  },
  {
    code: "tls-certificate",
    reason: "Invalid TLS certificate",
    isFinal: true,
    pattern: /(?:^|_)CERT(?:_|$)|LEAF_SIGNATURE|certificate/i,
  },
  {
    code: "connection-refused",
    reason: "Connection refused",
    pattern: /^(?:ECONNREFUSED|ConnectionRefused)$|\brefused|unable to connect/i,
  },
  {
    code: "connection-reset",
    reason: "Connection reset",
    pattern:
      /ECONNABORTED|EPIPE|ERR_SOCKET|reset|(?:connection|socket|side) ?closed|connection error|handshake eof/i,
  },
  {
    code: "tls-handshake",
    reason: "TLS handshake failed",
    pattern: /^EPROTO$|\btls\b|\bssl\b|handshake|corrupt message|fatal alert/i,
  },
  {
    code: "host-unreachable",
    reason: "Host unreachable",
    pattern: /^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$|unreachable|no route to host/i,
  },
  {
    code: "invalid-response",
    reason: "Invalid HTTP response",
    pattern: /^HTTPParserError$|invalid http|parse error|invalid header|parsed|hyper::error/i,
  },
  {
    code: "truncated",
    reason: "Truncated compressed data",
    pattern: /^Z_BUF_ERROR$|unexpected end of file|ended prematurely/i,
  },
  {
    code: "content-encoding",
    reason: "Invalid Content-Encoding",
    isFinal: true,
    pattern:
      /^(?:Z_DATA|ERR__ERROR_FORMAT|ZSTD_error)_|^ZlibError$|gzip|deflate|brotli|decompress|decod|crc computed/i,
  },
];

const UNKNOWN: RequestFailure = { code: "network", reason: "Request failed" };

/** Length of the start and the end of a message that are matched: the rest may quote the site. */
const MAX_MESSAGE = 200;
const MAX_CAUSES = 5;

function classify(error: unknown): RequestFailure {
  if (error instanceof ExchangeError) return { code: error.code, reason: error.message };
  if (error instanceof RequestError) return { code: error.requestCode, reason: error.message };
  const texts = textsOf(error);
  return KINDS.find((kind) => matches(kind, texts)) ?? UNKNOWN;
}

function matches({ pattern }: FailureKind, texts: readonly string[]): boolean {
  return texts.some((text) => pattern.test(text));
}

function textsOf(error: unknown): string[] {
  if (typeof error === "string") return [error.slice(0, MAX_MESSAGE)];
  const texts: string[] = [];
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === "object" && cause !== null; depth++) {
    const { name, code, message = "" } = cause as Partial<Error> & { readonly code?: unknown };
    const full = String(message);
    // Deno and Bun quote the URL, and it may contain any word
    const text = full.slice(Math.max(0, full.lastIndexOf(": client error ")))
      .replace(/"https?:[^"]*"/, "");
    texts.push(String(name), String(code), text.slice(0, MAX_MESSAGE), text.slice(-MAX_MESSAGE));
    cause = (cause as Error).cause;
  }
  return texts;
}
