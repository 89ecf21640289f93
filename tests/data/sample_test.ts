import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { Sample } from "../../src/data/sample.ts";
import { UrlPatterns } from "../../src/data/url_pattern.ts";
import { urlWord } from "./arbitrary_page.ts";
import { partsOf } from "./parts_of.ts";

const POSTS = times(100, (at) => `https://a.test/blog/post-number-${at}`);
/** Single words, which are forms of their own until there are too many. */
const TAGS = times(300, (at) => `https://a.test/tag/tag${letters(at)}`);
/** Directories, which become a placeholder when forms are listed. */
const SHOPS = times(60, (at) => `https://a.test/shop/${letters(at)}x/items`);

function times(count: number, make: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function letters(at: number): string {
  return String.fromCharCode(97 + at % 26, 97 + Math.floor(at / 26) % 26);
}

function sampleOf(
  urls: readonly string[],
  size: number,
  seed: number,
  perPattern?: boolean,
): string[] {
  const sample = new Sample<string>(size, seed, perPattern);
  for (const url of urls) sample.add(url, () => url);
  return sample.items();
}

function patternSampleOf(urls: readonly string[], perPattern: number, seed: number): string[] {
  return sampleOf(urls, perPattern, seed, true);
}

/**
 * Asserts that all items were drawn equally often by a chi-squared test: for samples without
 * replacement the statistic has `items - 1` degrees of freedom, and is within four standard deviations.
 */
function assertUniform(
  items: readonly string[],
  size: number,
  draw: (seed: number) => string[],
): void {
  const runs = 2000;
  const counts = new Map(items.map((item) => [item, 0]));
  for (let seed = 1; seed <= runs; seed++) {
    const drawn = draw(seed);
    assertEquals(drawn.length, size);
    for (const item of drawn) counts.set(item, counts.get(item)! + 1);
  }
  assertEquals(counts.size, items.length);
  const share = size / items.length, expected = runs * share;
  const squares = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2, 0);
  const freedom = items.length - 1;
  const statistic = squares / (expected * (1 - share)) * freedom / items.length;
  assert(Math.abs(statistic - freedom) < 4 * Math.sqrt(2 * freedom), `${statistic} of ${freedom}`);
}

Deno.test("Sample draws every URL equally often, whatever the size", () => {
  for (const size of [1, 10, 99]) {
    assertUniform(POSTS, size, (seed) => sampleOf(POSTS, size, seed));
  }
});

Deno.test("Sample has the same URLs by the same seed, in whichever order and however often they come", () => {
  for (const perPattern of [false, true]) {
    const urls = [...POSTS, ...SHOPS];
    const [one, other, again] = [[...urls, ...urls], urls.toReversed(), urls].map((urls, at) =>
      sampleOf(urls, 20, 2 ** 40 + (at < 2 ? 1 : 0), perPattern)
    );
    assertEquals(other!.toReversed(), one);
    assertNotEquals(again, one);
    // in the order in which they were added
    assertEquals(one, urls.filter((url) => one!.includes(url)));
  }
});

Deno.test("Sample has all URLs if there are fewer, and counts what was added", () => {
  assertEquals(sampleOf(POSTS, 1000, 1), POSTS);
  assertEquals(sampleOf([], 3, 1), []);
  assertEquals(sampleOf(POSTS, 0, 1), []);
  const sample = new Sample<string>(3, 1);
  let made = 0;
  for (const url of POSTS) sample.add(url, () => `${made++}`);
  assertEquals(sample.seen, 100);
  assert(made < 50, "few items are made");
  assertEquals(sample.items(), sample.items());
});

Deno.test("Sample draws every URL of a pattern equally often, also after merges", () => {
  const urls = [...POSTS, ...TAGS, ...SHOPS];
  const { patterns } = listOf(urls, 1000);
  assertEquals(
    patterns.map(({ pattern, count }) => [pattern, count]),
    [["/tag/{slug}", 300], ["/blog/{slug}", 100], ["/shop/{slug}/items", 60]],
  );
  const samples = Array.from({ length: 2001 }, (_, seed) => patternSampleOf(urls, 10, seed));
  for (const form of [POSTS, TAGS, SHOPS]) {
    const own = new Set(form);
    assertUniform(form, 10, (seed) => samples[seed]!.filter((url) => own.has(url)));
  }
});

Deno.test("Sample has one sample of all patterns after the first thousand", () => {
  const steps = ["1", "2024-05-01"];
  const folders = steps.flatMap((a) => steps.flatMap((b) => steps.map((c) => `${a}/${b}/${c}`)));
  const urls = folders.flatMap((folder) =>
    Array.from({ length: 140 }, (_, at) => `https://a.test/${folder}/7.${letters(at)}`)
  );
  const { patterns, other } = listOf(urls, 1000);
  assertEquals([patterns.length, other], [1000, 120]);
  assertEquals(patternSampleOf(urls, 3, 1).length, 1003);
});

Deno.test("Sample has so many URLs of each pattern, or all of them", () => {
  const segment = fc.oneof(
    fc.constantFrom("en", "de", "blog", "2024", "05", "about", "a-b", "", "7", "x.html"),
    urlWord(),
  );
  const url = fc.tuple(fc.array(segment, { maxLength: 4 }), fc.constantFrom("", "?a=1", "?b"))
    .map(([path, query]) => `https://a.test/${path.join("/")}${query}`);
  fc.assert(fc.property(
    fc.array(url, { maxLength: 200 }),
    fc.integer({ min: 1, max: 5 }),
    (all, perPattern) => {
      const urls = [...new Set(all)];
      const { patterns } = listOf(urls, 1000);
      const expected = patterns.map(({ count }) => Math.min(count, perPattern));
      const items = patternSampleOf(urls, perPattern, 1);
      assertEquals(items.length, expected.reduce((sum, count) => sum + count, 0));
    },
  ));
});

function listOf(urls: readonly string[], limit: number): ReturnType<UrlPatterns["list"]> {
  const patterns = new UrlPatterns();
  for (const url of urls) patterns.add(partsOf(url));
  return patterns.list(limit);
}
