import { assertEquals } from "@std/assert";
import { KNOWN_PATHS, knownUrls } from "../../src/walk/known_paths.ts";

Deno.test("KNOWN_PATHS are different, and relative to the homepage", () => {
  assertEquals(new Set(KNOWN_PATHS).size, KNOWN_PATHS.length);
  const homepage = new URL("https://a.test/shop/");
  const urls = [...knownUrls(homepage, KNOWN_PATHS)];
  assertEquals(urls, KNOWN_PATHS.map((path) => homepage.href + path));
});

Deno.test("knownUrls() puts exactly one slash between homepage and path", () => {
  const urls = (homepage: string, ...paths: string[]) => [...knownUrls(new URL(homepage), paths)];
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
  const urls = [...knownUrls(new URL("https://a.test/"), paths)];
  assertEquals(urls, ["https://a.test/sitemap.xml", "https://a.test/x"]);
});
