import { assertEquals, assertLess } from "@std/assert";
import fc from "fast-check";
import { isPriorityGiven, NewsStory, SitemapPage, SitemapVideo } from "../../src/data/page.ts";
import { flagsIn, LAST_MODIFIED, precisionAt } from "../../src/data/page_schema.ts";
import { PageDecoder, PageEncoder } from "../../src/tree/page_codec.ts";
import { anyPage } from "./arbitrary_page.ts";

function encoded(pages: readonly SitemapPage[]): Uint8Array {
  const encoder = new PageEncoder();
  for (const page of pages) encoder.encode(page);
  return encoder.bytes;
}

function decoded(run: Uint8Array, count: number): SitemapPage[] {
  const decoder = new PageDecoder();
  decoder.start(run);
  return Array.from({ length: count }, () => decoder.next());
}

/** Compares every own field, by `Object.is` where they are numbers or strings. */
function assertSame(actual: unknown, expected: unknown): void {
  if (typeof expected !== "object" || expected === null) {
    if (!Object.is(actual, expected)) assertEquals([actual], [expected]);
    return;
  }
  assertEquals(Object.getPrototypeOf(actual), Object.getPrototypeOf(expected));
  assertEquals(Object.keys(actual as object).sort(), Object.keys(expected).sort());
  for (const [key, value] of Object.entries(expected)) {
    assertSame((actual as Record<string, unknown>)[key], value);
  }
}

function assertSurvive(pages: readonly SitemapPage[]): void {
  const copies = decoded(encoded(pages), pages.length);
  assertSame(copies, pages);
  assertEquals(copies.map(allFlags), pages.map(allFlags));
}

/** All that a page, its story and its videos keep in private flags. */
function allFlags(page: SitemapPage): unknown {
  const { lastModifiedTime, newsStory, videos } = page;
  return [
    isPriorityGiven(page),
    // of no meaning without a date
    lastModifiedTime === undefined ? undefined : precisionAt(page, LAST_MODIFIED),
    newsStory && flagsIn(newsStory),
    videos?.map(flagsIn),
  ];
}

Deno.test("PageDecoder returns arbitrary pages exactly", () => {
  fc.assert(fc.property(fc.array(anyPage, { maxLength: 8 }), assertSurvive), { numRuns: 400 });
});

Deno.test("skip() and next() advance equally", () => {
  fc.assert(
    fc.property(fc.array(anyPage, { minLength: 1, maxLength: 8 }), (pages) => {
      const decoder = new PageDecoder();
      decoder.start(encoded(pages));
      for (let i = 1; i < pages.length; i++) decoder.skip();
      assertSame(decoder.next(), pages.at(-1));
    }),
    { numRuns: 200 },
  );
});

Deno.test("PageDecoder returns mixed URLs exactly", () => {
  const urls = [
    "",
    "https://example.com/",
    "https://example.com/",
    "https://example.com/a/very/long/path",
    "https://example.com/a/very/short",
    "https://example.com/ä",
    "https://example.com/äö",
    "https://example.com/\u{1f600}\u{1f601}",
    "https://example.com/\ud800",
    "https://example.com/\ud800x\udc00",
    "https://example.com/\udc00\ud800",
    "\ufeffhttps://example.com/",
    "\ufffd",
    "\ufffd\ud800",
    "\u00c3\u00a4",
    "\u00e4",
    `https://example.com/${"x".repeat(70_000)}`,
    `https://example.com/${"ж".repeat(70_000)}`,
    "",
  ];
  assertSurvive(urls.map((url) => ({ url })));
});

Deno.test("PageDecoder returns mixed dates exactly", () => {
  const times = [
    0,
    86_400_000,
    1_000,
    1,
    -1,
    -86_400_000,
    8.64e15,
    -8.64e15,
    2 ** 51,
    -(2 ** 51),
    2 ** 51 + 1,
    0.5,
    -0,
    Infinity,
    -Infinity,
    1_700_000_000_000,
    1_700_000_000_001,
    "1969",
    1_700_000_000_001,
    "1969-12",
    "1969-12-31",
    -1,
    "2024-05",
    "2024-05-01",
    "2024-05-01T00:00Z",
    "+200000-05-01",
    "-200000",
  ];
  assertSurvive(times.map((lastModified) => ({ url: "", lastModified })));
});

Deno.test("PageDecoder returns priorities exactly", () => {
  const priorities = [
    0,
    -0,
    0.1,
    0.3,
    0.5,
    0.55,
    0.123456789,
    1,
    1.0000000000000002,
    2.55,
    -1,
    1e9,
  ];
  assertSurvive([
    { url: "" },
    ...priorities.map((priority) => ({ url: "", priority })),
    { url: "" },
  ]);
});

Deno.test("PageDecoder keeps empty lists and strings of extensions", () => {
  assertSurvive([
    { url: "", images: [], videos: [], alternates: [] },
    { url: "", images: [{ loc: "", caption: "" }], videos: [{ tags: [] }] },
    { url: "", newsStory: { title: "" } },
    { url: "", newsStory: { title: "", genres: ["", ""], access: "" } },
  ]);
});

Deno.test("PageDecoder returns instances of NewsStory and SitemapVideo", () => {
  const page = {
    url: "https://example.com/",
    newsStory: { title: "Two mills", publishDate: "2008-12-23" },
    videos: [{ title: "Bread", expirationDate: "2030-01-01", publicationDate: "2020-01-01" }],
  };
  const [copy] = decoded(encoded([page]), 1);
  assertEquals(copy?.newsStory instanceof NewsStory, true);
  assertEquals(copy?.newsStory?.publishDate, new Date("2008-12-23"));
  assertEquals(copy?.videos?.[0] instanceof SitemapVideo, true);
  assertEquals(copy?.videos?.[0]?.expirationDate, new Date("2030-01-01"));
  assertEquals(JSON.stringify(copy), JSON.stringify(page));
});

Deno.test("PageEncoder drops unknown change frequencies", () => {
  const page = { url: "a", changeFrequency: "often" as "daily" };
  assertEquals(decoded(encoded([page]), 1), [{ url: "a" }]);
});

Deno.test("a run is decoded without the one before restart()", () => {
  const pages = ["https://example.com/a", "https://example.com/b"].map((url, day) => ({
    url,
    lastModified: day * 86_400_000,
  }));
  const encoder = new PageEncoder();
  encoder.encode(pages[0]!);
  encoder.restart();
  encoder.encode(pages[1]!);
  assertEquals(encoder.length, encoder.bytes.length);
  assertSame(decoded(encoder.bytes, 1), pages.slice(1));
});

Deno.test("a decoder can decode several runs", () => {
  const first = [{ url: "https://example.com/a", lastModified: 1000 }];
  const second = [{ url: "https://example.com/b", lastModified: 2000 }];
  const decoder = new PageDecoder();
  for (const pages of [first, second, first]) {
    decoder.start(encoded(pages));
    assertSame(decoder.next(), pages[0]);
  }
});

Deno.test("a URL is stored as the difference from the one before", () => {
  const pages = Array.from({ length: 30 }, (_, i) => ({
    url: `https://www.example.com/a/long/way/down/to/page-${1000 + i}`,
    lastModified: Date.UTC(2024, 0, 1 + i),
    changeFrequency: "daily",
    priority: 0.8,
  }));
  const whole = encoded(pages.slice(0, 1)).length;
  // flags, two lengths, at most two digits, a day, a priority
  assertLess(encoded(pages).length, whole + 29 * 8);
});
