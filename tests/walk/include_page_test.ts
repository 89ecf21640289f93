import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  pages,
  parseSitemap,
  sitemapFromString,
  type SitemapPage,
  sitemapTreeForHomepage,
} from "../../mod.ts";
import { at, HOME, index, type Pages, robots, siteFetch, urlset } from "./site.ts";
import { Walked, walked } from "./walked.ts";

const SITE: Pages = {
  "/robots.txt": robots("/i"),
  "/i": index("/a", "/b"),
  "/a": urlset("/1", "/2", "/3", "/2"),
  "/b": urlset("/4", "/5", "/6"),
};

const isEven = ({ url }: SitemapPage) => Number(url.slice(-1)) % 2 === 0;

Deno.test("includePage leaves pages out of all events and counts", async () => {
  const result = await walked(SITE, { includePage: isEven });
  assertEquals(result.pages.sort(), ["/2", "/4", "/6"]);
  assertEquals([result.verdict, result.stats.pages], ["complete", 3]);
  const counts = result.of("sitemap-left").map(({ pages }) => pages);
  assertEquals(counts.sort(), [0, 0, 0, 1, 2]);
});

Deno.test("includePage sees each page once, as it would be yielded", async () => {
  const seen: SitemapPage[] = [];
  const result = await walked(SITE, { includePage: (page) => seen.push(page) > 0 });
  assertEquals(seen.length, 6);
  for (const [at, { page }] of result.of("page").entries()) assertStrictEquals(seen[at], page);
});

Deno.test("maxPages counts the pages that includePage accepts", async () => {
  const { outline, finished } = await walked(SITE, { includePage: isEven, maxPages: 2 });
  assertEquals(outline, [
    ...["entered /", "entered /robots.txt", "entered /i", "entered /a"],
    ...["page /2", "warning duplicate-address /a", "left /a", "entered /b", "page /4"],
    ...["left /b cut", "left /i cut", "left /robots.txt cut"],
    ...["warning max-pages /", "left / cut", "finished partial"],
  ]);
  assertEquals([finished.endedBy, finished.stats.pages], ["max-pages", 2]);
  const all = await walked(SITE, { includePage: isEven, maxPages: 4 });
  assertEquals([all.finished.verdict, all.finished.endedBy], ["complete", undefined]);
});

Deno.test("a sitemap without an included page is read to its end", async () => {
  const { complete, verdict, stats } = await walked(SITE, { includePage: () => false });
  const paths = ["/a", "/b", "/i", "/robots.txt", "/"];
  assertEquals(Object.entries(complete), paths.map((path) => [path, true]));
  assertEquals([verdict, stats.pages], ["complete", 0]);
});

Deno.test("an error of includePage ends a walk and a parse, and is thrown", async () => {
  const error = new Error("mine");
  const includePage = () => {
    throw error;
  };
  const thrown = await assertRejects(() => walked(SITE, { includePage }));
  assertStrictEquals(thrown, error);
  const parsed = Array.fromAsync(parseSitemap(urlset("/1"), { includePage }));
  assertStrictEquals(await assertRejects(() => parsed), error);
});

Deno.test("pages() and sitemapTreeForHomepage() have only the pages that are included", async () => {
  const options = () => ({ fetch: siteFetch(SITE).fetch, useKnownPaths: false });
  const found = await Array.fromAsync(pages(HOME, { ...options(), includePage: isEven }));
  const tree = await sitemapTreeForHomepage(HOME, { ...options(), includePage: isEven });
  const expected = ["/2", "/4", "/6"].map(at);
  assertEquals(found.map(({ url }) => url), expected);
  assertEquals([...tree.allPages()].map(({ url }) => url), expected);
});

Deno.test("parseSitemap() and sitemapFromString() have includePage and maxPages", async () => {
  const options = { includePage: isEven, maxPages: 1 };
  const xml = urlset("/1", "/2", "/3", "/4");
  const { outline, finished } = new Walked(await Array.fromAsync(parseSitemap(xml, options)));
  assertEquals(outline, ["entered ", "page /2", "left  cut", "finished partial"]);
  assertEquals(finished.endedBy, "max-pages");
  const sitemap = await sitemapFromString(xml, options);
  assertEquals(sitemap.pages.length, 1);
});
