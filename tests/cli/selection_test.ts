import { assertEquals } from "@std/assert";
import type { SitemapPage, SitemapRef, TreeEvent } from "../../mod.ts";
import { PageFilter, type PageOptions, selectPages } from "../../src/cli/selection.ts";
import { filterLines } from "../../src/cli/summary.ts";

const ROOT: SitemapRef = {
  id: 0,
  type: "PagesXmlSitemap",
  url: "https://a.test/s.xml",
  level: 0,
  parent: null,
  index: 0,
};

function page(url: string, lastModified?: string, publishDate?: string): SitemapPage {
  const newsStory = publishDate === undefined ? {} : { newsStory: { title: "", publishDate } };
  const dated = lastModified === undefined ? {} : { lastModified };
  return { url, ...dated, ...newsStory };
}

function keptOf(filter: PageFilter, ...pages: SitemapPage[]): string[] {
  const kept = pages.filter((page) => filter.includes(page));
  filter.kept += kept.length;
  return kept.map(({ url }) => url);
}

Deno.test("PageFilter keeps pages that match an expression of --match and none of --ignore", () => {
  const filter = new PageFilter({ match: [/^a/, /b$/], ignore: [/x/] });
  assertEquals(keptOf(filter, page("a"), page("cb"), page("ax"), page("c")), ["a", "cb"]);
  assertEquals([filter.dropped, filter.unmatched], [2, 2]);
  assertEquals(filterLines(filter), ["--match and --ignore dropped 2 pages"]);
});

const DATED = [
  page("new", "2024-01-01"),
  page("old", "2023-12-31"),
  page("story", undefined, "2024-02-01"),
  page("old-with-story", "2023-01-01", "2024-02-01"),
  page("undated"),
];

Deno.test("PageFilter falls back to the date of the news story, and drops undated pages", () => {
  const filter = new PageFilter({ since: Date.parse("2024-01-01") });
  assertEquals(keptOf(filter, ...DATED), ["new", "story"]);
  assertEquals([filter.outdated, filter.undated], [3, 1]);
  assertEquals(filterLines(filter), [
    "--since dropped 3 pages, 1 without a date (--undated keeps them)",
  ]);
  assertEquals(filter.hasUnexpectedDrops, true);
});

Deno.test("PageFilter keeps undated pages on request", () => {
  const filter = new PageFilter({ since: Date.parse("2024-01-01"), undated: true });
  assertEquals(keptOf(filter, ...DATED), ["new", "story", "undated"]);
  assertEquals(filterLines(filter), ["--since dropped 2 pages"]);
  assertEquals(filter.hasUnexpectedDrops, false);
});

Deno.test("PageFilter counts the pages of several walks together", () => {
  const filter = new PageFilter({ unique: true, maxPages: 3 });
  assertEquals(keptOf(filter, page("a"), page("b")), ["a", "b"]);
  assertEquals(filter.pagesLeft, 1);
  assertEquals(keptOf(filter, page("a"), page("c")), ["c"]);
  assertEquals(filter.pagesLeft, 0);
  assertEquals(filterLines(filter), ["--unique dropped 1 duplicate page"]);
});

Deno.test("PageFilter reports that it dropped all pages", () => {
  const filter = new PageFilter({ match: [/z/] });
  assertEquals(filter.hasUnexpectedDrops, false);
  assertEquals(keptOf(filter, page("a")), []);
  assertEquals(filter.hasUnexpectedDrops, true);
  assertEquals(filterLines(filter), [
    "the only page was filtered out",
    "--match and --ignore dropped 1 page",
  ]);
  assertEquals(keptOf(filter, page("b")), []);
  assertEquals(filterLines(filter)[0], "all 2 pages were filtered out");
});

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
      { type: "page", page: page(`a${sitemap.id}`), sitemap },
      { type: "page", page: page(`b${sitemap.id}`), sitemap },
      left(sitemap, 2),
    ]),
    left(site, 0),
    { type: "finished", verdict: "complete", stats, source: "walk", discovery: [] },
  ];
}

/** Returns a line for each event that is selected from saved ones. */
async function selected(options: PageOptions, events = saved()): Promise<string[]> {
  async function* batches() {
    for (const event of events) yield [event];
  }
  const found = (await Array.fromAsync(selectPages(batches(), options))).flat();
  return found.map((event) => {
    if (event.type === "page") return event.page.url;
    if (event.type === "finished") {
      return `${event.verdict} ${event.endedBy} ${event.stats.pages}`;
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
  const rest = ["left 0 1 false", "left 9 0 false", "partial max-pages 1"];
  assertEquals(await selected({ maxPages: 1 }), [...walk, ...rest]);
  // those of a second walk are not read
  assertEquals(await selected({ maxPages: 1 }, [...saved(), ...saved()]), [...walk, ...rest]);
});

Deno.test("selectPages() counts the pages of several walks together", async () => {
  const lines = await selected({ maxPages: 5 }, [...saved(), ...saved()]);
  assertEquals(lines.filter((line) => /^(?:partial|complete)/.test(line)), [
    "complete undefined 4",
    "partial max-pages 1",
  ]);
});
