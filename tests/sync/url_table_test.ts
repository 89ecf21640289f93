import { assert, assertEquals } from "@std/assert";
import { UrlTable } from "../../src/sync/url_table.ts";

Deno.test("UrlTable finds the ids of all URLs with a hash, while it grows", () => {
  using table = new UrlTable();
  const url = (id: number) => `https://example.com/${id}`;
  const count = 100_000;
  for (let id = 1; id <= count; id++) table.add(table.hash(url(id)), id);
  let candidates = 0;
  for (let id = 1; id <= count; id++) {
    const ids: number[] = [];
    table.find(table.hash(url(id)), ids);
    assert(ids.includes(id), url(id));
    candidates += ids.length;
  }
  // hashes of 32 bits: a few URLs share one
  assert(candidates < count + 50, String(candidates));
});

Deno.test("UrlTable keeps all ids of one hash", () => {
  using table = new UrlTable();
  for (const id of [3, 1, 2]) table.add(77, id);
  table.add(78, 4);
  const ids: number[] = [];
  table.find(77, ids);
  assertEquals(ids, [3, 1, 2]);
});
