import { assertEquals } from "@std/assert";
import type { SitemapType } from "../../src/data/events.ts";
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  InvalidSitemap,
  PagesAtomSitemap,
  PagesRssSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  type Sitemap,
} from "../../src/tree/sitemaps.ts";

const page = (path: string) => ({ url: `https://example.com/${path}` });

const GONE = new InvalidSitemap({
  url: "https://example.com/gone.xml",
  code: "http-status",
  reason: "404 Not Found",
});

const TREE = new IndexWebsiteSitemap({
  url: "https://example.com/",
  subSitemaps: [
    new IndexRobotsTxtSitemap({
      url: "https://example.com/robots.txt",
      subSitemaps: [
        new PagesXmlSitemap({ url: "https://example.com/a.xml", pages: [page("a1"), page("a2")] }),
        GONE,
      ],
    }),
    new PagesTextSitemap({ url: "https://example.com/b.txt", pages: [page("b1")] }),
  ],
});

type SitemapFields = ConstructorParameters<typeof IndexXmlSitemap>[0];

const CLASSES: Readonly<
  Record<Exclude<SitemapType, "InvalidSitemap">, new (fields: SitemapFields) => Sitemap>
> = {
  IndexWebsiteSitemap,
  IndexRobotsTxtSitemap,
  IndexXmlSitemap,
  PagesXmlSitemap,
  PagesTextSitemap,
  PagesRssSitemap,
  PagesAtomSitemap,
};

for (const [name, Class] of Object.entries(CLASSES)) {
  Deno.test(`${name} has the fields and methods of a sitemap`, () => {
    const sitemap = new Class({ url: "https://example.com/x" });
    assertEquals<string>(sitemap.type, name);
    assertEquals(sitemap.url, "https://example.com/x");
    assertEquals(sitemap.pages.length, 0);
    assertEquals(sitemap.pages.at(0), undefined);
    assertEquals([...sitemap.pages], []);
    assertEquals(sitemap.subSitemaps, []);
    assertEquals([...sitemap.allPages()], []);
    assertEquals([...sitemap.allSitemaps()], []);
  });
}

Deno.test("allSitemaps() yields all sitemaps below, depth first, parents first", () => {
  assertEquals(Array.from(TREE.allSitemaps(), ({ url }) => url), [
    "https://example.com/robots.txt",
    "https://example.com/a.xml",
    "https://example.com/gone.xml",
    "https://example.com/b.txt",
  ]);
});

Deno.test("allPages() yields the pages of the node, then those below, depth first", () => {
  assertEquals(Array.from(TREE.allPages(), ({ url }) => url), [
    "https://example.com/a1",
    "https://example.com/a2",
    "https://example.com/b1",
  ]);
  const both = new IndexXmlSitemap({ url: "x", pages: [page("own")], subSitemaps: [TREE] });
  assertEquals(both.allPages().next().value, page("own"));
  assertEquals([...both.allPages()].length, 4);
});

Deno.test("allPages() and allSitemaps() can be restarted after a break", () => {
  for (const _ of TREE.allPages()) break;
  assertEquals([...TREE.allPages()].length, 3);
});

Deno.test("toJSON() returns plain data", () => {
  const unread = { complete: false, warnings: {}, pages: [], subSitemaps: [] };
  const xml = { type: "PagesXmlSitemap", url: "https://example.com/a.xml" } as const;
  const gone = { type: "InvalidSitemap", url: "https://example.com/gone.xml" } as const;
  const robots = { type: "IndexRobotsTxtSitemap", url: "https://example.com/robots.txt" } as const;
  const text = { type: "PagesTextSitemap", url: "https://example.com/b.txt" } as const;
  assertEquals(TREE.toJSON(), {
    ...unread,
    type: "IndexWebsiteSitemap",
    url: "https://example.com/",
    subSitemaps: [
      {
        ...unread,
        ...robots,
        subSitemaps: [
          { ...unread, ...xml, pages: [page("a1"), page("a2")] },
          { ...unread, ...gone, code: "http-status", reason: "404 Not Found" },
        ],
      },
      { ...unread, ...text, pages: [page("b1")] },
    ],
  });
});

Deno.test("toJSON() omits pages at every depth if asked", () => {
  const json = TREE.toJSON({ pages: false });
  assertEquals(JSON.stringify(json).includes('"pages"'), false);
  assertEquals(json.subSitemaps[0]?.subSitemaps[1]?.reason, "404 Not Found");
  assertEquals(TREE.toJSON({ pages: true }), TREE.toJSON());
});

Deno.test("JSON.stringify() includes pages of a nested tree", () => {
  const text = JSON.stringify(TREE.toJSON());
  assertEquals(JSON.stringify(TREE), text);
  assertEquals(JSON.stringify({ tree: TREE }), `{"tree":${text}}`);
  assertEquals(JSON.stringify([TREE]), `[${text}]`);
});

Deno.test("a tree of any depth can be iterated and serialized", () => {
  let tree: Sitemap = new PagesXmlSitemap({ url: "leaf", pages: [page("deep")] });
  const depth = 100_000;
  for (let i = 0; i < depth; i++) tree = new IndexXmlSitemap({ url: "x", subSitemaps: [tree] });
  assertEquals([...tree.allSitemaps()].length, depth);
  assertEquals([...tree.allPages()].length, 1);
  let json = tree.toJSON();
  for (let i = 0; i < depth; i++) json = json.subSitemaps[0]!;
  assertEquals(json.url, "leaf");
});

Deno.test("a node disposes only of its own store", async () => {
  let disposed = 0;
  const store = { [Symbol.dispose]: () => void disposed++ };
  {
    using tree = new IndexWebsiteSitemap({ url: "x", store });
    assertEquals([tree.url, disposed], ["x", 0]);
  }
  assertEquals(disposed, 1);
  {
    await using tree = new IndexWebsiteSitemap({ url: "x", store });
    assertEquals(tree.url, "x");
  }
  assertEquals(disposed, 2);
  TREE[Symbol.dispose]();
  assertEquals([...TREE.allPages()].length, 3);
});
