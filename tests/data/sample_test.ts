import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { PatternSample, Sample } from "../../src/data/sample.ts";
import { UrlPatterns } from "../../src/data/url_pattern.ts";
import { urlWord } from "./arbitrary_page.ts";

const NUMBERS = Array.from({ length: 100 }, (_, at) => at);

function sampleOf(numbers: readonly number[], size: number, seed: number): number[] {
  const sample = new Sample<number>(size, seed);
  for (const number of numbers) sample.add(number);
  return sample.items();
}

function patternSampleOf(urls: readonly string[], perPattern: number, seed: number): string[] {
  const sample = new PatternSample<string>(perPattern, seed);
  for (const url of urls) sample.add(url, url);
  return sample.items();
}

/**
 * Asserts that all items were drawn equally often by a chi-squared test: for samples without
 * replacement the statistic has `items - 1` degrees of freedom, and is within four standard deviations.
 */
function assertUniform<T>(items: readonly T[], size: number, draw: (seed: number) => T[]): void {
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

Deno.test("Sample draws every item equally often, whatever the size", () => {
  for (const size of [1, 10, 99]) {
    assertUniform(NUMBERS, size, (seed) => sampleOf(NUMBERS, size, seed));
  }
});

Deno.test("Sample draws the same items by the same seed, in the order in which they were added", () => {
  const first = sampleOf(NUMBERS, 20, 2 ** 40 + 1);
  assertEquals(sampleOf(NUMBERS, 20, 2 ** 40 + 1), first);
  assertNotEquals(sampleOf(NUMBERS, 20, 1), first);
  assertEquals(first.toSorted((a, b) => a - b), first);
});

Deno.test("Sample has all items if there are fewer, and counts what was added", () => {
  assertEquals(sampleOf(NUMBERS, 1000, 1), NUMBERS);
  assertEquals(sampleOf([], 3, 1), []);
  const sample = new Sample<number>(3, 1);
  for (const number of NUMBERS) sample.add(number);
  assertEquals(sample.seen, 100);
  assertEquals(sample.items(), sample.items());
});

const POSTS = NUMBERS.map((at) => `https://a.test/blog/post-number-${at}`);
const letters = (at: number) => String.fromCharCode(97 + at % 26, 97 + Math.floor(at / 26) % 26);
/** Single words, which are forms of their own until there are too many. */
const TAGS = Array.from({ length: 300 }, (_, at) => `https://a.test/tag/tag${letters(at)}`);
/** Directories, which become a placeholder when forms are listed. */
const SHOPS = Array.from({ length: 60 }, (_, at) => `https://a.test/shop/${letters(at)}x/items`);

Deno.test("PatternSample draws every URL of a form equally often, also after merges", () => {
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

Deno.test("PatternSample has the same items by the same seed, in the order of the URLs", () => {
  const urls = SHOPS.flatMap((shop, at) => [POSTS[at]!, TAGS[at]!, shop]);
  const items = patternSampleOf(urls, 5, 7);
  assertEquals(patternSampleOf(urls, 5, 7), items);
  assertNotEquals(patternSampleOf(urls, 5, 8), items);
  const places = items.map((url) => urls.indexOf(url));
  assertEquals(places.toSorted((a, b) => a - b), places);
});

Deno.test("PatternSample samples the forms after the first thousand as one", () => {
  const steps = ["1", "2024-05-01"];
  const folders = steps.flatMap((a) => steps.flatMap((b) => steps.map((c) => `${a}/${b}/${c}`)));
  const urls = folders.flatMap((folder) =>
    Array.from({ length: 140 }, (_, at) => `https://a.test/${folder}/7.${letters(at)}`)
  );
  const { patterns, other } = listOf(urls, 1000);
  assertEquals([patterns.length, other], [1000, 120]);
  assertEquals(patternSampleOf(urls, 3, 1).length, 1003);
});

Deno.test("PatternSample has so many URLs of each form, or all of them", () => {
  const segment = fc.oneof(
    fc.constantFrom("en", "de", "blog", "2024", "05", "about", "a-b", "", "7", "x.html"),
    urlWord(),
  );
  const url = fc.tuple(fc.array(segment, { maxLength: 4 }), fc.constantFrom("", "?a=1", "?b"))
    .map(([path, query]) => `https://a.test/${path.join("/")}${query}`);
  fc.assert(fc.property(
    fc.array(url, { maxLength: 200 }),
    fc.integer({ min: 1, max: 5 }),
    (urls, perPattern) => {
      const { patterns } = listOf(urls, 1000);
      const expected = patterns.map(({ count }) => Math.min(count, perPattern));
      const items = patternSampleOf(urls, perPattern, 1);
      assertEquals(items.length, expected.reduce((sum, count) => sum + count, 0));
    },
  ));
});

function listOf(urls: readonly string[], limit: number): ReturnType<UrlPatterns["list"]> {
  const patterns = new UrlPatterns();
  for (const url of urls) patterns.add(url);
  return patterns.list(limit);
}
