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
import { toReadableStream } from "@sitetree/sitetree/write";

const [homepage, port = "8000"] = Deno.args;
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

Deno.serve({ port: Number(port), hostname: "127.0.0.1" }, ({ url }) => {
  // browsers also request /favicon.ico
  if (new URL(url).pathname !== "/") return new Response("Not found\n", { status: 404 });
  const body = toReadableStream(html(homepage)).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });
});
