import { assert, assertEquals } from "@std/assert";
import { DateHistogram, Overlap } from "../../src/cli/stats_tally.ts";

Deno.test("Overlap returns the first sitemap of a URL that a second one lists", () => {
  const overlap = new Overlap();
  assertEquals(overlap.add("https://a.test/", 0), undefined);
  assertEquals(overlap.add("https://a.test/", 0), undefined);
  assertEquals(overlap.add("https://a.test/x", 1), undefined);
  assertEquals(overlap.add("https://a.test/", 3), 0);
  assertEquals(overlap.add("https://a.test/", 4), undefined);
  assertEquals([overlap.urls, overlap.repeated, overlap.sampledOneIn], [2, 1, 1]);
});

Deno.test("Overlap is exact up to its limit", () => {
  const overlap = new Overlap(20_000);
  for (let at = 0; at < 20_000; at++) overlap.add(`https://a.test/${at}`, 0);
  for (let at = 0; at < 5000; at++) assertEquals(overlap.add(`https://a.test/${at}`, 1), 0);
  assertEquals([overlap.urls, overlap.repeated, overlap.sampledOneIn], [20_000, 5000, 1]);
});

Deno.test("Overlap estimates beyond its limit", () => {
  const overlap = new Overlap(4000);
  for (let at = 0; at < 20_000; at++) overlap.add(`https://a.test/page/${at}`, 0);
  for (let at = 0; at < 10_000; at++) overlap.add(`https://a.test/page/${at}`, 1);
  assertEquals(overlap.sampledOneIn, 8);
  assert(Math.abs(overlap.urls - 20_000) < 2000, String(overlap.urls));
  assert(Math.abs(overlap.repeated - 10_000) < 1500, String(overlap.repeated));
});

Deno.test("Overlap hashes by a random key, so that sites cannot choose the sample", () => {
  const estimates = Array.from({ length: 20 }, () => {
    const overlap = new Overlap(100);
    for (let at = 0; at < 2000; at++) overlap.add(`https://a.test/${at}`, 0);
    return overlap.urls;
  });
  assert(new Set(estimates).size > 1, `always ${estimates[0]}`);
});

function rowsOf(...dates: string[]): string[] {
  const histogram = new DateHistogram();
  for (const date of dates) histogram.add(Date.parse(date));
  return histogram.rows().map(({ label, count }) => `${label} ${count}`);
}

Deno.test("DateHistogram counts by day if the dates are close, including gaps", () => {
  assertEquals(rowsOf("2024-05-03T23:59:59Z", "2024-05-01", "2024-05-03"), [
    "2024-05-01 1",
    "2024-05-02 0",
    "2024-05-03 2",
  ]);
});

Deno.test("DateHistogram counts by month if the dates are further apart", () => {
  assertEquals(rowsOf("2023-12-31", "2024-02-01"), ["2023-12 1", "2024-01 0", "2024-02 1"]);
});

Deno.test("DateHistogram counts by year if the dates are far apart", () => {
  assertEquals(rowsOf("2021-05-01", "2024-02-01", "2024-03-01"), [
    "2021 1",
    "2022 0",
    "2023 0",
    "2024 2",
  ]);
});

Deno.test("DateHistogram counts dates long ago and far ahead together", () => {
  const rows = rowsOf("0001-01-01", "1995-01-01", "2024-01-01", "9999-12-31");
  assertEquals([rows[0], rows[1], rows.at(-2), rows.at(-1)], [
    "earlier 2",
    "2001 0",
    "2024 1",
    "later 1",
  ]);
  assertEquals(rowsOf(), []);
});
