import { assertEquals } from "@std/assert";
import { parseSitemap, type TreeEvent, type WalkOptions } from "../../mod.ts";
import { bytes } from "../http/scripted_fetch.ts";
import { chunked } from "../support/chunked.ts";
import { at, type Pages, robots, short, urlset } from "./site.ts";
import { eventsOf, sitemapsOf, walked } from "./walked.ts";

/** Returns an index of paths with dates as written, `""` for none. */
function datedIndex(dates: Readonly<Record<string, string>>): string {
  const entries = Object.entries(dates).map(([path, date]) =>
    `<sitemap><loc>${at(path)}</loc>${date && `<lastmod>${date}</lastmod>`}</sitemap>`
  );
  return `<sitemapindex>${entries.join("")}</sitemapindex>`;
}

const SITE: Pages = {
  "/robots.txt": robots("/i"),
  "/i": datedIndex({ "/a": "2024-05-01", "/b": "", "/c": "nonsense", "/gone": "2023" }),
  "/a": urlset("/1"),
  "/b": urlset("/2"),
  "/c": urlset("/3"),
};

/** Returns the dates of all sitemaps by path. */
function datesIn(events: readonly TreeEvent[]): Record<string, string | undefined> {
  return Object.fromEntries(
    sitemapsOf(events).map(({ url, lastModified }) => [short(url), lastModified]),
  );
}

Deno.test("walk() yields the date that an index declares, in its form, on every event", async () => {
  const { events, warnings } = await walked(SITE);
  assertEquals(datesIn(events), {
    "/": undefined,
    "/robots.txt": undefined,
    "/i": undefined,
    "/a": "2024-05-01",
    "/b": undefined,
    "/c": undefined,
    "/gone": "2023",
  });
  for (const sitemap of sitemapsOf(events)) {
    assertEquals("lastModified" in sitemap, /\/(a|gone)$/.test(sitemap.url));
  }
  assertEquals(warnings, []);
});

Deno.test("parseSitemap() yields the dates of an index, in chunks of any size", async () => {
  const dates = {
    "/a": "2024-05-01T12:00:00+02:00",
    "/b": " \n2024-05 ",
    "/c": "<![CDATA[2024]]>",
    "/d": "20&#50;4-05-01",
    "/e": "",
    "/f": "Wed, 01 May 2024 10:00:00 GMT",
    "/g": "Wed, 01 May 2024 10:00:00 XYZ",
    "/h": "soon",
  };
  for (const size of [Infinity, 7, 1]) {
    const body = ReadableStream.from(chunked(bytes(datedIndex(dates)), size));
    const events = await Array.fromAsync(parseSitemap(body, { url: at("/i") }));
    assertEquals(datesIn(events), {
      "/i": undefined,
      "/a": "2024-05-01T10:00:00.000Z",
      "/b": "2024-05",
      "/c": "2024",
      "/d": "2024-05-01",
      "/e": undefined,
      "/f": "2024-05-01T10:00:00.000Z",
      "/g": "2024-05-01T10:00:00.000Z",
      "/h": undefined,
    });
    assertEquals(eventsOf(events, "warning"), []);
  }
});

Deno.test("a date applies to all addresses of its entry and to no other entry", async () => {
  const entry = (inner: string) => `<sitemap>${inner}</sitemap>`;
  const loc = (path: string) => `<loc>${at(path)}</loc>`;
  const entries = [
    entry(loc("/a") + "<lastmod>2024</lastmod>" + loc("/b")),
    entry(loc("/c")),
    entry(`<lastmod>2023</lastmod><lastmod>2022</lastmod><lastmod>x</lastmod>${loc("/d")}`),
    entry("<lastmod>2021</lastmod>"),
    entry(`\n${at("/e")}<lastmod>2020</lastmod>`),
  ];
  const xml = `<sitemapindex>${entries.join("")}</sitemapindex>`;
  const events = await Array.fromAsync(parseSitemap(xml, { url: at("/i") }));
  assertEquals(datesIn(events), {
    "/i": undefined,
    "/a": "2024",
    "/b": "2024",
    "/c": undefined,
    "/d": "2022",
    "/e": "2020",
  });
});

Deno.test("recurseCallback gets the date that the index declares", async () => {
  const asked: unknown[] = [];
  await walked(SITE, {
    recurseCallback(url, _level, _parents, listed) {
      asked.push([short(url), listed]);
      return true;
    },
  });
  assertEquals(asked, [
    ["/i", {}],
    ["/a", { lastModified: "2024-05-01" }],
    ["/b", {}],
    ["/c", {}],
    ["/gone", { lastModified: "2023" }],
  ]);
});

Deno.test("recurseListCallback gets the dates of all sitemaps that the index lists", async () => {
  const lists: unknown[] = [];
  const { events } = await walked(SITE, {
    recurseListCallback(urls, _level, _parents, listed) {
      lists.push([...listed]);
      assertEquals([...listed.keys()], urls);
      return [...urls].reverse();
    },
  });
  assertEquals(lists, [
    [[at("/i"), {}]],
    [
      [at("/a"), { lastModified: "2024-05-01" }],
      [at("/b"), {}],
      [at("/c"), {}],
      [at("/gone"), { lastModified: "2023" }],
    ],
  ]);
  const { "/a": a, "/gone": gone, "/b": b } = datesIn(events);
  assertEquals([a, gone, b], ["2024-05-01", "2023", undefined]);
});

Deno.test("callbacks may change the dates that they get", async () => {
  const spoil: WalkOptions = {
    recurseCallback(_url, _level, _parents, listed) {
      Object.assign(listed, { lastModified: "1970" });
      return true;
    },
    recurseListCallback(urls, _level, _parents, listed) {
      for (const item of listed.values()) Object.assign(item, { lastModified: "1970" });
      (listed as Map<string, unknown>).clear();
      return [...urls, at("/b2")];
    },
  };
  const { events } = await walked(SITE, spoil);
  const { "/a": a, "/b2": added } = datesIn(events);
  assertEquals([a, added], ["2024-05-01", undefined]);
});
