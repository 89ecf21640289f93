import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { pages } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { pagesFormat } from "../../src/write/text.ts";
import { byteWriterStream, TextWriter } from "../../src/write/text_stream.ts";
import { toNdjson, toReadableStream, toText } from "../../src/write/mod.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { Endless, settle } from "./written.ts";

const LINE_LENGTH = 100;

/** A page whose line has a hundred characters. */
function longPage(at: number): SitemapPage {
  return { url: `https://example.com/${at}`.padEnd(LINE_LENGTH - 1, "-") };
}

Deno.test("writers pull a bounded number of pages while the sink is busy", async () => {
  const source = new Endless(longPage);
  const taken: number[] = [];
  const abort = new AbortController();
  let release = () => {};
  const sink = new WritableStream<Uint8Array>({
    write(chunk) {
      taken.push(chunk.length);
      return new Promise<void>((resolve) => release = resolve);
    },
  });
  const piped = ReadableStream.from(source.items())
    .pipeThrough(toText())
    .pipeTo(sink, { signal: abort.signal });
  for (let chunks = 1; chunks <= 5; chunks++) {
    await settle();
    assertEquals(taken.length, chunks);
    const written = taken.reduce((sum, length) => sum + length, 0) / LINE_LENGTH;
    // one block waits behind the one being written, another is in the queue of the sink
    const ahead = source.pulled - written;
    assert(ahead < 3 * 1400, `pulled ${ahead} pages ahead`);
    release();
  }
  abort.abort();
  release();
  await assertRejects(() => piped, DOMException);
  await settle();
  assert(source.ended);
});

Deno.test("writers do not delay the output of a slow source", async () => {
  const { readable, writable } = toText();
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const decoder = new TextDecoder();
  for (const url of ["https://example.com/a", "https://example.com/b"]) {
    await writer.write({ url });
    const { value } = await reader.read();
    assertEquals(decoder.decode(value), `${url}\n`);
  }
  await writer.close();
  assertEquals((await reader.read()).done, true);
});

Deno.test("writers gather a burst of input into one chunk", async () => {
  const { readable, writable } = toText();
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const reading = reader.read();
  const urls = Array.from({ length: 100 }, (_, index) => `https://example.com/${index}`);
  await Promise.all(urls.map((url) => writer.write({ url })));
  assertEquals(new TextDecoder().decode((await reading).value), urls.join("\n") + "\n");
  await writer.close();
  await reader.cancel();
});

Deno.test("writers write blocks of 128 KiB of a fast source", async () => {
  const pages = Array.from({ length: 10_000 }, (_, at) => longPage(at));
  const blocks = await Array.fromAsync(ReadableStream.from(pages).pipeThrough(toText()));
  assert(blocks.length <= 10, `${blocks.length} blocks`);
  assert(blocks.every((block) => block.length < 128 * 1024 + LINE_LENGTH));
});

Deno.test("writers fill every block of batches but the last", async () => {
  for (const size of [1, 400, 1000, 5000]) {
    const batches = Array.from({ length: 20_000 / size }, () => Array(size).fill(longPage(0)));
    const blocks = await Array.fromAsync(toReadableStream(batches).pipeThrough(toText()));
    const lengths = blocks.map(({ length }) => length);
    assertEquals(lengths.reduce((sum, length) => sum + length), 20_000 * LINE_LENGTH);
    assertEquals(lengths.length, Math.ceil(20_000 / 1311), `batches of ${size}`);
    assert(lengths.slice(0, -1).every((length) => length >= 128 * 1024), `batches of ${size}`);
  }
});

Deno.test("writers flush what a walk has found when it pauses", async () => {
  const encoder = new TextEncoder();
  const gate = Promise.withResolvers<void>();
  const urls = ["https://example.com/a", "https://example.com/b", "https://example.com/c"];
  const [first, second, last] = urls.map((url) => `<url><loc>${url}</loc></url>`);
  await using server = serveRoutes({
    "/robots.txt": (request) => new Response(`Sitemap: ${new URL("/s.xml", request.url)}`),
    "/s.xml": () =>
      new Response(ReadableStream.from((async function* () {
        yield encoder.encode(`<urlset>${first}${second}`);
        // only what the reader has got lets it go on
        await gate.promise;
        yield encoder.encode(`${last}</urlset>`);
      })())),
  });
  const batches = pages(server.url, { useKnownPaths: false }).batches();
  let text = "";
  for await (const block of toReadableStream(batches).pipeThrough(toText())) {
    text += new TextDecoder().decode(block);
    if (text === `${urls[0]}\n${urls[1]}\n`) gate.resolve();
  }
  assertEquals(text, urls.map((url) => `${url}\n`).join(""));
});

Deno.test("a writer whose reader stops ends its source and clears its timer", async () => {
  const source = new Endless(longPage);
  const readable = ReadableStream.from(source.items()).pipeThrough(toText());
  for await (const chunk of readable) {
    assert(chunk.length > 0);
    break;
  }
  await settle();
  assert(source.ended);
});

Deno.test("a cancelled writer drops its text", async () => {
  const { readable, writable } = toText();
  const writer = writable.getWriter();
  const closed = assertRejects(() => writer.closed);
  await writer.write({ url: "https://example.com/" });
  await readable.cancel("enough");
  // the leak sanitizer checks that the timer is cleared
  await closed;
});

Deno.test("an aborted writer rejects the reads of its reader", async () => {
  const { readable, writable } = toText();
  const writer = writable.getWriter();
  await writer.write({ url: "https://example.com/" });
  await writer.abort(new Error("source broke"));
  await assertRejects(() => new Response(readable).text(), Error, "source broke");
  await settle();
});

Deno.test("a writer that fails drops its text", async () => {
  const { readable, writable } = byteWriterStream<string>({
    write(input) {
      if (input === "bad") throw new TypeError("bad input");
      return input;
    },
  });
  const writer = writable.getWriter();
  const closed = assertRejects(() => writer.closed, TypeError, "bad input");
  await writer.write("good");
  await assertRejects(() => writer.write("bad"), TypeError, "bad input");
  await assertRejects(() => readable.getReader().read(), TypeError, "bad input");
  await closed;
  await settle();
});

Deno.test("an error of the source reaches the reader", async () => {
  async function* broken(): AsyncGenerator<SitemapPage> {
    yield { url: "https://example.com/" };
    throw new Error("source broke");
  }
  const readable = ReadableStream.from(broken()).pipeThrough(toNdjson());
  await assertRejects(() => new Response(readable).text(), Error, "source broke");
});

Deno.test("writers pipe into a file", () =>
  inFolder(async (folder) => {
    const path = `${folder}/pages.txt`;
    const file = await Deno.open(path, { write: true, create: true });
    const pages = Array.from(
      { length: 5000 },
      (_, index) => ({ url: `https://example.com/${index}` }),
    );
    await ReadableStream.from(pages).pipeThrough(toText()).pipeTo(file.writable);
    const text = await Deno.readTextFile(path);
    assertEquals(text, pages.map((page) => `${page.url}\n`).join(""));
  }));

Deno.test("toReadableStream() streams arrays, sync generators, async generators and strings", async () => {
  function* sync() {
    yield* [1, 2, 3];
  }
  async function* async() {
    yield* [1, 2, 3];
  }
  for (const iterable of [[1, 2, 3], sync(), async(), new Set([1, 2, 3])]) {
    assertEquals(await Array.fromAsync(toReadableStream(iterable)), [1, 2, 3]);
  }
  assertEquals(await Array.fromAsync(toReadableStream("ab")), ["a", "b"]);
  assertEquals(await Array.fromAsync(toReadableStream([])), []);
});

Deno.test("toReadableStream() takes an item only when one is read, and ends when it is cancelled", async () => {
  const numbers = new Endless((number) => number);
  const reader = toReadableStream(numbers.items()).getReader();
  await Promise.resolve();
  assertEquals(numbers.pulled, 0);
  assertEquals((await reader.read()).value, 1);
  assertEquals((await reader.read()).value, 2);
  await reader.cancel();
  assertEquals([numbers.pulled, numbers.ended], [2, true]);
});

Deno.test("toReadableStream() rejects with the error of its iterable, after the items before", async () => {
  async function* broken() {
    yield 1;
    throw new RangeError("broken");
  }
  const reader = toReadableStream(broken()).getReader();
  assertEquals((await reader.read()).value, 1);
  await assertRejects(() => reader.read(), RangeError, "broken");
});

const REF = {
  id: 0,
  type: "PagesTextSitemap",
  url: "https://a.test/s.txt",
  level: 0,
  parent: null,
  index: 0,
} as const;

function pageEvent(path: string): TreeEvent {
  return { type: "page", page: { url: `https://a.test/${path}` }, sitemap: REF };
}

/** A slow sink that keeps its input, and fails after a number of chunks. */
class TestSink {
  readonly chunks: string[] = [];
  underWay = 0;
  readonly #asked = Promise.withResolvers<void>();
  readonly #maxChunks: number;

  constructor(maxChunks = Infinity) {
    this.#maxChunks = maxChunks;
  }

  async write(bytes: Uint8Array): Promise<void> {
    assertEquals(++this.underWay, 1, "one chunk at a time");
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.underWay--;
    this.#asked.resolve();
    if (this.chunks.length >= this.#maxChunks) throw new Error("full");
    this.chunks.push(new TextDecoder().decode(bytes));
  }

  /** Resolves once the first chunk was written and the event loop has turned. */
  async asked(): Promise<void> {
    await this.#asked.promise;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

const PLAIN = pagesFormat((url) => url);
const FRAMED = { ...PLAIN, head: "head\n", end: () => "end\n" };

function writerTo(sink: TestSink, format = PLAIN) {
  return { sink, writer: new TextWriter(format, (bytes) => sink.write(bytes)) };
}

Deno.test("TextWriter writes everything in large chunks, one at a time", async () => {
  const { sink, writer } = writerTo(new TestSink(), FRAMED);
  let expected = "head\n";
  for (let at = 0; at < 40_000; at++) {
    await writer.write(pageEvent(String(at)));
    expected += `https://a.test/${at}\n`;
  }
  await writer.close();
  assertEquals(sink.chunks.join(""), `${expected}end\n`);
  // some chunks are smaller: those written when the event loop turned
  assert(sink.chunks.length <= 2 * Math.ceil(expected.length / 131_072), `${sink.chunks.length}`);
});

/** Paths of pages whose text is written whole and in order, and after how many the source pauses. */
const INPUTS: Readonly<Record<string, readonly [paths: readonly string[], turn?: number]>> = {
  "events of any size, in any script": [
    ["ä".repeat(100_000), "a", "水".repeat(50_000), "b", "🌾".repeat(30_000), "c"],
  ],
  "events of a source that pauses in order": [
    Array.from({ length: 3000 }, (_, at) => `${at}/${"x".repeat(100)}`),
    100,
  ],
};

for (const [name, [paths, turn = Infinity]] of Object.entries(INPUTS)) {
  Deno.test(`TextWriter writes ${name} to a slow sink`, async () => {
    const { sink, writer } = writerTo(new TestSink());
    for (const [at, path] of paths.entries()) {
      if (at % turn === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      await writer.write(pageEvent(path));
    }
    await writer.close();
    assertEquals(sink.chunks.join(""), paths.map((path) => `https://a.test/${path}\n`).join(""));
  });
}

Deno.test("TextWriter writes everything when the source pauses", async () => {
  const { sink, writer } = writerTo(new TestSink());
  assertEquals(writer.write(pageEvent("a")), undefined);
  await sink.asked();
  assertEquals(sink.chunks, ["https://a.test/a\n"]);
  await writer.close();
  assertEquals(sink.chunks.length, 1);
});

Deno.test("TextWriter waits for a pause while there is input in every turn", async () => {
  const { sink, writer } = writerTo(new TestSink());
  const source = Promise.withResolvers<void>();
  let turns = 0;
  function turn(): void {
    // before the timer of the writer, which is set by the input
    if (++turns < 20) setTimeout(turn, 0);
    else source.resolve();
    writer.write(pageEvent("a"));
  }
  turn();
  await source.promise;
  await sink.asked();
  assertEquals(sink.chunks, ["https://a.test/a\n".repeat(20)]);
  await writer.close();
});

Deno.test("TextWriter gathers one block while it writes another, and no more", async () => {
  const block = Array.from({ length: 1311 }, () => pageEvent("".padEnd(84, "-")));
  const gate = Promise.withResolvers<void>();
  const lengths: number[] = [];
  const writer = new TextWriter(PLAIN, async (bytes) => {
    lengths.push(bytes.length);
    await gate.promise;
  });
  await writer.writeAll(block);
  let isTaken = false;
  const taking = writer.writeAll(block).then(() => isTaken = true);
  await settle();
  assertEquals([lengths, isTaken], [[131_100], false]);
  gate.resolve();
  await taking;
  await writer.close();
  assertEquals(lengths, [131_100, 131_100]);
});

Deno.test("TextWriter writes events that arrive during a write before the source pauses", async () => {
  const started = Promise.withResolvers<void>();
  const second = Promise.withResolvers<string>();
  const gate = Promise.withResolvers<void>();
  let writes = 0;
  const writer = new TextWriter(PLAIN, async (bytes) => {
    if (++writes > 1) return second.resolve(new TextDecoder().decode(bytes));
    started.resolve();
    await gate.promise;
  });
  writer.write(pageEvent("a"));
  await started.promise;
  writer.write(pageEvent("b"));
  gate.resolve();
  assertEquals(await second.promise, "https://a.test/b\n");
  await writer.close();
});

Deno.test("TextWriter reports a sink that fails, in write() and in close()", async () => {
  const { sink, writer } = writerTo(new TestSink(1));
  await assertRejects(
    async () => {
      for (let at = 0; at < 50_000; at++) await writer.write(pageEvent(String(at)));
    },
    Error,
    "full",
  );
  await assertRejects(() => writer.close());
  assertEquals(sink.chunks.length, 1);
});

Deno.test("TextWriter reports a failure during a pause of the source in the next write()", async () => {
  const { sink, writer } = writerTo(new TestSink(0));
  await writer.write(pageEvent("a"));
  await sink.asked();
  await assertRejects(async () => await writer.write(pageEvent("b")), Error, "full");
});

Deno.test("TextWriter.takeRest() returns the rest, which closes the document", async () => {
  const { sink, writer } = writerTo(new TestSink(), FRAMED);
  await writer.write(pageEvent("a"));
  await sink.asked();
  await writer.write(pageEvent("b"));
  const rest = new TextDecoder().decode(writer.takeRest());
  assertEquals([...sink.chunks, rest], ["head\nhttps://a.test/a\n", "https://a.test/b\nend\n"]);
  await writer.close();
  assertEquals([sink.chunks.length, writer.takeRest().length], [1, 0]);
});

Deno.test("TextWriter throws what its format throws", () => {
  const writer = new TextWriter({
    write(): string {
      throw new Error("too many");
    },
  }, () => {});
  assertThrows(() => writer.write(pageEvent("a")), Error, "too many");
});
