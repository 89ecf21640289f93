import { assertEquals } from "@std/assert";
import type { InvalidCode, SitemapRef, TreeEvent, WarningCode } from "../../mod.ts";
import { adviceLines, paintEnding, summaryLine } from "../../src/cli/summary.ts";
import { WalkTally } from "../../src/cli/walk_tally.ts";

const SITE = ref(0, "IndexWebsiteSitemap", "/");
const FIRST = ref(1, "PagesXmlSitemap", "/a.xml");
const SECOND = ref(2, "PagesXmlSitemap", "/b.xml");

function ref(id: number, type: SitemapRef["type"], path: string): SitemapRef {
  return { id, type, url: `https://a.test${path}`, level: 0, parent: null, index: id };
}

function warning(code: WarningCode, message: string, sitemap: SitemapRef): TreeEvent {
  return { type: "warning", code, message, sitemap };
}

function invalid(code: InvalidCode, reason: string, sitemap: SitemapRef): TreeEvent {
  return { type: "invalid", code, reason, sitemap };
}

function left(sitemap: SitemapRef, complete: boolean): TreeEvent {
  return { type: "sitemap-left", sitemap, pages: 0, bytes: 0, complete, warnings: {} };
}

function tallyOf(...events: TreeEvent[]): WalkTally {
  const tally = new WalkTally();
  events.forEach((event) => tally.see(event));
  return tally;
}

const REFUSED = "the site lets us read nothing: try another --user-agent, --header or --proxy";
const OUT_OF_REACH = "the site is out of reach: check its address and the network";

Deno.test("adviceLines() tells a site that refuses from one that is out of reach", () => {
  const advice = (...events: TreeEvent[]) =>
    adviceLines("blocked", tallyOf(...events), false).at(-1);
  const robots = (reason: string) =>
    warning("robots-unreadable", `robots.txt cannot be read: ${reason}`, SITE);
  assertEquals(advice(robots("403 Forbidden")), REFUSED);
  assertEquals(advice(robots("429")), REFUSED);
  assertEquals(advice(invalid("http-status", "503 Service Unavailable", FIRST)), REFUSED);
  assertEquals(advice(invalid("blocked", "Host not allowed", FIRST)), REFUSED);
  assertEquals(advice(robots("fetch failed: connection refused")), OUT_OF_REACH);
  assertEquals(advice(invalid("network", "connection reset", FIRST)), OUT_OF_REACH);
});

Deno.test("adviceLines() names what cut a sitemap short where nothing else is wrong", () => {
  const cut = [
    warning("bad-date", "Date cannot be read", FIRST),
    left(FIRST, true),
    warning("xml-cut", "Document ends \x1b[2J early", SECOND),
    left(SECOND, false),
    warning("body-cut", "Later", FIRST),
    left(FIRST, false),
  ];
  const line = "https://a.test/b.xml: Document ends \\x1b[2J early (xml-cut)";
  assertEquals(adviceLines("partial", tallyOf(...cut), false), [line]);
  assertEquals(adviceLines("partial", tallyOf(...cut), true), []);
  assertEquals(adviceLines("complete", tallyOf(...cut), false), []);
  const missing = invalid("http-status", "404 Not Found", FIRST);
  assertEquals(adviceLines("partial", tallyOf(...cut, missing), false), [
    "https://a.test/a.xml: 404 Not Found (http-status)",
  ]);
});

Deno.test("adviceLines() shortens what a site had to say", () => {
  const long = "x".repeat(200_000);
  const advice = (...events: TreeEvent[]) => adviceLines("partial", tallyOf(...events), false);
  const sitemap = ref(3, "InvalidSitemap", `/${long}`);
  const shown = sitemap.url.slice(0, 200) + "…";
  assertEquals(advice(invalid("network", long, sitemap)), [
    `${shown}: ${"x".repeat(200)}… (network)`,
  ]);
  assertEquals(advice(warning("robots-unreadable", long, SITE)), [`${"x".repeat(200)}…`]);
  assertEquals(advice(warning("xml-cut", long, sitemap), left(sitemap, false)), [
    `${shown}: ${"x".repeat(200)}… (xml-cut)`,
  ]);
});

Deno.test("summaryLine() counts what was read, kept, repaired and lost", () => {
  const tally = tallyOf(
    { type: "sitemap-entered", sitemap: FIRST },
    invalid("http-status", "404 Not Found", SECOND),
    // Nobody wanted these fetched: they are no losses.
    invalid("unfetched", "Not fetched", SECOND),
  );
  assertEquals(
    summaryLine("partial", tally, 0, 61_000),
    "partial: 1 sitemap, 0 pages, 1 invalid, 1:01",
  );
  tally.pages = 1200;
  tally.warnings = 1;
  assertEquals(
    summaryLine("partial", tally, 7, 400),
    "partial: 1 sitemap, 1,200 pages (7 kept), 1 invalid, 1 warning, 0.4 s",
  );
});

Deno.test("paintEnding() paints the ending alone", () => {
  const painted = paintEnding("partial", "partial: 1 partial thing");
  // deno-lint-ignore no-control-regex -- colours are what is looked for
  assertEquals(painted.replace(/\x1b\[\d+m/g, ""), "partial: 1 partial thing");
  assertEquals(painted.endsWith(": 1 partial thing"), true);
});
