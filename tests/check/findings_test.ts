import { assertEquals } from "@std/assert";
import { Findings } from "../../src/check/findings.ts";

const MAX_FINDINGS = 1000;

/** Returns the findings of a rule in so many sitemaps, of which one has an estimate. */
function listOf(count: number, estimated?: number) {
  const findings = new Findings();
  for (let order = 1; order <= count; order++) {
    const place = { url: `https://a.test/${order}.xml`, order };
    const example = { url: `https://a.test/${order}` };
    if (order === estimated) findings.estimate(place, "loc-duplicate", "file", example, 2);
    else findings.report(place, "loc-duplicate", "file", example, 2);
  }
  return findings.list(() => true, {});
}

Deno.test("Findings keeps 1,000 records, and merges them at the next one", () => {
  assertEquals(listOf(MAX_FINDINGS).length, MAX_FINDINGS);
  const [merged, ...others] = listOf(MAX_FINDINGS + 1);
  assertEquals(others, []);
  assertEquals([merged?.count, merged?.sitemap, merged?.isEstimated], [2002, undefined, undefined]);
  assertEquals(merged?.message.replace(/:.*/, ""), "In 1,001 sitemaps");
});

for (const estimated of [1, MAX_FINDINGS, MAX_FINDINGS + 1]) {
  Deno.test(`Findings merges an estimate as one: record ${estimated}`, () => {
    const [merged] = listOf(MAX_FINDINGS + 1, estimated);
    assertEquals([merged?.count, merged?.isEstimated], [2002, true]);
  });
}
