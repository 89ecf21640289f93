import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromNdjson, pagesFromNdjson, toNdjson } from "../../src/write/mod.ts";
import { chunked } from "../support/chunked.ts";
import { FULL_PAGE, PLAIN_PAGE, WALK } from "./samples.ts";
import { readBack, written } from "./written.ts";

Deno.test("fromNdjson() reads the events that toNdjson() wrote, in chunks of any size", async () => {
  const bytes = new TextEncoder().encode(await written(toNdjson(), WALK));
  for (const size of [1, 7, Infinity]) {
    assertEquals(await readBack(fromNdjson(), chunked(bytes, size)), WALK);
  }
});

Deno.test("pagesFromNdjson() reads pages from pages and from events", async () => {
  const pages = [PLAIN_PAGE, FULL_PAGE];
  for (const saved of [await written(toNdjson(), pages), await written(toNdjson(), WALK)]) {
    assertEquals(await readBack(pagesFromNdjson(), [saved]), pages);
  }
});

Deno.test("fromNdjson() ignores empty lines and reads a last line without line break", async () => {
  const saved = `\n  \r\n${JSON.stringify(WALK[0])}\r\n\n${JSON.stringify(WALK[1])}`;
  assertEquals(await readBack(fromNdjson(), [saved]), WALK.slice(0, 2));
  assertEquals(await readBack(fromNdjson(), []), []);
});

Deno.test("fromNdjson() removes a byte order mark at the beginning only", async () => {
  const page = { url: "https://a.test/\ufeff" };
  const bytes = new TextEncoder().encode(`\ufeff${await written(toNdjson(), [page, page])}`);
  for (const size of [1, 7, Infinity]) {
    assertEquals(await readBack(pagesFromNdjson(), chunked(bytes, size)), [page, page]);
  }
});

/** The events of `WALK` by type, as they go through JSON. */
function eventJson(type: string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(WALK.find((event) => event.type === type)));
}

const SITEMAP = eventJson("page")["sitemap"] as Record<string, unknown>;

const FAULTS: readonly (readonly [line: unknown, message: string])[] = [
  [null, "expected an object, got null"],
  ["text", 'expected an object, got "text"'],
  [[], "expected an object, got an array"],
  [{ url: "https://a.test/" }, "unknown event type undefined"],
  [{ type: "nonsense" }, 'unknown event type "nonsense"'],
  [{ type: "constructor" }, 'unknown event type "constructor"'],
  [{ type: 5 }, "unknown event type 5"],
  [{ type: "x".repeat(200_000) }, `unknown event type "${"x".repeat(59)}…"`],
  [{ type: "sitemap-entered" }, '"sitemap" is undefined'],
  [{ type: "page", sitemap: SITEMAP }, '"page" is undefined'],
  [{ ...eventJson("page"), page: { url: 5 } }, '"page.url" is 5'],
  [
    { ...eventJson("page"), page: { url: "", lastModified: "then" } },
    '"page.lastModified" is "then"',
  ],
  [{ ...eventJson("page"), sitemap: null }, '"sitemap" is null'],
  [{ ...eventJson("page"), sitemap: { ...SITEMAP, id: "1" } }, '"sitemap.id" is "1"'],
  [{ ...eventJson("page"), sitemap: { ...SITEMAP, type: "Foo" } }, '"sitemap.type" is "Foo"'],
  [{ ...eventJson("page"), sitemap: { ...SITEMAP, url: 1 } }, '"sitemap.url" is 1'],
  [{ ...eventJson("page"), sitemap: { ...SITEMAP, level: 0.5 } }, '"sitemap.level" is 0.5'],
  [{ ...eventJson("page"), sitemap: { ...SITEMAP, parent: "a" } }, '"sitemap.parent" is "a"'],
  [{ ...eventJson("page"), sitemap: { ...SITEMAP, index: null } }, '"sitemap.index" is null'],
  [{ ...eventJson("invalid"), reason: null }, '"reason" is null'],
  [{ ...eventJson("warning"), message: 5 }, '"message" is 5'],
  [{ ...eventJson("warning"), line: "5" }, '"line" is "5"'],
  [{ ...eventJson("sitemap-left"), pages: "5" }, '"pages" is "5"'],
  [{ ...eventJson("sitemap-left"), complete: 1 }, '"complete" is 1'],
  [{ ...eventJson("sitemap-left"), warnings: [] }, '"warnings" is an array'],
  [{ ...eventJson("sitemap-left"), warnings: { x: null } }, '"warnings.x" is null'],
  [{ ...eventJson("finished"), verdict: "good" }, '"verdict" is "good"'],
  [{ ...eventJson("finished"), stats: {} }, '"stats.sitemaps" is undefined'],
  [{ ...eventJson("finished"), source: 1 }, '"source" is 1'],
  [{ ...eventJson("finished"), limited: false }, '"limited" is false'],
];

for (const [value, message] of FAULTS) {
  Deno.test(`fromNdjson() rejects a line: ${message.slice(0, 70)}`, async () => {
    const lines = `${JSON.stringify(WALK[0])}\n\n${JSON.stringify(value)}\n`;
    const error = await assertRejects(() => readBack(fromNdjson(), [lines]), SyntaxError);
    assertEquals(error.message, `Cannot read line 3: ${message}`);
    assert(error.cause instanceof Error);
  });
}

Deno.test("fromNdjson() reports the line that is not JSON, with a short quote", async () => {
  const half = new TextEncoder().encode('\n{"url":"é').subarray(0, -1);
  for (const input of ['\n{"type":\n', `\n{"type": ${"x".repeat(200_000)}}\n`, half]) {
    const error = await assertRejects(() => readBack(fromNdjson(), [input]), SyntaxError);
    const reason = input === half ? "Unterminated string" : "Unexpected ";
    assert(error.message.startsWith(`Cannot read line 2: ${reason}`), error.message);
    assert(error.message.length < 200);
  }
});

Deno.test("fromNdjson() accepts unknown fields and codes", async () => {
  const event = { ...eventJson("invalid"), code: "too-new", sitemap: { ...SITEMAP, hue: 5 } };
  assertEquals<unknown>(await readBack(fromNdjson(), [JSON.stringify(event)]), [event]);
  const page = { ...FULL_PAGE, sitemap: "https://example.com/sitemap.xml" };
  assertEquals(await readBack(pagesFromNdjson(), [JSON.stringify(page)]), [page]);
});

Deno.test("fromNdjson() takes the end of a walk without source or discovery for that of a walk", async () => {
  const { source: _source, discovery: _discovery, ...old } = eventJson("finished");
  const [event] = await readBack(fromNdjson(), [JSON.stringify(old)]);
  assertEquals<unknown>(event, { ...old, source: "walk", discovery: [] });
  const folder = { ...eventJson("finished"), source: "folder", limited: true };
  assertEquals<unknown>(await readBack(fromNdjson(), [JSON.stringify(folder)]), [folder]);
});

Deno.test("pagesFromNdjson() reports a line that is neither a page nor an event", async () => {
  for (
    const [line, message] of [
      ['{"href":"https://a.test/"}', '"url" is undefined'],
      ['{"url":"https://a.test/","images":{}}', '"images" is an object'],
      ['{"type":"nonsense"}', 'unknown event type "nonsense"'],
      ['{"type":"sitemap-entered"}', '"sitemap" is undefined'],
    ] as const
  ) {
    const error = await assertRejects(() => readBack(pagesFromNdjson(), [line]), SyntaxError);
    assertEquals(error.message, `Cannot read line 1: ${message}`);
  }
});

Deno.test("fromNdjson() cancels its source when the reader stops", async () => {
  const line = `${JSON.stringify(WALK[0])}\n`;
  let cancelled = false;
  const source = new ReadableStream<string>({
    pull: (controller) => controller.enqueue(line),
    cancel: () => void (cancelled = true),
  });
  for await (const event of source.pipeThrough(fromNdjson())) {
    assertEquals(event, WALK[0]);
    break;
  }
  assert(cancelled);
});
