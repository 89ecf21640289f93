import { assertEquals } from "@std/assert";
import { Families, type Family } from "../../src/formats/families.ts";
import { SITEMAP_NAMESPACES } from "../../src/formats/urlset.ts";

const SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9";

function assertSorted(
  families: Families,
  expected: readonly (readonly [prefix: string, uri: string | undefined, family: Family])[],
): void {
  // twice, since families are remembered
  for (const [prefix, uri, family] of [...expected, ...expected]) {
    assertEquals(families.of({ prefix, uri }), family, `${prefix}:${uri}`);
  }
}

Deno.test("Families go by namespace, whatever the prefix", () => {
  assertSorted(new Families({ prefix: "", uri: SITEMAP }, SITEMAP_NAMESPACES), [
    ["", SITEMAP, "own"],
    ["x", SITEMAP, "own"],
    ["", "", "own"],
    ["x", "https://sitemaps.org/schemas/sitemap/84", "own"],
    ["image", SITEMAP, "own"],
    ["x", "http://www.google.com/schemas/sitemap-image/1.1", "image"],
    ["news", "http://www.google.com/schemas/sitemap-image/1.1", "image"],
    ["n", "http://www.google.com/schemas/sitemap-news/0.9", "news"],
    ["v", "http://www.google.com/schemas/sitemap-video/1.1", "video"],
    ["x", "http://www.w3.org/1999/xhtml/", "xhtml"],
    ["x", "http://purl.org/dc/elements/1.1/", "dc"],
    ["x", "http://other.test/", "foreign"],
    ["", "http://other.test/", "foreign"],
  ]);
});

Deno.test("Families go by the usual prefix where no namespace is known", () => {
  assertSorted(new Families({ prefix: "", uri: SITEMAP }, SITEMAP_NAMESPACES), [
    ["image", undefined, "image"],
    ["IMAGE", undefined, "image"],
    ["news", "http://other.test/", "news"],
    ["video", undefined, "video"],
    ["xhtml", "urn:nothing", "xhtml"],
    ["dc", undefined, "dc"],
    ["x", undefined, "foreign"],
    ["constructor", undefined, "foreign"],
  ]);
});

Deno.test("the root's namespace is the format's own, also where it means something else", () => {
  const images = "http://www.google.com/schemas/sitemap-image/1.1";
  assertSorted(new Families({ prefix: "", uri: images }, SITEMAP_NAMESPACES), [
    ["", images, "own"],
    ["image", images, "image"],
  ]);
  assertSorted(new Families({ prefix: "sm", uri: "http://other.test/" }, SITEMAP_NAMESPACES), [
    ["sm", "http://other.test/", "own"],
    ["", "http://other.test/", "own"],
    ["sm", undefined, "foreign"],
  ]);
  assertSorted(new Families({ prefix: "x", uri: undefined }, SITEMAP_NAMESPACES), [
    ["x", undefined, "own"],
    ["y", undefined, "foreign"],
  ]);
});

Deno.test("Families sort more names than they remember", () => {
  const families = new Families({ prefix: "", uri: SITEMAP }, SITEMAP_NAMESPACES);
  for (let number = 0; number < 3000; number++) {
    assertEquals(families.of({ prefix: "image", uri: `urn:${number}` }), "image");
    assertEquals(families.of({ prefix: "x", uri: `urn:${number}` }), "foreign");
  }
  const long = `urn:${"x".repeat(5000)}/sitemap-news/`;
  assertEquals(families.of({ prefix: "x", uri: long }), "news");
});
