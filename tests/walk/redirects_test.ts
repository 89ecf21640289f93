import { assertEquals } from "@std/assert";
import { collect, sitemapFromJson, type TreeEvent, walk } from "../../mod.ts";
import { fromNdjson, toNdjson, toOutline } from "../../src/write/mod.ts";
import { followed } from "../http/scripted_fetch.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { HOME, index, robots, urlset } from "./site.ts";
import { searched, sitemapsOf, walked } from "./walked.ts";

/** Returns the redirects in refs as `requested -> url`, by path. */
function redirectsIn(events: readonly TreeEvent[], origin = HOME.slice(0, -1)): string[] {
  const refs = new Map(sitemapsOf(events).map((sitemap) => [sitemap.id, sitemap]));
  return [...refs.values()].map(({ url, requestedUrl }) =>
    `${requestedUrl?.replace(origin, "") ?? ""} -> ${url.replace(origin, "")}`
  );
}

Deno.test("walk() sets requestedUrl for redirected sitemaps only", async () => {
  await using server = serveRoutes({
    "/robots.txt": () => new Response(robots(`${server.url}old.xml#f`, `${server.url}b`)),
    "/old.xml": () => Response.redirect(`${server.origin}/middle.xml`),
    "/middle.xml": () => Response.redirect(`${server.origin}/new.xml`),
    "/new.xml": () => new Response(urlset("/")),
    "/b": () => new Response("<urlset/>"),
  });
  const events = await Array.fromAsync(walk(server.url, { useKnownPaths: false }));
  assertEquals(redirectsIn(events, server.origin).toSorted(), [
    " -> /",
    " -> /b",
    " -> /robots.txt",
    "/old.xml -> /new.xml",
  ]);
  const ofNew = events.flatMap((event) =>
    event.type !== "finished" && event.sitemap.url.endsWith("/new.xml")
      ? [`${event.type} ${event.sitemap.requestedUrl}`]
      : []
  );
  const types = ["sitemap-entered", "page", "sitemap-left"];
  assertEquals(ofNew, types.map((type) => `${type} ${server.origin}/old.xml`));
});

Deno.test("requestedUrl is as the URL parser serialises it, without fragment and user info", async () => {
  const site = {
    "/robots.txt": robots("https://user:pass@SITE.test/a/../old.xml#f", "/same#f", "/s%20p ace"),
    "/old.xml": "-> /new.xml",
    "/new.xml": urlset("/1"),
    "/same": urlset("/2"),
    "/s%20p%20ace": urlset("/3"),
  };
  const { events } = await walked(site);
  assertEquals(redirectsIn(events), [
    " -> /",
    " -> /robots.txt",
    "/old.xml -> /new.xml",
    " -> /same",
    " -> /s%20p%20ace",
  ]);
});

Deno.test("requestedUrl is set for robots.txt, known paths and invalid sitemaps too", async () => {
  const { events } = await searched({
    "/robots.txt": "-> /real-robots.txt",
    "/real-robots.txt": robots("/gone", "/html", "/lost"),
    "/html": "-> /page.html",
    "/page.html": "<html><title>Home</title></html>",
    "/lost": "-> /nowhere",
    "/sitemap.xml": "-> /map.xml",
    "/map.xml": urlset("/1"),
  });
  assertEquals(redirectsIn(events), [
    " -> /",
    "/robots.txt -> /real-robots.txt",
    " -> /gone",
    "/html -> /page.html",
    " -> /lost",
    "/sitemap.xml -> /map.xml",
  ]);
});

Deno.test("requestedUrl is set if an injected fetch follows redirects by itself", async () => {
  const site = { "/robots.txt": robots("/old"), "/old": followed(`${HOME}new`, urlset("/1")) };
  const { events } = await walked(site);
  assertEquals(redirectsIn(events).at(-1), "/old -> /new");
});

Deno.test("requestedUrl and lastModified are in the tree, its JSON, NDJSON and the outline", async () => {
  const { events } = await walked({
    "/robots.txt": robots("/i"),
    "/i":
      `<sitemapindex><sitemap><loc>${HOME}old</loc><lastmod>2024-05</lastmod></sitemap><sitemap>` +
      `<loc>${HOME}html</loc></sitemap></sitemapindex>`,
    "/old": "-> /new",
    "/new": urlset("/1"),
    "/html": "-> /page",
    "/page": "<html/>",
  });
  const tree = await collect(events);
  const [first, second] = tree.subSitemaps[0]!.subSitemaps[0]!.subSitemaps;
  assertEquals([first?.requestedUrl, first?.lastModified], [`${HOME}old`, "2024-05"]);
  assertEquals([second?.type, second?.requestedUrl], ["InvalidSitemap", `${HOME}html`]);
  assertEquals("lastModified" in second!, false);
  const json = tree.toJSON({ pages: false }).subSitemaps[0]!.subSitemaps[0]!.subSitemaps;
  assertEquals(json.map(({ requestedUrl, lastModified }) => [requestedUrl, lastModified]), [
    [`${HOME}old`, "2024-05"],
    [`${HOME}html`, undefined],
  ]);
  assertEquals(sitemapFromJson(JSON.stringify(tree)).toJSON(), tree.toJSON());

  const lines = ReadableStream.from(events).pipeThrough(toNdjson());
  const replayed = await Array.fromAsync(lines.pipeThrough(fromNdjson()));
  assertEquals((await collect(replayed)).toJSON(), tree.toJSON());

  const outline = ReadableStream.from(events).pipeThrough(toOutline({ stripUrl: true }));
  const text = await new Response(outline).text();
  assertEquals(text.split("\n").filter((line) => line.includes("→")), [
    "│ │ ├ /old → /new (XML)",
    "│ │ ├ /html → /page: HTML page (not-a-sitemap)",
  ]);
});

Deno.test("a redirect that cannot be followed is invalid without a requestedUrl", async () => {
  const result = await walked({
    "/robots.txt": robots("/i"),
    "/i": index("/up", "/loop", "/ftp", "/nowhere"),
    "/up": "-> /i",
    "/loop": "-> /loop",
    "/ftp": "-> ftp://site.test/s",
    "/nowhere": "-> http://",
  });
  const codes = ["recursion /up", "redirect /loop", "redirect /ftp", "redirect /nowhere"];
  assertEquals(result.invalid, codes);
  const paths = codes.map((line) => line.split(" ")[1]);
  assertEquals(redirectsIn(result.of("invalid")), paths.map((path) => ` -> ${path}`));
});
