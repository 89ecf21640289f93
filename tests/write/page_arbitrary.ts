/**
 * Random pages for property tests.
 *
 * @module
 */

import fc from "fast-check";
import { SitemapPage } from "../../src/data/page.ts";
import { CHANGE_FREQUENCIES, type SitemapPage } from "../../src/data/page_schema.ts";

/** Text that has brought writers down before. */
const NASTY = [
  "\0",
  "\x1b[31m",
  "\x7f",
  "\x85",
  "\x9b31m",
  "\u2028",
  "\u202e",
  "\u061c",
  "\u200e",
  "\u200f",
  "\u2066",
  "\ufeff",
  "\ufffe",
  "\uffff",
  "\ud800",
  "\udc00",
  "\r",
  "\n",
  "\r\n",
  "\t",
  " ",
  "]]>",
  "<!--",
  "&",
  "&amp;",
  "&amp;amp;",
  "&#x26;",
  "&eacute;",
  "<",
  ">",
  '"',
  "'",
  ",",
  "|",
  "=1+1",
  "@",
  "\\",
  "é",
  "漢",
  "😀",
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

/** Dates of any precision: times as `Date`, others as `2005`, `2005-01` or `2005-01-31`. */
export function anyTime(): fc.Arbitrary<Date | string> {
  const date = fc.date({
    min: new Date("0001-01-01T00:00:00.000Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  const length = fc.constantFrom(4, 7, 10);
  return fc.oneof(
    date,
    fc.tuple(date, length).map(([date, length]) => date.toISOString().slice(0, length)),
  );
}

/** Random fields of pages, their text made by `text` and their addresses by `address`. */
export function anyFields(
  text: fc.Arbitrary<string>,
  address: fc.Arbitrary<string>,
): fc.Arbitrary<SitemapPage> {
  const time = anyTime();
  // Lists are split at commas when they are read.
  const words = fc.array(
    text.map((word) => word.replaceAll(",", "").replace(EDGES_REGEXP, "")).filter((word) =>
      word !== ""
    ),
    { maxLength: 3 },
  );
  const restriction = fc.record({
    relationship: fc.constantFrom("allow" as const, "deny" as const),
    values: fc.subarray(["IE", "GB", "DE"], { minLength: 1 }),
  });
  const newsStory = fc.record(
    {
      title: text,
      publishDate: time,
      publicationName: text,
      publicationLanguage: text,
      access: text,
      genres: words,
      keywords: words,
      stockTickers: words,
    },
    { requiredKeys: ["title", "publishDate"] },
  );
  const image = fc.record(
    { loc: text, caption: text, geoLocation: text, title: text, license: text },
    { requiredKeys: ["loc"] },
  );
  const price = fc.record(
    { amount: fc.nat().map((cents) => cents / 100), currency: text, type: text, resolution: text },
    { requiredKeys: ["amount", "currency"] },
  );
  const video = fc.record(
    {
      thumbnailLoc: text,
      title: text,
      description: text,
      contentLoc: text,
      playerLoc: text,
      duration: fc.oneof(fc.nat(28_800), fc.constantFrom(0, 0.5, 12.25)),
      expirationDate: time,
      rating: fc.double({ min: 0, max: 5, noNaN: true }).map(Math.abs),
      viewCount: fc.maxSafeNat(),
      publicationDate: time,
      familyFriendly: fc.boolean(),
      restriction,
      platform: restriction,
      requiresSubscription: fc.boolean(),
      uploader: fc.record({ name: text, info: text }, { requiredKeys: ["name"] }),
      live: fc.boolean(),
      tags: fc.array(text, { minLength: 1, maxLength: 3 }),
      gallery: fc.record({ loc: text, title: text }, { requiredKeys: ["loc"] }),
      prices: fc.array(price, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  return fc.record(
    {
      url: address,
      priority: fc.oneof(
        fc.constant(0.5),
        fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
      ),
      lastModified: time,
      changeFrequency: fc.constantFrom(...CHANGE_FREQUENCIES),
      newsStory,
      images: fc.array(image, { minLength: 1, maxLength: 2 }),
      videos: fc.array(video, { minLength: 1, maxLength: 2 }),
      alternates: fc.array(fc.record({ hreflang: text, href: text }), {
        minLength: 1,
        maxLength: 2,
      }),
    },
    { requiredKeys: ["url"] },
  );
}

/** Random pages, their text made by `text` and their addresses by `address`. */
export function anyPage(
  text: fc.Arbitrary<string>,
  address: fc.Arbitrary<string>,
): fc.Arbitrary<SitemapPage> {
  return anyFields(text, address).map((fields) => fields);
}

/** Fields of pages whose text may be anything at all. */
export function hostileFields(): fc.Arbitrary<SitemapPage> {
  return anyFields(anyText(), anyText());
}

/** Pages whose text may be anything at all. */
export function hostilePage(): fc.Arbitrary<SitemapPage> {
  return hostileFields().map((fields) => fields);
}

/** Pages as a sitemap can hold them. */
export function sitemapPage(): fc.Arbitrary<SitemapPage> {
  // Line breaks and tabs are removed from addresses when they are read.
  const address = xmlText().map((text) => `https://example.com/${text.replace(/[\t\r\n]/g, "")}`);
  return anyPage(xmlText(), address);
}
