/** Rules that remember pages: exact up to a limit, then estimates. @module */

import { assert, assertEquals } from "@std/assert";
import { Checker, type CheckResult, type RuleCode } from "../../src/check/mod.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { left, linking, ORIGIN, ref } from "./check_support.ts";

Deno.test("duplicates are counted exactly up to a million URLs, then estimated", () => {
  for (const [pages, isExact] of [[100_000, true], [1_300_000, false]] as const) {
    const checker = new Checker({ only: ["loc-duplicate", "loc-equivalent"] });
    for (const id of [1, 2]) {
      const sitemap = ref(id);
      checker.add({ type: "sitemap-entered", sitemap });
      for (let at = 0; at < pages; at++) {
        // every fourth page of the second sitemap is in the first
        const name = id === 1 || at % 4 === 0 ? `${at}` : `other-${at}`;
        checker.add({ type: "page", page: { url: `${ORIGIN}/shop/${name}` }, sitemap });
      }
      checker.add(left(sitemap));
    }
    const { findings } = checker.result();
    assertEquals(findings.map(({ code, sitemap }) => [code, sitemap]), [
      ["loc-duplicate", `${ORIGIN}/2.xml`],
    ]);
    const [{ count, isEstimated, message }] = findings as [typeof findings[0]];
    assertEquals(isEstimated, isExact ? undefined : true);
    assertEquals(message.startsWith("About "), !isExact);
    const error = Math.abs(count / (pages / 4) - 1);
    assert(isExact ? error === 0 : error < 0.05, `${count} instead of ${pages / 4}`);
  }
});

Deno.test("links that are not returned are counted exactly up to a limit, then estimated", () => {
  for (const [pages, isExact] of [[20_000, true], [200_000, false]] as const) {
    const checker = new Checker({ only: ["hreflang-return"] });
    const sitemap = ref(1);
    checker.add({ type: "sitemap-entered", sitemap });
    for (let at = 0; at < pages; at++) {
      const alternates = ["en", "de", "fr"].map((hreflang) => ({
        hreflang,
        href: `${ORIGIN}/${hreflang}/${at}`,
      }));
      for (const { hreflang, href: url } of alternates) {
        // every tenth French page links to itself only
        const isAlone = hreflang === "fr" && at % 10 === 0;
        const page = { url, alternates: isAlone ? alternates.slice(2) : alternates };
        checker.add({ type: "page", page, sitemap });
      }
    }
    checker.add(left(sitemap));
    const [{ count, isEstimated, severity, examples }] = checker.result().findings as [
      CheckResult["findings"][0],
    ];
    assertEquals([severity, isEstimated], ["error", isExact ? undefined : true]);
    const error = Math.abs(count / (pages / 5) - 1);
    assert(isExact ? error === 0 : error < 0.1, `${count} instead of ${pages / 5}`);
    if (isExact) {
      assertEquals(examples[0]!.value!.startsWith(`${ORIGIN}/fr/`), true);
      assertEquals(examples.length, 5);
    }
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
    const read = (id: number, page: (at: number) => SitemapPage, start: number, end: number) => {
      const sitemap = ref(id);
      checker.add({ type: "sitemap-entered", sitemap });
      for (let at = start; at < end; at++) checker.add({ type: "page", page: page(at), sitemap });
      checker.add(left(sitemap));
    };
    read(1, add, 0, limit);
    read(2, repeat, 0, 100);
    read(3, add, limit, limit + 1);
    read(4, repeat, 100, 200);
    const { findings } = checker.result();
    const found = (id: number) => findings.find(({ sitemap }) => sitemap === ref(id).url)!;
    assertEquals([found(2).count, found(2).isEstimated], [100, undefined]);
    assertEquals([found(4).count % 2, found(4).isEstimated], [0, true]);
  });
}
