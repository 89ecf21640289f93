/**
 * Advice about requests that failed, by their code and status.
 *
 * @module
 */

import type { InvalidCode, RequestCode } from "../../data/codes.ts";
import { DAY } from "../../data/calendar.ts";
import { excerpt } from "../../data/text.ts";
import { roughDuration } from "../../data/words.ts";
import { hostAndPort } from "../../platform/environment.ts";
import { stripPrefix } from "../../write/text.ts";

export interface Cause {
  readonly url: string;
  readonly code?: RequestCode | InvalidCode;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

type Advice = (cause: Cause & { readonly parts: URL }) => string | undefined;

const DENIED: Advice = () => "access denied: try another --user-agent, --header or --proxy";
const PROXY: Advice = () => "check the proxy: --proxy http://user:password@host:port/ logs in";
const UNREACHABLE: Advice = () => "site unreachable: check its URL and the network";

/** By code, else by status; other statuses from 400 are denials, those from 500 errors of the server. */
const ADVICE: Readonly<Partial<Record<RequestCode | InvalidCode | number, Advice>>> = {
  401: ({ parts: { protocol, host } }) =>
    `login missing or wrong: write ${protocol}//user:password@${host}/, or use -H "Authorization: …"`,
  // nothing to be done about a sitemap that does not exist
  404: () => undefined,
  410: () => undefined,
  407: PROXY,
  408: (cause) => `the site is busy: try again ${whenOf(cause)}`,
  429: (cause) =>
    `too many requests: try again ${whenOf(cause)}, or slower by --wait 2s and --concurrency 1`,
  451: () => "not available here for legal reasons: try --proxy",
  503: (cause) => `the site is overloaded or in maintenance: try again ${whenOf(cause)}`,
  "browser-challenge": () =>
    "the site demands a browser: no option gets past that, but its owner can admit your User-Agent",
  "timeout": () => "no response in time: try again later, or with a longer --timeout",
  "host-not-found": ({ parts: { hostname } }) =>
    `check its spelling and the network${otherHost(hostname, ", or try ")}`,
  "dns": () => "no answer from the name server: check the network, or try again later",
  "connection-refused": ({ parts }) =>
    `no server at ${hostAndPort(parts)}: check the port${plainUrl(parts, ", or try ")}`,
  "connection-reset": () =>
    "the server closes connections: try again later, or another --user-agent or --proxy",
  "host-unreachable": () => "no route to the host: check the network",
  "tls-certificate": ({ parts }) =>
    `--insecure accepts any certificate${plainUrl(parts, "; or try ")}`,
  "tls-handshake": ({ parts }) =>
    `no TLS at ${hostAndPort(parts)}: check the port${plainUrl(parts, ", or try ")}`,
  "proxy": PROXY,
  "invalid-response": ({ parts }) => `no HTTP at ${hostAndPort(parts)}: check the URL`,
  "content-encoding": () =>
    "the body is not what its Content-Encoding says: only the server can mend that",
  "network": UNREACHABLE,
};

export function adviceFor(cause: Cause): string | undefined {
  const { code = "http-status", status, url } = cause;
  return adviceOf(code, status)?.({ ...cause, parts: new URL(url) });
}

function adviceOf(code: RequestCode | InvalidCode, status: number | undefined): Advice | undefined {
  const byCode = ADVICE[code];
  if (byCode !== undefined || status === undefined || status < 400) return byCode;
  const other: Advice = status < 500
    ? DENIED
    : (cause) => `server error: try again ${whenOf(cause)}`;
  return ADVICE[status] ?? other;
}

export function missingAdvice({ hostname }: URL): string {
  const other = otherHost(hostname, ", or try ");
  return `every response was 404 Not Found: check the host${other}; --known-path names other paths`;
}

export function loginAdvice(page: string, site: string): string {
  const origin = URL.parse(site)?.origin ?? "null";
  return `every path redirects to ${stripPrefix(origin)(excerpt(page))}: use -H "Cookie: …"`;
}

/** Longest time that advice names. */
const MAX_NAMED = 365 * DAY;

function whenOf({ retryAfterMs = 0 }: Cause): string {
  return retryAfterMs > 0 && retryAfterMs <= MAX_NAMED
    ? `in ${roughDuration(retryAfterMs)}`
    : "later";
}

function plainUrl({ protocol, hostname, port }: URL, before: string): string {
  return protocol === "https:" && port === "" ? `${before}http://${hostname}/` : "";
}

/** A name as registered, with a suffix of one label, or of two short ones such as `co.uk`. */
const REGISTERED_REGEXP = /^[^.]{1,63}\.(?:[^.]{2,}|[^.]{2,3}\.[^.]{2})$/;

function otherHost(hostname: string, before: string): string {
  const name = hostname.replace(/\.$/, "");
  const bare = name.replace(/^www\./, "");
  // addresses have no other names
  if (/^\[|^[\d.]+$/.test(name) || !REGISTERED_REGEXP.test(bare)) return "";
  return before + (bare === name ? `www.${bare}` : bare);
}
