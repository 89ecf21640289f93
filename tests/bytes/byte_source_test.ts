import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  type ByteSource,
  joined,
  peeked,
  sourceOf,
  withHead,
} from "../../src/bytes/byte_source.ts";
import { chunked } from "../support/chunked.ts";
import { bytesOf, readAll } from "./read_all.ts";

Deno.test("sourceOf() gives its chunks, none of them empty, and stays at its end", async () => {
  const source = sourceOf([bytesOf(""), bytesOf("a"), bytesOf(""), bytesOf("bc")]);
  assertEquals((await readAll(source)).sizes, [1, 2]);
  assertEquals(await source.read(), undefined);
});

Deno.test("sourceOf() has nothing more once cancelled", async () => {
  const source = sourceOf([bytesOf("a"), bytesOf("b")]);
  assertEquals(await source.read(), bytesOf("a"));
  source.cancel();
  assertEquals(await source.read(), undefined);
});

Deno.test("withHead() gives the head first and drops it when cancelled", async () => {
  const source = withHead(bytesOf("ab"), sourceOf([bytesOf("c")]));
  assertEquals((await readAll(source)).bytes, bytesOf("abc"));
  assertEquals((await readAll(withHead(bytesOf(""), sourceOf([])))).sizes, []);
  const cancelled = withHead(bytesOf("ab"), sourceOf([bytesOf("c")]));
  cancelled.cancel();
  assertEquals(await cancelled.read(), undefined);
});

Deno.test("peeked() sees the first bytes and takes none away", async () => {
  const bytes = bytesOf("abcdefghijkl");
  for (const size of [1, 7, Infinity]) {
    for (const length of [0, 1, 2, 8, 12, 13]) {
      const { head, source } = await peeked(sourceOf(chunked(bytes, size)), length);
      assert(head.length >= Math.min(length, bytes.length));
      assertEquals(head, bytes.subarray(0, head.length));
      assertEquals((await readAll(source)).bytes, bytes);
    }
  }
});

Deno.test("peeked() reads no more chunks than it must, and copies none that is long enough", async () => {
  let reads = 0;
  const chunk = bytesOf("abc");
  const counting: ByteSource = {
    read: () => Promise.resolve(reads++ < 5 ? chunk : undefined),
    cancel() {},
  };
  const { head } = await peeked(counting, 3);
  assertEquals(reads, 1);
  assertStrictEquals(head, chunk);
});

Deno.test("peeked() leaves it to the reader to learn that a source broke off", async () => {
  const failure = new Error("gone");
  const chunks = [bytesOf("a")];
  const breaking: ByteSource = {
    read: () => chunks.length > 0 ? Promise.resolve(chunks.pop()) : Promise.reject(failure),
    cancel() {},
  };
  const { head, source } = await peeked(breaking, 2);
  assertEquals(head, bytesOf("a"));
  const { bytes, error } = await readAll(source);
  assertEquals(bytes, bytesOf("a"));
  assertStrictEquals(error, failure);
  await assertRejects(() => source.read(), Error, "gone");
  source.cancel();
});

Deno.test("peeked() needs no promise where the bytes are at hand, for better or worse", async () => {
  const { head, source } = await peeked(sourceOf([bytesOf("abc")]), 2);
  assertEquals([head, source.ready, source.read()], [bytesOf("abc"), true, bytesOf("abc")]);
  assert(!(peeked(sourceOf([bytesOf("abc")]), 2) instanceof Promise));
  assert(
    peeked(sourceOf([bytesOf("a"), bytesOf("b")]), 2) instanceof Promise,
    "one byte is too few",
  );
  const failure = new Error("gone");
  const broken: ByteSource = {
    ready: true,
    read() {
      throw failure;
    },
    cancel() {},
  };
  const peek = await peeked(broken, 2);
  assertEquals(peek.head.length, 0);
  assertStrictEquals((await readAll(peek.source)).error, failure);
});

Deno.test("withHead() has its answer at hand as long as the head lasts, and as what follows has", () => {
  const never: ByteSource = { read: () => new Promise(() => {}), cancel() {} };
  const slow = withHead(bytesOf("a"), never);
  assertEquals([slow.ready, slow.read(), slow.ready], [true, bytesOf("a"), false]);
  const quick = withHead(bytesOf("a"), sourceOf([bytesOf("b")]));
  assertEquals([quick.read(), quick.ready, quick.read()], [bytesOf("a"), true, bytesOf("b")]);
});

Deno.test("joined() copies only where it has to", () => {
  const some = bytesOf("ab");
  const none = new Uint8Array(0);
  assertStrictEquals(joined(some, none), some);
  assertStrictEquals(joined(none, some), some);
  assertEquals(joined(some, bytesOf("c")), bytesOf("abc"));
});
