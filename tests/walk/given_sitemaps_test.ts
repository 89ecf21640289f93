import { assertEquals } from "@std/assert";
import { KNOWN_PATHS, walk, type WalkOptions } from "../../mod.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { HOME, index, ORDERS, outline, robots, siteFetch, urlset, walked } from "./walk_support.ts";

/** Walks a scripted site with the default options and the given ones. */
async function given(
  site: Parameters<typeof walked>[0],
  options: WalkOptions,
): ReturnType<typeof walked> {
  return await walked(site, { useKnownPaths: undefined, ...options } as WalkOptions);
}

const SITE = {
  "/robots.txt": robots("/declared"),
  "/declared": urlset("/1"),
  "/given": index("/child"),
  "/child": urlset("/2"),
  "/sitemap.xml": urlset("/3"),
};

Deno.test("given sitemaps are walked instead of robots.txt and the known paths", async () => {
  for (const sitemaps of [[`${HOME}given`], [new URL("/given", HOME)]]) {
    const { events, paths, finished } = await given(SITE, { sitemaps });
    assertEquals(paths, ["/given", "/child"]);
    assertEquals(outline(events), [
      ...["entered /", "entered /given", "entered /child", "page /2"],
      ...["left /child", "left /given", "left /", "finished complete"],
    ]);
    assertEquals([finished.stats.sitemaps, finished.stats.probes], [2, 0]);
  }
});

Deno.test("given sitemaps are at level 0, between robots.txt and known paths", async () => {
  for (const order of ORDERS) {
    const sitemaps = [`${HOME}given`, `${HOME}gone`];
    const options = { sitemaps, useRobots: true, useKnownPaths: true, order };
    const { events, finished } = await given(SITE, options);
    const roots = events.flatMap((event) =>
      (event.type === "sitemap-entered" || event.type === "invalid") && event.sitemap.level === 0
        ? [`${event.sitemap.index} ${new URL(event.sitemap.url).pathname}`]
        : []
    );
    assertEquals(roots.toSorted(), ["0 /robots.txt", "1 /given", "2 /gone", "3 /sitemap.xml"]);
    if (order === "document") assertEquals(roots, roots.toSorted());
    assertEquals(finished.verdict, "partial");
  }
  const only = await given(SITE, { sitemaps: [`${HOME}given`], useRobots: true });
  assertEquals(only.paths, ["/robots.txt", "/declared", "/given", "/child"]);
});

Deno.test("a given sitemap that fails is invalid and affects the verdict", async () => {
  const sitemaps = [`${HOME}gone`, `${HOME}declared`];
  const { events, finished } = await given(SITE, { sitemaps });
  assertEquals(outline(events).slice(1, 4), [
    "invalid http-status /gone",
    "entered /declared",
    "page /1",
  ]);
  assertEquals(finished.verdict, "partial");
  const alone = await given(SITE, { sitemaps: [`${HOME}gone`] });
  assertEquals([alone.finished.verdict, alone.finished.stats.invalid], ["partial", 1]);
  const html = await given({ "/x": "<html/>" }, { sitemaps: [`${HOME}x`] });
  assertEquals(outline(html.events)[1], "invalid not-a-sitemap /x");
});

Deno.test("given sitemaps are read once, even if they are written differently", async () => {
  const sitemaps = [
    `${HOME}declared`,
    "https://SITE.test:443/declared#f",
    "https://user:pass@site.test/x/../declared",
    new URL("/declared", HOME),
  ];
  const { events, paths } = await given(SITE, { sitemaps });
  assertEquals(paths, ["/declared"]);
  assertEquals(events.filter(({ type }) => type === "page").length, 1);
  assertEquals(events.filter(({ type }) => type === "invalid").length, 0);
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
  for (const order of ORDERS) {
    const sitemaps = [`${HOME}a`, `${HOME}b`, `${HOME}j`];
    const { events, paths, finished } = await given(site, { sitemaps, useRobots: true, order });
    assertEquals(paths.toSorted(), ["/a", "/b", "/c", "/i", "/j", "/robots.txt"]);
    assertEquals(outline(events).filter((line) => line.startsWith("invalid")), [
      "invalid already-visited /b",
    ]);
    assertEquals(finished.verdict, "complete");
  }
});

Deno.test("a known path below a given sitemap is not read again", async () => {
  const site = { "/given": index("/sitemap.xml"), "/sitemap.xml": urlset("/1") };
  const options = { sitemaps: [`${HOME}given`], useKnownPaths: true };
  const { events, paths } = await given(site, options);
  assertEquals(paths.filter((path) => path === "/sitemap.xml").length, 1);
  assertEquals(events.filter(({ type }) => type === "page").length, 1);
});

Deno.test("a child of a known path that is below a given sitemap is already-visited", async () => {
  const site = {
    "/given": index("/a"),
    "/sitemap.xml": index("/a", "/b"),
    "/a": urlset("/1"),
    "/b": urlset("/2"),
  };
  const options = { sitemaps: [`${HOME}given`], useKnownPaths: true };
  const { events } = await given(site, options);
  const invalid = events.filter(({ type }) => type === "invalid");
  assertEquals(invalid.map((event) => event.type === "invalid" && event.reason), [
    "Already in the tree of the given sitemaps",
  ]);
});

Deno.test("callbacks are not called for given sitemaps, but for their children", async () => {
  const asked: string[] = [];
  const { events } = await given(SITE, {
    sitemaps: [`${HOME}given`],
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
  assertEquals(events.filter(({ type }) => type === "page").length, 1);
});

Deno.test("an empty list of given sitemaps has the verdict none, without a request", async () => {
  const { events, paths, finished } = await given(SITE, { sitemaps: [] });
  assertEquals([paths, finished.verdict], [[], "none"]);
  assertEquals(outline(events), ["entered /", "left /", "finished none"]);
});

Deno.test("given sitemaps are prefetched and read in order", async () => {
  const paths = Array.from({ length: 6 }, (_, at) => `/${at}`);
  const routes = Object.fromEntries(
    paths.map((path) => [path, () => new Response(`<urlset><url><loc>${HOME}${path}</loc></url>`)]),
  );
  await using server = serveRoutes(routes, { delay: 20 });
  const sitemaps = paths.map((path) => server.origin + path);
  const events = await Array.fromAsync(walk(server.url, { sitemaps, concurrency: 3 }));
  assertEquals(server.maxUnderWay, 3);
  const entered = events.filter((event) => event.type === "sitemap-entered").slice(1);
  assertEquals(
    entered.map((event) => event.type === "sitemap-entered" && event.sitemap.url),
    sitemaps,
  );
});

Deno.test("limits and policies apply to given sitemaps", async () => {
  const sitemaps = ["/declared", "/child", "/sitemap.xml"].map((path) => HOME.slice(0, -1) + path);
  const few = await given(SITE, { sitemaps, maxSitemaps: 2 });
  assertEquals([few.finished.verdict, few.finished.stats.sitemaps], ["partial", 2]);
  const elsewhere = await given({}, {
    sitemaps: ["https://other.test/a", "http://127.0.0.1/b"],
    hosts: ({ host }) => host !== "other.test",
  });
  assertEquals(outline(elsewhere.events).slice(1, 3), [
    "invalid blocked https://other.test/a",
    "invalid blocked http://127.0.0.1/b",
  ]);
  assertEquals([elsewhere.paths, elsewhere.finished.verdict], [[], "blocked"]);
});

Deno.test("user info of the homepage is sent only to given sitemaps of its origin", async () => {
  const { fetch, requests } = siteFetch({});
  await Array.fromAsync(walk("https://me:secret@site.test/", {
    fetch,
    sitemaps: ["https://you:other@site.test/a", "https://you:other@other.test/b"],
  }));
  assertEquals(requests.map(({ url, headers }) => [url, headers.get("authorization")]), [
    ["https://site.test/a", `Basic ${btoa("me:secret")}`],
    ["https://other.test/b", null],
  ]);
});

// ---------------------------------------------------------------------------------- respectRobots

Deno.test("respectRobots without useRobots reads the rules without events", async () => {
  const site = {
    ...SITE,
    "/robots.txt": `User-agent: *\nDisallow: /child\n${robots("/declared")}`,
  };
  for (const order of ORDERS) {
    const options = { sitemaps: [`${HOME}given`, `${HOME}child`], respectRobots: true, order };
    const { events, paths, finished } = await given(site, options);
    assertEquals(paths, ["/robots.txt", "/given"]);
    assertEquals(outline(events).toSorted(), [
      ...["entered /", "entered /given", "finished partial"],
      ...["invalid blocked /child", "invalid blocked /child", "left /", "left /given"],
    ]);
    assertEquals(finished.stats.sitemaps, 1);
  }
  const on = await given(site, { sitemaps: [], respectRobots: true, useRobots: true });
  assertEquals(on.paths, ["/robots.txt", "/declared"]);
  const nothing = await given(site, { sitemaps: [], respectRobots: true });
  assertEquals([nothing.paths, nothing.finished.verdict], [["/robots.txt"], "none"]);
});

Deno.test("respectRobots without useRobots applies the rules to known paths", async () => {
  const { paths, finished } = await given({
    "/robots.txt": "User-agent: *\nDisallow: /\n",
    "/sitemap.xml": urlset("/1"),
  }, { useRobots: false, respectRobots: true });
  assertEquals([paths, finished.verdict], [["/robots.txt"], "blocked"]);
});

Deno.test("respectRobots disallows everything and reports it if the rules are unreachable", async () => {
  const options = { sitemaps: [`${HOME}given`], respectRobots: true, retries: 0 };
  const lost = await given(
    { ...SITE, "/robots.txt": () => new Response(null, { status: 500 }) },
    options,
  );
  assertEquals(outline(lost.events), [
    ...["entered /", "invalid blocked /given", "warning robots-unreadable /"],
    ...["left /", "finished blocked"],
  ]);
  const { "/robots.txt": _robots, ...rest } = SITE;
  const missing = await given(rest, options);
  assertEquals([missing.paths.length, missing.finished.verdict], [3, "complete"]);
});

Deno.test("respectRobots obeys the rules up to a limit and reports that", async () => {
  const rules = `User-agent: *\nDisallow: /given\n${"# filler\n".repeat(100)}`;
  const { events, finished } = await given({ ...SITE, "/robots.txt": rules }, {
    sitemaps: [`${HOME}given`, `${HOME}declared`],
    respectRobots: true,
    maxRobotsBytes: 100,
  });
  assertEquals(outline(events).slice(1, 3), ["invalid blocked /given", "entered /declared"]);
  const warnings = events.filter((event) => event.type === "warning");
  assertEquals(warnings.map((event) => event.type === "warning" && event.message), [
    "Cannot read all of robots.txt: Content is larger than 100 bytes",
  ]);
  assertEquals(finished.stats.sitemaps, 1);
});

// --------------------------------------------------------------------------- known paths, homepage

Deno.test("extraKnownPaths are probed besides given sitemaps without useKnownPaths", async () => {
  const site = { "/sitemap.xml": urlset("/1"), "/extra.xml": urlset("/2") };
  const extraKnownPaths = ["extra.xml", "/nothing.xml"];
  const { paths, finished, events } = await given(site, {
    sitemaps: [],
    useKnownPaths: false,
    extraKnownPaths,
  });
  assertEquals(paths, ["/extra.xml", "/nothing.xml"]);
  assertEquals([finished.stats.probes, finished.verdict], [2, "complete"]);
  assertEquals(events.filter(({ type }) => type === "page").length, 1);
  const none = await given(site, { useRobots: false, useKnownPaths: false, extraKnownPaths });
  assertEquals([none.paths, none.finished.verdict], [[], "none"]);
  const all = await given(site, { useRobots: false, extraKnownPaths });
  assertEquals(all.finished.stats.probes, KNOWN_PATHS.length + 2);
});
