import { assertEquals } from "@std/assert";
import { AddressBudget } from "../../src/walk/addresses.ts";
import { SitemapNode } from "../../src/walk/sitemap_node.ts";
import { Tally } from "../../src/walk/verdict.ts";

const PLACE = { id: 3, level: 1, parent: 2, index: 0 };

Deno.test("SitemapNode holds warnings back until it is entered, and counts all of them", () => {
  const tally = new Tally();
  const node = new SitemapNode(PLACE, "https://a.test/", {
    tally,
    typeOf: () => "PagesXmlSitemap",
    addresses: new AddressBudget(1),
  });
  node.warning("xml-cut", "early", 7);
  assertEquals([node.take(), node.ref], [[], undefined]);
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
  assertEquals(node.children.map(({ url }) => url), ["https://a.test/c"]);
  assertEquals(node.enter("PagesXmlSitemap"), node.ref!);
  node.leave(true);
  assertEquals(tally.warnings, 2);
});
