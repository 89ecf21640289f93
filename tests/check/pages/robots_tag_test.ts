import { assertEquals } from "@std/assert";
import { hasNoindex } from "../../../src/check/pages/robots_tag.ts";

const CASES: readonly (readonly [header: string | null, agent: string, isNoindex: boolean])[] = [
  [null, "*", false],
  ["", "*", false],
  ["noindex", "*", true],
  ["NoIndex", "*", true],
  ["none", "*", true],
  ["all", "*", false],
  ["nofollow", "*", false],
  ["noindexing", "*", false],
  ["nofollow, noindex", "*", true],
  [" noarchive ,  noindex ", "*", true],
  // rules with values, and dates with commas and colons
  ["max-snippet: 20, noindex", "*", true],
  ["max-image-preview: none", "*", false],
  ["unavailable_after: 25 Jun 2010 15:00:00 PST", "*", false],
  ["unavailable_after: Wednesday, 25-Jun-10 15:00:00 UTC, noindex", "*", true],
  ["unavailable_after: Sat, 01 Jan 2030 15:00:00 GMT", "*", false],
  // names of crawlers
  ["googlebot: noindex", "*", false],
  ["googlebot: noindex", "Googlebot", true],
  ["googlebot: noindex", "Mozilla/5.0 (compatible; Googlebot/2.1)", true],
  ["googlebot: noindex", "bingbot", false],
  ["googlebot:nofollow,noindex", "googlebot", true],
  ["googlebot: nofollow, noindex", "*", false],
  ["*: noindex", "*", true],
  ["*: noindex", "bingbot", true],
  ["noindex", "bingbot", true],
  ["bingbot: nofollow, googlebot: none", "googlebot", true],
  ["bingbot: nofollow, googlebot: none", "bingbot", false],
  ["googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", "googlebot", true],
  ["otherbot: noindex, nofollow, *: noarchive", "*", false],
];

Deno.test("hasNoindex() reads lists, rules with values and rules of one crawler", () => {
  for (const [header, agent, isNoindex] of CASES) {
    assertEquals(hasNoindex(header, agent), isNoindex, `${header} for ${agent}`);
  }
});
