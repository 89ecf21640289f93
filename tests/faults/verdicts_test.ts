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
import { index } from "./documents.ts";
import { summary, summaryOf } from "./summary.ts";

const SITEMAP = ok("<urlset><url><loc>/a</loc></url></urlset>");
const EMPTY_SITEMAP = ok("<urlset/>");
const CUT = raw(head(200), "<urlset><url><loc>/a</loc></url>");
const HTML = ok(
  "<!doctype html><html><head><title>Not found</title></head><body>Sorry</body></html>",
);

function declaring(...paths: string[]): Answer {
  return ok(paths.map((path) => `Sitemap: ${path}\n`).join(""));
}

/** Returns a site whose robots.txt declares one sitemap, `/a`. */
function declared(sitemap: FaultSite[string], others: FaultSite = {}): FaultSite {
  return { "/robots.txt": declaring("/a"), "/a": sitemap, ...others };
}

/** Returns a site whose robots.txt declares two sitemaps, `/a` and `/b`. */
function declaredTwo(second: Answer, first: Answer = SITEMAP): FaultSite {
  return { "/robots.txt": declaring("/a", "/b"), "/a": first, "/b": second };
}

/** Returns a site with a sitemap at a known path. */
function besideKnown(robots: Answer): FaultSite {
  return { "/robots.txt": robots, "/sitemap.xml": SITEMAP };
}

type Row = readonly [site: FaultSite, options?: WalkOptions];

const ROWS: Readonly<Record<Verdict, Readonly<Record<string, Row>>>> = {
  complete: {
    "robots.txt is a sitemap": [{ "/robots.txt": SITEMAP }],
    "the only declared sitemap is another robots.txt": [{
      "/robots.txt": declaring("/sub/robots.txt"),
      "/sub/robots.txt": ok("User-agent: *\n"),
    }],
    "a page was dropped": [
      declared(ok("<urlset><url><loc>/a</loc></url><url><loc>ftp://a.test/</loc></url></urlset>")),
    ],
    "all declared sitemaps were read": [declared(SITEMAP)],
    "a known path was read": [{ "/sitemap.xml": SITEMAP }],
    "the only sitemap is empty": [declared(EMPTY_SITEMAP)],
    "an index lists nothing": [declared(index())],
    "robots.txt is an HTML page": [besideKnown(HTML)],
    "robots.txt is withheld, and a known path was read": [besideKnown(status(403))],
    "robots.txt is rate limited, and a known path was read": [besideKnown(status(429))],
    "a sitemap lists itself": [declared(index("/a", "/b"), { "/b": SITEMAP })],
    "a sitemap redirects to its parent": [
      declared(index("/b", "/c"), { "/b": redirect("/a"), "/c": SITEMAP }),
    ],
    "a known path lists what robots.txt declares": [
      declared(SITEMAP, { "/sitemap.xml": index("/a") }),
    ],
    "a callback refused a sitemap": [
      declaredTwo(status(403)),
      { recurseCallback: (url) => !url.endsWith("/b") },
    ],
    "a known path failed, but all declared sitemaps were read": [
      declared(SITEMAP, { "/sitemap.xml": status(500) }),
    ],
    "a declared sitemap needed a retry": [declared([reset(), SITEMAP])],
    "a declared sitemap was repaired": [
      declared(ok("<urlset><url><loc>/a?b&c</loc><url><loc>/d</loc></url></urlset>")),
    ],
  },
  partial: {
    "the only declared sitemap redirects without a target": [declared(status(301))],
    "the only declared sitemap is gone": [declared(status(410))],
    "robots.txt fails with 501, and a known path was read": [besideKnown(status(501))],
    "robots.txt has no connection, and a known path was read": [besideKnown(reset())],
    "a declared sitemap is forbidden": [declaredTwo(status(403))],
    "a declared sitemap is missing": [declaredTwo(status(404))],
    "the only declared sitemap is missing": [{ "/robots.txt": declaring("/a") }],
    "the only declared sitemap is an HTML page": [declared(HTML)],
    "a declared sitemap is truncated": [declared(CUT)],
    "a known path is truncated": [{ "/sitemap.xml": CUT }],
    "the child of a known path is missing": [{ "/sitemap.xml": index("/a", "/b"), "/a": SITEMAP }],
    "an index is truncated": [declared(
      raw(head(200), "<sitemapindex><sitemap><loc>/b</loc></sitemap><sitemap><loc>/c"),
      { "/b": SITEMAP },
    )],
    "robots.txt is truncated": [{
      "/robots.txt": raw(head(200, { "Content-Length": "99" }), "Sitemap: /a\nSitemap: /b"),
      "/a": SITEMAP,
    }],
    "robots.txt is truncated before any declaration": [{
      "/robots.txt": raw(head(200, { "Content-Length": "99" }), "User-agent: *\n"),
    }],
    "robots.txt failed, and a known path was read": [besideKnown(status(500))],
    "there are more pages than maxPages": [declared(SITEMAP), { maxPages: 1 }],
    "a declared sitemap is refused by the hosts policy": [{
      "/robots.txt": declaring("/a", "http://other.test/b"),
      "/a": SITEMAP,
    }, { hosts: "same-host" }],
    "a declared sitemap is too deep": [
      declared(index("/b", "/j"), { "/b": SITEMAP, "/j": index() }),
      { maxDepth: 1 },
    ],
    "a document type is refused": [
      declaredTwo(ok('<!DOCTYPE urlset [<!ENTITY a "b">]><urlset/>')),
    ],
  },
  blocked: {
    "one declared sitemap is missing and one refused": [declaredTwo(status(418), status(404))],
    "a declared sitemap is missing and a known path refused": [{
      "/robots.txt": declaring("/gone.xml"),
      "/sitemap.xml": status(406),
    }],
    "robots.txt has no connection": [{ "/robots.txt": reset() }],
    "a known path is a bad request": [{ "/sitemap.xml": status(400) }],
    "a known path has no connection": [{ "/sitemap.xml": reset() }],
    "everything is forbidden": [{ "*": status(403) }],
    "everything requires a login": [{ "*": status(401) }],
    "every request is one too many": [{ "*": status(429) }],
    "everything is not allowed": [{ "*": status(405) }],
    "everything is a bad request": [{ "*": status(400) }],
    "everything fails": [{ "*": status(503) }],
    "every connection is reset": [{ "*": reset() }],
    "no request gets a response": [{ "*": silence() }, { timeout: 100, retries: 0 }],
    "the only declared sitemap is forbidden": [declared(status(403))],
    "robots.txt alone is forbidden, and nothing is found": [{ "/robots.txt": status(403) }],
    "robots.txt alone fails, and nothing is found": [{ "/robots.txt": status(500) }],
    "one known path is forbidden, and nothing is found": [{ "/sitemap.xml": status(403) }],
    "one known path breaks off, and nothing is found": [{
      "/sitemap.xml": raw(head(200, { "Content-Length": "9" }), "<?xml"),
    }],
    "all declared sitemaps are refused by the hosts policy": [{
      "/robots.txt": declaring("http://other.test/b"),
    }, { hosts: "same-host" }],
    "a redirect is refused by the hosts policy": [declared(redirect("http://other.test/b")), {
      hosts: "same-host",
    }],
    "robots.txt disallows everything and is obeyed": [{
      "/robots.txt": ok("User-agent: *\nDisallow: /\nSitemap: /a"),
      "/a": SITEMAP,
    }, { respectRobots: true }],
  },
  none: {
    "a known path redirects without a target": [{ "/sitemap.xml": status(301) }],
    "known paths are gone or empty": [{ "/sitemap.xml": status(410), "/sitemap.txt": ok("") }],
    "nothing exists": [{}],
    "robots.txt is empty": [{ "/robots.txt": ok("") }],
    "robots.txt declares nothing": [{ "/robots.txt": ok("User-agent: *\nDisallow:\n") }],
    "every path is an HTML page": [{ "*": HTML }],
    "every path redirects to an HTML page": [{ "*": redirect("/home"), "/home": HTML }],
    "every path is prose": [{ "*": ok("Nothing to see here.\nMove along.\n") }],
    "every path is JSON": [{ "*": ok('{"error": "not found"}') }],
    "every path is empty": [{ "*": ok("") }],
    "every path is gone": [{ "*": status(410) }],
    "every path is unknown XML": [{ "*": ok("<error>not found</error>") }],
    "every path is an image": [{
      "*": ok(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0])),
    }],
  },
};

for (const [verdict, rows] of Object.entries(ROWS)) {
  for (const [name, [site, options]] of Object.entries(rows)) {
    Deno.test(`the verdict is "${verdict}" if ${name}`, async () => {
      await using server = new FaultServer(site);
      const found = await summaryOf(server.url, { retries: 1, retryDelay: 1, ...options });
      assertEquals(found.verdict, verdict);
      if (verdict === "none" || verdict === "blocked") assertEquals(found.pages, []);
      await server.idle();
    });
  }
}

Deno.test("walk() finds no sitemaps and reports no warnings if every path is an HTML page", async () => {
  await using server = new FaultServer({ "*": HTML });
  assertEquals(await summaryOf(server.url), summary({ verdict: "none" }));
});
