import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { inBatches, MAX_BATCH_ITEMS } from "../../src/data/batches.ts";

Deno.test("inBatches() uses only batches() of its source", async () => {
  const sent = [[1, 2], [3]];
  const source = {
    batches: () => ReadableStream.from(sent),
    [Symbol.asyncIterator](): AsyncIterator<number> {
      throw new Error("read item by item");
    },
  };
  const batches = await Array.fromAsync(inBatches(source));
  assertEquals(batches, sent);
  assertStrictEquals(batches[0], sent[0]);
});

Deno.test("inBatches() yields the items of other async sources one by one", async () => {
  let pulled = 0;
  async function* source() {
    while (pulled < 3) yield await Promise.resolve(++pulled);
  }
  const seen: unknown[] = [];
  for await (const batch of inBatches(source())) seen.push([batch, pulled]);
  assertEquals(seen, [[[1], 1], [[2], 2], [[3], 3]]);
});

Deno.test("inBatches() groups the items of synchronous sources", async () => {
  for (const length of [0, 1, MAX_BATCH_ITEMS, 2 * MAX_BATCH_ITEMS + 1]) {
    const items = Array.from({ length }, (_, index) => index);
    for (const source of [items, items.values()]) {
      const batches = await Array.fromAsync(inBatches(source));
      assertEquals(batches.flat(), items);
      assertEquals(batches.length, Math.ceil(length / MAX_BATCH_ITEMS));
    }
  }
});

Deno.test("inBatches() ends its source when its loop is left, and rethrows errors", async () => {
  const ended: string[] = [];
  function* numbers() {
    try {
      for (let number = 0;; number++) yield number;
    } finally {
      ended.push("sync");
    }
  }
  async function* later() {
    try {
      yield* numbers();
    } finally {
      ended.push(await Promise.resolve("async"));
    }
  }
  for await (const _ of inBatches<number>(numbers())) break;
  for await (const _ of inBatches<number>(later())) break;
  assertEquals(ended, ["sync", "sync", "async"]);

  function* broken() {
    yield 1;
    throw new RangeError("broken");
  }
  await assertRejects(() => Array.fromAsync(inBatches(broken())), RangeError, "broken");
});
