/**
 * The status of a run as a web page, which updates itself.
 *
 * @module
 */

import { codeOf } from "../../platform/host.ts";
import { type HttpReply, type HttpRequest, serveHttp } from "../../platform/http_server.ts";
import { STATUS_POLICY } from "../../report/page.gen.ts";
import type { Arguments } from "../arguments.ts";
import { Failure } from "../failure.ts";
import type { ListenAddress } from "../values.ts";
import {
  isUnknownRun,
  type RunStatus,
  statusJson,
  StatusReader,
  type StatusSource,
} from "./run_status.ts";
import { statusHtml, statusView } from "./status_view.ts";

/** A running status page. */
export interface StatusServer {
  /** URL of the page. */
  readonly url: string;
  /** Resolves when it is closed. */
  readonly closed: Promise<void>;
}

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

/** Serves the status page of a run until the signal aborts, if `--serve` asks for it. */
export async function servePage(
  source: StatusSource,
  run: string,
  args: Arguments,
  messages: { note(line: string): void },
  signal: AbortSignal,
): Promise<StatusServer | undefined> {
  const address = args.value<ListenAddress>("serve");
  if (address === undefined) return undefined;
  const server = await serveStatus(source, run, { ...address, signal });
  messages.note(`status of "${run}" at ${server.url}`);
  return server;
}

/**
 * Serves the status of a run: a page, its parts, and JSON.
 *
 * @throws {Failure} if the port cannot be used
 */
export async function serveStatus(
  source: StatusSource,
  run: string,
  { port, hostname = LOOPBACK, signal }: ListenAddress & { readonly signal: AbortSignal },
): Promise<StatusServer> {
  const reader = new StatusReader(source, run);
  const isLocal = LOOPBACK_REGEXP.test(bracketed(hostname));
  const options = { port, hostname, signal };
  const server = await serveHttp((request) => answer(reader, request, isLocal), options)
    .catch((error) => {
      throw listenFailure(port, error);
    });
  const name = /^(?:0\.0\.0\.0|::)$/.test(hostname) ? "localhost" : bracketed(hostname);
  return { url: `http://${name}:${server.port}/`, closed: server.closed };
}

/** Replies by path. */
const REPLIES: Readonly<Record<string, (status: RunStatus) => HttpReply>> = {
  "/": (status) =>
    text("text/html", statusHtml(status), { "content-security-policy": STATUS_POLICY }),
  "/view.json": (status) => text("application/json", JSON.stringify(statusView(status))),
  "/status.json": (status) => text("application/json", statusJson(status)),
};

async function answer(
  reader: StatusReader,
  { method, path, host }: HttpRequest,
  isLocal: boolean,
): Promise<HttpReply> {
  // a website could otherwise read the status by a name that leads to this machine
  if (isLocal && !LOOPBACK_REGEXP.test(host)) return plain(403, "Unknown host");
  if (method !== "GET" && method !== "HEAD") return plain(405, "Only GET", { allow: "GET, HEAD" });
  if (!Object.hasOwn(REPLIES, path)) return plain(404, "Not found");
  try {
    return REPLIES[path]!(await reader.read());
  } catch (error) {
    if (isUnknownRun(error)) return plain(404, "The run does not exist");
    return plain(503, "Cannot read the database", { "retry-after": "5" });
  }
}

function text(type: string, body: string, headers: Record<string, string> = {}): HttpReply {
  const contentType = `${type}; charset=utf-8`;
  return { status: 200, headers: { ...HEADERS, ...headers, "content-type": contentType }, body };
}

function plain(status: number, body: string, headers: Record<string, string> = {}): HttpReply {
  return { ...text("text/plain", `${body}\n`, headers), status };
}

/** Returns an IPv6 address as URLs have it. */
function bracketed(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "it is in use; choose another, or 0 for a free one",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine does not have the address",
};

function listenFailure(port: number, error: unknown): Failure {
  const reason = REASONS[codeOf(error) ?? ""] ?? String((error as Error).message ?? error);
  return new Failure(`Cannot listen on port ${port}: ${reason}`, undefined, { cause: error });
}
