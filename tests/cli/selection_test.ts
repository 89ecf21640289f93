import { assertEquals } from "@std/assert";
import type { SitemapPage } from "../../mod.ts";
import { PageFilter } from "../../src/cli/run/selection.ts";
import { filterLines } from "../../src/cli/run/summary.ts";

function page(url: string, lastModified?: string, publishDate?: string): SitemapPage {
  const newsStory = publishDate === undefined ? {} : { newsStory: { title: "", publishDate } };
  const dated = lastModified === undefined ? {} : { lastModified };
  return { url, ...dated, ...newsStory };
}

function keptOf(filter: PageFilter, ...pages: SitemapPage[]): string[] {
  return pages.filter((page) => filter.takes(page)).map(({ url }) => url);
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
  assertEquals([filter.taken, filter.full.aborted], [2, false]);
  assertEquals(keptOf(filter, page("a"), page("c")), ["c"]);
  assertEquals([filter.taken, filter.full.aborted], [3, true]);
  assertEquals(keptOf(filter, page("d"), page("a")), []);
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
