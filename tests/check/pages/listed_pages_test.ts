import { assert, assertEquals } from "@std/assert";
import { ListedPages } from "../../../src/check/pages/listed_pages.ts";
import type { PageEvent } from "../../../src/data/events.ts";
import { ref } from "../check_support.ts";

Deno.test("ListedPages has each page once, in order, with the sitemap that lists it first", () => {
  using pages = new ListedPages();
  // more than is kept in memory
  const number = 5000;
  const sitemaps = [0, 1, 2].map((at) => ref(at, { url: `https://a.test/${at}.xml` }));
  const page = (at: number): PageEvent => ({
    type: "page",
    page: { url: `https://a.test/${"ä".repeat(1000)}/${at}` },
    sitemap: sitemaps[at % 3]!,
  });
  for (let at = 0; at < number; at++) pages.add(page(at));
  const other = ref(3, { url: "https://a.test/other.xml" });
  for (let at = 0; at < 10; at++) {
    pages.add({ ...page(at), page: { url: `${page(at).page.url}#x` }, sitemap: other });
  }
  assertEquals([pages.total, pages.first], [number, page(0).page.url]);
  let at = 0;
  for (const { url, sitemap } of pages.pages()) {
    const expected = page(at++);
    assert(url === expected.page.url && sitemap === expected.sitemap.url, url);
  }
  assertEquals(at, number);
});
