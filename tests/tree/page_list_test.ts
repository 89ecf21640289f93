import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { SpillBuffer } from "../../src/bytes/spill_buffer.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { diskStore } from "../../src/tree/disk_store.ts";
import { type PageList, PageWriter } from "../../src/tree/page_list.ts";
import { memoryStore, type PageStore } from "../../src/tree/page_store.ts";
import { mixedPages } from "../data/arbitrary_page.ts";

const STORES: Readonly<Record<string, () => PageStore>> = {
  memory: memoryStore,
  disk: () => diskStore(),
  spilling: () => new SpillBuffer(100_000),
};

const ODD_URLS: readonly string[] = [
  "",
  "{",
  "a,b,,c",
  "two\nlines\r\n",
  "\n",
  "https://example.com/ä\u{1f600}",
  "https://example.com/\ud800x\udc00",
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
const EXTENDED: readonly SitemapPage[] = [
  { url: "", images: [], videos: [], alternates: [] },
  { url: "\n", images: [{ loc: "", caption: "\n\ud800" }], videos: [{ tags: [] }] },
  { url: "a", lastModified: "2024", priority: 0, newsStory: { title: "", genres: ["", ""] } },
];

function numbered(count: number): SitemapPage[] {
  return Array.from(
    { length: count },
    (_, i) => ({ url: `https://example.com/${i}`, priority: (i % 100) / 100 }),
  );
}

function stored(store: PageStore, pages: readonly SitemapPage[]): PageList {
  const writer = new PageWriter(store);
  const list = writer.open();
  for (const page of pages) writer.append(list, page);
  writer.flush();
  return list;
}

function assertLikeArray(list: PageList, pages: readonly SitemapPage[]): void {
  assertEquals(list.length, pages.length);
  assertEquals([...list], pages);
  for (let i = -pages.length - 2; i < pages.length + 2; i++) assertEquals(list.at(i), pages.at(i));
}

for (const [name, open] of Object.entries(STORES)) {
  Deno.test(`a page list in the ${name} store equals an array of any length`, () => {
    for (const count of [0, 1, 2, 31, 32, 33, 64, 65, 200]) {
      using store = open();
      const pages = numbered(count);
      assertLikeArray(stored(store, pages), pages);
    }
  });

  Deno.test(`a page list in the ${name} store keeps arbitrary pages`, () => {
    fc.assert(
      fc.property(mixedPages(), (pages) => {
        using store = open();
        assertLikeArray(stored(store, pages), pages);
      }),
      { numRuns: 40 },
    );
  });

  Deno.test(`a page list in the ${name} store keeps odd values`, () => {
    using store = open();
    const pages = [
      ...ODD_URLS.map((url) => ({ url })),
      ...DATES.map((lastModified) => ({ url: "", lastModified })),
      ...PRIORITIES.map((priority) => ({ url: ",", priority })),
      ...EXTENDED,
    ];
    assertLikeArray(stored(store, pages), pages);
  });

  Deno.test(`at() of the ${name} store treats odd positions as arrays do`, () => {
    using store = open();
    const pages = numbered(40);
    const list = stored(store, pages);
    for (const index of [NaN, 1.9, -1.9, -0.5, Infinity, -Infinity, 39.99, 40.01]) {
      assertEquals(list.at(index), pages.at(index));
    }
  });

  Deno.test(`iterators of the ${name} store are independent of each other and of at()`, () => {
    using store = open();
    const writer = new PageWriter(store);
    const lists = [writer.open(), writer.open()];
    const pages = numbered(300);
    for (const page of pages) lists.forEach((list) => writer.append(list, page));
    writer.flush();
    const iterators = lists.map((list) => list[Symbol.iterator]());
    for (const page of pages) {
      for (const iterator of iterators) assertEquals(iterator.next().value, page);
      assertEquals(lists[0]!.at(17), pages[17]);
    }
  });

  Deno.test(`the ${name} store accepts pages after reads`, () => {
    using store = open();
    const writer = new PageWriter(store);
    const list = writer.open();
    const pages = numbered(100);
    pages.forEach((page, i) => {
      writer.append(list, page);
      if (i % 17 === 0) {
        writer.flush();
        assertEquals(list.at(-1), page);
      }
    });
    writer.flush();
    assertLikeArray(list, pages);
  });
}
