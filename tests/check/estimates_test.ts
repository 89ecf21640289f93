/** Rules that remember pages: exact up to a limit, then estimates. @module */

import { assert, assertEquals } from "@std/assert";
import { Checker, type Finding, type RuleCode } from "../../src/check/mod.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { linking, ORIGIN, ref, sitemapEvents } from "./check_support.ts";

/** Adds a sitemap with the pages of a range of numbers. */
function read(
  checker: Checker,
  id: number,
  [start, end]: readonly [start: number, end: number],
  page: (at: number) => SitemapPage,
): void {
  const pages = function* () {
    for (let at = start; at < end; at++) yield page(at);
  };
  for (const event of sitemapEvents(ref(id), pages())) checker.add(event);
}

/** Asserts a count that may be off by a share of it, and is exact without one. */
function assertCount({ count, isEstimated }: Finding, expected: number, share: number): void {
  assertEquals(isEstimated, share === 0 ? undefined : true);
  assert(Math.abs(count / expected - 1) <= share, `${count} instead of ${expected}`);
}

Deno.test("duplicates are counted exactly up to a million URLs, then estimated", () => {
  for (const [pages, share] of [[100_000, 0], [1_300_000, 0.05]] as const) {
    const checker = new Checker({ only: ["loc-duplicate", "loc-equivalent"] });
    read(checker, 1, [0, pages], (at) => ({ url: `${ORIGIN}/shop/${at}` }));
    // every fourth page of the second sitemap is in the first
    const other = (at: number) => at % 4 === 0 ? at : `other-${at}`;
    read(checker, 2, [0, pages], (at) => ({ url: `${ORIGIN}/shop/${other(at)}` }));
    const { findings } = checker.result();
    assertEquals(findings.map(({ code, sitemap }) => [code, sitemap]), [
      ["loc-duplicate", `${ORIGIN}/2.xml`],
    ]);
    assertCount(findings[0]!, pages / 4, share);
    assertEquals(findings[0]!.message.startsWith("About "), share > 0);
    const { urls, repeated, sampledOneIn, examples } = checker.urls;
    assertEquals(sampledOneIn > 1, share > 0);
    assert(Math.abs(urls / (1.75 * pages) - 1) <= share, `${urls} URLs`);
    assert(Math.abs(repeated / (pages / 4) - 1) <= share, `${repeated} repeated URLs`);
    if (share > 0) continue;
    assertEquals(examples[0], {
      url: `${ORIGIN}/shop/0`,
      sitemaps: [ref(1).url, ref(2).url],
    });
  }
});

Deno.test("links that are not returned are counted exactly up to a limit, then estimated", () => {
  for (const [sets, share] of [[20_000, 0], [200_000, 0.1]] as const) {
    const checker = new Checker({ only: ["hreflang-return"] });
    read(checker, 1, [0, 3 * sets], (at) => {
      const set = Math.floor(at / 3);
      const alternates = ["en", "de", "fr"]
        .map((hreflang) => ({ hreflang, href: `${ORIGIN}/${hreflang}/${set}` }));
      // every tenth French page links to itself only
      const isAlone = at % 3 === 2 && set % 10 === 0;
      return { url: alternates[at % 3]!.href, alternates: alternates.slice(isAlone ? 2 : 0) };
    });
    const finding = checker.result().findings[0]!;
    assertEquals(finding.severity, "error");
    assertCount(finding, sets / 5, share);
    if (share > 0) continue;
    // in the order of the pages
    assertEquals(
      finding.examples.map(({ url, value }) => [url, value]),
      [["en", 0], ["de", 0], ["en", 10], ["de", 10], ["en", 20]]
        .map(([language, set]) => [`${ORIGIN}/${language}/${set}`, `${ORIGIN}/fr/${set}`]),
    );
  }
});

/** A rule that compares pages with those before, up to a limit. */
interface LimitedRule {
  readonly code: RuleCode;
  readonly limit: number;
  /** Returns the page that adds one to what is remembered. */
  readonly add: (at: number) => SitemapPage;
  /** Returns a page with a fault, which adds nothing. */
  readonly repeat: (at: number) => SitemapPage;
}

const LIMITED_RULES: readonly LimitedRule[] = [
  {
    code: "loc-duplicate",
    limit: 1 << 20,
    add: (at) => ({ url: `${ORIGIN}/${at}` }),
    repeat: (at) => ({ url: `${ORIGIN}/${at}` }),
  },
  {
    code: "loc-equivalent",
    limit: 1 << 20,
    add: (at) => ({ url: `${ORIGIN}/${at}` }),
    repeat: (at) => ({ url: `${ORIGIN}/${at}/` }),
  },
  {
    // each "b" is linked by an "a", links a "c", and then both
    code: "hreflang-return",
    limit: 1 << 19,
    add: (at) => at % 2 === 0 ? linking(`/a${at}`, `/b${at}`) : linking(`/b${at - 1}`, `/c${at}`),
    repeat: (at) => linking(`/b${2 * at}`, `/a${2 * at}`, `/c${2 * at + 1}`),
  },
];

for (const { code, limit, add, repeat } of LIMITED_RULES) {
  Deno.test(`${code} is exact up to its limit, and an estimate from the next page on`, () => {
    const checker = new Checker({ only: [code] });
    read(checker, 1, [0, limit], add);
    read(checker, 2, [0, 100], repeat);
    read(checker, 3, [limit, limit + 1], add);
    read(checker, 4, [100, 200], repeat);
    const { findings } = checker.result();
    const found = (id: number) => findings.find(({ sitemap }) => sitemap === ref(id).url)!;
    assertEquals([found(2).count, found(2).isEstimated], [100, undefined]);
    assertEquals([found(4).count % 2, found(4).isEstimated], [0, true]);
  });
}
