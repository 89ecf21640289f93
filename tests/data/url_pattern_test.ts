import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { LowestRanks } from "../../src/data/lowest_ranks.ts";
import { UrlPatterns } from "../../src/data/url_pattern.ts";
import { urlWord } from "./arbitrary_page.ts";
import { partsOf } from "./parts_of.ts";

function formsOf(urls: Iterable<string>, limit = 200): Record<string, number> {
  const patterns = new UrlPatterns();
  for (const url of urls) patterns.add(partsOf(url));
  const { patterns: listed, other } = patterns.list(limit);
  const forms = Object.fromEntries(listed.map(({ pattern, count }) => [pattern, count]));
  return other === 0 ? forms : { ...forms, other };
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

const WORDS = "alder birch cedar elder hazel maple rowan willow aspen beech".split(" ");
/** A word of letters for a number. */
function word(at: number): string {
  const digits = [...String(at)].map((digit) => WORDS[Number(digit)]);
  return digits.join("").slice(0, 20);
}
const title = (at: number) => `${WORDS[at % 10]}-${WORDS[at * 7 % 10]}-${word(at)}`;
const A = "https://a.test";

const SITES: Readonly<Record<string, readonly [readonly string[], Record<string, number>]>> = {
  "a site of three pages": [
    [`${A}/`, `${A}/about`, `${A}/contact.html`],
    { "/": 1, "/about": 1, "/contact.html": 1 },
  ],
  "a shop": [
    [
      `${A}/`,
      ...times(
        400,
        (at) => `${A}/${at % 2 ? "shoes" : "mens-coats"}/${title(at)}-${10_000 + at}.html`,
      ),
      ...times(300, (at) => `${A}/p/${1800 + at}`),
      ...times(60, (at) => `${A}/search?q=${word(at)}&page=${at}`),
      ...times(50, (at) => `${A}/dp/B00${at}XYZ${at}`),
    ],
    {
      "/p/{number}": 300,
      "/mens-coats/{slug}-{number}.html": 200,
      "/shoes/{slug}-{number}.html": 200,
      "/search?q&page": 60,
      "/dp/{id}": 50,
      "/": 1,
    },
  ],
  "a shop with many categories": [
    [
      ...times(600, (at) => `${A}/c/${word(at % 60)}/${title(at)}`),
      ...times(600, (at) => `${A}/c/sale/${title(at)}`),
    ],
    { "/c/sale/{slug}": 600, "/c/{slug}/{slug}": 600 },
  ],
  "products with pages below them": [
    times(300, (at) => `${A}/product/${title(at)}/${at % 3 ? "reviews" : "questions"}`),
    { "/product/{slug}/reviews": 200, "/product/{slug}/questions": 100 },
  ],
  "a blog": [
    [
      ...times(50, (at) => `${A}/${2010 + at % 10}/0${1 + at % 9}/${title(at)}/`),
      ...times(40, (at) => `${A}/${2010 + at % 10}/0${1 + at % 9}/2${at % 9}/${title(at)}.html`),
      ...times(30, (at) => `${A}/blog/${title(at)}`),
      ...times(20, (at) => `${A}/tag/${word(at)}`),
      ...times(8, (at) => `${A}/archive/20${10 + at}`),
      ...times(5, (at) => `${A}/log/2024-05-0${at + 1}`),
    ],
    {
      "/{year}/{month}/{slug}": 50,
      "/{year}/{month}/{day}/{slug}.html": 40,
      "/blog/{slug}": 30,
      ...Object.fromEntries(times(20, (at) => [`/tag/${word(at)}`, 1])),
      "/archive/{year}": 8,
      "/log/{date}": 5,
    },
  ],
  "a wiki": [
    [
      ...times(300, (at) => `${A}/wiki/${word(at)}`),
      ...times(100, (at) => `${A}/wiki/${word(at)}_(${WORDS[at % 10]})`),
      ...times(50, (at) => `${A}/wiki/%E6%B0%B4${at}`),
    ],
    { "/wiki/{slug}": 450 },
  ],
  "a forum": [
    [
      ...times(90, (at) => `${A}/viewtopic.php?f=${at}&t=${at}`),
      ...times(80, (at) => `${A}/t/${title(at)}/${at * 100}`),
      ...times(70, (at) => `${A}/threads/${title(at)}.${at + 1000}/`),
      ...times(60, (at) => `${A}/${1000 + at}-${title(at)}`),
      ...times(40, (at) => `${A}/showthread.php?${at}-${title(at)}`),
    ],
    {
      "/viewtopic.php?f&t": 90,
      "/t/{slug}/{number}": 80,
      "/threads/{slug}.{number}": 70,
      "/{number}-{slug}": 60,
      "/showthread.php?{value}": 40,
    },
  ],
  "languages": [
    times(90, (at) => `${A}/${["en", "de", "pt-br"][at % 3]}/${title(at)}`),
    { "/en/{slug}": 30, "/de/{slug}": 30, "/pt-br/{slug}": 30 },
  ],
  "queries and users": [
    [
      ...times(5000, (at) => `${A}/find/?${word(at)}=1`),
      ...times(9000, (at) => `${A}/${title(at)}/${word(at)}`),
    ],
    { "/{slug}/{slug}": 9000, "/find?*": 5000 },
  ],
  "identifiers": [
    [
      `${A}/item/123e4567-e89b-12d3-a456-426614174000`,
      `${A}/item/9f86d081884c7d65`,
      `${A}/watch/dQw4w9WgXcQ`,
      `${A}/watch/p12345`,
    ],
    { "/item/{id}": 2, "/watch/{id}": 2 },
  ],
  "hosts": [
    [...times(3, (at) => `${A}/x-${at}`), ...times(2, (at) => `http://B.test:8080/x-${at}/`)],
    { "a.test/{slug}": 3, "b.test:8080/{slug}": 2 },
  ],
  "many hosts": [
    [
      ...times(900, (at) => `https://${word(at)}.test/`),
      ...times(100, (at) => `${A}/${title(at)}`),
    ],
    { "{host}/": 900, "a.test/{slug}": 100 },
  ],
};

for (const [name, [urls, expected]] of Object.entries(SITES)) {
  Deno.test(`UrlPatterns: ${name}`, () => assertEquals(formsOf(urls), expected));
}

Deno.test("UrlPatterns does not depend on the order of the URLs", () => {
  for (const [urls, expected] of Object.values(SITES)) {
    assertEquals(formsOf([...urls].reverse()), expected);
  }
});

Deno.test("UrlPatterns has the first URL of a form as its example, and shortens it", () => {
  const patterns = new UrlPatterns();
  for (const path of ["b-b", "a-a", `${"x-".repeat(500)}`]) patterns.add(partsOf(`${A}/${path}`));
  assertEquals(patterns.list(5).patterns[0]?.example, `${A}/b-b`);
  const long = new UrlPatterns();
  long.add(partsOf(`${A}/${"x-".repeat(500)}`));
  assertEquals(long.list(5).patterns[0]?.example.length, 300);
});

Deno.test("UrlPatterns lists at most so many forms, and counts the others", () => {
  const urls = times(
    60,
    (at) => `${A}/${WORDS[at % 10]}/${word(at % 6)}.${["html", "php"][at % 2]}`,
  );
  const all = formsOf(urls);
  assert(Object.keys(all).length > 5);
  const few = formsOf(urls, 5);
  assert(Object.keys(few).length <= 6, JSON.stringify(few));
  assertEquals(Object.values(few).reduce((sum, count) => sum + count), urls.length);
});

Deno.test("UrlPatterns counts and samples every URL, whatever there is and however little is kept", () => {
  const segment = fc.oneof(
    fc.constantFrom("en", "de", "blog", "2024", "05", "about", "a-b", "", "{slug}", "*", "x.html"),
    urlWord(),
    fc.array(fc.nat(0x10ffff), { maxLength: 8 }).map((points) => String.fromCodePoint(...points)),
  );
  const url = fc.tuple(
    fc.constantFrom("https://a.test", "http://b.test", "https://u@c.test:80", "mailto:x", ""),
    fc.array(segment, { maxLength: 11 }),
    fc.constantFrom("", "/", "?", "?a=1&b", "#x", "?=&=", "//"),
  ).map(([start, path, end]) => start + path.map((name) => `/${name}`).join("") + end);
  fc.assert(fc.property(
    fc.array(url, { maxLength: 300 }),
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: 1, max: 40 }),
    (urls, maxItems, limit) => {
      const patterns = new UrlPatterns<string>(maxItems);
      for (const [at, one] of urls.entries()) {
        const leaf = patterns.add(partsOf(one));
        leaf.sample ??= new LowestRanks(2);
        leaf.sample.add(at * 7919 % 307, at, () => one);
      }
      const { patterns: listed, other } = patterns.list(limit);
      assert(listed.length <= limit);
      assertEquals(listed.reduce((sum, { count }) => sum + count, other), urls.length);
      assertEquals(patterns.list(limit), { patterns: listed, other });
      const counts = [...listed.map(({ count }) => count), ...(other > 0 ? [other] : [])];
      assertEquals(
        patterns.samples(limit).map(({ kept }) => kept.length),
        counts.map((count) => Math.min(count, 2)),
      );
    },
  ));
});
