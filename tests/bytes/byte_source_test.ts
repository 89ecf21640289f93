import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  chunkSource,
  concat,
  limitBytes,
  peek,
  streamSource,
} from "../../src/bytes/byte_source.ts";
import { TruncatedError } from "../../src/data/errors.ts";
import { chunked } from "../support/chunked.ts";
import { bytesOf, cutCode, readAll, TestSource } from "./read_all.ts";

Deno.test("chunkSource() returns its chunks, none of them empty, and stays at its end", async () => {
  const source = chunkSource([bytesOf(""), bytesOf("a"), bytesOf(""), bytesOf("bc")]);
  assertEquals((await readAll(source)).sizes, [1, 2]);
  assertEquals(await source.read(), undefined);
});

Deno.test("chunkSource() ends when it is cancelled", async () => {
  const source = chunkSource([bytesOf("a"), bytesOf("b")]);
  assertEquals(await source.read(), bytesOf("a"));
  source.cancel();
  assertEquals(await source.read(), undefined);
});

Deno.test("peek() returns the first bytes and a source that still has them", async () => {
  const bytes = bytesOf("abcdefghijkl");
  for (const size of [1, 7, Infinity]) {
    for (const length of [0, 1, 2, 8, 12, 13]) {
      const { head, source } = await peek(chunkSource(chunked(bytes, size)), length);
      assert(head.length >= Math.min(length, bytes.length));
      assertEquals(head, bytes.subarray(0, head.length));
      assertEquals((await readAll(source)).bytes, bytes);
    }
  }
});

Deno.test("peek() reads only the chunks it needs, and copies none that is long enough", async () => {
  const chunk = bytesOf("abc");
  const counting = new TestSource(Array(5).fill(chunk));
  const { head } = await peek(counting, 3);
  assertEquals(counting.reads, 1);
  assertStrictEquals(head, chunk);
});

Deno.test("peek() returns a source that fails when it is read", async () => {
  const failure = new Error("gone");
  const { head, source } = await peek(new TestSource([bytesOf("a")], failure), 2);
  assertEquals(head, bytesOf("a"));
  const { bytes, error } = await readAll(source);
  assertEquals(bytes, bytesOf("a"));
  assertStrictEquals(error, failure);
  await assertRejects(() => source.read(), Error, "gone");
  source.cancel();
});

Deno.test("peek() returns a source that drops its head when cancelled", async () => {
  const { source } = await peek(chunkSource([bytesOf("ab"), bytesOf("c")]), 1);
  source.cancel();
  assertEquals(await source.read(), undefined);
});

Deno.test("concat() copies only if both arrays have bytes", () => {
  const some = bytesOf("ab");
  const none = new Uint8Array(0);
  assertStrictEquals(concat(some, none), some);
  assertStrictEquals(concat(none, some), some);
  assertEquals(concat(some, bytesOf("c")), bytesOf("abc"));
});

Deno.test("streamSource() returns the chunks of a stream without empty ones", async () => {
  const chunks = ["a", "", "", "bc", ""].map(bytesOf);
  const source = streamSource(ReadableStream.from(chunks));
  assertEquals((await readAll(source)).sizes, [1, 2]);
  assertEquals(await source.read(), undefined);
});

Deno.test("streamSource() pulls a chunk only when it is read", async () => {
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

Deno.test("streamSource() rejects with the error of the stream", async () => {
  const failure = new Error("gone");
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytesOf("a")),
    pull: (controller) => controller.error(failure),
  });
  const { error } = await readAll(streamSource(stream));
  assertStrictEquals(error, failure);
});

Deno.test("cancelling a streamSource() settles a pending read and cancels the stream", async () => {
  let reason: unknown;
  const stream = new ReadableStream<Uint8Array>({ cancel: (why) => void (reason = why) });
  const source = streamSource(stream);
  const waiting = source.read();
  source.cancel("enough");
  assertEquals(await waiting, undefined);
  assertEquals(reason, "enough");
  assertEquals(await source.read(), undefined);
});

Deno.test("cancelling a streamSource() ignores errors of the stream", async () => {
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

Deno.test("streamSource() releases a body that a server still sends", async () => {
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

const TEXT = bytesOf("0123456789");

Deno.test("limitBytes() returns the bytes below the limit, then rejects", async () => {
  for (const size of [1, 3, 7, Infinity]) {
    for (let max = 0; max < TEXT.length; max++) {
      const source = limitBytes(chunkSource(chunked(TEXT, size)), max);
      const { bytes, sizes, error } = await readAll(source);
      assertEquals(bytes, TEXT.subarray(0, max));
      assert(!sizes.includes(0));
      assertEquals(cutCode(error), "too-large");
      await assertRejects(
        async () => await source.read(),
        TruncatedError,
        `Content is larger than ${max} bytes`,
      );
    }
  }
});

Deno.test("limitBytes() accepts a source that ends at the limit", async () => {
  for (const size of [1, 7, Infinity]) {
    for (const max of [TEXT.length, TEXT.length + 1, Infinity]) {
      const source = limitBytes(chunkSource(chunked(TEXT, size)), max);
      const { bytes, error } = await readAll(source);
      assertEquals(bytes, TEXT);
      assertEquals(error, undefined);
    }
  }
  const empty = await readAll(limitBytes(chunkSource([]), 0));
  assertEquals(empty.error, undefined);
});

Deno.test("limitBytes() cancels a source that exceeds the limit, once, and reads no more of it", async () => {
  const source = new TestSource(Array(10).fill(TEXT));
  const { bytes, error } = await readAll(limitBytes(source, 25));
  assertEquals(bytes.length, 25);
  assertEquals(cutCode(error), "too-large");
  assertEquals(source.reads, 3);
  assertEquals(source.reasons, [error]);
});

Deno.test("limitBytes() cancels its source, and ends", async () => {
  const source = new TestSource(Array(10).fill(TEXT));
  const below = limitBytes(source, 5);
  assertEquals(await below.read(), TEXT.subarray(0, 5));
  below.cancel("enough");
  assertEquals(source.reasons.at(-1), "enough");
  assertEquals(await below.read(), undefined);
});

Deno.test("limitBytes() rejects with the error of its source", async () => {
  const failure = new Error("gone");
  const source = limitBytes(new TestSource([], failure), 5);
  assertStrictEquals((await readAll(source)).error, failure);
});
