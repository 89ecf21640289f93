/** A real HTTP server on loopback for tests, with fixture sites, routes, or both. @module */

import { eTag, ifNoneMatch } from "@std/http/etag";
import { acceptsEncodings } from "@std/http/negotiation";
import { gzipSync } from "node:zlib";
import { pause } from "./pause.ts";
import { SiteFiles } from "./site_files.ts";

/** Answers a request; undefined falls back to the files of the site. */
export type Route = (
  request: Request,
  path: string,
) => Response | undefined | Promise<Response | undefined>;

export interface FixtureServerOptions {
  /** Answers by path (no query), before the files of the site; `*` matches all other paths. */
  readonly routes?: Readonly<Record<string, Route>>;
  /** Whether files are compressed for clients that accept it. Default: true. */
  readonly gzip?: boolean;
  /** Milliseconds before each answer. Default: 0. */
  readonly delay?: number;
  /** Replacement for `{{origin}}` in fixtures. Default: the origin of the server. */
  readonly origin?: string;
}

export interface FixtureRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Headers;
}

/** A running server. `await using` stops it. */
export class FixtureServer implements AsyncDisposable {
  /** Homepage with its trailing slash. */
  readonly url: string;
  readonly requests: FixtureRequest[] = [];
  /** Files that are served; may be changed at any time. */
  site: SiteFiles | undefined;

  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stop = new AbortController();
  readonly #handlers = new Set<Promise<unknown>>();
  readonly #options: FixtureServerOptions;
  #underWay = 0;
  #maxUnderWay = 0;

  constructor(site: SiteFiles | undefined, options: FixtureServerOptions) {
    this.site = site;
    this.#options = options;
    this.#server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      signal: this.#stop.signal,
      onListen: () => {},
      // A route that throws is a mistake in the test: answer 500 with the message.
      onError: (error) => new Response(String(error), { status: 500 }),
    }, (request, info) => this.#handle(request, info));
    this.url = `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  get origin(): string {
    return this.url.slice(0, -1);
  }

  /** Number of requests without a complete response. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Maximum of {@linkcode underWay} so far. */
  get maxUnderWay(): number {
    return this.#maxUnderWay;
  }

  /** Number of requests per path with query. */
  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { path } of this.requests) counts[path] = (counts[path] ?? 0) + 1;
    return counts;
  }

  /** Stops at once and aborts pending responses. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.finished;
    await Promise.allSettled(this.#handlers);
  }

  #handle(request: Request, info: Deno.ServeHandlerInfo): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    this.requests.push({
      method: request.method,
      path: pathname + search,
      headers: request.headers,
    });
    this.#maxUnderWay = Math.max(this.#maxUnderWay, ++this.#underWay);
    const sent = () => void this.#underWay--;
    this.#track(info.completed.then(sent, sent));
    return this.#track(this.#answer(request, decodePath(pathname)));
  }

  #track<T>(promise: Promise<T>): Promise<T> {
    this.#handlers.add(promise);
    const forget = () => void this.#handlers.delete(promise);
    promise.then(forget, forget);
    return promise;
  }

  async #answer(request: Request, path: string): Promise<Response> {
    const { delay = 0, routes = {} } = this.#options;
    if (delay > 0) await pause(delay, this.#stop.signal);
    const route = (Object.hasOwn(routes, path) ? routes[path] : undefined) ?? routes["*"];
    const response = await route?.(request, path);
    return response ?? await this.#serveFile(request, path);
  }

  async #serveFile(request: Request, path: string): Promise<Response> {
    if (this.site === undefined) return new Response("Not found\n", { status: 404 });
    const answer = this.site.answer(path, this.#options.origin ?? this.origin);
    const { status, headers } = answer;
    let body = answer.body;
    if (body.length === 0) return new Response(null, { status, headers });
    headers.set("vary", "Accept-Encoding");
    const packed = headers.has("content-encoding") ||
      headers.get("content-type") === "application/gzip";
    const coding: string | undefined = acceptsEncodings(request, "gzip", "identity");
    if (
      this.#options.gzip !== false && !packed && coding === "gzip" &&
      request.headers.has("accept-encoding")
    ) {
      body = new Uint8Array(gzipSync(body));
      headers.set("content-encoding", "gzip");
    }
    const tag: string = await eTag(body);
    headers.set("etag", tag);
    if (status === 200 && !ifNoneMatch(request.headers.get("if-none-match"), tag)) {
      return new Response(null, { status: 304, headers });
    }
    headers.set("content-length", String(body.length));
    return new Response(request.method === "HEAD" ? null : body, { status, headers });
  }
}

/** Serves `fixtures/sites/<name>/`. */
export function serveSite(name: string, options: FixtureServerOptions = {}): FixtureServer {
  return new FixtureServer(new SiteFiles(name), options);
}

export function serveRoutes(
  routes: Readonly<Record<string, Route>>,
  options: FixtureServerOptions = {},
): FixtureServer {
  return new FixtureServer(undefined, { ...options, routes });
}

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    // Invalid percent-encoding: use the path as it is.
    return pathname;
  }
}
