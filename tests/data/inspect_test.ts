import { assertEquals, assertMatch } from "@std/assert";
import { inspect } from "node:util";
import { collect, SitemapPage, type TreeEvent } from "../../mod.ts";
import {
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  InvalidSitemap,
  PagesXmlSitemap,
} from "../../src/tree/sitemaps.ts";

const FULL = {
  url: "https://a.test/",
  priority: 0.5,
  lastModified: "2024-05-01",
  changeFrequency: "daily",
  newsStory: { title: "T", publishDate: "2024", keywords: ["k"] },
  videos: [{ title: "V", expirationDate: "2024-05", publicationDate: "2024-05-01T10:20Z" }],
};

/** Returns a value as Deno and Node show it, in one line. */
function shown(value: unknown): [deno: string, node: string] {
  return [
    Deno.inspect(value, { breakLength: Infinity, compact: true, depth: 10 }),
    inspect(value, { breakLength: Infinity, compact: true, depth: 10 }).replaceAll("'", '"'),
  ];
}

function pages(count: number): SitemapPage[] {
  return Array.from({ length: count }, (_, at) => ({ url: `https://a.test/${at}` }));
}

Deno.test("console.log() shows the fields of a page that were given", () => {
  const full = 'SitemapPage { url: "https://a.test/", priority: 0.5, lastModified: 2024-05-01, ' +
    'changeFrequency: "daily", newsStory: NewsStory { title: "T", publishDate: 2024, ' +
    'keywords: [ "k" ] }, videos: [ SitemapVideo { title: "V", expirationDate: 2024-05, ' +
    "publicationDate: 2024-05-01T10:20:00.000Z } ] }";
  assertEquals(shown(FULL), [full, full]);
  const plain = 'SitemapPage { url: "u" }';
  assertEquals(shown({ url: "u" }), [plain, plain]);
});

Deno.test("console.log() shows the start of a tree and the number of its pages", () => {
  const index = new IndexXmlSitemap({
    url: "https://a.test/index.xml",
    subSitemaps: [
      new PagesXmlSitemap({ url: "https://a.test/1.xml", pages: pages(4) }),
      new InvalidSitemap({ url: "https://a.test/2.xml", code: "http-status", reason: "404" }),
      new PagesXmlSitemap({ url: "https://a.test/3.xml" }),
    ],
  });
  const page = (at: number) => `SitemapPage { url: "https://a.test/${at}" }`;
  const expected = 'IndexXmlSitemap { url: "https://a.test/index.xml", subSitemaps: [ ' +
    'PagesXmlSitemap { url: "https://a.test/1.xml", ' +
    `pages: [ ${page(0)}, ${page(1)}, ${page(2)}, ... 1 more item ] }, ` +
    'InvalidSitemap { url: "https://a.test/2.xml", code: "http-status", reason: "404" }, ' +
    'PagesXmlSitemap { url: "https://a.test/3.xml", pages: [] } ], pages: 4 }';
  assertEquals(shown(index), [expected, expected]);
});

Deno.test("console.log() respects the requested depth and colors", () => {
  const subSitemaps = [new PagesXmlSitemap({ url: "https://a.test/1.xml", pages: pages(2) })];
  const tree = new IndexWebsiteSitemap({ url: "https://a.test/", subSitemaps });
  for (const show of [Deno.inspect, inspect]) {
    assertMatch(show(tree, { depth: 0 }), /^IndexWebsiteSitemap \{[^[]*\[Array\][^[]*2\s*\}$/);
    assertMatch(show(tree, { depth: 1 }), /\[ \[PagesXmlSitemap\] \]/);
    assertMatch(show(tree, { depth: 2 }), /pages: \[Array\]/);
    assertMatch(show({ a: { b: FULL } }, { depth: 0 }), /^\{ a: \[Object\] \}$/);
    // deno-lint-ignore no-control-regex
    assertMatch(show(FULL, { colors: true }), /lastModified.*: \x1b\[35m2024-05-01\x1b\[39m/);
  }
});

Deno.test("console.log() indents pages in other data", () => {
  const url = `https://a.test/${"long/".repeat(20)}`;
  const expected = `[
  SitemapPage {
    url: "${url}",
    priority: 0.8
  }
]`;
  const value = [{ url, priority: 0.8 }];
  assertEquals(Deno.inspect(value), expected);
  assertEquals(inspect(value).replaceAll("'", '"'), expected);
});

Deno.test("console.log() keeps a large tree short", () => {
  const subSitemaps = Array.from(
    { length: 5000 },
    (_, at) => new PagesXmlSitemap({ url: `https://a.test/${at}.xml`, pages: pages(20) }),
  );
  const text = Deno.inspect(new IndexWebsiteSitemap({ url: "https://a.test/", subSitemaps }));
  assertMatch(text, /\.\.\. 4990 more items/);
  assertMatch(text, /pages: 100000\s*\}$/);
  assertEquals(text.length < 5000, true);
});

Deno.test("console.log() shows a tree with a store, also once that is disposed of", async () => {
  const sitemap = {
    id: 0,
    type: "IndexWebsiteSitemap",
    url: "https://a.test/",
    level: -1,
    parent: null,
    index: 0,
  } as const;
  const events: TreeEvent[] = [
    { type: "sitemap-entered", sitemap },
    ...pages(50).map((page) => ({ type: "page", page, sitemap } as const)),
  ];
  const tree = await collect(events);
  assertMatch(
    Deno.inspect(tree),
    /SitemapPage \{ url: "https:\/\/a.test\/2" \},?\s+\.\.\. 47 more/,
  );
  tree[Symbol.dispose]();
  assertEquals(
    Deno.inspect(tree),
    'IndexWebsiteSitemap { url: "https://a.test/", pages: 50 }',
  );
});

Deno.test("pages and trees have no field for what console.log() shows", () => {
  const tree = new PagesXmlSitemap({ url: "https://a.test/", pages: [FULL] });
  for (const value of [FULL, FULL.newsStory!, FULL.videos![0]!, tree]) {
    assertEquals(Object.getOwnPropertySymbols(value), []);
    for (const name in value) assertEquals(Object.hasOwn(value, name), true, name);
  }
});
