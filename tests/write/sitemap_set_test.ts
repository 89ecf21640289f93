import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { type SitemapSetOptions, writeSitemapSet } from "../../src/write/mod.ts";
import { sitemapPage } from "../data/arbitrary_page.ts";
import { inFolder } from "../support/in_folder.ts";
import { MemoryFiles } from "./memory_files.ts";
import { FULL_PAGE, PLAIN_PAGE, WALK } from "./samples.ts";
import { readElements, readPages } from "./urlset_oracle.ts";

function numbered(count: number): SitemapPage[] {
  return Array.from(
    { length: count },
    (_, index) => ({ url: `https://example.com/${index}` }),
  );
}

function locations(xml: string): string[] {
  return readElements(xml).children.map((entry) => entry.children[0]?.text ?? "");
}

const BASE = "https://example.com/maps";

async function writtenSet(
  pages: Parameters<typeof writeSitemapSet>[0],
  options: Partial<SitemapSetOptions> = {},
) {
  const files = new MemoryFiles();
  const set = await writeSitemapSet(pages, { baseUrl: BASE, target: files.target, ...options });
  return { files, set };
}

Deno.test("writeSitemapSet() splits pages into files and lists them in an index", async () => {
  const { files, set } = await writtenSet(numbered(5), { maxUrls: 2 });
  assertEquals(set.pages, 5);
  assertEquals(
    set.sitemaps.map(({ name, url, entries }) => ({ name, url, entries })),
    [1, 2, 3].map((number) => ({
      name: `sitemap-${number}.xml`,
      url: `https://example.com/maps/sitemap-${number}.xml`,
      entries: number === 3 ? 1 : 2,
    })),
  );
  assertEquals(set.indexes.map(({ name, entries }) => ({ name, entries })), [
    { name: "sitemap_index.xml", entries: 3 },
  ]);
  assertEquals([...files.content.keys()], [
    "sitemap-1.xml",
    "sitemap-2.xml",
    "sitemap-3.xml",
    "sitemap_index.xml",
  ]);
  assertEquals(files.mostOpen, 1);
  const urls: string[] = [];
  for (const { name, bytes } of set.sitemaps) {
    assertEquals(files.content.get(name)?.length, bytes);
    urls.push(...readPages(await files.text(name)).map((page) => page.url));
  }
  assertEquals(urls, numbered(5).map((page) => page.url));
  const index = await files.text("sitemap_index.xml");
  assertEquals(readElements(index).name, "sitemapindex");
  assertEquals(locations(index), set.sitemaps.map((file) => file.url));
});

Deno.test("writeSitemapSet() writes the index with dates, indented", async () => {
  const options = { lastModified: new Date("2005-01-01"), name: "a&b", pretty: true };
  const baseUrl = new URL("https://example.com/?x#y");
  const { files } = await writtenSet([PLAIN_PAGE], { ...options, baseUrl });
  assertEquals(
    await files.text("a&b_index.xml"),
    `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <sitemap>
    <loc>https://example.com/a&amp;b-1.xml</loc>
    <lastmod>2005-01-01T00:00:00Z</lastmod>
  </sitemap>
</sitemapindex>
`,
  );
});

Deno.test("writeSitemapSet() gzips on request, and counts bytes before that", async () => {
  const { files, set } = await writtenSet(WALK, { gzip: true });
  assertEquals([...files.content.keys()], ["sitemap-1.xml.gz", "sitemap_index.xml.gz"]);
  const xml = await files.text("sitemap-1.xml.gz");
  assertEquals(set.sitemaps[0]?.bytes, xml.length);
  assertEquals(readPages(xml), [PLAIN_PAGE, FULL_PAGE]);
  assertEquals(locations(await files.text("sitemap_index.xml.gz")), [
    "https://example.com/maps/sitemap-1.xml.gz",
  ]);
});

Deno.test("writeSitemapSet() fills files up to maxBytes, in bytes of UTF-8", async () => {
  const pages = Array.from(
    { length: 40 },
    (_, index) => ({ url: `https://example.com/${"é漢😀".repeat(index % 7)}${index}` }),
  );
  const maxBytes = 1200;
  const { files, set } = await writtenSet(pages, { maxBytes });
  assert(set.sitemaps.length > 1);
  let previous = 0;
  const read: SitemapPage[] = [];
  for (const { name, bytes } of set.sitemaps) {
    assertEquals(files.content.get(name)?.length, bytes);
    assert(bytes <= maxBytes);
    const xml = await files.text(name);
    read.push(...readPages(xml));
    // The first entry here did not fit into the file before.
    const entry = new TextEncoder().encode(`${xml.split("\n")[2]}\n`).length;
    if (previous > 0) assert(previous + entry > maxBytes);
    previous = bytes;
  }
  assertEquals(read, pages);
});

Deno.test("writeSitemapSet() fills a file to its last byte", async () => {
  const whole = await writtenSet(numbered(3));
  const length = whole.set.sitemaps[0]?.bytes ?? 0;
  for (const [maxBytes, entries] of [[length, [3]], [length - 1, [2, 1]]] as const) {
    const { set } = await writtenSet(numbered(3), { maxBytes });
    assertEquals(set.sitemaps.map((file) => file.entries), entries);
  }
});

Deno.test("writeSitemapSet() writes a page that is larger than a file to a separate file", async () => {
  const pages = [{ url: `https://example.com/${"x".repeat(100_000)}` }, ...numbered(2)];
  const { set } = await writtenSet(pages, { maxBytes: 1000 });
  assertEquals(set.sitemaps.map((file) => file.entries), [1, 2]);
});

Deno.test("writeSitemapSet() continues in another index when one is full", async () => {
  const options = { maxUrls: 2, maxSitemaps: 2, name: "x", gzip: true };
  const { set } = await writtenSet(numbered(10), options);
  assertEquals(set.indexes.map(({ name, entries }) => ({ name, entries })), [
    { name: "x_index.xml.gz", entries: 2 },
    { name: "x_index-2.xml.gz", entries: 2 },
    { name: "x_index-3.xml.gz", entries: 1 },
  ]);
});

Deno.test("writeSitemapSet() splits at 50,000 URLs by default", async () => {
  const { set } = await writtenSet(numbered(50_001));
  assertEquals(set.sitemaps.map((file) => file.entries), [50_000, 1]);
});

Deno.test("writeSitemapSet() writes nothing without pages", async () => {
  const { files, set } = await writtenSet(WALK.slice(0, 2));
  assertEquals(set, { pages: 0, omitted: 0, sitemaps: [], indexes: [] });
  assertEquals(files.content.size, 0);
});

Deno.test("writeSitemapSet() counts omitted pages, and opens no file for them", async () => {
  const listed = [
    { url: "" },
    { url: "https://example.com/1" },
    { url: "/relative" },
    { url: "https://example.com/?a[]" },
    { url: `https://example.com/${"a".repeat(3000)}` },
  ];
  const { files, set } = await writtenSet(listed, { maxUrls: 1, strict: true });
  const { pages, omitted, sitemaps } = set;
  assertEquals({ pages, omitted, files: sitemaps.length }, { pages: 2, omitted: 3, files: 2 });
  assertEquals(
    readPages(await files.text("sitemap-2.xml"))[0]?.url,
    "https://example.com/?a%5B%5D",
  );
  const none = await writtenSet([{ url: "" }]);
  assertEquals(none.set, { pages: 0, omitted: 1, sitemaps: [], indexes: [] });
});

Deno.test("writeSitemapSet() writes pages that read back equal, however split", async () => {
  const pages = fc.array(sitemapPage(), { minLength: 1, maxLength: 8 });
  const maxUrls = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(pages, maxUrls, fc.boolean(), async (pages, maxUrls, gzip) => {
      const { files, set } = await writtenSet(ReadableStream.from(pages), { maxUrls, gzip });
      const read: SitemapPage[] = [];
      for (const { name } of set.sitemaps) read.push(...readPages(await files.text(name)));
      assertEquals(read, pages);
    }),
    { numRuns: 30 },
  );
});

Deno.test("writeSitemapSet() applies backpressure while the target is busy", async () => {
  let pulled = 0;
  let release = () => {};
  async function* pages(): AsyncGenerator<SitemapPage> {
    for (; pulled < 5000; pulled++) {
      const url = "https://example.com/".padEnd(1000, "-") + pulled;
      yield await Promise.resolve({ url });
    }
  }
  let writes = 0;
  let written = Promise.withResolvers<void>();
  const target = () =>
    new WritableStream<Uint8Array>({
      write() {
        writes += 1;
        written.resolve();
        return new Promise<void>((resolve) => release = resolve);
      },
    });
  const set = writeSitemapSet(pages(), { baseUrl: BASE, target });
  for (let turn = 1; turn <= 5; turn++) {
    await written.promise;
    written = Promise.withResolvers();
    // More would come now, if it were not held back.
    for (let wait = 0; wait < 5; wait++) await new Promise((resolve) => setTimeout(resolve, 0));
    assertEquals(writes, turn);
    // a block is written, the next one is gathered
    assert(pulled < (turn + 1) * 140, `pulled ${pulled} pages`);
    release();
  }
  const releasing = setInterval(() => release(), 0);
  assertEquals((await set).pages, 5000);
  clearInterval(releasing);
});

Deno.test("writeSitemapSet() aborts the open file when the source fails", async () => {
  const failure = new Error("source broke");
  async function* broken(): AsyncGenerator<SitemapPage> {
    yield* numbered(3);
    throw failure;
  }
  for (const gzip of [false, true]) {
    const files = new MemoryFiles();
    const options = { baseUrl: BASE, maxUrls: 2, gzip, target: files.target };
    const error = await assertRejects(() => writeSitemapSet(broken(), options), Error);
    assertEquals(error, failure);
    const name = gzip ? "sitemap-2.xml.gz" : "sitemap-2.xml";
    assertEquals([...files.aborted], [[name, failure]]);
  }
});

Deno.test("writeSitemapSet() ends its source and rejects when a target fails", async () => {
  const diskFull = () => {
    throw new Error("disk full");
  };
  const failing: Record<string, SitemapSetOptions["target"]> = {
    "cannot open": () => Promise.reject(new Error("disk full")),
    "cannot write": () => new WritableStream({ write: diskFull }),
    "cannot close": () => new WritableStream({ close: diskFull }),
  };
  let ended = false;
  async function* pages(): AsyncGenerator<SitemapPage> {
    try {
      // More than the gathered bytes and the compressor keep to themselves.
      for (let index = 0; index < 60_000; index++) {
        yield { url: `https://example.com/${Math.sin(index)}` };
      }
    } finally {
      ended = true;
    }
  }
  for (const target of Object.values(failing)) {
    for (const gzip of [false, true]) {
      ended = false;
      const options = { baseUrl: BASE, gzip, target };
      await assertRejects(() => writeSitemapSet(pages(), options), Error, "disk full");
      assert(ended);
    }
  }
});

Deno.test("writeSitemapSet() rejects, without unhandled rejections, when a target breaks while the source is idle", async () => {
  async function* slow(): AsyncGenerator<SitemapPage> {
    yield PLAIN_PAGE;
    await new Promise((resolve) => setTimeout(resolve, 10));
    yield FULL_PAGE;
  }
  for (const gzip of [false, true]) {
    const target = () =>
      new WritableStream<Uint8Array>({
        start(controller) {
          setTimeout(() => controller.error(new Error("disk gone")), 0);
        },
      });
    const options = { baseUrl: BASE, gzip, target };
    await assertRejects(() => writeSitemapSet(slow(), options), Error, "disk gone");
  }
});

Deno.test("writeSitemapSet() writes real files", () =>
  inFolder(async (folder) => {
    const target = async (name: string) =>
      (await Deno.open(`${folder}/${name}`, { write: true, createNew: true })).writable;
    const set = await writeSitemapSet(numbered(3000), { baseUrl: BASE, maxUrls: 2000, target });
    const first = await Deno.readTextFile(`${folder}/${set.sitemaps[0]?.name}`);
    assertEquals(readPages(first), numbered(2000));
  }));

Deno.test("writeSitemapSet() rejects limits below 1 and an invalid baseUrl", async () => {
  const { target } = new MemoryFiles();
  const options = { baseUrl: BASE, target };
  for (const limits of [{ maxUrls: 0 }, { maxUrls: NaN }, { maxSitemaps: 0.5 }, { maxBytes: -1 }]) {
    await assertRejects(
      () => writeSitemapSet([], { ...options, ...limits }),
      RangeError,
      `Cannot write sitemaps: ${Object.keys(limits)[0]} must be at least 1`,
    );
  }
  await assertRejects(
    () => writeSitemapSet([], { ...options, baseUrl: "example.com" }),
    TypeError,
    'Cannot write sitemaps: invalid baseUrl "example.com"',
  );
});
