import { assert, assertEquals } from "@std/assert";
import { UrlTable } from "../../src/check/url_table.ts";
import { Random } from "../support/random.ts";

Deno.test("UrlTable keeps all hashes up to its size, then a sample in the same memory", () => {
  const table = new UrlTable(1 << 14);
  const random = new Random(1);
  const hash = () => random.below(2 ** 31) | 0;
  const all: [number, number][] = [];
  let sizes = 0, last = 0;
  for (let count = 1; count <= 1 << 17; count++) {
    const high = hash(), low = hash();
    all.push([high, low]);
    if (!table.keeps(low)) continue;
    const slot = table.find(high, low);
    if (table.slots[slot + 2] === 0) table.fill(slot, high, low, count);
    if (table.slots.length !== last) sizes++;
    last = table.slots.length;
    if (count === 1 << 14) assertEquals(table.weight, 1);
  }
  assertEquals(last, 3 * (1 << 15), "twice as many slots as hashes");
  assert(sizes < 8);
  assert(table.weight >= 8, `each counts for ${table.weight}`);
  for (const [at, [high, low]] of all.entries()) {
    const value = table.slots[table.find(high, low) + 2]!;
    assertEquals(value, table.keeps(low) ? at + 1 : 0);
  }
});
