import { assertEquals } from "@std/assert";
import type { SitemapRef } from "../../src/data/events.ts";
import { InvalidSitemapError } from "../../src/data/errors.ts";
import { CallerError } from "../../src/data/errors.ts";
import { failureOf, IN_TREE, IN_TREE_FAILURE } from "../../src/walk/failure.ts";
import { listingBelow, rootListing } from "../../src/walk/listing.ts";
import { SitemapNode } from "../../src/walk/sitemap_node.ts";
import { Tally } from "../../src/walk/tally.ts";
import { TreeAddresses } from "../../src/walk/addresses.ts";

Deno.test("TreeAddresses compares without fragments, and knows what robots.txt led to", () => {
  const addresses = new TreeAddresses();
  addresses.add("https://A.test/x#part");
  addresses.addKey("https://a.test/y");
  assertEquals([addresses.has("https://a.test/x"), addresses.has("https://a.test/z")], [
    true,
    false,
  ]);
  assertEquals(addresses.earlierPartWith("https://a.test/x"), undefined);
  addresses.endPart();
  addresses.add("https://a.test/z");
  assertEquals(
    ["x", "y#f", "z"].map((path) => addresses.earlierPartWith(`https://a.test/${path}`)),
    ["robots.txt", "robots.txt", undefined],
  );
});

Deno.test("listingBelow() keeps the way down, as asked for and as it ended", () => {
  const ref = (url: string, level: number) => ({ url, level }) as SitemapRef;
  const root = rootListing(ref("https://a.test/", -1), "the known paths");
  const first = listingBelow(root, ref("https://a.test/new", 0), "https://a.test/old#f");
  const second = listingBelow(first, ref("https://a.test/2", 1), "https://a.test/2");
  assertEquals(second.path, ["https://a.test/new", "https://a.test/2"]);
  assertEquals([...second.keys], ["https://a.test/new", "https://a.test/old", "https://a.test/2"]);
  assertEquals([root.path, second.part], [[], "the known paths"]);
});

Deno.test("failureOf() knows failures, and throws what is none", () => {
  assertEquals(failureOf(new InvalidSitemapError("empty", "why")), {
    code: "empty",
    reason: "why",
    status: undefined,
  });
  assertEquals(failureOf(IN_TREE), IN_TREE_FAILURE);
  const thrown = (error: unknown) => {
    try {
      return { returned: failureOf(error) };
    } catch (caught) {
      return caught;
    }
  };
  const bug = new TypeError("a bug");
  assertEquals(thrown(bug), bug);
  assertEquals(thrown(new CallerError("mine")), "mine");
});

Deno.test("SitemapNode holds warnings back until it is entered, and counts them from then on", () => {
  const tally = new Tally();
  const place = { id: 3, level: 1, parent: 2, index: 0 };
  const node = new SitemapNode(place, "https://a.test/", () => "PagesXmlSitemap", tally, Infinity);
  node.warning("xml-cut", "early", 7);
  assertEquals([node.take(), tally.warnings, node.warnings, node.ref], [[], 0, 1, undefined]);
  node.child("https://a.test/c");
  node.warning("bad-line", "late");
  const [entered, early, late] = node.take();
  assertEquals(entered?.type, "sitemap-entered");
  assertEquals(early, {
    type: "warning",
    code: "xml-cut",
    message: "early",
    line: 7,
    sitemap: node.ref!,
  });
  assertEquals(late?.type === "warning" && "line" in late, false);
  assertEquals([tally.warnings, tally.sitemaps, [...node.children]], [2, 1, ["https://a.test/c"]]);
  assertEquals(node.enter("PagesXmlSitemap"), node.ref!);
});
