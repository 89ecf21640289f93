import { assertEquals } from "@std/assert";
import { SitemapPage, type SitemapRef, type TreeEvent } from "../../mod.ts";
import {
  PageFilter,
  type PageFilterOptions,
  Selection,
  UniquePages,
} from "../../src/cli/selection.ts";
import { filterLines } from "../../src/cli/summary.ts";

const ROOT: SitemapRef = {
  id: 0,
  type: "PagesXmlSitemap",
  url: "https://a.test/s.xml",
  level: 0,
  parent: null,
  index: 0,
};

function filterOf(options: Partial<PageFilterOptions> = {}): PageFilter {
  return new PageFilter({
    match: [],
    ignore: [],
    since: undefined,
    undated: false,
    unique: false,
    maxPages: undefined,
    ...options,
  });
}

function page(url: string, lastModified?: string, publishDate?: string): TreeEvent {
  const newsStory = publishDate === undefined ? {} : { newsStory: { title: "", publishDate } };
  const dated = lastModified === undefined ? {} : { lastModified };
  return { type: "page", page: new SitemapPage({ url, ...dated, ...newsStory }), sitemap: ROOT };
}

function left(pages: number): TreeEvent {
  const counts = { pages, bytes: 1, complete: true, warnings: {} };
  return { type: "sitemap-left", sitemap: ROOT, ...counts };
}

function keptOf(selection: Selection, ...events: TreeEvent[]): string[] {
  return events.map((event) => selection.select(event))
    .flatMap((event) => event?.type === "page" ? [event.page.url] : []);
}

Deno.test("a filter keeps pages that match one and none of the expressions", () => {
  const filter = filterOf({ match: [/^a/, /b$/], ignore: [/x/] });
  const selection = new Selection(filter);
  assertEquals(keptOf(selection, page("a"), page("cb"), page("ax"), page("c")), ["a", "cb"]);
  assertEquals([selection.kept, filter.kept, filter.unmatched], [2, 2, 2]);
  assertEquals(filterLines(filter, 4), ["--match and --ignore dropped 2 pages"]);
});

const DATED = [
  page("new", "2024-01-01"),
  page("old", "2023-12-31"),
  page("story", undefined, "2024-02-01"),
  page("old-with-story", "2023-01-01", "2024-02-01"),
  page("undated"),
];

Deno.test("a filter by date goes by the story where a page has no date, and drops the undated", () => {
  const filter = filterOf({ since: Date.parse("2024-01-01") });
  assertEquals(keptOf(new Selection(filter), ...DATED), ["new", "story"]);
  assertEquals([filter.outdated, filter.undated], [3, 1]);
  assertEquals(filterLines(filter, 5), [
    "--since dropped 3 pages, 1 without a date (--undated keeps them)",
  ]);
  assertEquals(filter.hasSurprised(5), true);
});

Deno.test("a filter by date keeps the undated on request", () => {
  const filter = filterOf({ since: Date.parse("2024-01-01"), undated: true });
  assertEquals(keptOf(new Selection(filter), ...DATED), ["new", "story", "undated"]);
  assertEquals(filterLines(filter, 5), ["--since dropped 2 pages"]);
  assertEquals(filter.hasSurprised(5), false);
});

Deno.test("a filter is one of all walks together", () => {
  const filter = filterOf({ unique: true, maxPages: 3 });
  const [one, two] = [new Selection(filter), new Selection(filter)];
  assertEquals(keptOf(one, page("a"), page("b")), ["a", "b"]);
  assertEquals(filter.isFull, false);
  assertEquals(keptOf(two, page("a"), page("c")), ["c"]);
  assertEquals([one.kept, two.kept, filter.kept, filter.isFull], [2, 1, 3, true]);
  assertEquals(filterLines(filter, 4), ["--unique dropped 1 repeated page"]);
});

Deno.test("a filter that dropped all pages is a surprise", () => {
  const filter = filterOf({ match: [/z/] });
  assertEquals(filter.hasSurprised(0), false);
  assertEquals(keptOf(new Selection(filter), page("a")), []);
  assertEquals(filter.hasSurprised(1), true);
  assertEquals(filterLines(filter, 1), [
    "its only page was filtered out",
    "--match and --ignore dropped 1 page",
  ]);
  assertEquals(filterLines(filter, 2)[0], "all 2 pages were filtered out");
});

Deno.test("a selection without filters passes events as they are", () => {
  const event = left(7);
  assertEquals(new Selection(filterOf()).select(event) === event, true);
});

Deno.test("a selection counts the pages that it keeps in what it passes on", () => {
  const selection = new Selection(filterOf({ match: [/a/] }));
  keptOf(selection, { type: "sitemap-entered", sitemap: ROOT }, page("a"), page("b"));
  assertEquals(selection.select(left(2)), left(1));
});

Deno.test("a filter leaves the limit to the library where every page counts", () => {
  assertEquals(filterOf({ maxPages: 1 }).maxPages, 1);
  assertEquals(filterOf({ maxPages: 1, match: [/./] }).maxPages, undefined);
});

Deno.test("a selection that ends early leaves its sitemaps, and warns of the limit", () => {
  const selection = new Selection(filterOf({ match: [/./], maxPages: 1 }));
  keptOf(selection, { type: "sitemap-entered", sitemap: ROOT }, page("a"));
  const warning = { code: "max-pages", message: "Walk ended after 1 page", sitemap: ROOT };
  assertEquals([...selection.closing()], [
    { type: "warning", ...warning } as TreeEvent,
    { ...left(1), bytes: 0, complete: false } as TreeEvent,
  ]);
});

Deno.test("UniquePages lets the first occurrence of each URL pass", () => {
  const pages = new UniquePages();
  const urls = ["https://a.test/", "https://a.test/ä", "https://a.test/", "https://a.test/ä", ""];
  assertEquals(urls.map((url) => pages.isNew(url)), [true, true, false, false, true]);
  assertEquals(pages.isFull, false);
});

Deno.test("UniquePages distinguishes a hundred thousand URLs", () => {
  const pages = new UniquePages();
  const count = () => {
    let fresh = 0;
    for (let at = 0; at < 100_000; at++) if (pages.isNew(`https://a.test/${at}`)) fresh++;
    return fresh;
  };
  assertEquals([count(), count()], [100_000, 0]);
});

Deno.test("UniquePages lets further URLs pass once it is full, and says so", () => {
  const pages = new UniquePages(2);
  assertEquals(["a", "b", "a"].map((url) => pages.isNew(url)), [true, true, false]);
  assertEquals(pages.isFull, false);
  assertEquals(["c", "c", "b"].map((url) => pages.isNew(url)), [true, true, false]);
  assertEquals(pages.isFull, true);
});
