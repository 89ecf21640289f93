import { assertEquals, assertThrows } from "@std/assert";
import { memoryStore } from "../../src/tree/page_store.ts";

Deno.test("memoryStore() reads back runs of every size", () => {
  const store = memoryStore();
  const sizes = [0, 1, 4095, 4096, 4097, 100_000, 256 * 1024, 300_000, 1_000_000, 10, 0, 5];
  const runs = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
  const addresses = runs.map((run) => store.write(run));
  runs.forEach((run, i) => assertEquals(store.read(addresses[i]!, run.length), run));
});

Deno.test("memoryStore() copies the bytes", () => {
  const store = memoryStore();
  const bytes = new Uint8Array([1, 2, 3]);
  const address = store.write(bytes);
  bytes.fill(9);
  assertEquals([...store.read(address, 3)], [1, 2, 3]);
});

Deno.test("memoryStore() throws once disposed of", () => {
  const store = memoryStore();
  const address = store.write(new Uint8Array([1]));
  store[Symbol.dispose]();
  store[Symbol.dispose]();
  assertThrows(() => store.read(address, 1), TypeError, "disposed");
  assertThrows(() => store.write(new Uint8Array([1])), TypeError, "disposed");
});
