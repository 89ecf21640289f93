import fc from "fast-check";
import { NewsStory, SitemapPage, SitemapVideo } from "../../src/data/page.ts";
import { CHANGE_FREQUENCIES, type SitemapImage } from "../../src/data/page_schema.ts";

/** Objects as parsers make them. */
const PLAIN = { noNullPrototype: true } as const;

/** Any UTF-16: lone surrogates, control characters and byte order marks included. */
const units: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7f0, max: 0xe010 })))
  .map((codes) => String.fromCharCode(...codes));

/** Strings of all kinds, most of them as they are in sitemaps. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.webUrl(),
  fc.string({ unit: "grapheme" }),
  units,
);

const anyUrl: fc.Arbitrary<string> = fc.oneof(
  fc.webUrl(),
  fc.nat(200).map((n) => `https://example.com/products/${"long-".repeat(n % 7)}${n}.html`),
  fc.nat(20).map((n) => `https://пример.test/страница/日本/${n}`),
  anyText,
);

/** Dates that JSON can hold. */
export const anyDay: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((day) => day * 86_400_000),
  fc.integer({ min: -10_000_000_000, max: 10_000_000_000 }).map((second) => second * 1000),
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
);

/** Dates without time, of any precision. */
const anyDate: fc.Arbitrary<string> = fc
  .tuple(fc.date({ noInvalidDate: true }), fc.constantFrom(0, 3, 6))
  .map(([date, dropped]) => {
    const iso = date.toISOString();
    return iso.slice(0, iso.indexOf("T") - dropped);
  });

/** Any fields of a page: extreme dates, fractions of milliseconds and −0 included. */
const anyTime: fc.Arbitrary<number | string> = fc.oneof(
  anyDay,
  anyDate,
  fc.double({ noNaN: true }),
);
const anyNumber: fc.Arbitrary<number> = fc.oneof(fc.nat(), fc.double({ noNaN: true }));

const anyPriority: fc.Arbitrary<number> = fc.oneof(
  fc.nat(10).map((tenths) => tenths / 10),
  fc.constantFrom(0.5, 0.123456789, 0.05, 1 / 3, 2.54, 2.55, -0, -0.5),
  fc.double({ noNaN: true }),
);

const someTexts = fc.array(anyText, { maxLength: 3 });

const anyImage: fc.Arbitrary<SitemapImage> = fc.record({
  loc: anyText,
  caption: anyText,
  geoLocation: anyText,
  title: anyText,
  license: anyText,
}, { requiredKeys: ["loc"], ...PLAIN });

const anyAlternate = fc.record({ hreflang: anyText, href: anyText }, PLAIN);

const anyRestriction = fc.record({
  relationship: fc.constantFrom("allow", "deny"),
  values: someTexts,
}, PLAIN);

function story(time: fc.Arbitrary<number | string>): fc.Arbitrary<NewsStory> {
  return fc.record({
    title: anyText,
    publishDate: time,
    publicationName: anyText,
    publicationLanguage: anyText,
    access: anyText,
    genres: someTexts,
    keywords: someTexts,
    stockTickers: someTexts,
  }, { requiredKeys: ["title"], ...PLAIN }).map((fields) => fields);
}

function price(amount: fc.Arbitrary<number>) {
  return fc.record({ amount, currency: anyText, type: anyText, resolution: anyText }, {
    requiredKeys: ["amount", "currency"],
    ...PLAIN,
  });
}

function video(time: fc.Arbitrary<number | string>, number: fc.Arbitrary<number>) {
  return fc.record({
    thumbnailLoc: anyText,
    title: anyText,
    description: anyText,
    contentLoc: anyText,
    playerLoc: anyText,
    duration: number,
    expirationDate: time,
    rating: number,
    viewCount: number,
    publicationDate: time,
    familyFriendly: fc.boolean(),
    restriction: anyRestriction,
    platform: anyRestriction,
    requiresSubscription: fc.boolean(),
    uploader: fc.record({ name: anyText, info: anyText }, { requiredKeys: ["name"], ...PLAIN }),
    live: fc.boolean(),
    tags: someTexts,
    gallery: fc.record({ loc: anyText, title: anyText }, { requiredKeys: ["loc"], ...PLAIN }),
    prices: fc.array(price(number), { maxLength: 2 }),
  }, { requiredKeys: [], ...PLAIN }).map((fields) => fields);
}

function page(
  time: fc.Arbitrary<number | string>,
  number: fc.Arbitrary<number>,
  priority: fc.Arbitrary<number>,
): fc.Arbitrary<SitemapPage> {
  return fc.record({
    url: anyUrl,
    priority,
    lastModified: time,
    changeFrequency: fc.constantFrom(...CHANGE_FREQUENCIES),
    newsStory: story(time),
    images: fc.array(anyImage, { maxLength: 3 }),
    videos: fc.array(video(time, number), { maxLength: 2 }),
    alternates: fc.array(anyAlternate, { maxLength: 3 }),
  }, { requiredKeys: ["url"], ...PLAIN }).map((fields) => fields);
}

/** Any page. */
export const anyPage: fc.Arbitrary<SitemapPage> = page(anyTime, anyNumber, anyPriority);

/** Any page that survives JSON unchanged. */
export const anyJsonPage: fc.Arbitrary<SitemapPage> = page(
  fc.oneof(anyDay, anyDate),
  fc.nat(),
  fc.nat(100).map((hundredths) => hundredths / 100),
);

/** Plain pages and rich ones, as sitemaps have them: mostly plain. */
export const anyPages: fc.Arbitrary<SitemapPage[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: anyUrl.map((url) => ({ url })) },
    { weight: 1, arbitrary: anyPage },
  ),
  { maxLength: 150 },
);
