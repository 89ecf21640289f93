/**
 * A site that a test changes between runs. The same table of responses is served by an injected
 * `fetch` and over loopback, and every request is recorded with its headers.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { HOUR } from "../../src/data/calendar.ts";
import type { Fetch } from "../../src/http/exchange.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { at, HOME, robots } from "../walk/site.ts";

export { at, HOME, robots };

/** Fast defaults of a walk: no retries, no known paths. */
export const DEFAULTS: WalkOptions = { useKnownPaths: false, retries: 0, retryDelay: 0 };

/** Time of the first run of a history. */
export const START_TIME: number = Date.UTC(2024, 6, 1);
/** Milliseconds from one run to the next. */
export const RUN_AFTER: number = 2 * HOUR;

export interface Reply {
  /** Body. Default: empty. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Status. Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the body is compressed, as a file of its own (without `Content-Encoding`). */
  readonly gzip?: boolean;
  /** Target of a redirect: a path, or a URL. */
  readonly redirect?: string;
  /** Part of the body after which the connection breaks, from 0 to 1. */
  readonly cut?: number;
  /** Fault instead of a response: no connection, or no response until the client gives up. */
  readonly fault?: "refused" | "silent";
  readonly etag?: string;
  readonly lastModified?: string;
  /**
   * What conditional requests are answered with: 304 if the validators match (`honoured`), 200
   * always (`ignored`), or 304 always (`lying`). Default: "honoured".
   */
  readonly validators?: "honoured" | "ignored" | "lying";
}

/** A response; a string is a body, and a list is the pages of a urlset. */
export type Content = string | Reply | readonly Entry[];

/** Responses by path, or by URL for other hosts. Every other path is a 404. */
export type Site = Readonly<Record<string, Content>>;

export interface SiteRequest {
  /** Path with query, or the URL on another host. */
  readonly path: string;
  readonly headers: Headers;
  /** Status of the response; 0 without one. */
  readonly status: number;
}

const ENCODER = new TextEncoder();
/** On loopback, it is replaced in every text. */
const ORIGIN = HOME.slice(0, -1);

interface Prepared {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Bytes after which the connection breaks. */
  readonly cutAt?: number;
}

export class ScriptedSite {
  /** The site, to be replaced between runs. */
  site: Site;
  /** Called before each response. */
  onRequest: ((path: string) => void | Promise<void>) | undefined;
  /** Requests since the last `take()`. */
  requests: SiteRequest[] = [];

  constructor(site: Site = {}) {
    this.site = site;
  }

  /** Returns the requests so far, and forgets them. */
  take(): SiteRequest[] {
    const { requests } = this;
    this.requests = [];
    return requests;
  }

  readonly fetch: Fetch = async (input, init) => {
    const url = new URL(input);
    const path = url.origin === ORIGIN ? url.pathname + url.search : url.href;
    // as on a network, the response is asynchronous and can be aborted
    await Promise.resolve();
    init.signal?.throwIfAborted();
    return await this.#respond(path, new Headers(init.headers), ORIGIN, init.signal);
  };

  listen(): LoopbackSite {
    return new LoopbackSite((request, origin) => {
      const { pathname, search } = new URL(request.url);
      return this.#respond(pathname + search, request.headers, origin, request.signal);
    });
  }

  async #respond(
    path: string,
    headers: Headers,
    origin: string,
    signal: AbortSignal | null | undefined,
  ): Promise<Response> {
    const reply = replyAt(this.site, path);
    const record = (status: number) => void this.requests.push({ path, headers, status });
    await this.onRequest?.(path);
    if (reply.fault === "silent") {
      record(0);
      await aborted(signal);
      throw signal!.reason;
    }
    if (reply.fault === "refused") {
      record(0);
      throw new TypeError("connection refused");
    }
    const { status, headers: sent, body, cutAt } = prepare(reply, headers, origin);
    record(status);
    const isEmpty = status === 304 || status === 204;
    const content = isEmpty ? null : cutAt === undefined ? body : cutStream(body, cutAt);
    return new Response(content, { status, headers: sent });
  }
}

export class LoopbackSite implements AsyncDisposable {
  /** Homepage. */
  readonly url: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stop = new AbortController();

  constructor(respond: (request: Request, origin: string) => Promise<Response>) {
    const options = {
      hostname: "127.0.0.1",
      port: 0,
      signal: this.#stop.signal,
      onListen: () => {},
      // a fault that is scripted
      onError: () => new Response(null, { status: 503 }),
    };
    this.#server = Deno.serve(options, (request) => respond(request, this.origin));
    this.url = `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  get origin(): string {
    return this.url.slice(0, -1);
  }

  /** Returns a text with the origin of the scripted site in place of that of the server. */
  scripted(text: string): string {
    return text.replaceAll(this.origin, ORIGIN);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.finished;
  }
}

/** Returns the response of a site at a path. */
export function replyAt(site: Site, path: string): Reply {
  const found = Object.hasOwn(site, path) ? site[path]! : { status: 404 };
  if (typeof found === "string") return { body: found };
  return isList(found) ? { body: urlset(...found) } : found;
}

function isList(content: object): content is readonly Entry[] {
  return Array.isArray(content);
}

function prepare(reply: Reply, request: Headers, origin: string): Prepared {
  const { body = "", status = 200, gzip, redirect, cut, etag, lastModified } = reply;
  const headers = new Headers(reply.headers);
  const empty = new Uint8Array();
  if (redirect !== undefined) {
    headers.set("location", new URL(redirect, HOME).href.replaceAll(ORIGIN, origin));
    return { status: status === 200 ? 302 : status, headers, body: empty };
  }
  if (etag !== undefined) headers.set("etag", etag);
  if (lastModified !== undefined) headers.set("last-modified", lastModified);
  if (isNotModified(reply, request)) return { status: 304, headers, body: empty };
  const plain = typeof body === "string" ? ENCODER.encode(body.replaceAll(ORIGIN, origin)) : body;
  const bytes = gzip ? new Uint8Array(gzipSync(plain)) : plain;
  if (cut === undefined) return { status, headers, body: bytes };
  return { status, headers, body: bytes, cutAt: Math.floor(bytes.length * cut) };
}

/** Whether a conditional request is answered with 304 (RFC 9110 §13.2.2). */
function isNotModified(reply: Reply, request: Headers): boolean {
  const { etag, lastModified, validators = "honoured" } = reply;
  const match = request.get("if-none-match");
  const since = request.get("if-modified-since");
  if (validators === "ignored" || (match === null && since === null)) return false;
  if (validators === "lying") return true;
  if (match !== null) return etag !== undefined && weak(match) === weak(etag);
  return lastModified !== undefined && Date.parse(lastModified) <= Date.parse(since!);
}

function weak(etag: string): string {
  return etag.replace(/^W\//, "");
}

function cutStream(
  body: Uint8Array<ArrayBuffer>,
  cutAt: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = cutAt === 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (isSent) return controller.error(new TypeError("connection reset"));
      isSent = true;
      controller.enqueue(body.slice(0, cutAt));
    },
  }, { highWaterMark: 0 });
}

function aborted(signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

// ------------------------------------------------------------------------------------ documents

/** Returns the path of a URL of the site; any other text is returned unchanged. */
export function short(url: string): string {
  return url.startsWith(HOME) ? url.slice(ORIGIN.length) : url;
}

/** Entry of a urlset: a path, or a path and its other elements as XML. */
export type Entry = string | readonly [path: string, xml: string];

export function rated(path: string, priority: number): Entry {
  return [path, `<priority>${priority}</priority>`];
}

export function urlset(...entries: Entry[]): string {
  return `<urlset>${entries.map((entry) => element("url", entry)).join("")}</urlset>`;
}

/** Child of an index: a path, or a path and the lastmod that is declared for it. */
export type Child = string | readonly [path: string, lastmod: string];

export function index(...children: Child[]): string {
  const elements = children.map((child) =>
    typeof child === "string"
      ? element("sitemap", child)
      : element("sitemap", [child[0], `<lastmod>${child[1]}</lastmod>`])
  );
  return `<sitemapindex>${elements.join("")}</sitemapindex>`;
}

function element(name: string, entry: Entry): string {
  const [path, xml] = typeof entry === "string" ? [entry, ""] : entry;
  return `<${name}><loc>${at(path)}</loc>${xml}</${name}>`;
}

/** Sitemaps by path, each with its content, or with the sitemaps that it lists as an index. */
export interface Sitemaps {
  readonly [path: `/${string}`]: Content | Sitemaps;
}

/** Returns a site whose robots.txt declares these sitemaps, in this order. */
export function declared(sitemaps: Sitemaps): Site {
  return { "/robots.txt": robots(...Object.keys(sitemaps)), ...flattened(sitemaps) };
}

function flattened(sitemaps: Sitemaps): Site {
  return Object.assign(
    {},
    ...Object.entries(sitemaps).map(([path, content]) =>
      isIndex(content)
        ? { [path]: index(...Object.keys(content)), ...flattened(content) }
        : { [path]: content }
    ),
  );
}

function isIndex(content: Content | Sitemaps): content is Sitemaps {
  return typeof content === "object" && Object.keys(content).some((key) => key.startsWith("/"));
}
