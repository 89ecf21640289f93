/**
 * The server of the chaos test: all hosts of all sites at one address, and a log of all requests.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { STATUS_CODE } from "@std/http/status";
import { Random } from "../../tests/support/random.ts";
import { pause } from "../../tests/support/pause.ts";
import { HEADERS, POISON } from "./mapped_fetch.ts";
import type { LoggedRequest } from "./request_log.ts";
import { type ChaosSite, type Document, failureAt, type ListedPage } from "./sites.ts";

/** Parts of a slow body. */
const PARTS = 5;

/** Options of {@linkcode SiteServer}. */
export interface SiteServerOptions {
  readonly seed: number;
  /** Mean milliseconds before a response. */
  readonly delay: number;
}

/** Serves all sites and logs the requests. */
export class SiteServer implements AsyncDisposable {
  /** All requests, in the order of their arrival. */
  readonly log: LoggedRequest[] = [];
  readonly #sites: ReadonlyMap<string, ChaosSite>;
  readonly #random: Random;
  readonly #delay: number;
  readonly #server: Server;
  /** Number of requests by URL in this round. */
  readonly #asked = new Map<string, number>();
  /** Number of the round, from 0. */
  #round = 0;

  private constructor(sites: readonly ChaosSite[], { seed, delay }: SiteServerOptions) {
    this.#sites = new Map(sites.map((site) => [site.authority, site]));
    this.#random = new Random(seed);
    this.#delay = delay;
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  /** Starts a server at a free port. */
  static async listen(
    sites: readonly ChaosSite[],
    options: SiteServerOptions,
  ): Promise<SiteServer> {
    const server = new SiteServer(sites, options);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return server;
  }

  /** Base URL of the server. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Serves the documents of a round from now on. */
  beginRound(round: number): void {
    this.#round = round;
    this.#asked.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const logged = this.#record(request);
    const closed = new AbortController();
    response.on("close", () => {
      logged.isServed = response.writableFinished;
      if (!logged.isServed) logged.ended = Date.now();
      logged.status = response.statusCode;
      closed.abort();
    });
    const delay = this.#delay * (0.5 + this.#random.fraction());
    await pause(delay, closed.signal);
    const { document } = logged;
    const [status, headers] = headOf(document);
    const parts = bodyOf(document);
    if (status === STATUS_CODE.OK && parts.length > 0) {
      headers["etag"] = `"${createHash("sha1").update(JSON.stringify(document)).digest("hex")}"`;
    }
    if (headers["etag"] !== undefined && request.headers["if-none-match"] === headers["etag"]) {
      logged.ended = Date.now();
      response.writeHead(STATUS_CODE.NotModified, headers).end();
      return;
    }
    logged.ended = Date.now();
    response.writeHead(status, headers);
    for (const [at, part] of parts.entries()) {
      if (at > 0) await pause(delay, closed.signal);
      if (closed.signal.aborted) return;
      logged.ended = Date.now();
      response.write(part);
    }
    if (document.type === "truncated") response.destroy();
    else response.end();
  }

  #record({ headers }: IncomingMessage): LoggedRequest {
    const url = new URL(String(headers[HEADERS.url]));
    const agent = String(headers["user-agent"]);
    const logged: LoggedRequest = {
      pid: Number(headers[HEADERS.pid]),
      site: agent,
      host: url.hostname,
      url: url.href,
      issued: Number(headers[HEADERS.issued]),
      arrived: Date.now(),
      ended: Infinity,
      isServed: false,
      status: 0,
      document: this.#documentAt(url),
    };
    this.log.push(logged);
    return logged;
  }

  #documentAt(url: URL): Document {
    const site = this.#sites.get(url.host);
    if (site === undefined) return { type: "missing" };
    if (site.shape === "unavailable") return { type: "unavailable" };
    const asked = this.#asked.get(url.href) ?? 0;
    this.#asked.set(url.href, asked + 1);
    return failureAt(site, url.pathname, asked) ??
      site.documents(this.#round).get(url.pathname) ?? { type: "missing" };
  }
}

function headOf(document: Document): [status: number, headers: Record<string, string>] {
  switch (document.type) {
    case "redirect":
      return [301, { location: document.target }];
    case "missing":
      return [404, {}];
    case "unavailable":
      return [503, {}];
    case "busy":
      return [429, { "retry-after": String(document.seconds) }];
    case "truncated":
      return [200, { "content-length": "1000" }];
    case "poison":
      return [200, { [POISON]: "1" }];
    default:
      return [200, {}];
  }
}

/** Returns the parts of a body, which are sent with pauses between them. */
function bodyOf(document: Document): (string | Uint8Array)[] {
  switch (document.type) {
    case "robots":
      return [document.sitemaps.map((url) => `Sitemap: ${url}\n`).join("")];
    case "index":
      return [`<sitemapindex>${document.sitemaps.map(sitemapElement).join("\n")}</sitemapindex>`];
    case "pages": {
      const { pages, gzip, slow } = document;
      const body = `<urlset>${pages.map(urlElement).join("\n")}</urlset>`;
      if (gzip) return [gzipSync(body)];
      const length = Math.ceil(body.length / PARTS);
      const starts = Array.from({ length: PARTS }, (_, at) => at * length);
      return slow ? starts.map((start) => body.slice(start, start + length)) : [body];
    }
    case "truncated":
      return ["<urlset>"];
    default:
      return [];
  }
}

function sitemapElement(url: string): string {
  return `<sitemap><loc>${url}</loc></sitemap>`;
}

function urlElement({ url, lastmod }: ListedPage): string {
  return `<url><loc>${url}</loc><lastmod>${lastmod}</lastmod></url>`;
}
