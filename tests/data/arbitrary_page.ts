/** Random pages for property tests. @module */

import fc from "../support/fast_check.ts";
import type { NewsStory, SitemapImage, SitemapPage, SitemapVideo } from "../../src/data/page.ts";
import { CHANGE_FREQUENCIES } from "../../src/data/page_schema.ts";

/** Objects as parsers make them. */
const PLAIN = { noNullPrototype: true } as const;

/** Text that has brought writers down before. */
const NASTY = [
  ..."\0\x7f\x85\u2028\u202e\u061c\u200e\u200f\u2066\ufeff\ufffe\uffff\udc00\ud800",
  ..."\r\n\t &<>\"',|@\\é漢😀",
  ...["\x1b[31m", "\x9b31m", "\r\n", "]]>", "<!--", "=1+1"],
  ...["&amp;", "&amp;amp;", "&#x26;", "&eacute;"],
];

// deno-lint-ignore no-control-regex
const NOT_XML_REGEXP = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** White space at the ends, as Unicode sees it. */
const EDGES_REGEXP = /^[\s\x85]+|[\s\x85]+$/g;

/** What a terminal obeys or drops, but for the tabs and line breaks that a format has itself. */
export const OBEYED_REGEXP: RegExp =
  // deno-lint-ignore no-control-regex
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\p{Bidi_Control}\u2028\u2029\ufeff]/u;

/** Any text: the worst of it, and ordinary words. */
export function anyText(): fc.Arbitrary<string> {
  const piece = fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 8 }));
  return fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
}

/** Text that survives XML and its readers: trimmed, not empty, of characters that XML allows. */
export function xmlText(): fc.Arbitrary<string> {
  return anyText()
    .map((text) => text.toWellFormed().replace(NOT_XML_REGEXP, "").replace(EDGES_REGEXP, ""))
    .filter((text) => text !== "");
}

/** Any UTF-16: lone surrogates, control characters and byte order marks included. */
const anyUnits: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7f0, max: 0xe010 })))
  .map((codes) => String.fromCharCode(...codes));

/** Parts of URLs; `fc.webSegment()` takes more than a second before its first one. */
export function urlWord(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: fc.constantFrom(..."abyz019-._~!$'()*+,;:@&="), maxLength: 12 }),
    fc.string({ unit: "grapheme", maxLength: 6 }).map(encodeURIComponent),
  );
}

export function webUrl(): fc.Arbitrary<string> {
  const after = (mark: string) => urlWord().map((word) => word && mark + word);
  return fc.tuple(
    fc.constantFrom("http://", "https://"),
    fc.stringMatching(/^[a-z][a-z0-9]{0,10}(?:\.[a-z0-9]{1,8}){0,2}\.[a-z]{2,4}$/),
    fc.array(urlWord().map((word) => `/${word}`)).map((path) => path.join("")),
    after("?"),
    after("#"),
  ).map((parts) => parts.join(""));
}

/** Strings of all kinds, most of them as they are in sitemaps. */
export function anyString(): fc.Arbitrary<string> {
  return fc.oneof(fc.string(), webUrl(), fc.string({ unit: "grapheme" }), anyUnits);
}

/** Dates in the four forms, near the present and anywhere in the years 1 to 9999. */
export function anyDate(): fc.Arbitrary<string> {
  const between = (min: string, max: string) =>
    fc.date({ min: new Date(min), max: new Date(max), noInvalidDate: true });
  const time = fc.oneof(
    between("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
    between("1969-12-31", "1970-01-02"),
    between("2024-02-28", "2024-03-01").map((time) => new Date(Math.floor(+time / 1000) * 1000)),
    between("2024-02-28", "2024-03-01").map((time) => new Date(time.toISOString().slice(0, 10))),
  );
  return fc.tuple(time, fc.constantFrom(4, 7, 10, 24))
    .map(([time, length]) => time.toISOString().slice(0, length));
}

interface PageParts {
  readonly text: fc.Arbitrary<string>;
  readonly url: fc.Arbitrary<string>;
  /** Addresses that are resolved when they are read. Default: `text`. */
  readonly address?: fc.Arbitrary<string>;
  /** Default: a fraction, or an integer, at least 0. */
  readonly number?: fc.Arbitrary<number>;
  /** Default: from 0 to 1. */
  readonly priority?: fc.Arbitrary<number>;
  /** Items of lists that are one value in XML. Default: `text` without commas. */
  readonly word?: fc.Arbitrary<string>;
  /** Countries and platforms. Default: country codes. */
  readonly code?: fc.Arbitrary<string>;
  /** Least items of lists. Default: 1, as parsers make no empty lists. */
  readonly minItems?: number;
}

/** Random pages of the given values, their dates in all forms. */
export function anyPage(parts: PageParts): fc.Arbitrary<SitemapPage> {
  const {
    text,
    url,
    address = text,
    number = fc.oneof(fc.nat(28_800), fc.constantFrom(0, 0.5, 12.25), fc.maxSafeNat()),
    priority = fc.oneof(
      fc.constantFrom(0, 0.5, 1),
      fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
    ),
    // lists are split at commas when they are read
    word = text.map((text) => text.replaceAll(",", "").replace(EDGES_REGEXP, ""))
      .filter((word) => word !== ""),
    code = fc.constantFrom("IE", "GB", "DE"),
    minItems = 1,
  } = parts;
  const date = anyDate();
  const list = <T>(item: fc.Arbitrary<T>) =>
    fc.array(item, { minLength: minItems, maxLength: 1 + minItems });
  const restriction = fc.record({
    relationship: fc.constantFrom("allow", "deny"),
    values: list(code),
  }, PLAIN);
  const newsStory: fc.Arbitrary<NewsStory> = fc.record({
    title: text,
    publishDate: date,
    publicationName: text,
    publicationLanguage: text,
    access: text,
    genres: list(word),
    keywords: list(word),
    stockTickers: list(word),
  }, { requiredKeys: ["title", "publishDate"], ...PLAIN });
  const image: fc.Arbitrary<SitemapImage> = fc.record(
    { loc: address, caption: text, geoLocation: text, title: text, license: text },
    { requiredKeys: ["loc"], ...PLAIN },
  );
  const price = fc.record(
    { amount: number, currency: text, type: text, resolution: text },
    { requiredKeys: ["amount", "currency"], ...PLAIN },
  );
  const video: fc.Arbitrary<SitemapVideo> = fc.record({
    thumbnailLoc: address,
    title: text,
    description: text,
    contentLoc: address,
    playerLoc: address,
    duration: number,
    expirationDate: date,
    rating: number,
    viewCount: number,
    publicationDate: date,
    familyFriendly: fc.boolean(),
    restriction,
    platform: restriction,
    requiresSubscription: fc.boolean(),
    uploader: fc.record({ name: text, info: text }, { requiredKeys: ["name"], ...PLAIN }),
    live: fc.boolean(),
    tags: list(text),
    gallery: fc.record({ loc: text, title: text }, { requiredKeys: ["loc"], ...PLAIN }),
    prices: list(price),
  }, { requiredKeys: [], ...PLAIN });
  return fc.record({
    url,
    lastModified: date,
    changeFrequency: fc.constantFrom(...CHANGE_FREQUENCIES),
    priority,
    newsStory,
    images: list(image),
    videos: list(video),
    alternates: list(fc.record({ hreflang: text, href: address }, PLAIN)),
  }, { requiredKeys: ["url"], ...PLAIN });
}

/** Pages whose text may be anything at all. */
export function hostilePage(): fc.Arbitrary<SitemapPage> {
  return anyPage({ text: anyText(), url: anyText() });
}

/** Pages as a sitemap can hold them. */
export function sitemapPage(): fc.Arbitrary<SitemapPage> {
  // line breaks and tabs are removed from addresses when they are read
  const url = xmlText().map((text) => `https://example.com/${text.replace(/[\t\r\n]/g, "")}`);
  // only relative addresses are resolved
  const address = xmlText().map((text) => `i:${text}`);
  return anyPage({ text: xmlText(), url, address });
}

const anyUrl: fc.Arbitrary<string> = fc.oneof(
  webUrl(),
  fc.nat(200).map((n) => `https://example.com/products/${"long-".repeat(n % 7)}${n}.html`),
  fc.nat(20).map((n) => `https://пример.test/страница/日本/${n}`),
  anyString(),
);

/** Pages with empty lists, strings of any UTF-16 and numbers of any size, as JSON can hold them. */
export function jsonPage(): fc.Arbitrary<SitemapPage> {
  // JSON has neither infinities nor −0
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
  return anyPage({
    text: anyString(),
    url: anyUrl,
    word: anyString(),
    code: anyString(),
    minItems: 0,
    number: fc.oneof(fc.nat(), number),
    priority: fc.oneof(
      fc.nat(10).map((tenths) => tenths / 10),
      fc.constantFrom(0.5, 0.123456789, 0.05, 1 / 3, 2.54, 2.55, -0.5),
      number,
    ),
  });
}

/** Plain pages and rich ones, as sitemaps have them: mostly plain. */
export function mixedPages(): fc.Arbitrary<SitemapPage[]> {
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: anyUrl.map((url) => ({ url })) },
      { weight: 1, arbitrary: jsonPage() },
    ),
    { maxLength: 150 },
  );
}
