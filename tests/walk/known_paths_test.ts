import { assertEquals } from "@std/assert";
import { KNOWN_PATHS, knownUrls } from "../../src/walk/known_paths.ts";

Deno.test("KNOWN_PATHS has the fourteen of USP, then four more, each once", () => {
  assertEquals(KNOWN_PATHS.length, 18);
  assertEquals(new Set(KNOWN_PATHS).size, 18);
  assertEquals(KNOWN_PATHS.slice(14), [
    "sitemap.txt",
    "sitemaps.xml",
    "wp-sitemap.xml",
    "sitemap.php",
  ]);
});

Deno.test("knownUrls() puts exactly one slash between homepage and path", () => {
  const urls = (homepage: string, ...paths: string[]) =>
    knownUrls(new URL(homepage), paths).map(({ href }) => href);
  assertEquals(urls("https://a.test/", "x.xml", "/y.xml", "//z.xml", "a/b?c#d"), [
    "https://a.test/x.xml",
    "https://a.test/y.xml",
    "https://a.test/z.xml",
    "https://a.test/a/b?c",
  ]);
  assertEquals(urls("https://a.test/shop/", "/x.xml"), ["https://a.test/shop/x.xml"]);
});

Deno.test("knownUrls() returns each URL once, at its first position", () => {
  const paths = ["sitemap.xml", "x", "/sitemap.xml#f", "x"];
  const urls = knownUrls(new URL("https://a.test/"), paths).map(({ href }) => href);
  assertEquals(urls, ["https://a.test/sitemap.xml", "https://a.test/x"]);
});
