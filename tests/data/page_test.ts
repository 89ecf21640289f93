import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { inspect } from "node:util";
import {
  collect,
  parseSitemap,
  sitemapFromJson,
  type SitemapPage,
  type TreeEvent,
} from "../../mod.ts";
import { definePage } from "../../src/data/page.ts";
import { PAGE } from "../../src/data/page_schema.ts";
import { pageFromRow, pageRow } from "../../src/data/page_row.ts";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { fromNdjson, pagesFromNdjson, toNdjson, toSitemapXml } from "../../src/write/mod.ts";
import { declared, HOME, ScriptedSite } from "../sync/scripted_site.ts";
import { eventsOf, FULL_PAGE } from "../write/samples.ts";
import { readBack, written } from "../write/written.ts";
import { hostilePage, jsonPage, sitemapPage } from "./arbitrary_page.ts";

function pagesOf(events: readonly TreeEvent[]): SitemapPage[] {
  return events.flatMap((event) => event.type === "page" ? [event.page] : []);
}

/** Pages after a round trip, by what they went through. */
const COPIES: Readonly<
  Record<string, (pages: readonly SitemapPage[]) => unknown[] | Promise<unknown[]>>
> = {
  "a line of toNdjson()": async (pages) => {
    const lines = (await written(toNdjson(), pages)).split("\n");
    assertEquals(lines.pop(), "");
    return lines.map((line) => JSON.parse(line));
  },
  "pagesFromNdjson()": async (pages) =>
    await readBack(pagesFromNdjson(), [await written(toNdjson(), pages)]),
  "fromNdjson()": async (pages) =>
    pagesOf(await readBack(fromNdjson(), [await written(toNdjson(), eventsOf(pages))])),
  "a tree in memory": async (pages) => {
    using tree = await collect(eventsOf(pages));
    return [...tree.pages];
  },
  "a tree on disk": async (pages) => {
    using tree = await collect(eventsOf(pages), { onDisk: true });
    return Array.from(pages, (_, at) => tree.pages.at(at));
  },
  "toJSON() of a tree": async (pages) => {
    using tree = await collect(eventsOf(pages));
    return [...tree.toJSON().pages!];
  },
  "sitemapFromJson()": async (pages) => {
    using tree = await collect(eventsOf(pages));
    using loaded = sitemapFromJson(JSON.stringify(tree));
    return [...loaded.pages];
  },
  "a row of a snapshot": (pages) => pages.map((page) => pageFromRow(page.url, pageRow(page))),
};

/** Asserts that values are equal, in their prototypes too, and that no field is `undefined`. */
function assertSame(actual: unknown, expected: unknown): void {
  assertEquals(actual, expected);
  assertPlain(actual);
}

function assertPlain(value: unknown): void {
  assert(value !== undefined);
  if (typeof value !== "object" || value === null) return;
  const prototype = Array.isArray(value) ? Array.prototype : Object.prototype;
  assert(Object.getPrototypeOf(value) === prototype);
  assertEquals(Object.getOwnPropertySymbols(value), []);
  const names = Object.getOwnPropertyNames(value);
  assertEquals(names.filter((name) => name !== "length" || prototype === Object.prototype), [
    ...Object.keys(value),
  ]);
  Object.values(value).forEach(assertPlain);
}

for (const [name, copy] of Object.entries(COPIES)) {
  Deno.test(`pages have the same fields and values after ${name}`, async () => {
    assertSame(await copy([FULL_PAGE]), [FULL_PAGE]);
    const pages = fc.array(fc.oneof(jsonPage(), hostilePage()), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(pages, async (pages) => assertSame(await copy(pages), pages)),
      { numRuns: 60 },
    );
  });
}

Deno.test("pages have the same fields and values read from XML, and in a snapshot of it", async () => {
  const pages = fc.uniqueArray(sitemapPage(), {
    minLength: 1,
    maxLength: 3,
    selector: (page) => page.url,
  });
  const property = fc.asyncProperty(pages, async (pages) => {
    const xml = await written(toSitemapXml(), pages);
    assertSame(pagesOf(await Array.fromAsync(parseSitemap(xml))), pages);

    await using snapshot = await openSnapshot(":memory:");
    const { fetch } = new ScriptedSite(declared({ "/s.xml": xml }));
    const events = await Array.fromAsync(
      sync(HOME, { snapshot, fetch, hosts: "any", useKnownPaths: false }),
    );
    const added = events.flatMap((event) => event.type === "added" ? [event.page] : []);
    assertSame(added, pages);
    assertSame(pagesOf(await Array.fromAsync(snapshot.events(HOME))), pages);
    assertSame((await Array.fromAsync(snapshot.changes())).map(({ page }) => page), pages);
  });
  await fc.assert(property, { numRuns: 30 });
});

/** Returns an object as `console.log()` shows it, in Deno and in Node. */
function shown(value: unknown): string[] {
  const options = { depth: Infinity, breakLength: Infinity, compact: true } as const;
  const lengths = { maxArrayLength: Infinity, maxStringLength: Infinity };
  return [
    Deno.inspect(value, { ...options, iterableLimit: Infinity, strAbbreviateSize: Infinity }),
    inspect(value, { ...options, ...lengths }),
  ];
}

Deno.test("console.log() shows the fields of a page", async () => {
  const page = { url: "https://a.test/", lastModified: "2024-05", images: [{ loc: "b" }] };
  const [deno, node] = shown(page);
  assertEquals(
    deno,
    '{ url: "https://a.test/", lastModified: "2024-05", images: [ { loc: "b" } ] }',
  );
  assertEquals(node?.replaceAll("'", '"'), deno);
  const property = fc.asyncProperty(sitemapPage(), async (page) => {
    // text with all kinds of quotes is shown between backticks, where this is not a literal
    fc.pre(!JSON.stringify(page).includes("${"));
    const xml = await written(toSitemapXml(), [page]);
    using tree = await collect(eventsOf([page]));
    const [parsed] = pagesOf(await Array.fromAsync(parseSitemap(xml)));
    for (const copy of [parsed, tree.pages.at(0)]) {
      // a literal with the same fields in the same order
      for (const text of shown(copy)) {
        assert(shown(JSON.parse(JSON.stringify(copy))).includes(text));
      }
      for (const text of shown(copy)) {
        // what is shown is an expression, whose value is the page
        assertEquals(new Function(`return (${text})`)(), page);
      }
    }
  });
  await fc.assert(property, { numRuns: 40 });
});

const PLAIN = { url: "https://a.test/" };
const TITLED = { ...PLAIN, newsStory: { title: "T" } };

const DOCUMENTS: Readonly<Record<string, readonly [document: string, page: SitemapPage]>> = {
  urlset: [
    "<urlset><url><loc>https://a.test/</loc><lastmod>soon</lastmod><priority>5</priority>" +
    "<changefreq>often</changefreq></url></urlset>",
    PLAIN,
  ],
  "news without lists": [
    '<urlset xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>https://a.test/' +
    "</loc><n:news><n:title>T</n:title><n:publication_date>2024</n:publication_date>" +
    "<n:keywords> , </n:keywords></n:news></url></urlset>",
    { ...PLAIN, newsStory: { title: "T", publishDate: "2024" } },
  ],
  rss: [
    "<rss><channel><item><link>https://a.test/</link><title>T</title></item></channel></rss>",
    TITLED,
  ],
  atom: ['<feed><entry><link href="https://a.test/"/><title>T</title></entry></feed>', TITLED],
  text: ["https://a.test/\n", PLAIN],
};

for (const [name, [document, page]] of Object.entries(DOCUMENTS)) {
  Deno.test(`a page has no fields for absent and unreadable values: ${name}`, async () => {
    assertSame(pagesOf(await Array.fromAsync(parseSitemap(document))), [page]);
  });
}

Deno.test("a page that was read has its fields in one order", async () => {
  const xml = await written(toSitemapXml(), [FULL_PAGE]);
  using tree = await collect(eventsOf([FULL_PAGE]));
  const [parsed] = pagesOf(await Array.fromAsync(parseSitemap(xml)));
  const order = [
    ...["url", "lastModified", "changeFrequency", "priority"],
    ...["newsStory", "images", "videos", "alternates"],
  ];
  assertEquals(PAGE.fields.map(({ name }) => name), order);
  for (
    const page of [parsed, tree.pages.at(0), pageFromRow(FULL_PAGE.url, pageRow(FULL_PAGE))]
  ) {
    assertEquals(Object.keys(page!), order);
  }
});

Deno.test("definePage() leaves out undefined values", () => {
  const page = definePage("https://a.test/", {
    lastModified: undefined,
    changeFrequency: undefined,
    priority: 0,
    images: undefined,
    videos: [],
  });
  assertSame(page, { url: "https://a.test/", priority: 0, videos: [] });
});
