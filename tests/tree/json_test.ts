import { assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { collect } from "../../src/tree/collect.ts";
import { sitemapFromJson } from "../../src/tree/json.ts";
import { IndexXmlSitemap, InvalidSitemap } from "../../src/tree/sitemaps.ts";
import { eventsOf, SITE } from "./events.ts";

Deno.test("sitemapFromJson() loads the output of toJSON() as text and as data", async () => {
  using tree = await collect(eventsOf(SITE), { onDisk: true });
  for (const json of [JSON.stringify(tree), JSON.parse(JSON.stringify(tree)), tree.toJSON()]) {
    const loaded = sitemapFromJson(json);
    assertEquals(loaded.constructor, tree.constructor);
    assertEquals(
      Array.from(loaded.allSitemaps(), (sitemap) => sitemap.constructor),
      Array.from(tree.allSitemaps(), (sitemap) => sitemap.constructor),
    );
    assertEquals(loaded.toJSON(), tree.toJSON());
    assertEquals([...loaded.allPages()], [...tree.allPages()]);
  }
});

Deno.test("sitemapFromJson() loads a part of a tree, and a tree without pages", async () => {
  const tree = await collect(eventsOf(SITE));
  const [robots] = tree.subSitemaps;
  assertEquals(sitemapFromJson(robots!.toJSON()).toJSON(), robots!.toJSON());
  const bare = sitemapFromJson(tree.toJSON({ pages: false }));
  assertEquals([...bare.allPages()], []);
  assertEquals(bare.toJSON({ pages: false }), tree.toJSON({ pages: false }));
});

Deno.test("sitemapFromJson() ignores unknown fields", () => {
  const json = { type: "PagesXmlSitemap", url: "a", seen: 5, pages: [{ url: "b", rank: 1 }] };
  assertEquals(sitemapFromJson(json).pages.at(0)?.url, "b");
});

Deno.test("sitemapFromJson() returns a disposable tree", () => {
  const sitemap = sitemapFromJson({ type: "PagesXmlSitemap", url: "a", pages: [{ url: "b" }] });
  sitemap[Symbol.dispose]();
  assertThrows(() => sitemap.pages.at(0), TypeError, "disposed");
});

Deno.test("sitemapFromJson() loads trees of any depth", () => {
  let json: unknown = new InvalidSitemap({ url: "x", code: "empty", reason: "none" }).toJSON();
  for (let i = 0; i < 10_000; i++) json = index(json);
  const tree = sitemapFromJson(json);
  assertInstanceOf(tree, IndexXmlSitemap);
  assertEquals([...tree.allSitemaps()].length, 10_000);
});

const PAGE = { url: "https://example.com/" };

function xml(fields: object): object {
  return { type: "PagesXmlSitemap", url: "a", ...fields };
}

function index(...subSitemaps: unknown[]): object {
  return { type: "IndexXmlSitemap", url: "a", subSitemaps };
}

/** What is wrong, and what the message says of it. */
const FAULTS: readonly (readonly [unknown, string])[] = [
  [null, "the value is null"],
  [undefined, "the value is undefined"],
  [5, "the value is 5"],
  [[], "the value is an array"],
  [{}, '"url" is undefined'],
  [{ url: "a" }, '"type" is undefined'],
  [{ type: "Foo", url: "a" }, '"type" is "Foo"'],
  [{ type: "constructor", url: "a" }, '"type" is "constructor"'],
  [xml({ url: 5 }), '"url" is 5'],
  [xml({ pages: {} }), '"pages" is an object'],
  [xml({ subSitemaps: "b" }), '"subSitemaps" is "b"'],
  [xml({ complete: 1 }), '"complete" is 1'],
  [xml({ warnings: [] }), '"warnings" is an array'],
  [xml({ warnings: { "bad-date": "1" } }), '"warnings.bad-date" is "1"'],
  [{ type: "IndexWebsiteSitemap", url: "a", verdict: "fine" }, '"verdict" is "fine"'],
  [{ type: "IndexWebsiteSitemap", url: "a", stats: null }, '"stats" is null'],
  [{ type: "InvalidSitemap", url: "a" }, '"code" is undefined'],
  [{ type: "InvalidSitemap", url: "a", code: "bad" }, '"code" is "bad"'],
  [{ type: "InvalidSitemap", url: "a", code: "empty" }, '"reason" is undefined'],
  [index(xml({}), 7), '"subSitemaps[1]" is 7'],
  [
    index(xml({}), index({ type: "Foo", url: "d" })),
    '"subSitemaps[1].subSitemaps[0].type" is "Foo"',
  ],
  [index(xml({ pages: [PAGE, { url: null }] })), '"subSitemaps[0].pages[1].url" is null'],
];

/** Fields of a page, and what the message says of them, behind its path. */
const PAGE_FAULTS: readonly (readonly [object, string])[] = [
  [{ priority: "high" }, 'priority" is "high"'],
  [{ lastModified: "yesterday" }, 'lastModified" is "yesterday"'],
  [{ lastModified: "2024-05-01T10:20Z" }, 'lastModified" is "2024-05-01T10:20Z"'],
  [{ changeFrequency: "often" }, 'changeFrequency" is "often"'],
  [{ newsStory: {} }, 'newsStory.title" is undefined'],
  [{ newsStory: { title: "", genres: [1] } }, 'newsStory.genres[0]" is 1'],
  [{ images: [{ loc: "" }, {}] }, 'images[1].loc" is undefined'],
  [{ images: [() => 1] }, 'images[0]" is a function'],
  [{ videos: [{ live: 1 }] }, 'videos[0].live" is 1'],
  [
    { videos: [{ restriction: { relationship: "maybe", values: [] } }] },
    'videos[0].restriction.relationship" is "maybe"',
  ],
  [{ alternates: [{ hreflang: "de" }] }, 'alternates[0].href" is undefined'],
  [{ changeFrequency: "x".repeat(1000) }, `changeFrequency" is "${"x".repeat(59)}…"`],
];

const ALL_FAULTS = [
  ...FAULTS,
  ...PAGE_FAULTS.map(([fields, message]) =>
    [xml({ pages: [{ ...PAGE, ...fields }] }), `"pages[0].${message}`] as const
  ),
];

for (const [json, message] of ALL_FAULTS) {
  Deno.test(`sitemapFromJson() rejects a sitemap where ${message.slice(0, 70)}`, () => {
    const error = assertThrows(() => sitemapFromJson(json), TypeError);
    assertEquals(error.message, `Cannot load sitemap: ${message}`);
  });
}

Deno.test("sitemapFromJson() shortens long paths in messages", () => {
  let json: unknown = 7;
  for (let i = 0; i < 1000; i++) json = index(json);
  const error = assertThrows(() => sitemapFromJson(json), TypeError);
  const path = "subSitemaps[0].".repeat(1000).slice(0, 200);
  assertEquals(error.message, `Cannot load sitemap: "${path}…" is 7`);
});

Deno.test("sitemapFromJson() rejects invalid JSON and keeps the cause", () => {
  const error = assertThrows(() => sitemapFromJson("{"), TypeError, "invalid JSON");
  assertInstanceOf(error.cause, SyntaxError);
});
