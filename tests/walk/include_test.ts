import { assertEquals, assertStrictEquals } from "@std/assert";
import { walk } from "../../mod.ts";
import { FaultServer, ok, raw, silence } from "../support/fault_server.ts";
import { HOME, index, type Pages, robots, short, siteFetch, sitemapsAt, urlset } from "./site.ts";
import { outline, searched, untilError, walked, walkedFrom } from "./walked.ts";

/** Accepts URLs whose path begins with `/yes`. */
const wantsYes = (url: string) => new URL(url).pathname.startsWith("/yes");

const FEED = "<rss><channel><item><link>https://site.test/f</link></item></channel></rss>";

const SITE: Pages = {
  "/robots.txt": robots("/no", "/yes", "/index", "/text", "/feed", "/html", "/empty"),
  "/no": urlset("/1"),
  "/yes": urlset("/2"),
  "/index": index("/no-child", "/yes-child"),
  "/no-child": urlset("/3"),
  "/yes-child": urlset("/4"),
  "/text": "https://site.test/5\n",
  "/feed": FEED,
  "/html": "<html><title>x</title></html>",
  "/empty": " ",
};

Deno.test("includeCallback keeps the pages of wanted sitemaps, below any index", async () => {
  const options = { includeCallback: wantsYes };
  const result = await walked(SITE, options);
  assertEquals(result.outline.toSorted(), [
    ...["entered /", "entered /index", "entered /robots.txt", "entered /yes"],
    ...["entered /yes-child", "finished complete"],
    ...["left /", "left /index", "left /robots.txt", "left /yes", "left /yes-child"],
    ...["page /2", "page /4"],
  ]);
  assertEquals(result.paths.length, Object.keys(SITE).length, "all are requested");
  const { sitemaps, pages, invalid, warnings, bytes } = result.stats;
  assertEquals([sitemaps, pages, invalid, warnings], [3, 2, 0, 0]);
  const read = result.of("sitemap-left").map((event) => event.bytes);
  assertEquals(bytes, read.reduce((sum, bytes) => sum + bytes));
});

Deno.test("includeCallback gets the URL requested, but not for robots.txt and given sitemaps", async () => {
  const asked: string[] = [];
  const { pages } = await walked({
    "/robots.txt": robots("/a#f"),
    "/a": "-> /b",
    "/b": urlset("/1"),
    "/given": index("/c"),
    "/c": urlset("/2"),
    "/extra": urlset("/3"),
  }, {
    sitemaps: [`${HOME}given`],
    useRobots: true,
    extraKnownPaths: ["extra"],
    includeCallback: (url) => asked.push(short(url)) > 0,
  });
  assertEquals(asked, ["/a", "/c", "/extra"]);
  assertEquals(pages.length, 3);
});

Deno.test("an unwanted sitemap causes no warnings, no probe and no effect on the verdict", async () => {
  const site: Pages = {
    "/robots.txt": robots("/yes", "/no", "/sitemap.xml", "/cut"),
    "/yes": urlset("/1"),
    "/no": "<urlset><url><loc>relative</loc></url><url><priority>9</priority></url>",
    "/sitemap.xml": urlset("/2"),
    "/cut": "<urlset><url>",
    "/sitemap_index.xml": index("/no", "/yes-2"),
    "/yes-2": urlset("/3"),
    "/wp-sitemap.xml": urlset("/4"),
    "/sitemap.php": "-> /wp-sitemap.xml",
  };
  const result = await searched(site, { includeCallback: wantsYes });
  assertEquals(result.outline, [
    ...["entered /", "entered /robots.txt", "entered /yes", "page /1", "left /yes"],
    ...["left /robots.txt", "entered /sitemap_index.xml", "entered /yes-2", "page /3"],
    ...["left /yes-2", "left /sitemap_index.xml", "left /", "finished complete"],
  ]);
  assertEquals([result.stats.invalid, result.count("/sitemap.xml")], [0, 1]);
});

Deno.test("the verdict of a walk without wanted sitemaps is none, or complete if there is an index", async () => {
  const verdictOf = async (site: Pages) =>
    (await walked(site, { includeCallback: () => false })).verdict;
  assertEquals(await verdictOf({ "/robots.txt": robots("/a"), "/a": urlset("/1") }), "none");
  const nested = { "/robots.txt": robots("/i"), "/i": index("/a"), "/a": urlset("/1") };
  assertEquals(await verdictOf(nested), "complete");
});

Deno.test("an unwanted sitemap that may be an index is reported like any other", async () => {
  const { invalid, verdict } = await walked({
    "/robots.txt": robots("/gone", "/dtd", "/deep"),
    "/dtd": "<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset/>",
    "/deep": index("/child"),
  }, { includeCallback: () => false, maxDepth: 1 });
  assertEquals(invalid, ["http-status /gone", "xml-dtd /dtd", "too-deep /child"]);
  assertEquals(verdict, "partial");
  const { warnings } = await searched({ "/sitemap.xml": 403 }, { includeCallback: () => false });
  assertEquals(warnings, ["probe-failed /"]);
});

Deno.test("an unwanted body that breaks off before its kind is known is reported", async () => {
  await using server = new FaultServer({
    "/robots.txt": ok(robots("{{origin}}/a", "{{origin}}/b")),
    "/a": raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<!-- "),
    "/b": raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<urlset><url>"),
  });
  const options = { includeCallback: () => false, useKnownPaths: false, retries: 0 };
  const result = await walkedFrom(server.url, options);
  assertEquals(result.of("invalid").map(({ sitemap }) => sitemap.url), [`${server.origin}/a`]);
});

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const TEXT = "https://site.test/1\n";

Deno.test("an unwanted sitemap is cancelled once its root is known", async () => {
  for (const beginning of [XML + "<urlset>", XML + "<rss>", XML + "<feed>", TEXT]) {
    await using server = new FaultServer({
      "/robots.txt": ok(robots("{{origin}}/endless", "{{origin}}/i")),
      "/endless": silence(`HTTP/1.1 200 OK\r\n\r\n${beginning}`),
      "/i": ok("<sitemapindex/>"),
    });
    const options = { includeCallback: () => false, useKnownPaths: false };
    const { verdict } = await walkedFrom(server.url, options);
    await server.idle();
    assertEquals(verdict, "complete", beginning);
  }
});

Deno.test("the positions of wanted sitemaps ascend, with gaps for the others", async () => {
  const paths = ["/no", "/yes", "/no2", "/yes2"];
  const site = { "/robots.txt": robots(...paths), ...sitemapsAt(paths) };
  const result = await walked(site, { includeCallback: wantsYes });
  assertEquals(result.refs(1).map(({ index }) => index), [1, 3]);
});

Deno.test("walk() throws the error of includeCallback after all earlier events", async () => {
  const mine = new Error("mine");
  const { fetch } = siteFetch(SITE);
  const includeCallback = (url: string) => {
    if (url.endsWith("/index")) throw mine;
    return true;
  };
  const options = { fetch, includeCallback, useKnownPaths: false };
  const { events, error } = await untilError(walk(HOME, options));
  assertStrictEquals(error, mine);
  assertEquals(outline(events).at(-1), "left /yes");
});
