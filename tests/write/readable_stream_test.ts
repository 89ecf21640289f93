import { assertEquals, assertRejects } from "@std/assert";
import { toReadableStream } from "../../src/write/mod.ts";

/** Numbers from 1 on, with a record of what was taken and whether the loop was left. */
function counted() {
  const seen = { taken: 0, isLeft: false };
  async function* numbers(): AsyncGenerator<number, void, void> {
    try {
      for (;;) yield await Promise.resolve(++seen.taken);
    } finally {
      seen.isLeft = true;
    }
  }
  return { seen, numbers: numbers() };
}

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

Deno.test("toReadableStream() takes an item only when one is read", async () => {
  const { seen, numbers } = counted();
  const reader = toReadableStream(numbers).getReader();
  await Promise.resolve();
  assertEquals(seen.taken, 0);
  assertEquals((await reader.read()).value, 1);
  assertEquals((await reader.read()).value, 2);
  assertEquals(seen.taken, 2);
  await reader.cancel();
});

Deno.test("toReadableStream() ends the iteration when it is cancelled", async () => {
  const { seen, numbers } = counted();
  for await (const number of toReadableStream(numbers)) if (number === 3) break;
  assertEquals(seen, { taken: 3, isLeft: true });
});

Deno.test("toReadableStream() fails as its iterable does, after the items before", async () => {
  async function* broken() {
    yield 1;
    throw new RangeError("broken");
  }
  const reader = toReadableStream(broken()).getReader();
  assertEquals((await reader.read()).value, 1);
  await assertRejects(() => reader.read(), RangeError, "broken");
});
