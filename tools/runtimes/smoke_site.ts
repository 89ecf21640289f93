/**
 * The site that every runtime walks: each way of compressing a sitemap, each format, a redirect and
 * a sitemap that is missing.
 *
 * @module
 */

import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { FixtureServer, type Route } from "../../tests/support/fixture_server.ts";
import type { SmokeExpectation } from "./smoke.ts";

/** A sitemap of the site. */
interface SmokeSitemap {
  readonly type: string;
  readonly pages: readonly string[];
  readonly document: string;
  /** Compresses the document. Default: sends it as it is. */
  readonly compress?: (text: string) => Uint8Array;
  /** Content-Encoding of the response. Default: none. */
  readonly encoding?: string;
  /** Path of the document, if the one in the index redirects to it. */
  readonly target?: string;
}

/** Pages of the large sitemap. */
const LARGE = 50_000;

/** Bytes of the gzip bomb, far above the limit of its check. */
const BOMB_SIZE = 32 * 1024 * 1024;

function addresses(name: string, length: number): string[] {
  return Array.from({ length }, (_, at) => `https://site.test/${name}/${at}?a=1&b=ü`);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;");
}

function urlset(
  name: string,
  length: number = 3,
): Pick<SmokeSitemap, "type" | "pages" | "document"> {
  const pages = addresses(name, length);
  const entries = pages.map((url) =>
    `<url><loc>${escape(url)}</loc><lastmod>2024-05-06</lastmod></url>\n`
  );
  const document = '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("")}</urlset>\n`;
  return { type: "PagesXmlSitemap", pages, document };
}

function gzip(text: string): Uint8Array {
  return gzipSync(text);
}

/** Compresses each third to a gzip member of its own, with zeros after the last. */
function gzipMembers(text: string): Uint8Array {
  const third = Math.ceil(text.length / 3);
  const parts = [0, 1, 2].map((at) => gzipSync(text.slice(at * third, (at + 1) * third)));
  return Buffer.concat([...parts, new Uint8Array(100)]);
}

/** The sitemaps in the order of the index, by path. */
function sitemaps(): Record<string, SmokeSitemap> {
  const [rss, atom, text] = ["rss", "atom", "text"].map((name) => addresses(name, 3));
  const items = rss!.map((url) => `<item><link>${escape(url)}</link></item>`).join("");
  const entries = atom!.map((url) => `<entry><link href="${escape(url)}"/></entry>`).join("");
  return {
    "/plain.xml": urlset("plain"),
    "/packed.xml.gz": { ...urlset("packed"), compress: gzip },
    "/members.xml.gz": { ...urlset("members", 500), compress: gzipMembers },
    "/encoded.xml": { ...urlset("encoded"), compress: gzip, encoding: "gzip" },
    "/encoded-members.xml": {
      ...urlset("encoded-members", 500),
      compress: gzipMembers,
      encoding: "gzip",
    },
    "/encoded.xml.gz": {
      ...urlset("twice"),
      compress: (text) => gzipSync(gzipSync(text)),
      encoding: "gzip",
    },
    "/deflate.xml": {
      ...urlset("deflate"),
      compress: (text) => deflateSync(text),
      encoding: "deflate",
    },
    "/brotli.xml": {
      ...urlset("brotli"),
      compress: (text) => brotliCompressSync(text),
      encoding: "br",
    },
    "/large.xml.gz": { ...urlset("large", LARGE), compress: gzip },
    "/feed.rss": {
      type: "PagesRssSitemap",
      pages: rss!,
      document: `<rss version="2.0"><channel>${items}</channel></rss>`,
    },
    "/feed.atom": {
      type: "PagesAtomSitemap",
      pages: atom!,
      document: `<feed xmlns="http://www.w3.org/2005/Atom">${entries}</feed>`,
    },
    "/list.txt": { type: "PagesTextSitemap", pages: text!, document: text!.join("\n") },
    "/moved.xml": { ...urlset("moved"), target: "/target.xml" },
    "/missing.xml": { type: "InvalidSitemap", pages: [], document: "" },
  };
}

/** Headers that let pages of other origins read a response, without preflight requests. */
const CORS = { "access-control-allow-origin": "*" };

/** What a smoke site leaves out or adds. */
export interface SmokeSiteOptions {
  /** Paths of sitemaps that the index does not list. */
  readonly without?: readonly string[];
  /** More routes. */
  readonly routes?: Readonly<Record<string, Route>>;
}

/** Starts the site; `/expected.json` has what a walk must find. */
export function serveSmokeSite(
  { without = [], routes = {} }: SmokeSiteOptions = {},
): FixtureServer {
  const listed = Object.entries(sitemaps()).filter(([path]) => !without.includes(path));
  const all: Record<string, Route> = {};
  for (const [path, sitemap] of listed) {
    const { target, type } = sitemap;
    if (type === "InvalidSitemap") continue;
    all[target ?? path] = documentRoute(sitemap);
    if (target === undefined) continue;
    all[path] = () => new Response(null, { status: 302, headers: { ...CORS, location: target } });
  }
  all["/robots.txt"] = () => textResponse(`Sitemap: ${server.url}index.xml\n`);
  all["/index.xml"] = () => {
    const children = listed.map(([path]) =>
      `<sitemap><loc>${server.origin}${path}</loc></sitemap>`
    );
    return textResponse(`<sitemapindex>${children.join("")}</sitemapindex>`);
  };
  all["/expected.json"] = () => {
    const expected: SmokeExpectation = {
      verdict: "partial",
      sitemaps: listed.map(([path, { type, pages, target }]) => ({
        url: server.origin + (target ?? path),
        type,
        pages,
      })),
    };
    return Response.json(expected, { headers: CORS });
  };
  for (const name of ["whole", "once", "always", "middle"]) {
    let asked = 0;
    all[`/partial/${name}.txt`] = () => partialResponse(name, asked++);
  }
  for (const encoding of ["gzip", "br"]) {
    const headers = { ...CORS, "content-encoding": encoding };
    all[`/misencoded/${encoding}`] = () => new Response(urlset("plain").document, { headers });
  }
  all["/bomb.xml.gz"] = () => new Response(bomb, { headers: CORS });
  const bomb = new Uint8Array(gzipSync(new Uint8Array(BOMB_SIZE).fill(32)));
  const missing = () => new Response("Not found\n", { status: 404, headers: CORS });
  const server = new FixtureServer(undefined, { routes: { "*": missing, ...all, ...routes } });
  return server;
}

/** Returns a partial response to any request: all of a body, its first half or its second. */
function partialResponse(name: string, asked: number): Response {
  const lines = ["https://site.test/partial/1\n", "https://site.test/partial/2\n"];
  const body = lines.join("");
  if (name === "once" && asked > 0) return textResponse(body);
  const part = name === "whole" ? body : lines[name === "middle" ? 1 : 0]!;
  const start = body.indexOf(part);
  const range = `bytes ${start}-${start + part.length - 1}/${body.length}`;
  return new Response(part, { status: 206, headers: { ...CORS, "content-range": range } });
}

function textResponse(text: string): Response {
  return new Response(text, { headers: CORS });
}

function documentRoute({ document, compress, encoding }: SmokeSitemap): Route {
  const plain = new TextEncoder().encode(document);
  const packed = compress === undefined ? plain : new Uint8Array(compress(document));
  return (request) => {
    if (encoding === undefined) return new Response(packed, { headers: CORS });
    if (request.headers.get("accept-encoding") === "identity") {
      return new Response(plain, { headers: CORS });
    }
    return new Response(packed, { headers: { ...CORS, "content-encoding": encoding } });
  };
}
