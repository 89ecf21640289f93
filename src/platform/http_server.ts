import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The body of a request is ignored. */
export interface HttpRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Value of the header `Host`. */
  readonly host: string;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

interface HttpServerOptions {
  /** 0 for a free one. */
  readonly port: number;
  readonly hostname: string;
  readonly signal: AbortSignal;
}

interface HttpServer {
  readonly port: number;
  readonly closed: Promise<void>;
}

const REQUEST_TIMEOUT = 10_000;
/** Milliseconds between two looks for requests that have timed out. */
const TIMEOUT_INTERVAL = 1000;
const MAX_CONNECTIONS = 100;

/** @throws {Error} With a `code` such as `EADDRINUSE` if it cannot listen. */
export async function serveHttp(
  answer: (request: HttpRequest) => HttpReply | Promise<HttpReply>,
  { port, hostname, signal }: HttpServerOptions,
): Promise<HttpServer> {
  signal.throwIfAborted();
  const { createServer } = await import("node:http");
  const server = createServer(
    { connectionsCheckingInterval: TIMEOUT_INTERVAL },
    (request, response) => void reply(answer, request, response),
  );
  server.headersTimeout = REQUEST_TIMEOUT;
  server.requestTimeout = REQUEST_TIMEOUT;
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, hostname, resolve);
  });
  // such as too many open files; it concerns one connection, and the server goes on
  server.on("error", () => {});
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
  return { port: (server.address() as AddressInfo).port, closed };
}

async function reply(
  answer: (request: HttpRequest) => HttpReply | Promise<HttpReply>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // of a reader that has gone
  response.on("error", () => {});
  const { method = "", url = "/", headers: { host = "" } } = request;
  let result: HttpReply;
  try {
    result = await answer({ method, path: url.replace(/\?.*$/s, ""), host });
  } catch {
    result = { status: 500, headers: { "content-type": "text/plain" }, body: "Internal error\n" };
  }
  const { status, headers, body } = result;
  response.writeHead(status, { ...headers });
  response.end(body);
}
