import { assert, assertEquals } from "@std/assert";
import { collect, sitemapTreeForHomepage, walk } from "../../mod.ts";
import type { SitemapRef, TreeEvent } from "../../src/data/events.ts";
import { assertSound } from "../faults/summary.ts";
import { serveSite } from "../support/fixture_server.ts";
import { eventsOf, finishedOf, SITES, treeData } from "./walked.ts";

/** Returns events that went through JSON. */
function replayed(events: readonly TreeEvent[]): TreeEvent[] {
  return events.map((event) => JSON.parse(JSON.stringify(event)));
}

for (const site of SITES) {
  Deno.test(`the events of "${site}" are consistent, and its tree is the same live and replayed`, async () => {
    await using server = serveSite(site);
    const options = { retryDelay: 0 };
    const live = await sitemapTreeForHomepage(server.url, options);
    const expected = treeData(live);
    const pages = [...live.allPages()];
    for (const concurrency of [1, 2, 8]) {
      const events = await Array.fromAsync(walk(server.url, { ...options, concurrency }));
      assertKeepsPromises(events);
      assertDepthFirst(events);
      for (const replay of [events, replayed(events)]) {
        const tree = await collect(replay);
        assertEquals(treeData(tree), expected, `${concurrency} at once`);
        assertEquals([...tree.allPages()], pages);
      }
    }
  });
}

Deno.test("events survive JSON, dates included", async () => {
  await using server = serveSite("demo");
  const events = await Array.fromAsync(walk(server.url));
  const again = replayed(events);
  assertEquals(replayed(again), again);
  const dates = eventsOf(again, "page").map(({ page }) => typeof page.lastModified);
  assert(dates.includes("string"), "the site has dates");
});

/** Whether a sitemap is robots.txt of the site; no site here is given another one. */
function isSiteRobots({ type, level }: SitemapRef): boolean {
  return type === "IndexRobotsTxtSitemap" && level === 0;
}

/** Checks what {@linkcode assertSound} does not: ids, positions, and counts by sitemap. */
function assertKeepsPromises(events: readonly TreeEvent[]): void {
  assertSound(events);
  assertEquals(events.findIndex(({ type }) => type === "finished"), events.length - 1);
  const open = new Map<number, { pages: number; children: number[]; warnings: number }>();
  const seen = new Set<number>();
  let sitemaps = -1, bytes = 0;
  for (const [position, event] of events.entries()) {
    if (event.type === "finished") continue;
    const { id, parent, level, index, type } = event.sitemap;
    if (event.type === "sitemap-entered" || event.type === "invalid") {
      assert(!seen.has(id), "a sitemap begins once");
      seen.add(id);
      if (parent !== null) open.get(parent)!.children.push(index);
      else assertEquals([level, index, position], [-1, 0, 0], "the web site is first");
    }
    switch (event.type) {
      case "sitemap-entered":
        if (!isSiteRobots(event.sitemap)) sitemaps++;
        open.set(id, { pages: 0, children: [], warnings: 0 });
        break;
      case "invalid":
        assertEquals(type, "InvalidSitemap");
        break;
      case "page":
        open.get(id)!.pages++;
        break;
      case "warning":
        assert(seen.has(id), "warnings come after the sitemap");
        if (open.has(id)) open.get(id)!.warnings++;
        break;
      case "sitemap-left": {
        const { pages, warnings, children } = open.get(id)!;
        open.delete(id);
        bytes += event.bytes;
        const total = Object.values(event.warnings).reduce((sum, count) => sum + count, 0);
        assertEquals([event.pages, total], [pages, warnings]);
        assertEquals(children.sort((a, b) => a - b), children.map((_, at) => at), "no gaps");
        break;
      }
    }
  }
  const { stats } = finishedOf(events);
  assertEquals(stats.sitemaps, sitemaps);
  assert(stats.bytes >= bytes);
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
