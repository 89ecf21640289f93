/**
 * The status of a run as a web page, with server-sent events.
 *
 * @module
 */

import { codeOf } from "../../platform/host.ts";
import {
  type HttpReply,
  type HttpRequest,
  type HttpServer,
  serveHttp,
} from "../../platform/http_server.ts";
import { Failure } from "../failure.ts";
import { isUnknownRun, type RunStatus, StatusFeed, type StatusSource } from "./status_feed.ts";
import { contentPolicy, statusHtml, statusView } from "./status_view.ts";

export type { StatusSource };

/** Options of {@linkcode serveStatus}. */
export interface StatusOptions {
  /** Port to listen on; 0 for a free one. */
  readonly port: number;
  /** Address to listen on. Default: 127.0.0.1, which other machines cannot reach. */
  readonly hostname?: string;
  /** Signal that ends the server. */
  readonly signal: AbortSignal;
}

/** A running status page. */
export interface StatusServer {
  /** URL of the page. */
  readonly url: string;
  /** Resolves when it is closed. */
  readonly closed: Promise<void>;
}

/** Maximum number of viewers at a time. */
const MAX_VIEWERS = 100;

const LOOPBACK = "127.0.0.1";
/** Hosts by which a browser addresses this machine. */
const LOOPBACK_REGEXP = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** Headers of every response. */
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Serves the status of a run: a page, its events, and JSON.
 *
 * @throws {Failure} if the port cannot be used
 */
export async function serveStatus(
  fleet: StatusSource,
  run: string,
  { port, hostname = LOOPBACK, signal }: StatusOptions,
): Promise<StatusServer> {
  const feed = new StatusFeed(fleet, run, (status) => JSON.stringify(statusView(status)));
  const policy = contentPolicy();
  const isLocal = LOOPBACK_REGEXP.test(bracketed(hostname));
  let server: HttpServer;
  try {
    server = await serveHttp((request) => answer(feed, request, { policy, isLocal }), {
      port,
      hostname,
      signal,
    });
  } catch (error) {
    throw listenFailure(port, error);
  }
  const name = /^(?:0\.0\.0\.0|::)$/.test(hostname) ? "localhost" : bracketed(hostname);
  return { url: `http://${name}:${server.port}/`, closed: server.closed };
}

async function answer(
  feed: StatusFeed,
  { method, path, host }: HttpRequest,
  { policy, isLocal }: { readonly policy: string; readonly isLocal: boolean },
): Promise<HttpReply> {
  // a website could otherwise read the status by a name that leads to this machine
  if (isLocal && !LOOPBACK_REGEXP.test(host)) return plain(403, "Unknown host");
  if (method !== "GET" && method !== "HEAD") return plain(405, "Only GET", { allow: "GET, HEAD" });
  if (path === "/" || path === "/status.json") return await answerOnce(feed, path, policy);
  if (path !== "/events") return plain(404, "Not found");
  if (feed.viewers >= MAX_VIEWERS) return plain(503, "Too many viewers", { "retry-after": "10" });
  return {
    status: 200,
    headers: { ...HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" },
    body: (stream) => feed.add(stream),
  };
}

/** Returns the page or the JSON. */
async function answerOnce(feed: StatusFeed, path: string, policy: string): Promise<HttpReply> {
  let status: RunStatus;
  try {
    status = await feed.current();
  } catch (error) {
    if (isUnknownRun(error)) return plain(404, "The run does not exist");
    return plain(503, "Cannot read the database", { "retry-after": "5" });
  }
  return path === "/"
    ? text("text/html", statusHtml(status), { "content-security-policy": policy })
    : text("application/json", toJson(status));
}

function text(type: string, body: string, headers: Record<string, string> = {}): HttpReply {
  const contentType = `${type}; charset=utf-8`;
  return { status: 200, headers: { ...HEADERS, ...headers, "content-type": contentType }, body };
}

function plain(status: number, body: string, headers: Record<string, string> = {}): HttpReply {
  return { ...text("text/plain", `${body}\n`, headers), status };
}

function toJson({ time, progress, hosts, dead, problem }: RunStatus): string {
  return JSON.stringify({ time, ...progress, hosts, deadSites: dead, problem }) + "\n";
}

/** Returns an IPv6 address as URLs have it. */
function bracketed(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "it is in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine does not have the address",
};

function listenFailure(port: number, error: unknown): Failure {
  const reason = REASONS[codeOf(error) ?? ""] ??
    (error instanceof Error ? error.message : String(error));
  const hint = codeOf(error) === "EADDRINUSE"
    ? "choose another port, or 0 for a free one"
    : undefined;
  return new Failure(`Cannot listen on port ${port}: ${reason}`, hint, { cause: error });
}
