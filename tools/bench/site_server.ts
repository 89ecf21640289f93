/**
 * Serves a large site from memory, in a separate process, until it is killed.
 *
 *     deno run -A site_server.ts '{"sitemaps":75,"pages":34667,"distinct":75,"gzip":false}'
 *
 * It prints its port. Responses are prepared in memory and written to a TCP socket, which takes less
 * CPU time than `Deno.serve`, so that the client is measured.
 *
 * `GET /mode/plain` lets it answer without validators, as it does at first, `/mode/validators` with
 * entity tags, `/mode/comment` with another comment in each sitemap, and `/mode/changed` with another
 * date of every hundredth page. At 127.0.0.2, every hundredth page is another one or has another date.
 *
 * @module
 */

import { setTimeout as sleep } from "node:timers/promises";
import { sitemapFile } from "./bench_data.ts";
import { generateIndex } from "./generate.ts";

/** The site to serve. */
export interface SiteShape {
  /** Sitemaps that the index lists. */
  readonly sitemaps: number;
  /** Pages in each of them. */
  readonly pages: number;
  /** Distinct documents, which the sitemaps repeat. */
  readonly distinct: number;
  /** Whether the sitemaps are `.xml.gz`. */
  readonly gzip: boolean;
  /** Milliseconds that the server waits before it answers; none unless given. */
  readonly delay?: number;
}

const SITEMAP_PATH_REGEXP = /^\/sitemap-(\d+)\.xml(?:\.gz)?$/;
const encoder = new TextEncoder();

function answer(status: string, type: string, body: Uint8Array, more = ""): Uint8Array {
  const head = encoder.encode(
    `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n${more}\r\n`,
  );
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

const NOT_FOUND = answer("404 Not Found", "text/plain", encoder.encode("not found\n"));

/** Returns the response for a path and the head of its request. */
type Router = (path: string, head: string) => Uint8Array;

const NOT_MODIFIED = encoder.encode("HTTP/1.1 304 Not Modified\r\n\r\n");
const BLANK_LINE = encoder.encode("\r\n\r\n");

/** Adds modes to a router, see above. */
function withModes(router: Router): Router {
  let mode = "plain";
  return (path, head) => {
    if (path.startsWith("/mode/")) {
      mode = path.slice("/mode/".length);
      return answer("200 OK", "text/plain", encoder.encode(mode));
    }
    const response = router(path, head);
    if (mode === "plain" || response === NOT_FOUND) return response;
    const isSitemap = SITEMAP_PATH_REGEXP.test(path);
    const tag = isSitemap && EDITS[mode] !== undefined ? `"${mode}"` : '"1"';
    if (head.includes(`if-none-match: ${tag}`)) return NOT_MODIFIED;
    const start = response.length - bodyOf(response).length;
    const body = response.subarray(start);
    const type = path.endsWith(".txt") ? "text/plain" : "application/xml";
    const edit = isSitemap ? EDITS[mode] : undefined;
    return answer("200 OK", type, edit?.(body) ?? body, `etag: ${tag}\r\n`);
  };
}

function bodyOf(response: Uint8Array): Uint8Array {
  for (let at = 0;; at++) {
    if (BLANK_LINE.every((byte, index) => response[at + index] === byte)) {
      return response.subarray(at + BLANK_LINE.length);
    }
  }
}

/** Sitemaps by mode, if they differ. */
const EDITS: Readonly<Record<string, (sitemap: Uint8Array) => Uint8Array>> = {
  changed(sitemap) {
    let page = 0;
    const text = new TextDecoder().decode(sitemap);
    return encoder.encode(
      text.replace(/<lastmod>\d{4}/g, (date) => ++page % 100 === 0 ? "<lastmod>1999" : date),
    );
  },
  comment(sitemap) {
    const text = new TextDecoder().decode(sitemap);
    return encoder.encode(text.replace("</urlset>", "<!-- generated in 0.2 s --></urlset>"));
  },
};

/** Host of a site of which one page in a hundred differs. */
const OTHER_HOST_REGEXP = /^host: 127\.0\.0\.2\b/im;

/** Returns a sitemap in which every 200th page has another URL, and every other 200th another date. */
function otherSitemap(sitemap: Uint8Array): Uint8Array {
  let page = 0;
  const text = new TextDecoder().decode(sitemap);
  return encoder.encode(text.replace(/\/<\/loc>\n\t<lastmod>\d{4}/g, (match) => {
    const rest = ++page % 200;
    return rest === 0
      ? match.replace("/", "-x/")
      : rest === 100
      ? `${match.slice(0, -4)}1999`
      : match;
  }));
}

async function routerOf(shape: SiteShape): Promise<Router> {
  const extension = shape.gzip ? "xml.gz" : "xml";
  const type = shape.gzip ? "application/gzip" : "application/xml";
  const sitemaps: Uint8Array[] = [];
  for (let at = 0; at < Math.min(shape.sitemaps, shape.distinct); at++) {
    const body = await Deno.readFile(await sitemapFile(at, shape.pages, shape.gzip));
    sitemaps.push(answer("200 OK", type, body));
  }
  const others = new Map<number, Uint8Array>();
  const otherOf = (at: number) => {
    const known = others.get(at) ?? answer("200 OK", type, otherSitemap(bodyOf(sitemaps[at]!)));
    others.set(at, known);
    return known;
  };
  const fixed = new Map<string, ReadonlyMap<string, Uint8Array>>();
  const fixedOf = (origin: string) => {
    const index = generateIndex(shape.sitemaps, (at) => `${origin}/sitemap-${at}.${extension}`);
    const robots = `User-agent: *\nAllow: /\nSitemap: ${origin}/sitemap_index.xml\n`;
    return new Map([
      ["/robots.txt", answer("200 OK", "text/plain", encoder.encode(robots))],
      ["/sitemap_index.xml", answer("200 OK", "application/xml", index)],
    ]);
  };
  return (path, head) => {
    const number = SITEMAP_PATH_REGEXP.exec(path)?.[1];
    if (number !== undefined) {
      const at = Number(number) % sitemaps.length;
      return OTHER_HOST_REGEXP.test(head) ? otherOf(at) : sitemaps[at]!;
    }
    const origin = `http://${/^host: (\S+)/im.exec(head)?.[1]}`;
    if (!fixed.has(origin)) fixed.set(origin, fixedOf(origin));
    return fixed.get(origin)!.get(path) ?? NOT_FOUND;
  };
}

/** Answers the requests of one connection in turn. GET has no body, so a blank line ends each. */
async function serve(connection: Deno.TcpConn, router: Router, delay: number): Promise<void> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(16 * 1024);
  let received = "";
  connection.setNoDelay();
  for (let read = await connection.read(buffer); read !== null;) {
    received += decoder.decode(buffer.subarray(0, read));
    for (let end = received.indexOf("\r\n\r\n"); end !== -1; end = received.indexOf("\r\n\r\n")) {
      const path = received.split(" ", 2)[1]!;
      const whole = router(path, received.slice(0, end));
      received = received.slice(end + 4);
      if (delay > 0) await sleep(delay);
      for (let sent = 0; sent < whole.length;) sent += await connection.write(whole.subarray(sent));
    }
    read = await connection.read(buffer);
  }
}

if (import.meta.main) {
  const shape = JSON.parse(Deno.args[0]!) as SiteShape;
  // on all addresses of loopback, each of which is another site
  const listener = Deno.listen({ hostname: "0.0.0.0", port: 0 });
  const router = withModes(await routerOf(shape));
  console.log(String(listener.addr.port));
  for await (const connection of listener) {
    serve(connection, router, shape.delay ?? 0)
      // the client has disconnected
      .catch(() => {})
      .finally(() => connection.close());
  }
}
