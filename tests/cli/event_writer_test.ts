import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { TreeEvent } from "../../mod.ts";
import { TextEventWriter } from "../../src/cli/event_writer.ts";
import { pagesFormat } from "../../src/write/text.ts";

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

Deno.test("TextEventWriter writes everything in large chunks, one at a time", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter({ ...PLAIN, head: "head\n", end: () => "end\n" }, sink);
  let expected = "head\n";
  for (let at = 0; at < 20_000; at++) {
    await writer.write(pageEvent(String(at)));
    expected += `https://a.test/${at}\n`;
  }
  await writer.close();
  assertEquals(sink.chunks.join(""), `${expected}end\n`);
  // some chunks are smaller: those written when the event loop turned
  assert(sink.chunks.length <= 2 * Math.ceil(expected.length / 16_384), `${sink.chunks.length}`);
});

Deno.test("TextEventWriter writes events of any size, in any script", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter(PLAIN, sink);
  const paths = ["ä".repeat(100_000), "a", "水".repeat(50_000), "b", "🌾".repeat(30_000), "c"];
  for (const path of paths) await writer.write(pageEvent(path));
  await writer.close();
  assertEquals(sink.chunks.join(""), paths.map((path) => `https://a.test/${path}\n`).join(""));
});

Deno.test("TextEventWriter keeps the order with a slow sink and a source that pauses", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter(PLAIN, sink);
  let expected = "";
  for (let at = 0; at < 3000; at++) {
    if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    await writer.write(pageEvent(`${at}/${"x".repeat(100)}`));
    expected += `https://a.test/${at}/${"x".repeat(100)}\n`;
  }
  await writer.close();
  assertEquals(sink.chunks.join(""), expected);
});

Deno.test("TextEventWriter writes everything when the source pauses", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter(PLAIN, sink);
  assertEquals(writer.write(pageEvent("a")), undefined);
  await sink.asked();
  assertEquals(sink.chunks, ["https://a.test/a\n"]);
  await writer.close();
  assertEquals(sink.chunks.length, 1);
});

Deno.test("TextEventWriter writes events that arrive during a write before the source pauses", async () => {
  const started = Promise.withResolvers<void>();
  const second = Promise.withResolvers<string>();
  const gate = Promise.withResolvers<void>();
  let writes = 0;
  const writer = new TextEventWriter(PLAIN, {
    async write(bytes) {
      if (++writes > 1) return second.resolve(new TextDecoder().decode(bytes));
      started.resolve();
      await gate.promise;
    },
  });
  writer.write(pageEvent("a"));
  await started.promise;
  writer.write(pageEvent("b"));
  gate.resolve();
  assertEquals(await second.promise, "https://a.test/b\n");
  await writer.close();
});

Deno.test("TextEventWriter reports a sink that fails, in write() and in close()", async () => {
  const sink = new TestSink(1);
  const writer = new TextEventWriter(PLAIN, sink);
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

Deno.test("TextEventWriter reports a failure during a pause of the source in the next write()", async () => {
  const sink = new TestSink(0);
  const writer = new TextEventWriter(PLAIN, sink);
  await writer.write(pageEvent("a"));
  await sink.asked();
  await assertRejects(async () => await writer.write(pageEvent("b")), Error, "full");
});

Deno.test("TextEventWriter.takeRest() returns the rest, which closes the document", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter({ ...PLAIN, head: "head\n", end: () => "end\n" }, sink);
  await writer.write(pageEvent("a"));
  await sink.asked();
  await writer.write(pageEvent("b"));
  const rest = new TextDecoder().decode(writer.takeRest());
  assertEquals([...sink.chunks, rest], ["head\nhttps://a.test/a\n", "https://a.test/b\nend\n"]);
  await writer.close();
  assertEquals([sink.chunks.length, writer.takeRest().length], [1, 0]);
});

Deno.test("TextEventWriter throws what its format throws", () => {
  const writer = new TextEventWriter({
    write(): string {
      throw new Error("too many");
    },
  }, new TestSink());
  assertThrows(() => writer.write(pageEvent("a")), Error, "too many");
});
