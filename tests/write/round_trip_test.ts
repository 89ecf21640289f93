import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/csv/parse";
import fc from "../support/fast_check.ts";
import { collect, parseSitemap, type SitemapPage, type TreeEvent, walk } from "../../mod.ts";
import * as write from "../../src/write/mod.ts";
import { serveSite } from "../support/fixture_server.ts";
import { cellOf } from "./csv_oracle.ts";
import { anyText, sitemapPage } from "../data/arbitrary_page.ts";
import { CSV_COLUMNS, FULL_PAGE, PLAIN_PAGE } from "./samples.ts";
import { written } from "./written.ts";

/** The pages of a document; anything that had to be repaired fails the test. */
async function parsed(document: string, url = "https://example.com/x"): Promise<SitemapPage[]> {
  const found: SitemapPage[] = [];
  for await (const event of parseSitemap(document, { url })) {
    if (event.type === "page") found.push(event.page);
    if (event.type === "warning") throw new Error(`${event.code}: ${event.message}`);
  }
  return found;
}

/** The same address counts once in a sitemap. */
function distinctPages(maxLength: number): fc.Arbitrary<SitemapPage[]> {
  return fc.uniqueArray(sitemapPage(), {
    minLength: 1,
    maxLength,
    selector: (page) => page.url,
  });
}

/** The parts of a page that XML can represent: the news extension requires a date. */
function inXml(page: SitemapPage): SitemapPage {
  const { newsStory, ...rest } = page;
  return newsStory?.publishDate === undefined ? rest : page;
}

Deno.test("parseSitemap() reads back what toSitemapXml() wrote", async () => {
  assertEquals(await parsed(await written(write.toSitemapXml(), [PLAIN_PAGE, FULL_PAGE])), [
    PLAIN_PAGE,
    FULL_PAGE,
  ]);
  await fc.assert(fc.asyncProperty(distinctPages(4), async (pages) => {
    const xml = await written(write.toSitemapXml(), pages);
    assertEquals(await parsed(xml), pages);
  }));
});

Deno.test("parseSitemap() reads back what toText() wrote", async () => {
  const urls = fc.uniqueArray(
    anyText().map((text) => new URL(`https://example.com/${text}`).href),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(fc.asyncProperty(urls, async (urls) => {
    const pages = urls.map((url) => ({ url }));
    assertEquals(await parsed(await written(write.toText(), pages)), pages);
  }));
});

/** The names of all fields in some data, with those that lead to them. */
function fieldNames(data: unknown, path = ""): string[] {
  if (Array.isArray(data)) return data.flatMap((item) => fieldNames(item, path));
  if (typeof data !== "object" || data === null) return [path];
  return Object.entries(data).flatMap(([name, value]) => fieldNames(value, `${path}.${name}`));
}

Deno.test("the random pages of these tests have every field that a page can have", () => {
  const random = fc.sample(sitemapPage(), { numRuns: 500 });
  assertEquals(
    [...new Set(fieldNames(random))].sort(),
    [...new Set(fieldNames(FULL_PAGE))].sort(),
  );
});

for (const site of ["demo", "nested", "broken"]) {
  Deno.test(`each writer keeps the pages of the fixture site "${site}"`, async () => {
    await using server = serveSite(site);
    const events: TreeEvent[] = await Array.fromAsync(walk(server.url, { retryDelay: 0 }));
    const listed = events.flatMap((event) => event.type === "page" ? [event.page] : []);
    assert(listed.length > 0);

    // NDJSON holds the whole walk.
    const saved = new Blob([await written(write.toNdjson(), events)]);
    const replayed = await Array.fromAsync(saved.stream().pipeThrough(write.fromNdjson()));
    assertEquals(replayed, events);
    assertEquals(await written(write.toNdjson(), replayed), await saved.text());
    assertEquals((await collect(replayed)).toJSON(), (await collect(events)).toJSON());
    const again = await Array.fromAsync(saved.stream().pipeThrough(write.pagesFromNdjson()));
    assertEquals(again, listed);

    assertEquals(JSON.parse(await written(write.toJson(), events)), listed);

    const columns = CSV_COLUMNS.filter((column) => !column.startsWith("sitemap"));
    const csv = await written(write.toCsv({ columns }), events);
    const rows: Record<string, string>[] = parse(csv, { skipFirstRow: true });
    const expected = listed.map((page) =>
      Object.fromEntries(columns.map((column) => [column, cellOf(page, column)]))
    );
    assertEquals(rows, expected);

    // The same address counts once in a sitemap.
    const first = new Map<string, SitemapPage>();
    for (const page of listed) if (!first.has(page.url)) first.set(page.url, page);
    const distinct = [...first.values()];
    const xml = await written(write.toSitemapXml(), distinct);
    assertEquals(await parsed(xml), distinct.map(inXml));
    const urls = (await parsed(await written(write.toText(), distinct))).map((page) => page.url);
    assertEquals(urls, distinct.map((page) => page.url));
  });
}
