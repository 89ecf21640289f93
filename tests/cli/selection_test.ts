import { assertEquals } from "@std/assert";
import type { SitemapRef, TreeEvent } from "../../mod.ts";
import { PageFilter, Selection, UniquePages } from "../../src/cli/selection.ts";
import { filterLines } from "../../src/cli/summary.ts";

const ROOT: SitemapRef = {
  id: 0,
  type: "PagesXmlSitemap",
  url: "https://a.test/s.xml",
  level: 0,
  parent: null,
  index: 0,
};

function page(url: string, lastModified?: string, publishDate?: string): TreeEvent {
  const newsStory = publishDate === undefined ? {} : { newsStory: { title: "", publishDate } };
  const dated = lastModified === undefined ? {} : { lastModified };
  return { type: "page", page: { url, ...dated, ...newsStory }, sitemap: ROOT };
}

function left(pages: number): TreeEvent {
  const counts = { pages, bytes: 1, complete: true, warnings: {} };
  return { type: "sitemap-left", sitemap: ROOT, ...counts };
}

function keptOf(selection: Selection, ...events: TreeEvent[]): string[] {
  return events.map((event) => selection.select(event))
    .flatMap((event) => event?.type === "page" ? [event.page.url] : []);
}

Deno.test("PageFilter keeps pages that match an expression of --match and none of --ignore", () => {
  const filter = new PageFilter({ match: [/^a/, /b$/], ignore: [/x/] });
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

Deno.test("PageFilter falls back to the date of the news story, and drops undated pages", () => {
  const filter = new PageFilter({ since: Date.parse("2024-01-01") });
  assertEquals(keptOf(new Selection(filter), ...DATED), ["new", "story"]);
  assertEquals([filter.outdated, filter.undated], [3, 1]);
  assertEquals(filterLines(filter, 5), [
    "--since dropped 3 pages, 1 without a date (--undated keeps them)",
  ]);
  assertEquals(filter.hasUnexpectedDrops(5), true);
});

Deno.test("PageFilter keeps undated pages on request", () => {
  const filter = new PageFilter({ since: Date.parse("2024-01-01"), undated: true });
  assertEquals(keptOf(new Selection(filter), ...DATED), ["new", "story", "undated"]);
  assertEquals(filterLines(filter, 5), ["--since dropped 2 pages"]);
  assertEquals(filter.hasUnexpectedDrops(5), false);
});

Deno.test("PageFilter counts the pages of several walks together", () => {
  const filter = new PageFilter({ unique: true, maxPages: 3 });
  const [one, two] = [new Selection(filter), new Selection(filter)];
  assertEquals(keptOf(one, page("a"), page("b")), ["a", "b"]);
  assertEquals(filter.isFull, false);
  assertEquals(keptOf(two, page("a"), page("c")), ["c"]);
  assertEquals([one.kept, two.kept, filter.kept, filter.isFull], [2, 1, 3, true]);
  assertEquals(filterLines(filter, 4), ["--unique dropped 1 duplicate page"]);
});

Deno.test("PageFilter reports that it dropped all pages", () => {
  const filter = new PageFilter({ match: [/z/] });
  assertEquals(filter.hasUnexpectedDrops(0), false);
  assertEquals(keptOf(new Selection(filter), page("a")), []);
  assertEquals(filter.hasUnexpectedDrops(1), true);
  assertEquals(filterLines(filter, 1), [
    "the only page was filtered out",
    "--match and --ignore dropped 1 page",
  ]);
  assertEquals(filterLines(filter, 2)[0], "all 2 pages were filtered out");
});

Deno.test("Selection passes events on unchanged without a filter", () => {
  const event = left(7);
  assertEquals(new Selection(new PageFilter()).select(event) === event, true);
});

Deno.test("Selection replaces counts by those of the pages kept", () => {
  const selection = new Selection(new PageFilter({ match: [/a/] }));
  keptOf(selection, { type: "sitemap-entered", sitemap: ROOT }, page("a"), page("b"));
  assertEquals(selection.select(left(2)), left(1));
});

Deno.test("PageFilter leaves --max-pages to walk() if it drops nothing", () => {
  assertEquals(new PageFilter({ maxPages: 1 }).maxPages, 1);
  assertEquals(new PageFilter({ maxPages: 1, match: [/./] }).maxPages, undefined);
});

Deno.test("Selection leaves open sitemaps when it ends early, with a warning", () => {
  const selection = new Selection(new PageFilter({ match: [/./], maxPages: 1 }));
  keptOf(selection, { type: "sitemap-entered", sitemap: ROOT }, page("a"));
  const warning = { code: "max-pages", message: "Walk ended after 1 page", sitemap: ROOT };
  assertEquals([...selection.closing()], [
    { type: "warning", ...warning } as TreeEvent,
    { ...left(1), bytes: 0, complete: false } as TreeEvent,
  ]);
});

Deno.test("UniquePages accepts the first occurrence of each URL", () => {
  const pages = new UniquePages();
  const urls = ["https://a.test/", "https://a.test/ä", "https://a.test/", "https://a.test/ä", ""];
  assertEquals(urls.map((url) => pages.add(url)), [true, true, false, false, true]);
  assertEquals(pages.isFull, false);
});

Deno.test("UniquePages distinguishes a hundred thousand URLs", () => {
  const pages = new UniquePages();
  const count = () => {
    let fresh = 0;
    for (let at = 0; at < 100_000; at++) if (pages.add(`https://a.test/${at}`)) fresh++;
    return fresh;
  };
  assertEquals([count(), count()], [100_000, 0]);
});

Deno.test("UniquePages accepts all further URLs once it is full", () => {
  const pages = new UniquePages(2);
  assertEquals(["a", "b", "a"].map((url) => pages.add(url)), [true, true, false]);
  assertEquals(pages.isFull, false);
  assertEquals(["c", "c", "b"].map((url) => pages.add(url)), [true, true, false]);
  assertEquals(pages.isFull, true);
});
