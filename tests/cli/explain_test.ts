/** `sitetree explain`: where sitemaps were looked for, and why. @module */

import { type Answer, ok, redirect } from "../support/fault_server.ts";
import { index, robots, urlset } from "./sites.ts";
import { type Site, transcripts } from "./transcript.ts";

const SITEMAP = urlset("{{origin}}/a");

function page(head: string): Answer {
  const fields = { "Content-Type": "text/html" };
  return ok(`<html><head>${head}</head><body>Hello</body></html>`, fields);
}

/** A home page that names sitemaps. */
function naming(...paths: string[]): Answer {
  return page(paths.map((path) => `<link rel="sitemap" href="${path}">`).join(""));
}

function declaring(...paths: string[]): string {
  return robots(...paths.map((path) => `{{origin}}${path}`));
}

const ENDLESS: Answer = async (wire) => {
  await wire.listen();
  await wire.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<urlset>");
  // until the reader closes the connection
  for (;;) await wire.send(`<url><loc>${wire.origin}/${"x".repeat(1000)}</loc></url>`);
};

/** Sites with documents that are not sitemaps. */
const INVALID: Readonly<Record<string, Site>> = {
  known: { "/sitemap.xml": page("") },
  html: { "*": page("") },
  declared: { "/robots.txt": declaring("/sitemap.xml"), "/sitemap.xml": page("") },
  gone: { "/robots.txt": declaring("/sitemap.xml") },
  empty: { "/robots.txt": declaring("/s.xml"), "/s.xml": "" },
  after: {
    "/robots.txt": declaring("/a.xml", "/b.xml", "/c.xml"),
    "/a.xml": SITEMAP,
    "/b.xml": page(""),
  },
  before: {
    "/robots.txt": declaring("/b.xml", "/a.xml"),
    "/a.xml": SITEMAP,
    "/b.xml": page(""),
  },
  elsewhere: {
    "/robots.txt": declaring("/b.xml"),
    "/sitemap.xml": SITEMAP,
    "/b.xml": page(""),
  },
  homepage: { "/": naming("/b.xml"), "/b.xml": page("") },
  both: { "/": naming("/b.xml", "/a.xml"), "/a.xml": SITEMAP },
  robots: { "/robots.txt": SITEMAP },
};

transcripts("explain", {
  sites: {
    sites: {
      declared: {
        "/robots.txt": declaring("/s.xml", "/sitemap.xml"),
        "/s.xml": SITEMAP,
        "/sitemap.xml": SITEMAP,
        "/sitemap_index.xml": redirect("/index.xml"),
        "/index.xml": index("{{origin}}/s.xml"),
        "/sitemap": 403,
      },
      home: { "/": naming("/shop.xml"), "/shop.xml": SITEMAP },
      nothing: {},
      refusing: { "*": 403 },
      moved: {
        "/robots.txt": redirect("/static/robots.txt"),
        "/static/robots.txt": declaring("/s.xml"),
        "/s.xml": page("<title>Not found</title>"),
        "/sitemap_index.xml": redirect("/loop"),
        "/loop": redirect("/sitemap_index.xml"),
        "/": redirect("/welcome"),
        "/welcome": naming("/missing.xml"),
      },
      alike: { "*": page("<title>Welcome</title>") },
    },
  },
  invalid: { sites: INVALID },
  endless: {
    sites: {
      site: {
        "/robots.txt": declaring("/i.xml", "/t.xml"),
        "/i.xml": index("{{origin}}/s.xml"),
        "/t.xml": SITEMAP,
        "/sitemap.xml": ENDLESS,
      },
      robots: { "/robots.txt": ENDLESS },
    },
  },
});
