/**
 * Program that walks a site with one generated sitemap of 50 MB and prints its reads. A test runs it
 * with little memory.
 *
 * @module
 */

import { walk } from "../../mod.ts";

const CHUNK_URLS = 500;
const CHUNKS = 1000;

let pulled = 0;

function chunk(at: number): Uint8Array {
  let text = at === 0 ? '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' : "";
  for (let i = 0; i < CHUNK_URLS; i++) {
    const url = `https://site.test/a/page/with/a/rather/long/name/${at * CHUNK_URLS + i}`;
    text += `<url><loc>${url}</loc><lastmod>2024-01-01</lastmod></url>\n`;
  }
  return new TextEncoder().encode(at === CHUNKS - 1 ? `${text}</urlset>` : text);
}

function fetch(url: string): Promise<Response> {
  if (url.endsWith("/robots.txt")) return Promise.resolve(new Response("Sitemap: /large.xml"));
  const body = new ReadableStream({
    pull(controller) {
      if (pulled < CHUNKS) controller.enqueue(chunk(pulled++));
      else controller.close();
    },
  }, { highWaterMark: 0 });
  return Promise.resolve(new Response(body));
}

let pulledAtFirstPage: number | undefined;
let furthestAhead = 0;
let pages = 0;
let bytes = 0;
for await (const event of walk("https://site.test/", { fetch, useKnownPaths: false })) {
  if (event.type === "sitemap-left") bytes = Math.max(bytes, event.bytes);
  if (event.type !== "page") continue;
  pulledAtFirstPage ??= pulled;
  furthestAhead = Math.max(furthestAhead, pulled - Math.floor(pages++ / CHUNK_URLS));
}
console.log(JSON.stringify({ pulledAtFirstPage, furthestAhead, pages, large: bytes > 50_000_000 }));
