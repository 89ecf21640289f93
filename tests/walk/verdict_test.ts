import { assertEquals } from "@std/assert";
import type { Verdict } from "../../mod.ts";
import type { InvalidCode } from "../../src/codes.ts";
import { isMissing } from "../../src/walk/failure.ts";
import { isRefusal, Tally } from "../../src/walk/tally.ts";
import { redirect, refused, status, text } from "../http/scripted_fetch.ts";
import { index, ORDERS, type Pages, robots, urlset, walked } from "./walk_support.ts";

const HTML = "<!DOCTYPE html><html><title>Welcome</title><body>Hello</body></html>";
const WELL = urlset("/1");

/** Sites, and what a walk of each amounts to. */
const VERDICTS: Readonly<Record<Verdict, Readonly<Record<string, Pages>>>> = {
  complete: {
    "everything declared was read": { "/robots.txt": robots("/a", "/b"), "/a": WELL, "/b": WELL },
    "a known path was found": { "/sitemap.xml": WELL },
    "an empty urlset was read": { "/robots.txt": robots("/a"), "/a": "<urlset/>" },
    "an index lists itself": { "/robots.txt": robots("/i"), "/i": index("/i", "/a"), "/a": WELL },
    "a known path lists what is there": {
      "/robots.txt": robots("/a"),
      "/a": WELL,
      "/sitemap.xml": index("/a"),
    },
    "robots.txt is missing": { "/robots.txt": status(404), "/sitemap.xml": WELL },
    "robots.txt is forbidden": { "/robots.txt": status(403), "/sitemap.xml": WELL },
    "robots.txt is an HTML page": { "/robots.txt": HTML, "/sitemap.xml": WELL },
    "something was repaired": { "/robots.txt": robots("/a"), "/a": urlset("/x?a&b") },
    "some guesses fail": {
      "/sitemap.xml": WELL,
      "/sitemap.txt": status(500),
      "/sitemap": refused(),
    },
  },
  partial: {
    "something declared is gone": { "/robots.txt": robots("/a", "/gone"), "/a": WELL },
    "nothing declared is there, and nothing refused": { "/robots.txt": robots("/gone") },
    "something declared is no sitemap": {
      "/robots.txt": robots("/a", "/b"),
      "/a": WELL,
      "/b": HTML,
    },
    "something declared is cut": { "/robots.txt": robots("/a"), "/a": WELL.slice(0, -5) },
    "something declared is too deep": {
      "/robots.txt": robots("/0"),
      ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`/${at}`, index(`/${at + 1}`)])),
    },
    "robots.txt fails": { "/robots.txt": status(500), "/sitemap.xml": WELL },
    "robots.txt is out of reach": { "/robots.txt": refused(), "/sitemap.xml": WELL },
    "something declared is refused": {
      "/robots.txt": robots("/a", "/b"),
      "/a": WELL,
      "/b": status(403),
    },
  },
  blocked: {
    "everything is forbidden": { "/robots.txt": status(403) },
    "what is declared is forbidden": { "/robots.txt": robots("/a"), "/a": status(401) },
    "what is declared asks for less": { "/robots.txt": robots("/a"), "/a": status(429) },
    "what is declared is out of reach": { "/robots.txt": robots("/a"), "/a": refused() },
    "what is declared fails": { "/robots.txt": robots("/a"), "/a": status(503) },
    "a guess is forbidden": { "/sitemap.xml": status(403) },
    "a guess is out of reach": { "/sitemap.xml": refused() },
    "robots.txt is out of reach": { "/robots.txt": refused() },
    "a policy refuses it": { "/robots.txt": robots("http://127.0.0.1/a") },
  },
  none: {
    "there is nothing at all": {},
    "robots.txt declares nothing": { "/robots.txt": "User-agent: *\nDisallow:\n" },
    "robots.txt is empty": { "/robots.txt": "" },
    "every guess is an HTML page": { "/robots.txt": HTML, "/sitemap.xml": HTML, "/sitemap": HTML },
    "guesses redirect to the homepage": { "/sitemap.xml": redirect("/"), "/": text(HTML) },
    "guesses are gone": { "/sitemap.xml": status(410), "/sitemap.txt": text("") },
  },
};

for (const [verdict, sites] of Object.entries(VERDICTS)) {
  for (const [why, pages] of Object.entries(sites)) {
    Deno.test(`a walk is "${verdict}" where ${why}`, async () => {
      for (const order of ORDERS) {
        const { finished } = await walked(pages, { order, useKnownPaths: true });
        assertEquals(finished.verdict, verdict);
      }
    });
  }
}

Deno.test("Tally says partial for whatever ended the walk", () => {
  for (const endedBy of ["deadline", "max-pages", "max-sitemaps"] as const) {
    const tally = new Tally();
    tally.read(false, true);
    assertEquals(tally.verdict, "complete");
    tally.endedBy = endedBy;
    assertEquals(tally.verdict, "partial");
  }
});

Deno.test("isRefusal() tells being refused from there being nothing", () => {
  const statuses = [400, 401, 403, 404, 407, 410, 418, 429, 451, 500, 503, 599];
  assertEquals(statuses.filter((status) => isRefusal("http-status", status)), [
    ...[401, 403, 407, 429, 451],
    ...[500, 503, 599],
  ]);
  const codes: InvalidCode[] = ["network", "timeout", "blocked", "redirect", "empty", "xml-dtd"];
  assertEquals(codes.filter((code) => isRefusal(code, undefined)), [
    "network",
    "timeout",
    "blocked",
  ]);
});

Deno.test("isMissing() tells an empty place from trouble", () => {
  const failure = (code: InvalidCode, status?: number) => ({ code, reason: "", status });
  assertEquals(
    [404, 410, 405, 406, 418].map((status) => isMissing(failure("http-status", status))),
    [true, true, true, true, true],
  );
  assertEquals(
    [304, 400, 401, 403, 429, 500].map((status) => isMissing(failure("http-status", status))),
    [false, false, false, false, false, false],
  );
  const codes: InvalidCode[] = ["not-a-sitemap", "empty", "network", "redirect", "xml-dtd"];
  assertEquals(codes.map((code) => isMissing(failure(code))), [true, true, false, false, false]);
  assertEquals(isMissing({ ...failure("not-a-sitemap"), cut: true }), false);
});
