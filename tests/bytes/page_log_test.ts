import { assertEquals, assertThrows } from "@std/assert";
import fc from "../support/fast_check.ts";
import { PageLog, PageRecords } from "../../src/bytes/page_log.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { hostilePage, jsonPage, mixedPages } from "../data/arbitrary_page.ts";

const STORAGES = ["memory", "disk", "spill"] as const;

const ODD_URLS: readonly string[] = [
  "",
  "{",
  "a,b,,c",
  "two\nlines\r\n",
  "\n",
  "https://example.com/ä\u{1f600}",
  "https://example.com/\ud800x\udc00",
  "\udc00",
  "\ufeffhttps://example.com/",
  "\ufffd\ud800",
  "\u0000",
  `https://example.com/${"ж".repeat(70_000)}`,
];
const DATES: readonly string[] = [
  "0001",
  "1969-12",
  "2024-05-01",
  "1969-12-31T23:59:59.999Z",
  "9999-12-31T23:59:59.999Z",
];
const PRIORITIES: readonly number[] = [0, 0.1, 0.55, 0.123456789, 1, 1.0000000000000002, -1, 1e21];
const ODD_PAGES: readonly SitemapPage[] = [
  ...ODD_URLS.map((url) => ({ url })),
  ...DATES.map((lastModified) => ({ url: "", lastModified })),
  ...PRIORITIES.map((priority) => ({ url: ",", priority })),
  { url: "", images: [], videos: [], alternates: [] },
  { url: "\n", images: [{ loc: "", caption: "\n\ud800" }], videos: [{ tags: [] }] },
  { url: "a", lastModified: "2024", priority: 0, newsStory: { title: "", genres: ["", ""] } },
];

function numbered(count: number, length = 0): SitemapPage[] {
  return Array.from(
    { length: count },
    (_, i) => ({
      url: `https://example.com/${i}/${"x".repeat(length)}`,
      priority: (i % 100) / 100,
    }),
  );
}

function add<T>(log: PageLog<T>, pages: readonly SitemapPage[], sitemap: T): void {
  const records = new PageRecords();
  for (let from = 0; from < pages.length;) {
    from = records.set(pages, from);
    log.add(records, sitemap);
  }
}

function assertPages(log: PageLog<unknown>, pages: readonly SitemapPage[]): void {
  assertEquals(log.length, pages.length);
  for (let number = pages.length - 1; number >= 0; number -= 7) {
    assertEquals(log.page(number), pages[number]);
  }
  const all = [...log.batches()].flat();
  assertEquals(all.map(({ number }) => number), [...pages.keys()]);
  assertEquals(all.map(({ page }) => page), pages);
}

for (const storage of STORAGES) {
  Deno.test(`a log (${storage}) keeps pages, appended or added, in any order`, () => {
    const pages = fc.oneof(mixedPages(), fc.array(fc.oneof(hostilePage(), jsonPage())));
    const parts = fc.array(fc.tuple(fc.boolean(), pages), { maxLength: 4 });
    fc.assert(
      fc.property(parts, (parts) => {
        using log = new PageLog<number>(storage);
        for (const [at, [isAdded, pages]] of parts.entries()) {
          if (isAdded) add(log, pages, at);
          else for (const page of pages) log.append(page, at);
        }
        assertPages(log, parts.flatMap(([, pages]) => pages));
        const sitemaps = [...log.batches()].flat().map(({ sitemap }) => sitemap);
        assertEquals(sitemaps, parts.flatMap(([, pages], at) => pages.map(() => at)));
      }),
      { numRuns: 30 },
    );
  });

  Deno.test(`a log (${storage}) keeps odd values`, () => {
    for (const page of ODD_PAGES) {
      using log = new PageLog(storage);
      assertEquals(log.append(page, undefined), 0);
      assertPages(log, [page]);
    }
    using log = new PageLog(storage);
    const pages = Array.from({ length: 20 }, () => ODD_PAGES).flat();
    for (const page of pages) log.append(page, undefined);
    assertPages(log, pages);
  });

  Deno.test(`a log (${storage}) is read between writes`, () => {
    using log = new PageLog(storage);
    const pages = numbered(3000, 100);
    for (const [number, page] of pages.entries()) {
      assertEquals(log.append(page, undefined), number);
      if (number % 117 > 1) continue;
      for (const at of [number, number >> 1, 0]) assertEquals(log.page(at), pages[at]);
    }
    assertPages(log, pages);
  });

  Deno.test(`a log (${storage}) keeps more than it has in memory`, () => {
    using log = new PageLog<string>(storage);
    const pages = numbered(5000, 2000);
    add(log, pages.slice(0, 2500), "first");
    for (const page of pages.slice(2500)) log.append(page, "second");
    for (let at = 0; at < 2000; at++) {
      const number = at * 7919 % pages.length;
      assertEquals(log.page(number).url === pages[number]!.url, true);
    }
    const some = [...log.batches((number) => number % 999 === 0)].flat();
    assertEquals(some.map(({ number, sitemap }) => [number, sitemap]), [
      [0, "first"],
      [999, "first"],
      [1998, "first"],
      [2997, "second"],
      [3996, "second"],
      [4995, "second"],
    ]);
  });

  Deno.test(`a log (${storage}) finds a record the same only if all of its bytes are`, () => {
    using log = new PageLog(storage), appended = new PageLog(storage);
    const words = Array.from({ length: 20 }, (_, length) => "x".repeat(length));
    const pages: SitemapPage[] = words.flatMap((word) => [
      ...["a", "b", "é"].map((end) => ({ url: word + end })),
      { url: `é${word}` },
      { url: `${word}a`, priority: 0.1 },
      { url: `${word}a`, images: [{ loc: word }] },
    ]);
    add(log, pages, undefined);
    for (const page of pages) appended.append(page, undefined);
    const records = new PageRecords();
    records.set(pages, 0);
    assertEquals(appended.isAt(pages.length - 1, records, pages.length - 1), true);
    for (const number of pages.keys()) {
      const same = [...pages.keys()].filter((index) => log.isAt(number, records, index));
      assertEquals(
        [...pages.keys()].filter((index) => appended.isAt(number, records, index)),
        same,
      );
      assertEquals(
        same,
        pages.flatMap(({ url }, index) => {
          const isEqual = JSON.stringify(pages[index]) === JSON.stringify(pages[number]);
          return isEqual && url === pages[number]!.url ? [index] : [];
        }),
      );
    }
  });

  Deno.test(`a log (${storage}) throws once disposed of`, () => {
    const pages = numbered(40);
    const log = new PageLog(storage);
    for (const page of pages) log.append(page, undefined);
    assertEquals(log.page(0), pages[0]);
    log[Symbol.dispose]();
    log[Symbol.dispose]();
    assertThrows(() => log.page(0), TypeError, "disposed");
    assertThrows(() => add(log, pages, undefined), TypeError, "disposed");
  });
}

Deno.test("PageRecords has the same offsets as the texts of the pages", () => {
  const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  fc.assert(fc.property(mixedPages(), (pages) => {
    const records = new PageRecords();
    for (let from = 0, to = 0; from < pages.length; from = to) {
      to = records.set(pages, from);
      assertEquals(records.count, to - from);
      for (let index = 0; index < records.count; index++) {
        const { url } = pages[from + index]!;
        const start = records.startOf(index), end = records.endOf(index);
        const urlAt = records.urlOf(index);
        const text = decoder.decode(records.bytes.subarray(start, end));
        assertEquals(encoder.encode(text).length, end - start);
        if (urlAt === end && url !== "") assertEquals(JSON.parse(text).url, url);
        else assertEquals(decoder.decode(records.bytes.subarray(urlAt, end)), url);
      }
    }
  }));
});
