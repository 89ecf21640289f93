import { assert, assertEquals, assertRejects } from "@std/assert";
import { parseSitemap } from "../../mod.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import {
  toCsv,
  toJson,
  toNdjson,
  toOutline,
  toSitemapXml,
  toText,
  type WriterChunk,
  writeSitemapSet,
} from "../../src/write/mod.ts";
import { timeless } from "../support/timeless.ts";
import { MemoryFiles } from "./memory_files.ts";
import { Endless, settle } from "./written.ts";

const WRITERS: Readonly<Record<string, () => TransformStream<WriterChunk, Uint8Array>>> = {
  toCsv,
  toJson,
  toNdjson,
  toOutline,
  toSitemapXml,
  toText,
};

const URLS = Array.from({ length: 2500 }, (_, number) => `https://example.com/${number}`);
const DOCUMENT = URLS.join("\n");

async function written(
  chunks: AsyncIterable<WriterChunk> | Iterable<WriterChunk>,
  writer: TransformStream<WriterChunk, Uint8Array>,
): Promise<string> {
  const bytes = await new Response(ReadableStream.from(chunks).pipeThrough(writer)).text();
  return timeless(bytes).replace(/[\d.]+ (?:ms|s)$/m, "");
}

for (const [name, writer] of Object.entries(WRITERS)) {
  Deno.test(`${name}() writes batches as it writes single inputs`, async () => {
    const single = await written(parseSitemap(DOCUMENT), writer());
    assert(single.includes(URLS.at(-1)!));
    assertEquals(await written(parseSitemap(DOCUMENT).batches(), writer()), single);
    const pages = URLS.map((url) => ({ url }));
    const mixed = [pages[0]!, pages.slice(1, 3), [], pages[3]!, pages.slice(4)];
    assertEquals(await written(mixed, writer()), await written(pages, writer()));
  });
}

/** Batches of a thousand lines of a hundred characters. */
function endlessBatches(): Endless<readonly SitemapPage[]> {
  return new Endless(() => Array(1000).fill({ url: "https://example.com/".padEnd(99, "-") }));
}

Deno.test("writers write batches in blocks of 128 KiB, at the pace of the sink", async () => {
  const source = endlessBatches();
  const reader = ReadableStream.from(source.items()).pipeThrough(toText()).getReader();
  for (let blocks = 1; blocks <= 5; blocks++) {
    const { value } = await reader.read();
    assert(value!.length < 128 * 1024 + 100, `${value!.length} bytes`);
    await settle();
    // at most four batches in three blocks; one is being written, another waits, one is under way
    assert(source.pulled <= 4 / 3 * blocks + 5, `pulled ${source.pulled} batches`);
  }
  await reader.cancel();
  await settle();
  assert(source.ended);
});

Deno.test("writeSitemapSet() reads a source with batches in batches", async () => {
  const files = new MemoryFiles();
  const set = await writeSitemapSet(onlyBatches(parseSitemap(DOCUMENT).batches()), {
    baseUrl: "https://example.com/",
    maxUrls: 2000,
    target: files.target,
  });
  assertEquals(set.sitemaps.map(({ entries }) => entries), [2000, 500]);
  const text = await files.text("sitemap-1.xml") + await files.text("sitemap-2.xml");
  assertEquals([...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url), URLS);
});

Deno.test("writeSitemapSet() ends the batches of its source when the target fails", async () => {
  const source = endlessBatches();
  const target = () =>
    new WritableStream<Uint8Array>({
      async write() {
        await settle();
        throw new Error("disk full");
      },
    });
  const options = { baseUrl: "https://example.com/", target };
  await assertRejects(
    () => writeSitemapSet(onlyBatches(source.items()), options),
    Error,
    "disk full",
  );
  // one block of the batches is written, the next one is gathered, a batch is under way
  assert(source.pulled <= 4, `pulled ${source.pulled} batches`);
  assert(source.ended);
});

function onlyBatches<T>(
  batches: AsyncIterable<readonly T[]>,
): AsyncIterable<T> & { batches(): AsyncIterable<readonly T[]> } {
  return {
    batches: () => batches,
    [Symbol.asyncIterator]() {
      throw new Error("read one by one");
    },
  };
}
