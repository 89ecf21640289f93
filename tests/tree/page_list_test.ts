/** Pages of collected sitemaps behave as arrays do. @module */

import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { SitemapRef, TreeEvent } from "../../src/data/events.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { collect } from "../../src/tree/collect.ts";
import { sitemapFromJson } from "../../src/tree/json.ts";
import type { Sitemap } from "../../src/tree/sitemaps.ts";
import { mixedPages } from "../data/arbitrary_page.ts";

/** Where the pages of a tree are, and how they come there. */
const WAYS: Readonly<Record<string, (events: readonly TreeEvent[]) => Promise<Sitemap>>> = {
  "in memory": (events) => collect(events),
  "on disk": (events) => collect(events, { onDisk: true }),
  "loaded from JSON": async (events) => {
    using tree = await collect(events);
    return sitemapFromJson(JSON.stringify(tree));
  },
};

function refOf(id: number): SitemapRef {
  const url = `https://example.com/${id}`;
  if (id === 0) return { id, type: "IndexWebsiteSitemap", url, level: -1, parent: null, index: 0 };
  return { id, type: "PagesXmlSitemap", url, level: 0, parent: 0, index: id };
}

/** Returns the events of sitemaps whose pages alternate in runs of `run` pages. */
function eventsOf(lists: readonly (readonly SitemapPage[])[], run = Infinity): TreeEvent[] {
  const events: TreeEvent[] = [{ type: "sitemap-entered", sitemap: refOf(0) }];
  for (const at of lists.keys()) events.push({ type: "sitemap-entered", sitemap: refOf(at + 1) });
  const length = Math.max(0, ...lists.map((pages) => pages.length));
  for (let from = 0; from < length; from += Math.min(run, length)) {
    for (const [at, pages] of lists.entries()) {
      for (const page of pages.slice(from, from + run)) {
        events.push({ type: "page", page, sitemap: refOf(at + 1) });
      }
    }
  }
  return events;
}

function numbered(count: number): SitemapPage[] {
  return Array.from(
    { length: count },
    (_, i) => ({ url: `https://example.com/${i}`, priority: (i % 100) / 100 }),
  );
}

function assertLikeArray({ pages: list }: Sitemap, pages: readonly SitemapPage[]): void {
  assertEquals(list.length, pages.length);
  for (let round = 0; round < 2; round++) assertEquals([...list], pages);
  for (let i = -pages.length - 2; i < pages.length + 2; i++) assertEquals(list.at(i), pages.at(i));
}

for (const [way, load] of Object.entries(WAYS)) {
  Deno.test(`pages ${way} are like an array of any length`, async () => {
    const lists = [0, 1, 2, 31, 32, 33, 64, 65, 200].map(numbered);
    using tree = await load(eventsOf(lists));
    for (const [at, pages] of lists.entries()) assertLikeArray(tree.subSitemaps[at]!, pages);
  });

  Deno.test(`pages ${way} may be of sitemaps that alternate`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(mixedPages(), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        async (lists, run) => {
          using tree = await load(eventsOf(lists, run));
          for (const [at, pages] of lists.entries()) assertLikeArray(tree.subSitemaps[at]!, pages);
        },
      ),
      { numRuns: 20 },
    );
  });

  Deno.test(`at() of pages ${way} treats odd positions as arrays do`, async () => {
    const pages = numbered(40);
    using tree = await load(eventsOf([pages]));
    const list = tree.subSitemaps[0]!.pages;
    for (const index of [NaN, 1.9, -1.9, -0.5, Infinity, -Infinity, 39.99, 40.01]) {
      assertEquals(list.at(index), pages.at(index));
    }
  });

  Deno.test(`iterators of pages ${way} are independent of each other and of at()`, async () => {
    const pages = numbered(300);
    using tree = await load(eventsOf([pages, pages], 7));
    const lists = tree.subSitemaps.map((sitemap) => sitemap.pages);
    const iterators = lists.map((list) => list[Symbol.iterator]());
    for (const page of pages) {
      for (const iterator of iterators) assertEquals(iterator.next().value, page);
      assertEquals(lists[0]!.at(17), pages[17]);
    }
  });
}
