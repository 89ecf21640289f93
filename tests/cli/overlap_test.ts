import { assert, assertEquals } from "@std/assert";
import { Overlap } from "../../src/cli/stats_tally.ts";

Deno.test("Overlap tells the first sitemap of an address that stands in a second", () => {
  const overlap = new Overlap();
  assertEquals(overlap.add("https://a.test/", 0), undefined);
  assertEquals(overlap.add("https://a.test/", 0), undefined);
  assertEquals(overlap.add("https://a.test/x", 1), undefined);
  assertEquals(overlap.add("https://a.test/", 3), 0);
  assertEquals(overlap.add("https://a.test/", 4), undefined);
  assertEquals([overlap.addresses, overlap.repeated, overlap.sampledOneIn], [2, 1, 1]);
});

Deno.test("Overlap is exact up to its limit", () => {
  const overlap = new Overlap(20_000);
  for (let at = 0; at < 20_000; at++) overlap.add(`https://a.test/${at}`, 0);
  for (let at = 0; at < 5000; at++) assertEquals(overlap.add(`https://a.test/${at}`, 1), 0);
  assertEquals([overlap.addresses, overlap.repeated, overlap.sampledOneIn], [20_000, 5000, 1]);
});

Deno.test("Overlap estimates beyond its limit", () => {
  const overlap = new Overlap(4000);
  for (let at = 0; at < 20_000; at++) overlap.add(`https://a.test/page/${at}`, 0);
  for (let at = 0; at < 10_000; at++) overlap.add(`https://a.test/page/${at}`, 1);
  assertEquals(overlap.sampledOneIn, 8);
  assert(Math.abs(overlap.addresses - 20_000) < 2000, String(overlap.addresses));
  assert(Math.abs(overlap.repeated - 10_000) < 1500, String(overlap.repeated));
});

Deno.test("Overlap hashes by a key, so that no site can choose what is counted", () => {
  const estimates = Array.from({ length: 20 }, () => {
    const overlap = new Overlap(100);
    for (let at = 0; at < 2000; at++) overlap.add(`https://a.test/${at}`, 0);
    return overlap.addresses;
  });
  assert(new Set(estimates).size > 1, `always ${estimates[0]}`);
});
