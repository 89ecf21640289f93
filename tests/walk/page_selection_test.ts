import { assertEquals } from "@std/assert";
import type { FinishedEvent, SitemapPage, SitemapRef, TreeEvent } from "../../mod.ts";
import { limitOf, selectPages } from "../../src/walk/page_selection.ts";

const ROOT: SitemapRef = {
  id: 0,
  type: "PagesXmlSitemap",
  url: "https://a.test/s.xml",
  level: 0,
  parent: null,
  index: 0,
};

/** Returns the events of a saved walk of two sitemaps with two pages each. */
function saved(): TreeEvent[] {
  const site: SitemapRef = { ...ROOT, id: 9, type: "IndexWebsiteSitemap", level: -1 };
  const sitemaps = [ROOT, { ...ROOT, id: 1, url: "https://a.test/t.xml" }];
  const left = (sitemap: SitemapRef, pages: number): TreeEvent => (
    { type: "sitemap-left", sitemap, pages, bytes: 1, complete: true, warnings: {} }
  );
  const stats = {
    ...{ sitemaps: 2, pages: 4, invalid: 0, warnings: 0, bytes: 2, requests: 2, retries: 0 },
    ...{ probes: 0, durationMs: 1 },
  };
  return [
    { type: "sitemap-entered", sitemap: site },
    ...sitemaps.flatMap((sitemap): TreeEvent[] => [
      { type: "sitemap-entered", sitemap },
      { type: "page", page: { url: `a${sitemap.id}` }, sitemap },
      { type: "page", page: { url: `b${sitemap.id}` }, sitemap },
      left(sitemap, 2),
    ]),
    left(site, 0),
    { type: "finished", verdict: "complete", stats, source: "walk", discovery: [] },
  ];
}

/** Returns a line for each event that is selected from saved ones. */
async function selected(
  options: Parameters<typeof limitOf>[0],
  events = saved(),
): Promise<string[]> {
  async function* batches() {
    for (const event of events) yield [event];
  }
  const found = (await Array.fromAsync(selectPages(batches(), limitOf(options)))).flat();
  return found.map((event) => {
    if (event.type === "page") return event.page.url;
    if (event.type === "finished") {
      const { verdict, endedBy, limited, stats } = event;
      return `${verdict} ${endedBy} ${stats.pages}${limited ? " limited" : ""}`;
    }
    if (event.type !== "sitemap-left") return `${event.type} ${event.sitemap.id}`;
    return `left ${event.sitemap.id} ${event.pages} ${event.complete}`;
  });
}

Deno.test("selectPages() keeps the pages that are included, and counts them", async () => {
  const includePage = ({ url }: SitemapPage) => url === "b0";
  assertEquals(await selected({ includePage }), [
    ...["sitemap-entered 9", "sitemap-entered 0", "b0", "left 0 1 true"],
    ...["sitemap-entered 1", "left 1 0 true", "left 9 0 true", "complete undefined 1"],
  ]);
});

Deno.test("selectPages() leaves the open sitemaps after the last page, as incomplete", async () => {
  const walk = ["sitemap-entered 9", "sitemap-entered 0", "a0"];
  const rest = ["left 0 1 false", "left 9 0 false", "partial max-pages 1 limited"];
  assertEquals(await selected({ maxPages: 1 }), [...walk, ...rest]);
  // those of a second walk are not read
  assertEquals(await selected({ maxPages: 1 }, [...saved(), ...saved()]), [...walk, ...rest]);
});

Deno.test("selectPages() counts the pages of several walks together", async () => {
  const lines = await selected({ maxPages: 5 }, [...saved(), ...saved()]);
  assertEquals(lines.filter((line) => /^(?:partial|complete)/.test(line)), [
    "complete undefined 4",
    "partial max-pages 1 limited",
  ]);
});

Deno.test("selectPages() is limited only if the whole walk lost nothing else", async () => {
  const last = async (end: Partial<FinishedEvent>) => {
    const events = saved();
    events.push({ ...events.pop() as FinishedEvent, ...end });
    return (await selected({ maxPages: 1 }, events)).at(-1);
  };
  assertEquals(await last({ verdict: "partial" }), "partial max-pages 1");
  assertEquals(await last({ verdict: "partial", limited: true }), "partial max-pages 1 limited");
});

Deno.test("selectPages() drops all but how open sitemaps end after the last page", async () => {
  const events = saved();
  const [, first, , second] = events;
  const sitemap = { ...ROOT, id: 5 };
  const dropped: TreeEvent[] = [
    { type: "warning", code: "bad-date", message: "", sitemap: ROOT },
    { type: "note", code: "bom", message: "", sitemap: ROOT },
    { type: "invalid", code: "network", reason: "", sitemap },
  ];
  assertEquals([first?.type, second?.type], ["sitemap-entered", "page"]);
  const more = [...events.slice(0, 3), ...dropped, ...events.slice(3)];
  assertEquals(await selected({ maxPages: 1 }, more), await selected({ maxPages: 1 }));
  const all = await selected({ maxPages: 9 }, more);
  assertEquals(all.length, more.length);
});
