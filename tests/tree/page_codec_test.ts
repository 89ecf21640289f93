import { assertEquals, assertLess } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { PageDecoder, PageEncoder } from "../../src/tree/page_codec.ts";
import { jsonPage } from "../data/arbitrary_page.ts";

function encoded(pages: readonly SitemapPage[]): Uint8Array {
  const encoder = new PageEncoder();
  for (const page of pages) assertEquals(encoder.encode(page), undefined);
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
  assertSame(decoded(encoded(pages), pages.length), pages);
}

Deno.test("PageDecoder returns arbitrary pages exactly", () => {
  fc.assert(fc.property(fc.array(jsonPage(), { maxLength: 8 }), assertSurvive), { numRuns: 400 });
});

Deno.test("skip() and next() advance equally", () => {
  fc.assert(
    fc.property(fc.array(jsonPage(), { minLength: 1, maxLength: 8 }), (pages) => {
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
  const dates = [
    "1970-01-01T00:00:00.000Z",
    "1970-01-02",
    "1970-01-01T00:00:01.000Z",
    "1970-01-01T00:00:00.001Z",
    "1969-12-31T23:59:59.999Z",
    "1969-12-31",
    "0001",
    "9999-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00.000Z",
    "9999-12",
    "0001-01-01",
    "2023-11-14T22:13:20.000Z",
    "2023-11-14T22:13:20.001Z",
    "1969",
    "2023-11-14T22:13:20.001Z",
    "1969-12",
    "1969-12-31",
    "1969-12-31T23:59:59.999Z",
    "2024-05",
    "2024-05-01",
    "2024-05-01T00:00:00.000Z",
  ];
  assertSurvive(dates.map((lastModified) => ({ url: "", lastModified })));
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

Deno.test("PageDecoder returns dates of extensions in all forms", () => {
  for (const date of ["0001", "2008-12", "2008-12-23", "2008-12-23T10:20:30.456Z"]) {
    assertSurvive([{
      url: "https://example.com/",
      newsStory: { title: "Two mills", publishDate: date },
      videos: [{ title: "Bread", expirationDate: date, publicationDate: date }],
    }]);
  }
});

Deno.test("PageEncoder returns the first invalid value and adds nothing", () => {
  const faults: readonly (readonly [page: unknown, path: string, value: unknown])[] = [
    [null, "", null],
    ["a", "", "a"],
    [{}, "url", undefined],
    [{ url: "a", changeFrequency: "often" }, "changeFrequency", "often"],
    [{ url: "a", priority: "1" }, "priority", "1"],
    [{ url: "a", lastModified: 0 }, "lastModified", 0],
    [{ url: "a", lastModified: "2024-05-01T10:20:30Z" }, "lastModified", "2024-05-01T10:20:30Z"],
    [{ url: "a", lastModified: "2023-02-29" }, "lastModified", "2023-02-29"],
  ];
  const encoder = new PageEncoder();
  for (const [page, path, value] of faults) {
    assertEquals(encoder.encode(page as SitemapPage), { path, value });
    assertEquals(encoder.length, 0);
  }
});

Deno.test("a run is decoded without the one before restart()", () => {
  const pages = ["https://example.com/a", "https://example.com/b"].map((url, day) => ({
    url,
    lastModified: `2024-05-0${day + 1}`,
  }));
  const encoder = new PageEncoder();
  encoder.encode(pages[0]!);
  encoder.restart();
  encoder.encode(pages[1]!);
  assertEquals(encoder.length, encoder.bytes.length);
  assertSame(decoded(encoder.bytes, 1), pages.slice(1));
});

Deno.test("a decoder can decode several runs", () => {
  const first = [{ url: "https://example.com/a", lastModified: "1970-01-01T00:00:01.000Z" }];
  const second = [{ url: "https://example.com/b", lastModified: "1970-01-01T00:00:02.000Z" }];
  const decoder = new PageDecoder();
  for (const pages of [first, second, first]) {
    decoder.start(encoded(pages));
    assertSame(decoder.next(), pages[0]);
  }
});

Deno.test("a URL is stored as the difference from the one before", () => {
  const pages = Array.from({ length: 30 }, (_, i): SitemapPage => ({
    url: `https://www.example.com/a/long/way/down/to/page-${1000 + i}`,
    lastModified: new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10),
    changeFrequency: "daily",
    priority: 0.8,
  }));
  const whole = encoded(pages.slice(0, 1)).length;
  // flags, two lengths, at most two digits, a day, a priority
  assertLess(encoded(pages).length, whole + 29 * 8);
});
