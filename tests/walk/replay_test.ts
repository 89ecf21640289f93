import { assert, assertEquals } from "@std/assert";
import { collect, sitemapTreeForHomepage, walk } from "../../mod.ts";
import type { SitemapRef, TreeEvent } from "../../src/data/events.ts";
import { serveSite } from "../support/fixture_server.ts";
import { ORDERS, SITES, treeData } from "./walked.ts";

/** Returns events that went through JSON. */
function replayed(events: readonly TreeEvent[]): TreeEvent[] {
  const lines = events.map((event) => JSON.stringify(event));
  return lines.map((line) => JSON.parse(line) as TreeEvent);
}

for (const site of SITES) {
  Deno.test(`the tree of "${site}" is the same live, replayed, and in either order`, async () => {
    await using server = serveSite(site);
    const options = { retryDelay: 0 };
    const live = await sitemapTreeForHomepage(server.url, options);
    const expected = treeData(live);
    const pages = [...live.allPages()];
    for (const order of ORDERS) {
      for (const concurrency of [1, 2, 8]) {
        const events = await Array.fromAsync(walk(server.url, { ...options, order, concurrency }));
        for (const replay of [events, replayed(events)]) {
          const tree = await collect(replay);
          assertEquals(treeData(tree), expected, `${order} order, ${concurrency} at once`);
          assertEquals([...tree.allPages()], pages);
        }
      }
    }
  });
}

Deno.test("events survive JSON, dates included", async () => {
  await using server = serveSite("demo");
  const events = await Array.fromAsync(walk(server.url));
  const again = replayed(events);
  assertEquals(replayed(again), again);
  assert(
    again.some((event) => event.type === "page" && typeof event.page.lastModified === "string"),
    "the site has dates",
  );
});

for (const site of SITES) {
  Deno.test(`the events of "${site}" are consistent, in either order`, async () => {
    await using server = serveSite(site);
    for (const order of ORDERS) {
      const events = await Array.fromAsync(walk(server.url, { order, retryDelay: 0 }));
      assertKeepsPromises(events);
      if (order === "document") assertDepthFirst(events);
    }
  });
}

/** Whether a sitemap is robots.txt of the site; no site here is given another one. */
function isSiteRobots({ type, level }: SitemapRef): boolean {
  return type === "IndexRobotsTxtSitemap" && level === 0;
}

/** Checks the invariants of every walk that was not stopped. */
function assertKeepsPromises(events: readonly TreeEvent[]): void {
  const open = new Map<number, { pages: number; children: number[]; warnings: number }>();
  const seen = new Set<number>();
  const counts = { sitemaps: -1, pages: 0, invalid: 0, bytes: 0 };
  events.forEach((event, position) => {
    if (event.type === "finished") {
      assertEquals(position, events.length - 1, "finished is the last event");
      const { sitemaps, pages, invalid } = event.stats;
      assertEquals({ sitemaps, pages, invalid }, {
        sitemaps: counts.sitemaps,
        pages: counts.pages,
        invalid: counts.invalid,
      });
      assert(event.stats.bytes >= counts.bytes);
      return;
    }
    const { id, parent, level, index } = event.sitemap;
    if (event.type === "sitemap-entered" || event.type === "invalid") {
      assert(!seen.has(id), "a sitemap begins once");
      seen.add(id);
      if (parent === null) {
        assertEquals([level, index, position], [-1, 0, 0], "the web site is first");
      } else {
        assert(open.has(parent), "what is above is open");
        open.get(parent)!.children.push(index);
      }
    }
    switch (event.type) {
      case "sitemap-entered":
        if (!isSiteRobots(event.sitemap)) counts.sitemaps++;
        open.set(id, { pages: 0, children: [], warnings: 0 });
        break;
      case "invalid":
        counts.invalid++;
        assertEquals(event.sitemap.type, "InvalidSitemap");
        assert(event.reason !== "");
        break;
      case "page":
        counts.pages++;
        open.get(id)!.pages++;
        break;
      case "warning":
        assert(seen.has(id), "warnings come after the sitemap");
        if (open.has(id)) open.get(id)!.warnings++;
        break;
      case "sitemap-left": {
        const node = open.get(id)!;
        open.delete(id);
        counts.bytes += event.bytes;
        assertEquals(event.pages, node.pages);
        const total = Object.values(event.warnings).reduce((sum, count) => sum + count, 0);
        assertEquals(node.warnings, total);
        assertEquals(
          node.children.sort((a, b) => a - b),
          node.children.map((_, at) => at),
          "no gaps",
        );
        break;
      }
    }
  });
  assertEquals(open.size, 0, "everything was left");
}

/** Checks that the events of each sitemap enclose those of its children, in order. */
function assertDepthFirst(events: readonly TreeEvent[]): void {
  const path: { readonly id: number; children: number }[] = [];
  for (const event of events) {
    if (event.type === "finished") continue;
    const { id, parent, index } = event.sitemap;
    if (event.type === "sitemap-entered" || event.type === "invalid") {
      const above = path.at(-1);
      assertEquals(parent, above?.id ?? null);
      assertEquals(index, above === undefined ? 0 : above.children++);
      if (event.type === "sitemap-entered") path.push({ id, children: 0 });
    } else if (event.type === "sitemap-left") assertEquals(path.pop()?.id, id);
    else if (event.sitemap.type !== "InvalidSitemap") assertEquals(path.at(-1)?.id, id);
  }
}
