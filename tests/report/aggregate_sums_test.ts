import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { TreeEvent } from "../../mod.ts";
import { Aggregate } from "../../src/report/aggregate.ts";
import { limited } from "../../src/report/limited.ts";
import { REPORT_LIMITS, type ReportLimits } from "../../src/report/limits.ts";
import type { Report } from "../../src/report/report.ts";
import { randomWalk } from "./random_walks.ts";
import { assertLimits, assertSums } from "./report_sums.ts";

/** Folds walks, events of which are taken in turns by random numbers. */
function reportOf(walks: readonly (readonly TreeEvent[])[], turns: readonly number[] = []): Report {
  const aggregate = new Aggregate({ now: "2024-06-01" });
  const left = walks.map((events) => ({ walk: aggregate.walk(), events: [...events] }));
  for (const turn of turns) {
    const { walk, events } = left[turn % left.length]!;
    const event = events.shift();
    if (event !== undefined) walk.add(event);
  }
  for (const { walk, events } of left) for (const event of events) walk.add(event);
  return aggregate.result();
}

function pagesOf(walks: readonly (readonly TreeEvent[])[]): number {
  return walks.flat().filter(({ type }) => type === "page").length;
}

const walks = fc.array(randomWalk, { minLength: 1, maxLength: 3 });

const limits: fc.Arbitrary<ReportLimits> = fc.record({
  sites: fc.nat({ max: 3 }),
  paths: fc.integer({ min: 1, max: 40 }),
  hosts: fc.nat({ max: 4 }),
  periods: fc.nat({ max: 30 }),
  languages: fc.nat({ max: 4 }),
  patterns: fc.nat({ max: 10 }),
  sitemaps: fc.integer({ min: 1, max: 20 }),
  findings: fc.nat({ max: 10 }),
  sample: fc.nat({ max: 20 }),
  runs: fc.nat({ max: 3 }),
  valueLength: fc.integer({ min: 30, max: 300 }),
});

Deno.test("every chart of a report counts all pages, within the limits", () => {
  fc.assert(fc.property(walks, (walks) => {
    const report = reportOf(walks);
    assertSums(report, pagesOf(walks));
    assertLimits(report, REPORT_LIMITS);
    assertEquals(report.totals.sites, walks.length);
    assertEquals(JSON.parse(JSON.stringify(report)), report);
  }));
});

Deno.test("limited() keeps the sums and holds its limits", () => {
  fc.assert(fc.property(walks, limits, limits, (walks, first, second) => {
    const report = reportOf(walks);
    const once = limited(report, first);
    const twice = limited(once, second);
    for (const [smaller, held] of [[once, first], [twice, second]] as const) {
      assertSums(smaller, pagesOf(walks));
      assertLimits(smaller, held);
      const count = smaller.sitemaps.reduce((sum, { merged = 1 }) => sum + merged, 0);
      assertEquals(count, report.sitemaps.length);
    }
    assertEquals(limited(report, REPORT_LIMITS), report);
  }));
});

/** Returns a report without what depends on which event came first: examples, and the order of equals. */
function orderless(value: unknown): unknown {
  if (Array.isArray(value)) {
    const texts = value.map((item) => JSON.stringify(orderless(item)));
    const isRanked = texts.every((text) => text.includes('"pages":') && !text.includes('"type":'));
    return isRanked ? texts.sort() : texts;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !["example", "examples", "sample"].includes(name))
      .map(([name, item]) => [name, orderless(item)]),
  );
}

Deno.test("a report does not depend on how the events of its walks take turns", () => {
  const turns = fc.array(fc.nat({ max: 2 }), { maxLength: 200 });
  fc.assert(fc.property(walks, turns, (walks, turns) => {
    assertEquals(orderless(reportOf(walks, turns)), orderless(reportOf(walks)));
  }));
});

Deno.test("an aggregate can be read at any time", () => {
  fc.assert(
    fc.property(randomWalk, (events) => {
      const aggregate = new Aggregate({ now: "2024-06-01" });
      const walk = aggregate.walk();
      let pages = 0;
      for (const event of events) {
        walk.add(event);
        if (event.type === "page") pages++;
        assertSums(aggregate.result(), pages);
      }
      assertEquals(aggregate.result(), reportOf([events]));
    }),
    { numRuns: 10 },
  );
});

Deno.test("sitemaps with errors and the largest stay, others are merged with their parents", () => {
  const report = reportOf([]);
  const item = (at: number) => ({ type: "PagesXmlSitemap" as const, url: `/${at}.xml`, pages: at });
  const sitemaps = [
    { type: "IndexXmlSitemap" as const, url: "/a.xml", pages: 0 },
    ...Array.from({ length: 50 }, (_, at) => ({ parent: 0, ...item(at) })),
    { parent: 0, type: "InvalidSitemap" as const, url: "/dead.xml", pages: 0, code: "network" },
    { parent: 0, ...item(0), findings: { error: 1 } },
  ];
  const smaller = limited({ ...report, sitemaps }, { ...REPORT_LIMITS, sitemaps: 7 }).sitemaps;
  assertEquals(smaller.map(({ url, pages, merged = 1 }) => [url, pages, merged]), [
    ["/a.xml", 0, 1],
    ["/47.xml", 47, 1],
    ["/48.xml", 48, 1],
    ["/49.xml", 49, 1],
    ["/dead.xml", 0, 1],
    ["/0.xml", 0, 1],
    ["", 47 * 46 / 2, 47],
  ]);
  assert(smaller.slice(1).every(({ parent }) => parent === 0));
});
