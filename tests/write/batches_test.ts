import { assert, assertEquals } from "@std/assert";
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
} from "../../src/write/mod.ts";
import { timeless } from "../support/timeless.ts";
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
