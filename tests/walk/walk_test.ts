import { assert, assertEquals } from "@std/assert";
import { pages, walk } from "../../mod.ts";
import type { TreeEvent, WarningEvent } from "../../src/data/events.ts";
import { KNOWN_PATHS } from "../../src/walk/known_paths.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { bytes, status, text } from "../http/scripted_fetch.ts";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import {
  finishedOf,
  HOME,
  index,
  ORDERS,
  outline,
  robots,
  siteFetch,
  urlset,
  walked,
} from "./walk_support.ts";

function warningsOf(events: readonly TreeEvent[]): WarningEvent[] {
  return events.filter((event) => event.type === "warning");
}

// ----------------------------------------------------------------------------- the demo, in full

Deno.test("walk() yields the demo site in document order", async () => {
  await using server = serveSite("demo", { origin: HOME.slice(0, -1) });
  const fetch = (url: string, init: RequestInit) => {
    const { pathname } = new URL(url);
    return globalThis.fetch(new URL(pathname, server.url), init);
  };
  const events = await Array.fromAsync(walk(HOME, { fetch }));
  assertEquals(outline(events).filter((line) => !line.startsWith("page")), [
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
  assertEquals(finishedOf(events).stats.pages, 20);
});

// -------------------------------------------------------------------------------- places and ids

Deno.test("refs have level, parent and position, and ids are unique", async () => {
  for (const order of ORDERS) {
    const { events } = await walked({
      "/robots.txt": robots("/i", "/gone"),
      "/i": index("/a", "/i", "/moved"),
      "/a": urlset("/1"),
      "/moved": "-> /b",
      "/b": urlset("/2"),
      "/sitemap.txt": "https://site.test/3",
    }, { order, useKnownPaths: true });
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
  }
});

Deno.test("a sitemap is entered once it can no longer become invalid", async () => {
  const { events } = await walked({
    "/robots.txt": robots("/late", "/never"),
    "/late": `<urlset x=1><url></url><url><loc>${HOME}1</loc></url></urlset>`,
    "/never": "<urlset x=1>",
  });
  assertEquals(outline(events), [
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
  const script = siteFetch({
    "/robots.txt": [status(500), text(robots("/a", "/moved", "/gone"))],
    "/a": urlset("/1", "/2", "/2", "mailto:x"),
    "/moved": "-> /b",
    "/b": urlset("/3"),
    "/sitemap.xml": urlset("/4"),
    "/sitemap.php": status(503),
  });
  const options = { fetch: script.fetch };
  const events = walkWith(HOME, options, { clock });
  const all = await clock.run(Array.fromAsync(events));
  const { stats } = finishedOf(all);
  const sent = all.filter(({ type }) => type === "warning").length;
  assertEquals(stats, {
    sitemaps: 3, // a, b, sitemap.xml
    pages: 4,
    invalid: 1,
    warnings: 3, // a duplicate, a bad address, a probe that failed
    bytes: [
      robots("/a", "/moved", "/gone"),
      urlset("/1", "/2", "/2", "mailto:x"),
      urlset("/3"),
      urlset("/4"),
    ]
      .reduce((sum, document) => sum + bytes(document).length, 0),
    requests: script.requests.length,
    retries: 2,
    probes: KNOWN_PATHS.length,
    durationMs: stats.durationMs,
  });
  assertEquals(sent, 3);
  assertEquals(stats.requests, 2 + 1 + 2 + 1 + KNOWN_PATHS.length + 1);
  assertEquals(stats.durationMs, clock.waited.reduce((sum, wait) => sum + wait, 0));
  assert(stats.durationMs > 0);
});

Deno.test("a known path without a sitemap has no warnings, but its bytes are counted", async () => {
  const html = "<html><title>&nbsp;&what;</title><p>&</html>";
  const { events, finished } = await walked({ "/sitemap.xml": html }, { useKnownPaths: true });
  assertEquals(warningsOf(events), []);
  assertEquals(finished.stats.warnings, 0);
  assert(finished.stats.bytes > 0);
});

Deno.test("walk() sends at most 100 warnings per code and sitemap, and counts all", async () => {
  const broken = `<urlset>${
    "<url><loc>mailto:x</loc><priority>9</priority></url>".repeat(250)
  }</urlset>`;
  const { events, finished } = await walked({
    "/robots.txt": robots("/a", "/b"),
    "/a": broken,
    "/b": broken,
  });
  const sent: Record<string, number> = {};
  for (const { code, sitemap } of warningsOf(events)) {
    const key = `${code} ${new URL(sitemap.url).pathname}`;
    sent[key] = (sent[key] ?? 0) + 1;
  }
  assertEquals(sent, {
    "bad-priority /a": 100,
    "bad-address /a": 100,
    "bad-priority /b": 100,
    "bad-address /b": 100,
  });
  const left = events.flatMap((event) => event.type === "sitemap-left" ? [event.warnings] : []);
  assertEquals(left, [
    { "bad-priority": 250, "bad-address": 250 },
    { "bad-priority": 250, "bad-address": 250 },
    {},
    {},
  ]);
  assertEquals(finished.stats.warnings, 1000);
});

Deno.test("pages() yields the pages of walk()", async () => {
  await using server = serveSite("demo");
  const events = await Array.fromAsync(walk(server.url));
  const expected = events.flatMap((event) => event.type === "page" ? [event.page] : []);
  const found = await Array.fromAsync(pages(server.url));
  assertEquals(found, expected);
});

// ------------------------------------------------------------------------------------ discovery

Deno.test("robots.txt and known paths can be switched off", async () => {
  const site = { "/robots.txt": robots("/a"), "/a": urlset("/1"), "/sitemap.xml": urlset("/2") };
  const only = async (options: object) => {
    const { events, paths } = await walked(site, {
      useRobots: false,
      useKnownPaths: false,
      ...options,
    });
    return [outline(events).filter((line) => line.startsWith("page")), paths.length];
  };
  assertEquals(await only({ useRobots: true }), [["page /1"], 2]);
  assertEquals(await only({ useKnownPaths: true }), [["page /2"], KNOWN_PATHS.length]);
  assertEquals(await only({}), [[], 0]);
  assertEquals(await only({ useKnownPaths: true, extraKnownPaths: ["a"] }), [
    ["page /2", "page /1"],
    KNOWN_PATHS.length + 1,
  ]);
});

Deno.test("a known path that an earlier known path lists is requested once", async () => {
  for (const order of ORDERS) {
    for (const concurrency of [1, 2, 4, 20]) {
      const { events, paths, finished } = await walked({
        "/sitemap_index.xml": index("/sitemap.xml", "/wp-sitemap.xml", "/sitemap.txt"),
        "/sitemap.xml": urlset("/1"),
        "/sitemap.txt": [status(500), status(500), status(500), text("https://site.test/3")],
        "/wp-sitemap.xml": urlset("/2"),
      }, { order, concurrency, useKnownPaths: true });
      const asked = (path: string) => paths.filter((other) => other === path).length;
      assertEquals([asked("/sitemap.xml"), asked("/wp-sitemap.xml")], [1, 1]);
      // two attempts for a known path, five for a declared sitemap
      assertEquals([asked("/sitemap.txt"), finished.verdict], [4, "complete"]);
      assertEquals(finished.stats.pages, 3);
      const tops = events.flatMap((event) =>
        event.type === "sitemap-entered" && event.sitemap.level === 0 ? [event.sitemap.url] : []
      );
      assertEquals(tops, [`${HOME}sitemap_index.xml`]);
    }
  }
});

Deno.test("a missing known path that is declared is requested once", async () => {
  for (const concurrency of [1, 20]) {
    const { paths, events } = await walked({
      "/sitemap_index.xml": index("/sitemap.xml", "/sitemap.txt"),
    }, {
      concurrency,
      useKnownPaths: true,
    });
    assertEquals(paths.filter((path) => path === "/sitemap.xml").length, 1);
    assertEquals(outline(events.filter(({ type }) => type === "invalid")), [
      "invalid http-status /sitemap.xml",
      "invalid http-status /sitemap.txt",
    ]);
  }
});

Deno.test("a known path that is the target of a redirect is requested once", async () => {
  for (const order of ORDERS) {
    for (const concurrency of [1, 2, 4, 20]) {
      const { events, paths } = await walked({
        "/sitemap_index.xml": index("/a"),
        "/a": "-> /sitemap.txt",
        "/sitemap.txt": "https://site.test/1",
        "/sitemap.xml": "-> /wp-sitemap.xml",
        "/wp-sitemap.xml": urlset("/2"),
        "/sitemap.xml.gz": "-> /wp-sitemap.xml",
        "/sitemap_news.xml": "-> /sitemap_news.xml.gz",
        "/sitemap_news.xml.gz": "<html><title>no sitemap</title></html>",
      }, { order, concurrency, useKnownPaths: true });
      const counts: Record<string, number> = {};
      for (const path of paths) counts[path] = (counts[path] ?? 0) + 1;
      assertEquals(Object.entries(counts).filter(([, count]) => count > 1), []);
      const tops = events.flatMap((event) =>
        event.type === "sitemap-entered" && event.sitemap.level === 0
          ? [`${new URL(event.sitemap.url).pathname} ${event.sitemap.index}`]
          : []
      );
      assertEquals(tops, ["/sitemap_index.xml 0", "/wp-sitemap.xml 1"]);
      assertEquals(warningsOf(events), []);
    }
  }
});

Deno.test("a known path that failed is requested again for a declared sitemap that redirects to it", async () => {
  for (const concurrency of [1, 20]) {
    const { finished } = await walked({
      "/sitemap_index.xml": index("/a"),
      "/a": "-> /sitemap.txt",
      "/sitemap.txt": [status(500), status(500), status(500), text("https://site.test/1")],
    }, { concurrency, useKnownPaths: true });
    assertEquals([finished.verdict, finished.stats.pages], ["complete", 1]);
  }
});

Deno.test("a large known path that is listed or redirected to is not read twice", async () => {
  const large = urlset(...Array.from({ length: 3000 }, (_, at) => `/${at}/${"x".repeat(80)}`));
  for (const listed of [true, false]) {
    const { paths, finished } = await walked({
      "/sitemap_index.xml": listed ? index("/sitemap.xml") : index("/a"),
      "/a": "-> /sitemap.xml",
      "/sitemap.xml": large,
    }, { concurrency: 10, useKnownPaths: true });
    assertEquals(paths.filter((path) => path === "/sitemap.xml").length, 1);
    assertEquals([finished.stats.pages, finished.verdict], [3000, "complete"]);
  }
});

Deno.test("a known path that is declared with user info or a fragment is requested once", async () => {
  for (const address of ["https://ann@site.test/sitemap.xml", "/sitemap.xml#part"]) {
    const { events, paths } = await walked({
      "/robots.txt": `Sitemap: ${new URL(address, HOME)}`,
      "/sitemap.xml": urlset("/a"),
    }, { useKnownPaths: true });
    assertEquals(paths.filter((path) => path === "/sitemap.xml").length, 1, address);
    assertEquals(events.filter(({ type }) => type === "page").length, 1, address);
  }
});

Deno.test("a known path in the tree of robots.txt, or that redirects into it, is skipped", async () => {
  const { events, paths } = await walked({
    "/robots.txt": robots("/sitemap.xml", "/real.xml"),
    "/sitemap.xml": urlset("/1"),
    "/real.xml": urlset("/2"),
    "/sitemap_index.xml": "-> /real.xml",
    "/sitemap-index.xml": index("/real.xml", "/again", "/other.xml"),
    "/again": "-> /sitemap.xml",
    "/other.xml": urlset("/3"),
  }, { useKnownPaths: true });
  assertEquals(paths.filter((path) => path === "/sitemap.xml" || path === "/real.xml").length, 2);
  assertEquals(outline(events.filter(({ type }) => type === "invalid")), [
    "invalid already-visited /real.xml",
    "invalid already-visited /again",
  ]);
  assertEquals(outline(events).filter((line) => line.startsWith("page")), [
    "page /1",
    "page /2",
    "page /3",
  ]);
});

Deno.test("walk() detects recursion by address and by redirect", async () => {
  const site = {
    "/robots.txt": robots("/i"),
    "/i": index("/i#again", "/up", "/j"),
    "/up": "-> /i",
    "/j": index("/i", "/back"),
    "/back": "-> /j#x",
  };
  const expected = [
    "invalid recursion /i#again",
    "invalid recursion /up",
    "invalid recursion /i",
    "invalid recursion /back",
  ];
  const { events } = await walked(site);
  assertEquals(outline(events.filter(({ type }) => type === "invalid")), expected);
  const script = siteFetch(site);
  const following = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await script.fetch(url, init);
    const location = response.headers.get("location");
    if (location === null) return response;
    const target = new URL(location, url);
    target.hash = "";
    const followed = await script.fetch(target.href, init);
    return Object.defineProperties(followed, {
      url: { value: target.href },
      redirected: { value: true },
    });
  };
  const again = await walked({}, { fetch: following });
  assertEquals(outline(again.events.filter(({ type }) => type === "invalid")), expected);
});

Deno.test("walk() reports a known path that failed, unless it does not exist", async () => {
  const { events, finished } = await walked({
    "/robots.txt": status(500),
    "/sitemap.xml": status(403),
    "/sitemap.txt": status(404),
    "/sitemap": "<html></html>",
    "/sitemap_news.xml": "-> /sitemap-news.xml",
    "/sitemap-news.xml": "-> /sitemap_news.xml",
  }, { useKnownPaths: true });
  assertEquals(
    warningsOf(events).map(({ code, message, sitemap }) => [code, message, sitemap.id]),
    [
      ["robots-unreadable", "Cannot read robots.txt: 500 Internal Server Error", 0],
      ["probe-failed", 'Cannot read "https://site.test/sitemap.xml": 403 Forbidden', 0],
      [
        "probe-failed",
        'Cannot read "https://site.test/sitemap_news.xml": Redirect loop at "https://site.test/sitemap_news.xml"',
        0,
      ],
    ],
  );
  assertEquals(finished.stats.warnings, 3);
});

Deno.test("walk() reports known paths that failed for the same reason by one warning", async () => {
  const refused = () => new Response(null, { status: 403 });
  const options = { fetch: () => Promise.resolve(refused()), useKnownPaths: true };
  const { events, finished } = await walked({}, options);
  assertEquals(warningsOf(events).map(({ code, message, status }) => [code, message, status]), [
    ["robots-unreadable", "Cannot read robots.txt: 403 Forbidden", 403],
    [
      "probe-failed",
      `Cannot read ${finished.stats.probes} known paths, such as "https://site.test/sitemap_index.xml": ` +
      "403 Forbidden",
      403,
    ],
    ["probe-failed", "Cannot read the homepage: 403 Forbidden", 403],
  ]);
  assertEquals([finished.verdict, finished.stats.warnings], ["blocked", 3]);
});

Deno.test("walk() reports a known path that breaks off before its kind is known", async () => {
  const cut = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(bytes("<urls")),
        pull: (controller) => controller.error(new TypeError("reset")),
      }),
    );
  const { events, finished } = await walked({ "/sitemap.xml": cut }, { useKnownPaths: true });
  assertEquals(warningsOf(events).map(({ message }) => message), [
    'Cannot read "https://site.test/sitemap.xml": Truncated body: Connection reset',
  ]);
  assertEquals(finished.verdict, "blocked");
});

Deno.test("only the rules of the homepage's robots.txt are obeyed", async () => {
  const { events } = await walked({
    "/robots.txt": `User-agent: *\nDisallow: /b\n${robots("/sub/robots.txt")}`,
    "/sub/robots.txt": `User-agent: *\nDisallow: /a\n${robots("/a", "/b")}`,
    "/known/robots.txt": `User-agent: *\nDisallow: /c\n${robots("/c", "/b")}`,
    "/a": urlset("/1"),
    "/b": urlset("/2"),
    "/c": urlset("/3"),
  }, { respectRobots: true, useKnownPaths: true, extraKnownPaths: ["known/robots.txt"] });
  const lines = outline(events).filter((line) => /^(page|invalid)/.test(line));
  assertEquals(lines, ["page /1", "invalid blocked /b", "page /3", "invalid already-visited /b"]);
});

// --------------------------------------------------------------------------------------- fetching

Deno.test("user agent and headers are sent with every request, credentials only to the homepage's origin", async () => {
  await using other = serveRoutes({ "/s.xml": () => new Response(urlset("https://a.test/2")) });
  await using server = serveRoutes({
    "/robots.txt": () =>
      new Response(
        robots(
          `${server.url}moved`,
          `${other.url}s.xml`,
          `http://eve:x@127.0.0.1:${new URL(server.url).port}/s.xml`,
        ),
      ),
    "/moved": () => new Response(null, { status: 302, headers: { location: "/s.xml" } }),
    "/s.xml": () => new Response(urlset("https://a.test/1")),
  });
  const homepage = new URL(server.url);
  homepage.username = "ann";
  homepage.password = "p w";
  const events = await Array.fromAsync(walk(homepage, {
    headers: { "X-Trace": "7", "Cookie": "c=1" },
    userAgent: "tester/1",
    useKnownPaths: true,
  }));
  assertEquals(finishedOf(events).verdict, "complete");
  assert(server.requests.length > 18);
  for (const { headers } of server.requests) {
    assertEquals(
      ["user-agent", "x-trace", "cookie", "authorization"].map((name) => headers.get(name)),
      ["tester/1", "7", "c=1", `Basic ${btoa("ann:p w")}`],
    );
  }
  assertEquals(other.requests.length, 1);
  const [{ headers }] = other.requests as [typeof other.requests[number]];
  assertEquals(
    ["user-agent", "x-trace", "cookie", "authorization"].map((name) => headers.get(name)),
    ["tester/1", "7", null, null],
  );
  const urls = events.flatMap((event) => event.type === "finished" ? [] : [event.sitemap.url]);
  assert(!urls.some((url) => url.includes("ann")), "user info is in no event of ours");
});

Deno.test("the URL of a sitemap is its final URL", async () => {
  await using server = serveSite("broken");
  const events = await Array.fromAsync(walk(server.url, { retryDelay: 0 }));
  const entered = events.flatMap((event) =>
    event.type === "sitemap-entered" ? [event.sitemap.url.slice(server.origin.length)] : []
  );
  assert(entered.includes("/new/home.xml"), "it was asked for at /moved.xml");
  const invalid = new Map(
    events.flatMap((event) =>
      event.type === "invalid" ? [[event.sitemap.url.slice(server.origin.length), event.code]] : []
    ),
  );
  assertEquals(invalid.get("/redirect-loop.xml"), "redirect");
  assertEquals(invalid.get("/redirect-ftp.xml"), "redirect");
  assertEquals(invalid.get("/redirect-nowhere.xml"), "redirect");
  assertEquals(invalid.get("/server-error.xml"), "http-status");
});

Deno.test("wait delays requests to one host, at any concurrency", async () => {
  for (const order of ORDERS) {
    const clock = new FakeClock();
    const at: number[] = [];
    const script = siteFetch({
      "/robots.txt": robots("/a", "/b", "/c", "/d"),
      ...Object.fromEntries(["/a", "/b", "/c", "/d"].map((path) => [path, urlset(path)])),
    });
    const fetch = (url: string, init: RequestInit) => {
      at.push(clock.time);
      return script.fetch(url, init);
    };
    const options = { fetch, wait: 100, order, useKnownPaths: false };
    const events = walkWith(HOME, options, { clock });
    const all = await clock.run(Array.fromAsync(events));
    assertEquals(finishedOf(all).stats.pages, 4);
    assertEquals(at.map((time) => time - at[0]!), [0, 100, 200, 300, 400]);
  }
});

Deno.test("respectRobots obeys Crawl-delay, and Disallow for sitemaps, redirects and known paths", async () => {
  const clock = new FakeClock();
  const at: number[] = [];
  const script = siteFetch({
    "/robots.txt": `User-agent: *\nDisallow: /private/\nDisallow: /sitemap\nCrawl-delay: 2\n${
      robots("/private/a", "/b", "/c", "https://else.test/private/")
    }`,
    "/b": "-> /private/b",
    "/c": urlset("/1"),
    "/wp-sitemap.xml": "-> /private/wp",
    "https://else.test/private/": urlset("/2"),
  });
  const fetch = (url: string, init: RequestInit) => {
    if (url.startsWith(HOME)) at.push(clock.time);
    return script.fetch(url, init);
  };
  const options = { fetch, respectRobots: true };
  const events = walkWith(HOME, options, { clock });
  const all = await clock.run(Array.fromAsync(events));
  assertEquals(outline(all.filter(({ type }) => type === "invalid")), [
    "invalid blocked /private/a",
    "invalid blocked /b",
  ]);
  assert(
    script.urls.every((url) =>
      !url.startsWith(`${HOME}private/`) && !url.startsWith(`${HOME}sitemap`)
    ),
  );
  assert(script.urls.includes("https://else.test/private/"));
  assert(script.urls.includes(`${HOME}wp-sitemap.xml`));
  assert(
    warningsOf(all).some(({ message }) =>
      message.includes("known paths are disallowed by robots.txt")
    ),
  );
  at.slice(1).forEach((time, position) => assert(time - at[position]! >= 2000));
});

Deno.test("respectRobots disallows everything if robots.txt is unreachable", async () => {
  const site = { "/robots.txt": status(503), "/sitemap.xml": urlset("/1") };
  const obeying = await walked(site, { respectRobots: true, useKnownPaths: true });
  assertEquals([obeying.finished.verdict, obeying.finished.stats.pages], ["blocked", 0]);
  assertEquals(new Set(obeying.paths), new Set(["/robots.txt"]));
  const other = await walked(site, { useKnownPaths: true });
  assertEquals([other.finished.verdict, other.finished.stats.pages], ["partial", 1]);
});

Deno.test("walk() refuses declared sitemaps on other hosts and private networks without a request", async () => {
  const { events, paths } = await walked({
    "/robots.txt": robots("https://else.test/a", "http://169.254.169.254/latest", "/moved", "/b"),
    "/moved": "-> http://localhost/x",
    "/b": urlset("/1"),
  }, { hosts: "same-site" });
  assertEquals(outline(events.filter(({ type }) => type === "invalid")), [
    "invalid blocked https://else.test/a",
    "invalid blocked http://169.254.169.254/latest",
    "invalid blocked /moved",
  ]);
  assertEquals(paths.toSorted(), ["/b", "/moved", "/robots.txt"]);
});
