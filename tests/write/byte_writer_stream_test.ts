import { assert, assertEquals, assertRejects } from "@std/assert";
import { SitemapPage } from "../../src/data/page.ts";
import { byteWriterStream } from "../../src/write/text_stream.ts";
import { toNdjson, toText } from "../../src/write/mod.ts";

const LINE_LENGTH = 100;

/** Endless pages of a hundred characters each; counts how many were pulled, and its end. */
class EndlessPages {
  pulled = 0;
  ended = false;

  async *pages(): AsyncGenerator<SitemapPage> {
    try {
      while (true) {
        this.pulled += 1;
        const url = `https://example.com/${this.pulled}`.padEnd(LINE_LENGTH - 1, "-");
        yield await Promise.resolve(new SitemapPage({ url }));
      }
    } finally {
      this.ended = true;
    }
  }
}

/** Lets everything happen that can happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("writers pull a bounded number of pages while the sink is busy", async () => {
  const source = new EndlessPages();
  const taken: number[] = [];
  const abort = new AbortController();
  let release = () => {};
  const sink = new WritableStream<Uint8Array>({
    write(piece) {
      taken.push(piece.length);
      return new Promise<void>((resolve) => release = resolve);
    },
  });
  const piped = ReadableStream.from(source.pages())
    .pipeThrough(toText())
    .pipeTo(sink, { signal: abort.signal });
  for (let pieces = 1; pieces <= 5; pieces++) {
    await settle();
    assertEquals(taken.length, pieces);
    const written = taken.reduce((sum, length) => sum + length, 0) / LINE_LENGTH;
    // One piece waits behind the one that the sink has, another is in the sink's own queue.
    const ahead = source.pulled - written;
    assert(ahead < 3 * 700, `pulled ${ahead} pages ahead`);
    release();
  }
  abort.abort();
  release();
  await assertRejects(() => piped, DOMException);
  await settle();
  assert(source.ended);
});

Deno.test("writers hand on what a slow source gave, without waiting for more", async () => {
  const { readable, writable } = toText();
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const decoder = new TextDecoder();
  for (const url of ["https://example.com/a", "https://example.com/b"]) {
    await writer.write(new SitemapPage({ url }));
    const { value } = await reader.read();
    assertEquals(decoder.decode(value), `${url}\n`);
  }
  await writer.close();
  assertEquals((await reader.read()).done, true);
});

Deno.test("writers gather a burst of input into one piece", async () => {
  const { readable, writable } = toText();
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const reading = reader.read();
  const urls = Array.from({ length: 100 }, (_, index) => `https://example.com/${index}`);
  await Promise.all(urls.map((url) => writer.write(new SitemapPage({ url }))));
  assertEquals(new TextDecoder().decode((await reading).value), urls.join("\n") + "\n");
  await writer.close();
  await reader.cancel();
});

Deno.test("writers hand on pieces of 64 KiB of a fast source", async () => {
  const page = new SitemapPage({ url: "https://example.com/".padEnd(LINE_LENGTH - 1, "-") });
  const pages = Array.from({ length: 10_000 }, () => page);
  const pieces = await Array.fromAsync(ReadableStream.from(pages).pipeThrough(toText()));
  assert(pieces.length <= 20, `${pieces.length} pieces`);
  assert(pieces.every((piece) => piece.length < 65 * 1024));
});

Deno.test("a writer whose reader goes away ends its source and leaves no timer", async () => {
  const source = new EndlessPages();
  const readable = ReadableStream.from(source.pages()).pipeThrough(toText());
  for await (const piece of readable) {
    assert(piece.length > 0);
    break;
  }
  await settle();
  assert(source.ended);
});

Deno.test("a writer cancelled while text waits drops it", async () => {
  const { readable, writable } = toText();
  const writer = writable.getWriter();
  const closed = assertRejects(() => writer.closed);
  await writer.write(new SitemapPage({ url: "https://example.com/" }));
  await readable.cancel("enough");
  // Nothing may be written after that, and the timer that would do so must be gone: the leak
  // sanitizer looks.
  await closed;
});

Deno.test("a writer aborted while text waits fails its reader", async () => {
  const { readable, writable } = toText();
  const writer = writable.getWriter();
  await writer.write(new SitemapPage({ url: "https://example.com/" }));
  await writer.abort(new Error("source broke"));
  await assertRejects(() => new Response(readable).text(), Error, "source broke");
  await settle();
});

Deno.test("a writer that fails after text was gathered does not write it later", async () => {
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
    yield new SitemapPage({ url: "https://example.com/" });
    throw new Error("source broke");
  }
  const readable = ReadableStream.from(broken()).pipeThrough(toNdjson());
  await assertRejects(() => new Response(readable).text(), Error, "source broke");
});

Deno.test("writers pipe into a file", async () => {
  const path = await Deno.makeTempFile();
  try {
    const file = await Deno.open(path, { write: true });
    const pages = Array.from(
      { length: 5000 },
      (_, index) => new SitemapPage({ url: `https://example.com/${index}` }),
    );
    await ReadableStream.from(pages).pipeThrough(toText()).pipeTo(file.writable);
    const text = await Deno.readTextFile(path);
    assertEquals(text, pages.map((page) => `${page.url}\n`).join(""));
  } finally {
    await Deno.remove(path);
  }
});
