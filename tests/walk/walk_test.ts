import { assert, assertEquals } from "@std/assert";

import { KNOWN_PATHS } from "../../src/walk/known_paths.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { broken, bytes, followed } from "../http/scripted_fetch.ts";

import { entry, HOME, index, numbered, robots, sitemapsAt, urlset } from "./site.ts";
import { fixtureSite } from "./memory_site.ts";
import { searched, walked, walkedFrom } from "./walked.ts";

// ----------------------------------------------------------------------------- the demo, in full

Deno.test("walk() yields the demo site in document order", async () => {
  const { outline, stats } = await walkedFrom(HOME, { fetch: fixtureSite("demo").fetch });
  assertEquals(outline.filter((line) => !line.startsWith("page")), [
    ...["entered /", "entered /robots.txt", "entered /sitemap_index.xml"],
    ...["entered /sitemaps/pages.xml", "left /sitemaps/pages.xml"],
    ...["entered /sitemaps/news.xml.gz", "left /sitemaps/news.xml.gz"],
    ...["entered /sitemaps/languages.xml", "left /sitemaps/languages.xml"],
    ...["left /sitemap_index.xml", "entered /sitemaps/feeds-and-shop.xml"],
    ...["entered /blog/feed.rss", "left /blog/feed.rss"],
    ...["entered /recipes/feed.atom", "left /recipes/feed.atom"],
    ...["entered /sitemaps/trails.txt", "left /sitemaps/trails.txt"],
    "entered /sitemaps/shop.xml",
    "warning xml-bare-ampersand /sitemaps/shop.xml",
    "left /sitemaps/shop.xml",
    "invalid http-status /sitemaps/archive-2019.xml",
    ...["left /sitemaps/feeds-and-shop.xml", "left /robots.txt"],
    ...["entered /sitemap_news.xml", "left /sitemap_news.xml"],
    ...["left /", "finished partial"],
  ]);
  assertEquals(stats.pages, 20);
});

// -------------------------------------------------------------------------------- places and ids

Deno.test("refs have level, parent and position, and ids are unique", async () => {
  const { events } = await searched({
    "/robots.txt": robots("/i", "/gone"),
    "/i": index("/a", "/i", "/moved"),
    "/a": urlset("/1"),
    "/moved": "-> /b",
    "/b": urlset("/2"),
    "/sitemap.txt": "https://site.test/3",
  });
  const refs = new Map<string, string>();
  const byId = new Map<number, string>();
  for (const event of events) {
    if (event.type === "finished") continue;
    const { id, type, url, level, parent, index } = event.sitemap;
    const path = new URL(url).pathname;
    const key = type === "InvalidSitemap" ? `${path}!` : path;
    assertEquals(byId.get(id) ?? key, key, "an id is of one sitemap");
    byId.set(id, key);
    refs.set(key, `${type} ${level} ${parent === null ? "-" : byId.get(parent)} ${index}`);
  }
  assertEquals(byId.size, refs.size);
  assertEquals(Object.fromEntries(refs), {
    "/": "IndexWebsiteSitemap -1 - 0",
    "/robots.txt": "IndexRobotsTxtSitemap 0 / 0",
    "/i": "IndexXmlSitemap 1 /robots.txt 0",
    "/a": "PagesXmlSitemap 2 /i 0",
    "/i!": "InvalidSitemap 2 /i 1",
    "/b": "PagesXmlSitemap 2 /i 2",
    "/gone!": "InvalidSitemap 1 /robots.txt 1",
    "/sitemap.txt": "PagesTextSitemap 0 / 1",
  });
});

Deno.test("a sitemap is entered once it can no longer become invalid", async () => {
  const { outline } = await walked({
    "/robots.txt": robots("/late", "/never"),
    "/late": `<urlset x=1><url></url>${entry("/1")}</urlset>`,
    "/never": "<urlset x=1>",
  });
  assertEquals(outline, [
    ...["entered /", "entered /robots.txt"],
    ...["entered /late", "warning xml-bad-attribute /late", "warning no-address /late"],
    ...["page /1", "left /late"],
    ...["entered /never", "warning xml-bad-attribute /never", "warning xml-cut /never"],
    ...["left /never cut", "left /robots.txt", "left /", "finished partial"],
  ]);
});

// ---------------------------------------------------------------------------------------- counts

Deno.test("walk() counts sitemaps, pages, requests, retries and probes", async () => {
  const clock = new FakeClock();
  const documents = [
    robots("/a", "/moved", "/gone"),
    urlset("/1", "/2", "/2", "mailto:x"),
    urlset("/3"),
    urlset("/4"),
  ];
  const site = {
    "/robots.txt": [500, documents[0]!],
    "/a": documents[1]!,
    "/moved": "-> /b",
    "/b": documents[2]!,
    "/sitemap.xml": documents[3]!,
    "/sitemap.php": 503,
  };
  const { stats, requests, warnings } = await searched(site, {}, { clock });
  assertEquals(stats, {
    sitemaps: 3, // a, b, sitemap.xml
    pages: 4,
    invalid: 1,
    warnings: 3, // a duplicate, a bad address, a probe that failed
    bytes: bytes(documents.join("")).length,
    requests: requests.length,
    retries: 2,
    probes: KNOWN_PATHS.length,
    durationMs: clock.waited.reduce((sum, wait) => sum + wait, 0),
  });
  assertEquals(warnings.length, 3);
  assertEquals(stats.requests, 2 + 1 + 2 + 1 + KNOWN_PATHS.length + 1);
  assert(stats.durationMs > 0);
});

Deno.test("a known path without a sitemap has no warnings, but its bytes are counted", async () => {
  const html = "<html><title>&nbsp;&what;</title><p>&</html>";
  const { warnings, stats } = await searched({ "/sitemap.xml": html });
  assertEquals([warnings, stats.warnings], [[], 0]);
  assert(stats.bytes > 0);
});

Deno.test("walk() sends at most 100 warnings per code and sitemap, and counts all", async () => {
  const broken = `<urlset>${
    "<url><loc>mailto:x</loc><priority>9</priority></url>".repeat(250)
  }</urlset>`;
  const site = { "/robots.txt": robots("/a", "/b"), "/a": broken, "/b": broken };
  const result = await walked(site);
  const sent = Map.groupBy(result.warnings, (line) => line);
  assertEquals(Object.fromEntries([...sent].map(([line, { length }]) => [line, length])), {
    "bad-priority /a": 100,
    "bad-address /a": 100,
    "bad-priority /b": 100,
    "bad-address /b": 100,
  });
  const counts = { "bad-priority": 250, "bad-address": 250 };
  const left = result.of("sitemap-left").map(({ warnings }) => warnings);
  assertEquals([left, result.stats.warnings], [[counts, counts, {}, {}], 1000]);
});

// ------------------------------------------------------------------------------------ discovery

Deno.test("robots.txt and known paths can be switched off", async () => {
  const site = { "/robots.txt": robots("/a"), "/a": urlset("/1"), "/sitemap.xml": urlset("/2") };
  const only = async (options: object) => {
    const { pages, paths } = await walked(site, { useRobots: false, ...options });
    return [pages, paths.length];
  };
  assertEquals(await only({ useRobots: true }), [["/1"], 2]);
  assertEquals(await only({ useKnownPaths: true }), [["/2"], KNOWN_PATHS.length]);
  assertEquals(await only({}), [[], 0]);
  const extra = await only({ useKnownPaths: true, extraKnownPaths: ["a"] });
  assertEquals(extra, [["/2", "/1"], KNOWN_PATHS.length + 1]);
});

const SETTINGS = [1, 2, 4, 20].map((concurrency) => ({ concurrency }));

Deno.test("a known path that an earlier known path lists is requested once", async () => {
  for (const setting of SETTINGS) {
    const result = await searched({
      "/sitemap_index.xml": index("/sitemap.xml", "/wp-sitemap.xml", "/sitemap.txt"),
      "/sitemap.xml": urlset("/1"),
      "/sitemap.txt": [500, 500, 500, "https://site.test/3"],
      "/wp-sitemap.xml": urlset("/2"),
    }, setting);
    // two attempts for a known path, five for a declared sitemap
    const paths = ["/sitemap.xml", "/wp-sitemap.xml", "/sitemap.txt"];
    assertEquals(paths.map((path) => result.count(path)), [1, 1, 4]);
    assertEquals([result.verdict, result.stats.pages], ["complete", 3]);
    assertEquals(result.entered(0), ["/sitemap_index.xml"]);
  }
});

Deno.test("a missing known path that is declared is requested once", async () => {
  const site = { "/sitemap_index.xml": index("/sitemap.xml", "/sitemap.txt") };
  for (const concurrency of [1, 20]) {
    const result = await searched(site, { concurrency });
    assertEquals(result.count("/sitemap.xml"), 1);
    assertEquals(result.invalid, ["http-status /sitemap.xml", "http-status /sitemap.txt"]);
  }
});

Deno.test("a known path that is the target of a redirect is requested once", async () => {
  for (const setting of SETTINGS) {
    const result = await searched({
      "/sitemap_index.xml": index("/a"),
      "/a": "-> /sitemap.txt",
      "/sitemap.txt": "https://site.test/1",
      "/sitemap.xml": "-> /wp-sitemap.xml",
      "/wp-sitemap.xml": urlset("/2"),
      "/sitemap.xml.gz": "-> /wp-sitemap.xml",
      "/sitemap_news.xml": "-> /sitemap_news.xml.gz",
      "/sitemap_news.xml.gz": "<html><title>no sitemap</title></html>",
    }, setting);
    assertEquals(new Set(result.paths).size, result.paths.length);
    assertEquals(result.entered(0), ["/sitemap_index.xml", "/wp-sitemap.xml"]);
    assertEquals(result.refs(0).map(({ index }) => index), [0, 1]);
    assertEquals(result.warnings, []);
  }
});

Deno.test("a known path that failed is requested again for a declared sitemap that redirects to it", async () => {
  for (const concurrency of [1, 20]) {
    const { verdict, stats } = await searched({
      "/sitemap_index.xml": index("/a"),
      "/a": "-> /sitemap.txt",
      "/sitemap.txt": [500, 500, 500, "https://site.test/1"],
    }, { concurrency });
    assertEquals([verdict, stats.pages], ["complete", 1]);
  }
});

Deno.test("a large known path that is listed or redirected to is not read twice", async () => {
  for (const listed of ["/sitemap.xml", "/a"]) {
    const result = await searched({
      "/sitemap_index.xml": index(listed),
      "/a": "-> /sitemap.xml",
      "/sitemap.xml": urlset(...numbered(3000, (at) => `/${at}/${"x".repeat(80)}`)),
    }, { concurrency: 10 });
    assertEquals(result.count("/sitemap.xml"), 1);
    assertEquals([result.stats.pages, result.verdict], [3000, "complete"]);
  }
});

Deno.test("a known path that is declared with user info or a fragment is requested once", async () => {
  for (const address of ["https://ann@site.test/sitemap.xml", "/sitemap.xml#part"]) {
    const site = { "/robots.txt": robots(address), "/sitemap.xml": urlset("/a") };
    const result = await searched(site);
    assertEquals([result.count("/sitemap.xml"), result.pages], [1, ["/a"]], address);
  }
});

Deno.test("a known path in the tree of robots.txt, or that redirects into it, is skipped", async () => {
  const result = await searched({
    "/robots.txt": robots("/sitemap.xml", "/real.xml"),
    "/sitemap.xml": urlset("/1"),
    "/real.xml": urlset("/2"),
    "/sitemap_index.xml": "-> /real.xml",
    "/sitemap-index.xml": index("/real.xml", "/again", "/other.xml"),
    "/again": "-> /sitemap.xml",
    "/other.xml": urlset("/3"),
  });
  assertEquals(result.count("/sitemap.xml") + result.count("/real.xml"), 2);
  assertEquals(result.invalid, ["already-visited /real.xml", "already-visited /again"]);
  assertEquals(result.pages, ["/1", "/2", "/3"]);
});

Deno.test("walk() detects recursion by address and by redirect", async () => {
  const site = {
    "/robots.txt": robots("/i"),
    "/i": index("/i#again", "/up", "/j"),
    "/up": "-> /i",
    "/j": index("/i", "/back"),
    "/back": "-> /j#x",
  };
  const expected = ["recursion /i#again", "recursion /up", "recursion /i", "recursion /back"];
  assertEquals((await walked(site)).invalid, expected);
  const following = {
    ...site,
    "/up": followed(`${HOME}i`, site["/i"]),
    "/back": followed(`${HOME}j`, site["/j"]),
  };
  assertEquals((await walked(following)).invalid, expected);
});

Deno.test("walk() reports a known path that failed, unless it does not exist", async () => {
  const result = await searched({
    "/robots.txt": 500,
    "/sitemap.xml": 403,
    "/sitemap.txt": 404,
    "/sitemap": "<html></html>",
    "/sitemap_index.xml": 405,
    "/sitemap-index.xml": 410,
    "/sitemap.php": 302,
    "/sitemap_news.xml": "-> /sitemap-news.xml",
    "/sitemap-news.xml": "-> /sitemap_news.xml",
  });
  const news = `${HOME}sitemap_news.xml`;
  assertEquals(result.messages, [
    "robots-unreadable Cannot read robots.txt: 500 Internal Server Error",
    `probe-failed Cannot read "${HOME}sitemap_index.xml": 405 Method Not Allowed`,
    `probe-failed Cannot read "${HOME}sitemap.xml": 403 Forbidden`,
    `probe-failed Cannot read "${news}": Redirect loop at "${news}"`,
    `probe-failed Cannot read "${HOME}sitemap.php": 302 Found`,
  ]);
  assertEquals(result.of("warning").map(({ sitemap }) => sitemap.id), [0, 0, 0, 0, 0]);
  assertEquals(result.stats.warnings, 5);
});

Deno.test("walk() reports known paths that failed for the same reason by one warning", async () => {
  const result = await searched({ "*": 403, "/robots.txt": 400 }, { retries: 0 });
  const { messages, verdict, stats } = result;
  assertEquals(messages, [
    "robots-unreadable Cannot read robots.txt: 400 Bad Request",
    `probe-failed Cannot read ${stats.probes} known paths, such as "${HOME}sitemap_index.xml": ` +
    "403 Forbidden",
    "probe-failed Cannot read the homepage: 403 Forbidden",
  ]);
  assertEquals(result.of("warning").map(({ status }) => status), [400, 403, 403]);
  assertEquals([verdict, stats.warnings], ["blocked", 3]);
});

Deno.test("walk() reports a known path that breaks off before its kind is known", async () => {
  const { messages, verdict } = await searched({ "/sitemap.xml": broken("<urls").answer });
  assertEquals(messages, [
    `probe-failed Cannot read "${HOME}sitemap.xml": Truncated body: Connection reset`,
  ]);
  assertEquals(verdict, "blocked");
});

Deno.test("only the rules of the homepage's robots.txt are obeyed", async () => {
  const { outline } = await searched({
    "/robots.txt": `User-agent: *\nDisallow: /b\n${robots("/sub/robots.txt")}`,
    "/sub/robots.txt": `User-agent: *\nDisallow: /a\n${robots("/a", "/b")}`,
    "/known/robots.txt": `User-agent: *\nDisallow: /c\n${robots("/c", "/b")}`,
    "/a": urlset("/1"),
    "/b": urlset("/2"),
    "/c": urlset("/3"),
  }, { respectRobots: true, extraKnownPaths: ["known/robots.txt"] });
  const lines = outline.filter((line) => /^(page|invalid)/.test(line));
  assertEquals(lines, ["page /1", "invalid blocked /b", "page /3", "invalid already-visited /b"]);
});

// --------------------------------------------------------------------------------------- fetching

Deno.test("user agent and headers are sent with every request, credentials only to the homepage's origin", async () => {
  const { events, requests, verdict } = await searched({
    "/robots.txt": robots("/moved", "https://else.test/s.xml", "https://eve:x@site.test/s.xml"),
    "/moved": "-> /s.xml",
    "/s.xml": urlset("/1"),
    "https://else.test/s.xml": urlset("/2"),
  }, {
    headers: { "X-Trace": "7", "Cookie": "c=1" },
    userAgent: "tester/1",
  }, { homepage: "https://ann:p w@site.test/" });
  assertEquals(verdict, "complete");
  const [elsewhere = [], own = []] = ["else.test", "site.test"].map((host) =>
    requests.filter(({ url }) => new URL(url).host === host).map(({ headers }) =>
      ["user-agent", "x-trace", "cookie", "authorization"].map((name) => headers.get(name))
    )
  );
  assert(own.length > 18);
  for (const sent of own) {
    assertEquals(sent, ["tester/1", "7", "c=1", `Basic ${btoa("ann:p w")}`]);
  }
  assertEquals(elsewhere, [["tester/1", "7", null, null]]);
  assert(!JSON.stringify(events).includes("ann"), "user info is in no event of ours");
});

Deno.test("wait delays requests to one host, at any concurrency", async () => {
  const paths = ["/a", "/b", "/c", "/d"];
  const site = { "/robots.txt": robots(...paths), ...sitemapsAt(paths) };
  const clock = new FakeClock();
  const start = clock.time;
  const { stats, requests } = await walked(site, { wait: 100 }, { clock });
  assertEquals(stats.pages, 4);
  assertEquals(requests.map(({ at }) => at - start), [0, 100, 200, 300, 400]);
});

Deno.test("respectRobots obeys Crawl-delay, and Disallow for sitemaps, redirects and known paths", async () => {
  const { invalid, messages, paths, requests } = await searched(
    {
      "/robots.txt": `User-agent: *\nDisallow: /private/\nDisallow: /sitemap\nCrawl-delay: 2\n${
        robots("/private/a", "/b", "/c", "https://else.test/private/")
      }`,
      "/b": "-> /private/b",
      "/c": urlset("/1"),
      "/wp-sitemap.xml": "-> /private/wp",
      "https://else.test/private/": urlset("/2"),
    },
    { respectRobots: true },
    { clock: new FakeClock() },
  );
  assertEquals(invalid, ["blocked /private/a", "blocked /b"]);
  assert(paths.every((path) => !/^\/(private\/|sitemap)/.test(path)));
  assert(paths.includes("https://else.test/private/"));
  assert(paths.includes("/wp-sitemap.xml"));
  assert(messages.some((text) => text.includes("known paths are disallowed by robots.txt")));
  const times = requests.filter(({ url }) => url.startsWith(HOME)).map(({ at }) => at);
  times.slice(1).forEach((time, position) => assert(time - times[position]! >= 2000));
});

Deno.test("respectRobots disallows everything if robots.txt is unreachable", async () => {
  const site = { "/robots.txt": 503, "/sitemap.xml": urlset("/1") };
  const obeying = await searched(site, { respectRobots: true });
  assertEquals([obeying.verdict, obeying.stats.pages], ["blocked", 0]);
  assertEquals(new Set(obeying.paths), new Set(["/robots.txt"]));
  const other = await searched(site);
  assertEquals([other.verdict, other.stats.pages], ["partial", 1]);
});
