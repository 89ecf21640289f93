import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { type ByteSource, sourceOf } from "../../src/bytes/byte_source.ts";
import { limited } from "../../src/bytes/limit.ts";
import { CutError } from "../../src/data/errors.ts";
import { chunked } from "../support/chunked.ts";
import { bytesOf, cutCode, readAll } from "./read_all.ts";

const TEXT = bytesOf("0123456789");

Deno.test("limited() gives exactly what is below the ceiling, then tells of it", async () => {
  for (const size of [1, 3, 7, Infinity]) {
    for (let max = 0; max < TEXT.length; max++) {
      const source = limited(sourceOf(chunked(TEXT, size)), max, "too-large");
      const { bytes, sizes, error } = await readAll(source);
      assertEquals(bytes, TEXT.subarray(0, max));
      assert(!sizes.includes(0));
      assertEquals(cutCode(error), "too-large");
      await assertRejects(
        async () => await source.read(),
        CutError,
        `Content is larger than ${max} bytes`,
      );
    }
  }
});

Deno.test("limited() takes a source that ends at the ceiling for complete", async () => {
  for (const size of [1, 7, Infinity]) {
    for (const max of [TEXT.length, TEXT.length + 1, Infinity]) {
      const source = limited(sourceOf(chunked(TEXT, size)), max, "too-large");
      const { bytes, error } = await readAll(source);
      assertEquals(bytes, TEXT);
      assertEquals(error, undefined);
    }
  }
  const empty = await readAll(limited(sourceOf([]), 0, "too-large"));
  assertEquals(empty.error, undefined);
});

/** Endless, and remembers what it was cancelled with. */
function endless(): ByteSource & { reads: number; reasons: unknown[] } {
  return {
    reads: 0,
    reasons: [],
    read() {
      this.reads++;
      return Promise.resolve(this.reasons.length === 0 ? TEXT : undefined);
    },
    cancel(reason) {
      this.reasons.push(reason);
    },
  };
}

Deno.test("limited() cancels a source that goes over, once, and reads no more of it", async () => {
  const source = endless();
  const { bytes, error } = await readAll(limited(source, 25, "robots-too-large"));
  assertEquals(bytes.length, 25);
  assertEquals(cutCode(error), "robots-too-large");
  assertEquals(source.reads, 3);
  assertEquals(source.reasons, [error]);
});

Deno.test("limited() passes on cancelling, and is at its end then", async () => {
  const source = endless();
  const below = limited(source, 5, "too-large");
  assertEquals(await below.read(), TEXT.subarray(0, 5));
  below.cancel("enough");
  assertEquals(source.reasons.at(-1), "enough");
  assertEquals(await below.read(), undefined);
});

Deno.test("limited() has its answer at hand where its source has, and where it is over", async () => {
  const source = limited(sourceOf([TEXT, TEXT]), 15, "too-large");
  assertEquals([source.ready, source.read()], [true, TEXT]);
  assertEquals([source.ready, source.read()], [true, TEXT.subarray(0, 5)]);
  assertEquals(source.ready, true);
  await assertRejects(async () => await source.read(), CutError);
  assertEquals(limited(endless(), 5, "too-large").ready, false);
});

Deno.test("limited() passes on what its source rejects with", async () => {
  const failure = new Error("gone");
  const source = { read: () => Promise.reject(failure), cancel() {} };
  assertStrictEquals((await readAll(limited(source, 5, "too-large"))).error, failure);
});
