import { assertEquals, assertThrows } from "@std/assert";
import { diskStore } from "../../src/tree/disk_store.ts";
import { memoryStore } from "../../src/tree/page_store.ts";

for (const open of [memoryStore, diskStore]) {
  Deno.test(`${open.name}() reads back runs of every size in any order`, () => {
    using store = open();
    const sizes = [
      ...[0, 1, 4095, 4096, 4097, 70_000, 3, 100_000, 256 * 1024, 300_000, 1_000_000, 10, 0, 5],
      ...Array(500).fill(1999),
    ];
    const runs = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
    const addresses = runs.map((run) => store.write(run));
    const check = (run: Uint8Array, i: number) =>
      assertEquals(indexOfOther(store.read(addresses[i]!, run.length), run), -1);
    runs.forEach(check);
    for (let i = runs.length - 1; i >= 0; i -= 7) check(runs[i]!, i);
  });

  Deno.test(`${open.name}() copies the bytes, and reads between writes`, () => {
    using store = open();
    const bytes = new Uint8Array([1, 2]);
    const first = store.write(bytes);
    bytes.fill(9);
    assertEquals([...store.read(first, 2)], [1, 2]);
    const second = store.write(new Uint8Array([3, 4, 5]));
    assertEquals([...store.read(second, 3)], [3, 4, 5]);
    assertEquals([...store.read(first, 2)], [1, 2]);
  });

  Deno.test(`${open.name}() throws once disposed of`, () => {
    const store = open();
    const address = store.write(new Uint8Array([1]));
    store[Symbol.dispose]();
    store[Symbol.dispose]();
    assertThrows(() => store.read(address, 1), TypeError, "disposed");
    assertThrows(() => store.write(new Uint8Array([1])), TypeError, "disposed");
  });
}

/** Returns the first difference of two arrays or −1, to keep failure messages short. */
function indexOfOther(actual: Uint8Array, expected: Uint8Array): number {
  if (actual.length !== expected.length) return Math.min(actual.length, expected.length);
  return actual.findIndex((byte, i) => byte !== expected[i]);
}
