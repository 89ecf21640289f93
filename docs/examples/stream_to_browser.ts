/**
 * Serves a web page that lists the pages of a site as they are found.
 *
 *     deno run --allow-net stream_to_browser.ts https://example.com/ 8000
 *
 * Closing the tab stops the walk.
 *
 * @module
 */

import { walk } from "@sitetree/sitetree";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { pipeline } from "node:stream/promises";

const [homepage, port = "8000"] = process.argv.slice(2);
if (homepage === undefined) throw new TypeError("Usage: HOMEPAGE [PORT]");

/** Escapes untrusted text for HTML. */
function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

async function* html(site: string): AsyncGenerator<string> {
  yield `<!DOCTYPE html>\n<meta charset="utf-8">\n<title>${escape(site)}</title>\n<ol>\n`;
  for await (const event of walk(site)) {
    if (event.type === "page") {
      const url = escape(event.page.url);
      yield `<li><a href="${url}">${url}</a>\n`;
    } else if (event.type === "finished") {
      yield `</ol>\n<p>${event.verdict}: ${event.stats.pages} pages\n`;
    }
  }
}

const server = createServer(async ({ url }, response) => {
  // browsers also request /favicon.ico
  if (url !== "/") return void response.writeHead(404).end("Not found\n");
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  try {
    await pipeline(html(homepage), response);
  } catch (error) {
    if (!response.destroyed) throw error;
    // the tab was closed
  }
});
server.listen(Number(port), "127.0.0.1", () => {
  console.error(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
