import { assertEquals } from "@std/assert";
import { KNOWN_PATHS } from "../../mod.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { at, HOME, index, numbered, robots, short, urlset } from "./site.ts";
import { searched, sitemapsOf, walked, walkedFrom } from "./walked.ts";

const SITE = {
  "/robots.txt": robots("/declared"),
  "/declared": urlset("/1"),
  "/given": index("/child"),
  "/child": urlset("/2"),
  "/sitemap.xml": urlset("/3"),
};

Deno.test("given sitemaps are walked instead of robots.txt and the known paths", async () => {
  for (const sitemaps of [[at("/given")], [new URL("/given", HOME)]]) {
    const { outline, paths, stats } = await walked(SITE, { sitemaps });
    assertEquals(paths, ["/given", "/child"]);
    assertEquals(outline, [
      ...["entered /", "entered /given", "entered /child", "page /2"],
      ...["left /child", "left /given", "left /", "finished complete"],
    ]);
    assertEquals([stats.sitemaps, stats.probes], [2, 0]);
  }
});

Deno.test("given sitemaps are at level 0, between robots.txt and known paths", async () => {
  const sitemaps = [at("/given"), at("/gone")];
  const options = { sitemaps, useRobots: true, useKnownPaths: true };
  const { events, verdict } = await walked(SITE, options);
  const refs = sitemapsOf(events).filter(({ level }) => level === 0);
  const roots = [...new Set(refs.map(({ index, url }) => `${index} ${short(url)}`))];
  assertEquals(roots.toSorted(), ["0 /robots.txt", "1 /given", "2 /gone", "3 /sitemap.xml"]);
  assertEquals(roots, roots.toSorted());
  assertEquals(verdict, "partial");
  const { paths } = await walked(SITE, { sitemaps: [at("/given")], useRobots: true });
  assertEquals(paths, ["/robots.txt", "/declared", "/given", "/child"]);
});

Deno.test("a given sitemap that fails is invalid and affects the verdict", async () => {
  const { outline, verdict } = await walked(SITE, { sitemaps: [at("/gone"), at("/declared")] });
  assertEquals(outline.slice(1, 4), ["invalid http-status /gone", "entered /declared", "page /1"]);
  assertEquals(verdict, "partial");
  const alone = await walked(SITE, { sitemaps: [at("/gone")] });
  assertEquals([alone.verdict, alone.stats.invalid], ["partial", 1]);
  const html = await walked({ "/x": "<html/>" }, { sitemaps: [at("/x")] });
  assertEquals(html.outline[1], "invalid not-a-sitemap /x");
});

Deno.test("given sitemaps are read once, even if they are written differently", async () => {
  const sitemaps = [
    at("/declared"),
    "https://SITE.test:443/declared#f",
    "https://user:pass@site.test/x/../declared",
    new URL("/declared", HOME),
  ];
  const { pages, invalid, paths } = await walked(SITE, { sitemaps });
  assertEquals([paths, pages, invalid], [["/declared"], ["/1"], []]);
});

Deno.test("a given sitemap below robots.txt is not read again, nor are its children", async () => {
  const site = {
    "/robots.txt": robots("/i", "/a"),
    "/i": index("/b"),
    "/a": urlset("/1"),
    "/b": urlset("/2"),
    "/j": index("/b", "/c"),
    "/c": urlset("/3"),
  };
  const sitemaps = ["/a", "/b", "/j"].map(at);
  const { invalid, paths, verdict } = await walked(site, { sitemaps, useRobots: true });
  assertEquals(paths.toSorted(), ["/a", "/b", "/c", "/i", "/j", "/robots.txt"]);
  assertEquals([invalid, verdict], [["already-visited /b"], "complete"]);
});

Deno.test("a known path below a given sitemap is not read again", async () => {
  const site = { "/given": index("/sitemap.xml"), "/sitemap.xml": urlset("/1") };
  const result = await searched(site, { sitemaps: [at("/given")], useKnownPaths: true });
  assertEquals([result.count("/sitemap.xml"), result.pages], [1, ["/1"]]);
});

Deno.test("a child of a known path that is below a given sitemap is already-visited", async () => {
  const result = await searched({
    "/given": index("/a"),
    "/sitemap.xml": index("/a", "/b"),
    "/a": urlset("/1"),
    "/b": urlset("/2"),
  }, { sitemaps: [at("/given")], useKnownPaths: true });
  const reasons = result.of("invalid").map(({ reason }) => reason);
  assertEquals(reasons, ["Already in the tree of the given sitemaps"]);
});

Deno.test("callbacks are not called for given sitemaps, but for their children", async () => {
  const asked: string[] = [];
  const { pages } = await walked(SITE, {
    sitemaps: [at("/given")],
    recurseListCallback(urls, level) {
      asked.push(`list ${urls.join()} ${level}`);
      return urls;
    },
    recurseCallback(url, level, parents) {
      asked.push(`${url} ${level} ${parents.join()}`);
      return true;
    },
  });
  assertEquals(asked, [`list ${HOME}child 0`, `${HOME}child 0 ${HOME}given`]);
  assertEquals(pages.length, 1);
});

Deno.test("an empty list of given sitemaps has the verdict none, without a request", async () => {
  const { outline, paths } = await walked(SITE, { sitemaps: [] });
  assertEquals([paths, outline], [[], ["entered /", "left /", "finished none"]]);
});

Deno.test("given sitemaps are prefetched and read in order", async () => {
  const route = (_: Request, path: string) => new Response(urlset(path));
  await using server = serveRoutes({ "*": route }, { delay: 20 });
  const sitemaps = numbered(6, (at) => `${server.url}${at}`);
  const result = await walkedFrom(server.url, { sitemaps, concurrency: 3 });
  assertEquals([server.maxUnderWay, result.entered(0)], [3, sitemaps]);
});

Deno.test("limits and policies apply to given sitemaps", async () => {
  const sitemaps = ["/declared", "/child", "/sitemap.xml"].map(at);
  const few = await walked(SITE, { sitemaps, maxSitemaps: 2 });
  assertEquals([few.verdict, few.stats.sitemaps], ["partial", 2]);
  const { outline, paths, verdict } = await walked({}, {
    sitemaps: ["https://other.test/a", "http://127.0.0.1/b"],
    hosts: ({ host }) => host !== "other.test",
  });
  assertEquals(outline.slice(1, 3), [
    "invalid blocked https://other.test/a",
    "invalid blocked http://127.0.0.1/b",
  ]);
  assertEquals([paths, verdict], [[], "blocked"]);
});

Deno.test("user info of the homepage is sent only to given sitemaps of its origin", async () => {
  const sitemaps = ["https://you:other@site.test/a", "https://you:other@other.test/b"];
  const homepage = "https://me:secret@site.test/";
  const { requests } = await walked({}, { sitemaps }, { homepage });
  assertEquals(requests.map(({ url, headers }) => [url, headers.get("authorization")]), [
    ["https://site.test/a", `Basic ${btoa("me:secret")}`],
    ["https://other.test/b", null],
  ]);
});

// ---------------------------------------------------------------------------------- respectRobots

Deno.test("respectRobots without useRobots reads the rules without events", async () => {
  const rules = `User-agent: *\nDisallow: /child\n${robots("/declared")}`;
  const site = { ...SITE, "/robots.txt": rules };
  const options = { sitemaps: [at("/given"), at("/child")], respectRobots: true };
  const { outline, paths, stats } = await walked(site, options);
  assertEquals(paths, ["/robots.txt", "/given"]);
  assertEquals(outline.toSorted(), [
    ...["entered /", "entered /given", "finished partial"],
    ...["invalid blocked /child", "invalid blocked /child", "left /", "left /given"],
  ]);
  assertEquals(stats.sitemaps, 1);
  const on = await walked(site, { sitemaps: [], respectRobots: true, useRobots: true });
  assertEquals(on.paths, ["/robots.txt", "/declared"]);
  const nothing = await walked(site, { sitemaps: [], respectRobots: true });
  assertEquals([nothing.paths, nothing.verdict], [["/robots.txt"], "none"]);
});

Deno.test("respectRobots without useRobots applies the rules to known paths", async () => {
  const site = { "/robots.txt": "User-agent: *\nDisallow: /\n", "/sitemap.xml": urlset("/1") };
  const { paths, verdict } = await searched(site, { useRobots: false, respectRobots: true });
  assertEquals([paths, verdict], [["/robots.txt"], "blocked"]);
});

Deno.test("respectRobots disallows everything and reports it if the rules are unreachable", async () => {
  const options = { sitemaps: [at("/given")], respectRobots: true, retries: 0 };
  const lost = await walked({ ...SITE, "/robots.txt": 500 }, options);
  assertEquals(lost.outline, [
    ...["entered /", "invalid blocked /given", "warning robots-unreadable /"],
    ...["left /", "finished blocked"],
  ]);
  const missing = await walked({ ...SITE, "/robots.txt": 404 }, options);
  assertEquals([missing.paths.length, missing.verdict], [3, "complete"]);
});

Deno.test("respectRobots obeys the rules up to a limit and reports that", async () => {
  const rules = `User-agent: *\nDisallow: /given\n${"# filler\n".repeat(60_000)}`;
  const { outline, messages, stats } = await walked({ ...SITE, "/robots.txt": rules }, {
    sitemaps: [at("/given"), at("/declared")],
    respectRobots: true,
  });
  assertEquals(outline.slice(1, 3), ["invalid blocked /given", "entered /declared"]);
  const message = "Cannot read all of robots.txt: Content is larger than 512000 bytes";
  assertEquals(messages, [`robots-too-large ${message}`]);
  assertEquals(stats.sitemaps, 1);
});

// --------------------------------------------------------------------------- known paths, homepage

Deno.test("extraKnownPaths are probed besides given sitemaps without useKnownPaths", async () => {
  const site = { "/sitemap.xml": urlset("/1"), "/extra.xml": urlset("/2") };
  const extraKnownPaths = ["extra.xml", "/nothing.xml"];
  const options = { useKnownPaths: false, extraKnownPaths };
  const { paths, pages, stats, verdict } = await walked(site, { sitemaps: [], ...options });
  assertEquals(paths, ["/extra.xml", "/nothing.xml"]);
  assertEquals([stats.probes, verdict, pages.length], [2, "complete", 1]);
  const none = await walked(site, { useRobots: false, ...options });
  assertEquals([none.paths, none.verdict], [[], "none"]);
  const all = await searched(site, { useRobots: false, extraKnownPaths });
  assertEquals(all.stats.probes, KNOWN_PATHS.length + 2);
});
