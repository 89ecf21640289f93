import { assertEquals, assertStrictEquals } from "@std/assert";
import { streamSource } from "../../src/bytes/byte_source.ts";
import { bytesOf, readAll } from "./read_all.ts";

Deno.test("streamSource() gives the chunks of a stream and leaves out empty ones", async () => {
  const chunks = ["a", "", "", "bc", ""].map(bytesOf);
  const source = streamSource(ReadableStream.from(chunks));
  assertEquals((await readAll(source)).sizes, [1, 2]);
  assertEquals(await source.read(), undefined);
});

Deno.test("streamSource() asks for a chunk only when it is read", async () => {
  let pulls = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls++;
      controller.enqueue(bytesOf("a"));
    },
  }, { highWaterMark: 0 });
  const source = streamSource(stream);
  assertEquals(pulls, 0);
  await source.read();
  await source.read();
  assertEquals(pulls, 2);
  source.cancel();
});

Deno.test("streamSource() rejects with what the stream breaks with", async () => {
  const failure = new Error("gone");
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytesOf("a")),
    pull: (controller) => controller.error(failure),
  });
  const { error } = await readAll(streamSource(stream));
  assertStrictEquals(error, failure);
});

Deno.test("cancelling a streamSource() settles a waiting read and reaches the stream", async () => {
  let reason: unknown;
  const stream = new ReadableStream<Uint8Array>({ cancel: (why) => void (reason = why) });
  const source = streamSource(stream);
  const waiting = source.read();
  source.cancel("enough");
  assertEquals(await waiting, undefined);
  assertEquals(reason, "enough");
  assertEquals(await source.read(), undefined);
});

Deno.test("cancelling a streamSource() that broke, or breaks by it, goes unheard", async () => {
  const broken = new ReadableStream<Uint8Array>({ start: (c) => c.error(new Error("gone")) });
  streamSource(broken).cancel();
  const breaking = new ReadableStream<Uint8Array>({
    cancel() {
      throw new Error("cannot be cancelled");
    },
  });
  streamSource(breaking).cancel();
  // an unhandled rejection would fail the test here
  await new Promise((resolve) => setTimeout(resolve, 0));
});

Deno.test("streamSource() lets go of a body that a server still sends", async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    const body = new ReadableStream<Uint8Array>({ start: (c) => c.enqueue(bytesOf("first")) });
    return new Response(body);
  });
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  const source = streamSource(response.body!);
  assertEquals(await source.read(), bytesOf("first"));
  const waiting = source.read();
  source.cancel();
  assertEquals(await waiting, undefined);
  await server.shutdown();
});
