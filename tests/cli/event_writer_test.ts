import { assert, assertEquals, assertRejects } from "@std/assert";
import type { TreeEvent } from "../../mod.ts";
import { TextEventWriter } from "../../src/cli/formats.ts";
import { pagesFormat } from "../../src/write/tabtree.ts";
import { SitemapPage } from "../../mod.ts";

const REF = {
  id: 0,
  type: "PagesTextSitemap",
  url: "https://a.test/s.txt",
  level: 0,
  parent: null,
  index: 0,
} as const;

function pageEvent(path: string): TreeEvent {
  return { type: "page", page: new SitemapPage({ url: `https://a.test/${path}` }), sitemap: REF };
}

/** Keeps what it is given; slow, or broken after so many pieces. */
class TestSink {
  readonly pieces: string[] = [];
  underWay = 0;
  readonly #asked = Promise.withResolvers<void>();
  readonly #maxPieces: number;

  constructor(maxPieces = Infinity) {
    this.#maxPieces = maxPieces;
  }

  async write(bytes: Uint8Array): Promise<void> {
    assertEquals(++this.underWay, 1, "one piece at a time");
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.underWay--;
    this.#asked.resolve();
    if (this.pieces.length >= this.#maxPieces) throw new Error("full");
    this.pieces.push(new TextDecoder().decode(bytes));
  }

  /** Resolved when it is done with its first piece, and the writer knows. */
  async asked(): Promise<void> {
    await this.#asked.promise;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

const PLAIN = pagesFormat((url) => url);

Deno.test("TextEventWriter writes large pieces, one after the other, and all of it", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter({ ...PLAIN, head: "head\n", end: () => "end\n" }, sink);
  let expected = "head\n";
  for (let at = 0; at < 20_000; at++) {
    await writer.write(pageEvent(String(at)));
    expected += `https://a.test/${at}\n`;
  }
  await writer.close();
  assertEquals(sink.pieces.join(""), `${expected}end\n`);
  // Most of them, but for what went out when the event loop turned.
  assert(sink.pieces.length <= 2 * Math.ceil(expected.length / 65_536), `${sink.pieces.length}`);
});

Deno.test("TextEventWriter writes events of any size, in any script", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter(PLAIN, sink);
  const paths = ["ä".repeat(100_000), "a", "水".repeat(50_000), "b", "🌾".repeat(30_000), "c"];
  for (const path of paths) await writer.write(pageEvent(path));
  await writer.close();
  assertEquals(sink.pieces.join(""), paths.map((path) => `https://a.test/${path}\n`).join(""));
});

Deno.test("TextEventWriter escapes pieces", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter(
    { ...PLAIN, escape: (text) => text.replaceAll("a.test", "b.test") },
    sink,
  );
  for (let at = 0; at < 1000; at++) await writer.write(pageEvent(String(at)));
  await writer.close();
  assertEquals(sink.pieces.join("").match(/b\.test/g)?.length, 1000);
});

Deno.test("TextEventWriter keeps the order while a slow sink and a pausing source meet", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter(PLAIN, sink);
  let expected = "";
  for (let at = 0; at < 3000; at++) {
    if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    await writer.write(pageEvent(`${at}/${"x".repeat(100)}`));
    expected += `https://a.test/${at}/${"x".repeat(100)}\n`;
  }
  await writer.close();
  assertEquals(sink.pieces.join(""), expected);
});

Deno.test("TextEventWriter holds nothing back when the source pauses", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter(PLAIN, sink);
  assertEquals(writer.write(pageEvent("a")), undefined);
  await sink.asked();
  assertEquals(sink.pieces, ["https://a.test/a\n"]);
  await writer.close();
  assertEquals(sink.pieces.length, 1);
});

Deno.test("TextEventWriter tells of a sink that fails, in write() and in close()", async () => {
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
  assertEquals(sink.pieces.length, 1);
});

Deno.test("TextEventWriter tells of a failure while the source paused", async () => {
  const sink = new TestSink(0);
  const writer = new TextEventWriter(PLAIN, sink);
  await writer.write(pageEvent("a"));
  await sink.asked();
  await assertRejects(async () => await writer.write(pageEvent("b")), Error, "full");
});

Deno.test("TextEventWriter hands over the rest, which closes the document", async () => {
  const sink = new TestSink();
  const writer = new TextEventWriter({ ...PLAIN, head: "head\n", end: () => "end\n" }, sink);
  await writer.write(pageEvent("a"));
  await sink.asked();
  await writer.write(pageEvent("b"));
  const rest = new TextDecoder().decode(writer.takeRest());
  assertEquals([...sink.pieces, rest], ["head\nhttps://a.test/a\n", "https://a.test/b\nend\n"]);
  await writer.close();
  assertEquals([sink.pieces.length, writer.takeRest().length], [1, 0]);
});

Deno.test("TextEventWriter rejects an event that its format refuses, and all that follow", async () => {
  const sink = new TestSink();
  const refusing = {
    write(): string {
      throw new Error("too many");
    },
  };
  const writer = new TextEventWriter(refusing, sink);
  await assertRejects(() => writer.write(pageEvent("a"))!, Error, "too many");
  await assertRejects(() => writer.close(), Error, "too many");
  assertEquals(sink.pieces, []);
});
