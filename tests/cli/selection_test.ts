import { assertEquals } from "@std/assert";
import { SitemapPage, type SitemapRef, type TreeEvent } from "../../mod.ts";
import { Selection, selectionOfWalk } from "../../src/cli/selection.ts";

const ROOT: SitemapRef = {
  id: 0,
  type: "PagesXmlSitemap",
  url: "https://a.test/s.xml",
  level: 0,
  parent: null,
  index: 0,
};
const ALL = { match: [], ignore: [], since: undefined, maxPages: undefined };

function page(url: string, lastModified?: string, publishDate?: string): TreeEvent {
  const newsStory = publishDate === undefined ? {} : { newsStory: { title: "", publishDate } };
  const dated = lastModified === undefined ? {} : { lastModified };
  return { type: "page", page: new SitemapPage({ url, ...dated, ...newsStory }), sitemap: ROOT };
}

function keptOf(selection: Selection, ...events: TreeEvent[]): string[] {
  return events.map((event) => selection.select(event))
    .flatMap((event) => event?.type === "page" ? [event.page.url] : []);
}

Deno.test("a selection keeps pages that match one and none of the expressions", () => {
  const selection = new Selection({ ...ALL, match: [/^a/, /b$/], ignore: [/x/] });
  assertEquals(keptOf(selection, page("a"), page("cb"), page("ax"), page("c")), ["a", "cb"]);
  assertEquals(selection.pages, 2);
});

Deno.test("a selection by date goes by the story where a page has no date, and drops the undated", () => {
  const selection = new Selection({ ...ALL, since: Date.parse("2024-01-01") });
  const kept = keptOf(
    selection,
    page("new", "2024-01-01"),
    page("old", "2023-12-31"),
    page("story", undefined, "2024-02-01"),
    page("old-with-story", "2023-01-01", "2024-02-01"),
    page("undated"),
  );
  assertEquals(kept, ["new", "story"]);
});

Deno.test("a selection without filters passes events as they are", () => {
  const selection = new Selection(ALL);
  const left: TreeEvent = {
    type: "sitemap-left",
    sitemap: ROOT,
    pages: 7,
    bytes: 1,
    complete: true,
    warnings: {},
  };
  assertEquals(selection.select(left) === left, true);
});

Deno.test("selectionOfWalk() leaves the ceiling to the library where every page counts", () => {
  const whole = selectionOfWalk({ ...ALL, maxPages: 1 });
  const filtered = selectionOfWalk({ ...ALL, maxPages: 1, match: [/./] });
  assertEquals([whole.maxPages, filtered.maxPages], [1, undefined]);
  for (const { selection } of [whole, filtered]) selection.select(page("a"));
  assertEquals([whole.selection.isFull, filtered.selection.isFull], [false, true]);
});
