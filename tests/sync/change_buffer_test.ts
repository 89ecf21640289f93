import { assertEquals } from "@std/assert";
import type { SitemapRef } from "../../src/data/events.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { ChangeBuffer } from "../../src/sync/change_buffer.ts";
import { Random } from "../bench/random.ts";

function ref(id: number): SitemapRef {
  return {
    id,
    type: "PagesXmlSitemap",
    url: `https://example.com/${id}.xml`,
    level: 1,
    parent: 0,
    index: id,
  };
}

/** Returns a page whose URL shares little with others, so that it is not encoded in a few bytes. */
function page(random: Random, priority: number): SitemapPage {
  const path = Array.from({ length: 12 }, () => random.below(1e9).toString(36)).join("/");
  return { url: `https://example.com/${path}`, priority };
}

Deno.test("changes come back in order and with their sitemaps, also from a file", () => {
  const changes = new ChangeBuffer();
  // the second time, the memory of the first is used again
  for (const count of [10, 80_000, 500]) {
    const random = new Random(count);
    const expected: string[] = [];
    for (let at = 0; at < count; at++) {
      const sitemap = ref(Math.floor(at / 300));
      const one = page(random, 0.5), other = page(random, 0.7);
      if (at % 3 === 0) changes.changed(one, other, sitemap);
      else changes.added(one, sitemap);
      const previous = at % 3 === 0 ? ` ${other.url} ${other.priority}` : "";
      expected.push(`${sitemap.id} ${one.url}${previous}`);
    }
    const actual: string[] = [];
    for (const batch of changes.take()) {
      for (const { sitemap, page, previous } of batch) {
        const before = previous === undefined ? "" : ` ${previous.url} ${previous.priority}`;
        actual.push(`${sitemap.id} ${page.url}${before}`);
      }
    }
    assertEquals(actual.length, expected.length);
    assertEquals(actual.findIndex((line, at) => line !== expected[at]), -1);
  }
  assertEquals([...changes.take()], []);
});
