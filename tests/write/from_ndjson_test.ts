import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import fc from "fast-check";
import { SitemapPage } from "../../src/page.ts";
import { fromNdjson, pagesFromNdjson, toNdjson } from "../../src/write/mod.ts";
import { chunked } from "../support/chunked.ts";
import { hostilePage } from "./page_arbitrary.ts";
import { FULL_PAGE, PLAIN_PAGE, WALK } from "./samples.ts";
import { written } from "./written.ts";

async function read<Output>(
  reader: TransformStream<Uint8Array | string, Output>,
  chunks: readonly (Uint8Array | string)[],
): Promise<Output[]> {
  return await Array.fromAsync(ReadableStream.from(chunks).pipeThrough(reader));
}

Deno.test("fromNdjson() gives back the events that toNdjson() wrote, however cut", async () => {
  const bytes = new TextEncoder().encode(await written(toNdjson(), WALK));
  for (const size of [1, 7, Infinity]) {
    assertEquals(await read(fromNdjson(), chunked(bytes, size)), WALK);
  }
});

Deno.test("pagesFromNdjson() gives back pages, of pages and of events", async () => {
  const pages = [PLAIN_PAGE, FULL_PAGE];
  for (const saved of [await written(toNdjson(), pages), await written(toNdjson(), WALK)]) {
    const again = await read(pagesFromNdjson(), [saved]);
    assertEquals(again, pages);
    for (const page of again) assertInstanceOf(page, SitemapPage);
  }
});

Deno.test("pagesFromNdjson() gives back whatever stood in the pages", async () => {
  await fc.assert(fc.asyncProperty(fc.array(hostilePage(), { maxLength: 4 }), async (pages) => {
    const bytes = new TextEncoder().encode(await written(toNdjson(), pages));
    assertEquals(await read(pagesFromNdjson(), chunked(bytes, 7)), pages);
  }));
});

Deno.test("fromNdjson() passes over empty lines and takes a last line without end", async () => {
  const saved = `\n  \r\n${JSON.stringify(WALK[0])}\r\n\n${JSON.stringify(WALK[1])}`;
  assertEquals(await read(fromNdjson(), [saved]), WALK.slice(0, 2));
  assertEquals(await read(fromNdjson(), []), []);
});

Deno.test("fromNdjson() takes a byte order mark off the beginning, and nowhere else", async () => {
  const page = new SitemapPage({ url: "https://a.test/\ufeff" });
  const bytes = new TextEncoder().encode(`\ufeff${await written(toNdjson(), [page, page])}`);
  for (const size of [1, 7, Infinity]) {
    assertEquals(await read(pagesFromNdjson(), chunked(bytes, size)), [page, page]);
  }
});

Deno.test("fromNdjson() reads bytes that are cut within a character as damaged", async () => {
  const bytes = new TextEncoder().encode('{"url":"é');
  await assertRejects(
    () => read(pagesFromNdjson(), [bytes.subarray(0, -1)]),
    SyntaxError,
    "Cannot read line 1 of NDJSON: Unterminated string",
  );
});

Deno.test("fromNdjson() names the line that it cannot read", async () => {
  const first = JSON.stringify(WALK[0]);
  for (
    const [line, message] of [
      ['{"type":', "Cannot read line 2 of NDJSON: Unexpected end"],
      ["null", "Cannot read line 2 of NDJSON: no object"],
      ['"text"', "Cannot read line 2 of NDJSON: no object"],
      ['{"url":"https://a.test/"}', "Cannot read line 2 of NDJSON: no event"],
    ] as const
  ) {
    const error = await assertRejects(
      () => read(fromNdjson(), [`${first}\n${line}\n`]),
      SyntaxError,
      message,
    );
    assert(error.cause instanceof Error);
  }
});

Deno.test("pagesFromNdjson() names the line that is no page", async () => {
  await assertRejects(
    () => read(pagesFromNdjson(), ['{"href":"https://a.test/"}\n']),
    SyntaxError,
    "Cannot read line 1 of NDJSON: no page",
  );
});

Deno.test("fromNdjson() cancels its source when the reader stops", async () => {
  const line = `${JSON.stringify(WALK[0])}\n`;
  let cancelled = false;
  const source = new ReadableStream<string>({
    pull(controller) {
      controller.enqueue(line);
    },
    cancel() {
      cancelled = true;
    },
  });
  for await (const event of source.pipeThrough(fromNdjson())) {
    assertEquals(event, WALK[0]);
    break;
  }
  assert(cancelled);
});
