import { assertEquals } from "@std/assert";
import type { Verdict, WalkOptions } from "../../mod.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  head,
  ok,
  raw,
  redirect,
  reset,
  silence,
  status,
} from "../support/fault_server.ts";
import { ORDERS } from "../walk/walk_support.ts";
import { summaryOf } from "./summary.ts";

const SITEMAP = ok("<urlset><url><loc>/a</loc></url></urlset>");
const EMPTY_SITEMAP = ok("<urlset/>");
const CUT = raw(head(200), "<urlset><url><loc>/a</loc></url>");
const HTML = ok(
  "<!doctype html><html><head><title>Not found</title></head><body>Sorry</body></html>",
);

function declaring(...paths: string[]): Answer {
  return ok(paths.map((path) => `Sitemap: ${path}\n`).join(""));
}

function index(...addresses: string[]): Answer {
  const children = addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`);
  return ok(`<sitemapindex>${children.join("")}</sitemapindex>`);
}

interface Row {
  readonly name: string;
  readonly site: FaultSite;
  readonly options?: WalkOptions;
}

const ROWS: Readonly<Record<Verdict, readonly Row[]>> = {
  complete: [
    { name: "robots.txt is a sitemap", site: { "/robots.txt": SITEMAP } },
    {
      name: "the only declared sitemap is another robots.txt",
      site: {
        "/robots.txt": declaring("/sub/robots.txt"),
        "/sub/robots.txt": ok("User-agent: *\n"),
      },
    },
    {
      name: "a page was dropped",
      site: {
        "/robots.txt": declaring("/s.xml"),
        "/s.xml": ok(
          "<urlset><url><loc>/a</loc></url><url><loc>ftp://a.test/</loc></url></urlset>",
        ),
      },
    },
    {
      name: "all declared sitemaps were read",
      site: { "/robots.txt": declaring("/a"), "/a": SITEMAP },
    },
    { name: "a known path was read", site: { "/sitemap.xml": SITEMAP } },
    {
      name: "the only sitemap is empty",
      site: { "/robots.txt": declaring("/a"), "/a": EMPTY_SITEMAP },
    },
    {
      name: "an index lists nothing",
      site: { "/robots.txt": declaring("/a"), "/a": index() },
    },
    { name: "robots.txt is an HTML page", site: { "/robots.txt": HTML, "/sitemap.xml": SITEMAP } },
    {
      name: "robots.txt is withheld, and a known path was read",
      site: { "/robots.txt": status(403), "/sitemap.xml": SITEMAP },
    },
    {
      name: "robots.txt is rate limited, and a known path was read",
      site: { "/robots.txt": status(429), "/sitemap.xml": SITEMAP },
    },
    {
      name: "a sitemap lists itself",
      site: { "/robots.txt": declaring("/a"), "/a": index("/a", "/b"), "/b": SITEMAP },
    },
    {
      name: "a sitemap redirects to its parent",
      site: {
        "/robots.txt": declaring("/a"),
        "/a": index("/b", "/c"),
        "/b": redirect("/a"),
        "/c": SITEMAP,
      },
    },
    {
      name: "a known path lists what robots.txt declares",
      site: { "/robots.txt": declaring("/a"), "/a": SITEMAP, "/sitemap.xml": index("/a") },
    },
    {
      name: "a callback refused a sitemap",
      site: { "/robots.txt": declaring("/a", "/b"), "/a": SITEMAP, "/b": status(403) },
      options: { recurseCallback: (url) => !url.endsWith("/b") },
    },
    {
      name: "a known path failed, but all declared sitemaps were read",
      site: { "/robots.txt": declaring("/a"), "/a": SITEMAP, "/sitemap.xml": status(500) },
    },
    {
      name: "a declared sitemap needed a retry",
      site: { "/robots.txt": declaring("/a"), "/a": [reset(), SITEMAP] },
    },
    {
      name: "a declared sitemap was repaired",
      site: {
        "/robots.txt": declaring("/a"),
        "/a": ok("<urlset><url><loc>/a?b&c</loc><url><loc>/d</loc></url></urlset>"),
      },
    },
  ],
  partial: [
    {
      name: "the only declared sitemap redirects without a target",
      site: { "/robots.txt": declaring("/s.xml"), "/s.xml": status(301) },
    },
    {
      name: "the only declared sitemap is gone",
      site: { "/robots.txt": declaring("/s.xml"), "/s.xml": status(410) },
    },
    {
      name: "robots.txt fails with 501, and a known path was read",
      site: { "/robots.txt": status(501), "/sitemap.xml": SITEMAP },
    },
    {
      name: "robots.txt has no connection, and a known path was read",
      site: { "/robots.txt": reset(), "/sitemap.xml": SITEMAP },
    },
    {
      name: "a declared sitemap is forbidden",
      site: {
        "/robots.txt": declaring("/s.xml", "/b.xml"),
        "/s.xml": SITEMAP,
        "/b.xml": status(403),
      },
    },
    {
      name: "a declared sitemap is missing",
      site: { "/robots.txt": declaring("/a", "/b"), "/a": SITEMAP },
    },
    {
      name: "the only declared sitemap is missing",
      site: { "/robots.txt": declaring("/a") },
    },
    {
      name: "the only declared sitemap is an HTML page",
      site: { "/robots.txt": declaring("/a"), "/a": HTML },
    },
    {
      name: "a declared sitemap is truncated",
      site: { "/robots.txt": declaring("/a"), "/a": CUT },
    },
    { name: "a known path is truncated", site: { "/sitemap.xml": CUT } },
    {
      name: "the child of a known path is missing",
      site: { "/sitemap.xml": index("/a", "/b"), "/a": SITEMAP },
    },
    {
      name: "an index is truncated",
      site: {
        "/robots.txt": declaring("/i"),
        "/i": raw(head(200), "<sitemapindex><sitemap><loc>/a</loc></sitemap><sitemap><loc>/b"),
        "/a": SITEMAP,
      },
    },
    {
      name: "robots.txt is truncated",
      site: {
        "/robots.txt": raw(head(200, { "Content-Length": "99" }), "Sitemap: /a\nSitemap: /b"),
        "/a": SITEMAP,
      },
    },
    {
      name: "robots.txt is truncated before any declaration",
      site: { "/robots.txt": raw(head(200, { "Content-Length": "99" }), "User-agent: *\n") },
    },
    {
      name: "robots.txt failed, and a known path was read",
      site: { "/robots.txt": status(500), "/sitemap.xml": SITEMAP },
    },
    {
      name: "there are more pages than maxPages",
      site: { "/robots.txt": declaring("/a"), "/a": SITEMAP },
      options: { maxPages: 1 },
    },
    {
      name: "a declared sitemap is refused by the hosts policy",
      site: { "/robots.txt": declaring("/a", "http://other.test/b"), "/a": SITEMAP },
      options: { hosts: "same-host" },
    },
    {
      name: "a declared sitemap is too deep",
      site: {
        "/robots.txt": declaring("/i"),
        "/i": index("/a", "/j"),
        "/a": SITEMAP,
        "/j": index(),
      },
      options: { maxDepth: 1 },
    },
    {
      name: "a document type is refused",
      site: {
        "/robots.txt": declaring("/a", "/b"),
        "/a": SITEMAP,
        "/b": ok('<!DOCTYPE urlset [<!ENTITY a "b">]><urlset/>'),
      },
    },
  ],
  blocked: [
    {
      name: "one declared sitemap is missing and one refused",
      site: { "/robots.txt": declaring("/gone.xml", "/b.xml"), "/b.xml": status(418) },
    },
    {
      name: "a declared sitemap is missing and a known path refused",
      site: { "/robots.txt": declaring("/gone.xml"), "/sitemap.xml": status(406) },
    },
    { name: "robots.txt has no connection", site: { "/robots.txt": reset() } },
    { name: "a known path is a bad request", site: { "/sitemap.xml": status(400) } },
    { name: "a known path has no connection", site: { "/sitemap.xml": reset() } },
    { name: "everything is forbidden", site: { "*": status(403) } },
    { name: "everything requires a login", site: { "*": status(401) } },
    { name: "every request is one too many", site: { "*": status(429) } },
    { name: "everything is not allowed", site: { "*": status(405) } },
    { name: "everything is a bad request", site: { "*": status(400) } },
    { name: "everything fails", site: { "*": status(503) } },
    { name: "every connection is reset", site: { "*": reset() } },
    {
      name: "no request gets a response",
      site: { "*": silence() },
      options: { timeout: 100, retries: 0 },
    },
    {
      name: "the only declared sitemap is forbidden",
      site: { "/robots.txt": declaring("/a"), "/a": status(403) },
    },
    {
      name: "robots.txt alone is forbidden, and nothing is found",
      site: { "/robots.txt": status(403) },
    },
    { name: "robots.txt alone fails, and nothing is found", site: { "/robots.txt": status(500) } },
    {
      name: "one known path is forbidden, and nothing is found",
      site: { "/sitemap.xml": status(403) },
    },
    {
      name: "one known path breaks off, and nothing is found",
      site: { "/sitemap.xml": raw(head(200, { "Content-Length": "9" }), "<?xml") },
    },
    {
      name: "all declared sitemaps are refused by the hosts policy",
      site: { "/robots.txt": declaring("http://other.test/b") },
      options: { hosts: "same-host" },
    },
    {
      name: "a redirect is refused by the hosts policy",
      site: { "/robots.txt": declaring("/a"), "/a": redirect("http://other.test/b") },
      options: { hosts: "same-host" },
    },
    {
      name: "robots.txt disallows everything and is obeyed",
      site: { "/robots.txt": ok("User-agent: *\nDisallow: /\nSitemap: /a"), "/a": SITEMAP },
      options: { respectRobots: true },
    },
  ],
  none: [
    { name: "a known path redirects without a target", site: { "/sitemap.xml": status(301) } },
    {
      name: "known paths are gone or empty",
      site: { "/sitemap.xml": status(410), "/sitemap.txt": ok("") },
    },
    { name: "nothing exists", site: {} },
    { name: "robots.txt is empty", site: { "/robots.txt": ok("") } },
    {
      name: "robots.txt declares nothing",
      site: { "/robots.txt": ok("User-agent: *\nDisallow:\n") },
    },
    { name: "every path is an HTML page", site: { "*": HTML } },
    {
      name: "every path redirects to an HTML page",
      site: { "*": redirect("/home"), "/home": HTML },
    },
    { name: "every path is prose", site: { "*": ok("Nothing to see here.\nMove along.\n") } },
    { name: "every path is JSON", site: { "*": ok('{"error": "not found"}') } },
    { name: "every path is empty", site: { "*": ok("") } },
    { name: "every path is gone", site: { "*": status(410) } },
    { name: "every path is unknown XML", site: { "*": ok("<error>not found</error>") } },
    {
      name: "every path is an image",
      site: { "*": ok(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0])) },
    },
  ],
};

for (const [verdict, rows] of Object.entries(ROWS)) {
  for (const { name, site, options } of rows) {
    Deno.test(`the verdict is "${verdict}" if ${name}`, async () => {
      await using server = new FaultServer(site);
      for (const order of ORDERS) {
        const found = await summaryOf(server.url, { order, retries: 1, retryDelay: 1, ...options });
        assertEquals(found.verdict, verdict);
        if (verdict === "none" || verdict === "blocked") assertEquals(found.pages, []);
        await server.idle();
      }
    });
  }
}

Deno.test("walk() finds no sitemaps and reports no warnings if every path is an HTML page", async () => {
  await using server = new FaultServer({ "*": HTML });
  assertEquals(await summaryOf(server.url), {
    pages: [],
    invalid: {},
    warnings: [],
    unfinished: [],
    verdict: "none",
  });
});
