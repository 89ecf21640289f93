/**
 * `--serve`: health and metrics of a command that works unattended, by HTTP.
 *
 * | request                                              | status | body             |
 * | ---------------------------------------------------- | -----: | ---------------- |
 * | on loopback, with a `Host` that does not name it     |    403 |                  |
 * | with another method than GET and HEAD                |    405 |                  |
 * | `/healthz`                                           |    200 | `ok`             |
 * | the same, if the command cannot do its work         |    503 | the reason       |
 * | `/metrics`                                           |    200 | the metrics      |
 * | anything else                                        |    404 |                  |
 *
 * @module
 */

import { excerpt } from "../../data/text.ts";
import { hasPermission, permissionError } from "../../platform/environment.ts";
import { codeOf, isPermissionError } from "../../platform/process.ts";
import { type HttpReply, type HttpRequest, serveHttp } from "../../platform/http_server.ts";
import { escapeControls } from "../../write/escape.ts";
import { Failure, permittedCommand } from "../failure.ts";
import type { ListenAddress } from "../values.ts";

interface Served extends ListenAddress {
  /** Returns why the command cannot do its work; `undefined` if it can. */
  readonly problem: () => string | undefined;
  readonly metrics: () => string;
  readonly signal: AbortSignal;
}

const LOOPBACK_REGEXP = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Why an address cannot be used, and what to do about it, by the code of the error. */
const REASONS: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  EADDRINUSE: ["address in use", "choose another port, or 0 for a free one"],
  EACCES: ["permission denied", "choose a port from 1024 on, or 0 for a free one"],
  EADDRNOTAVAIL: ["not an address of this machine", "0.0.0.0 is all addresses of it"],
};

/** Serves until the signal is aborted. Returns the URL. Throws a `Failure` if it cannot listen. */
export async function serve(served: Served): Promise<string> {
  const { hostname, port } = served;
  const name = hostname.includes(":") ? `[${hostname}]` : hostname;
  const isLocal = LOOPBACK_REGEXP.test(name), host = `${name}:${port}`;
  try {
    // Deno throws where nothing can catch it
    if (!hasPermission({ name: "net", host })) throw permissionError("net");
    const server = await serveHttp((request) => replyTo(request, isLocal, served), served);
    return `http://${name}:${server.port}/`;
  } catch (error) {
    const [reason, hint] = isPermissionError(error)
      ? ["no permission to listen", `run: ${permittedCommand()}`]
      : REASONS[codeOf(error) ?? ""] ?? [(error as Error).message];
    throw new Failure(`Cannot listen on "${host}": ${reason}`, hint, { cause: error });
  }
}

const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-type": "text/plain; version=0.0.4; charset=utf-8",
  "x-content-type-options": "nosniff",
};

function replyTo(request: HttpRequest, isLocal: boolean, served: Served): HttpReply {
  const { method, path, host } = request;
  const text = (status: number, body: string) => ({ status, headers: HEADERS, body });
  // a website could otherwise read it by a name that leads to this machine
  if (isLocal && !LOOPBACK_REGEXP.test(host)) return text(403, "Unknown host\n");
  if (method !== "GET" && method !== "HEAD") {
    return { ...text(405, "Only GET and HEAD\n"), headers: { ...HEADERS, allow: "GET, HEAD" } };
  }
  if (path === "/metrics") return text(200, served.metrics());
  if (path !== "/healthz") return text(404, "Only /healthz and /metrics\n");
  const reason = served.problem();
  return reason === undefined
    ? text(200, "ok\n")
    : text(503, `${escapeControls(excerpt(reason))}\n`);
}
