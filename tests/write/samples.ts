/** A page with everything, and the events of a small walk. @module */

import type { SitemapRef, SitemapType, TreeEvent } from "../../src/data/events.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { PAGE_COLUMNS } from "../../src/write/columns.ts";
import type { CsvOptions } from "../../src/write/mod.ts";

export type CsvColumn = NonNullable<CsvOptions["columns"]>[number];

export const CSV_COLUMNS = PAGE_COLUMNS.map(([name]) => name) as readonly CsvColumn[];

export const PLAIN_PAGE: SitemapPage = { url: "https://example.com/plain" };

/** Every field, down to the fields of extensions: one that is added must be added here too. */
type Full<T> = T extends readonly (infer Item)[] ? Full<Item>[]
  : T extends string | number | boolean ? T
  : { [K in keyof T]-?: Full<Exclude<T[K], undefined>> };

const FULL_FIELDS: Full<SitemapPage> = {
  url: "https://example.com/full?a=1&b=2",
  lastModified: "2005-01-01T10:20:30.456Z",
  changeFrequency: "daily",
  priority: 0.8,
  newsStory: {
    title: "Two mills & one <river>",
    publishDate: "2008-12-23",
    publicationName: "The Example Times",
    publicationLanguage: "en",
    access: "Subscription",
    genres: ["PressRelease", "Blog"],
    keywords: ["mill", "river"],
    stockTickers: ["NASDAQ:AMAT"],
  },
  images: [
    {
      loc: "https://example.com/1.png",
      caption: "A mill",
      geoLocation: "Limerick, Ireland",
      title: "Mill",
      license: "https://example.com/license",
    },
    {
      loc: "https://example.com/2.png",
      caption: "Another mill",
      geoLocation: "Cork, Ireland",
      title: "Second mill",
      license: "https://example.com/license?2",
    },
  ],
  videos: [{
    thumbnailLoc: "https://example.com/thumb.png",
    title: "Grinding",
    description: "How a mill works",
    contentLoc: "https://example.com/video.mp4",
    playerLoc: "https://example.com/player?v=1",
    duration: 600,
    expirationDate: "2030-01-01T00:00:00.000Z",
    rating: 4.2,
    viewCount: 12345,
    publicationDate: "2007-11-05T19:20:30.000Z",
    familyFriendly: true,
    restriction: { relationship: "allow", values: ["IE", "GB"] },
    platform: { relationship: "deny", values: ["tv"] },
    requiresSubscription: false,
    uploader: { name: "Miller", info: "https://example.com/users/miller" },
    live: false,
    tags: ["mill", "grain"],
    gallery: { loc: "https://example.com/gallery?1", title: "Mills & grain" },
    prices: [
      { amount: 1.99, currency: "EUR", type: "rent", resolution: "HD" },
      { amount: 12, currency: "USD", type: "purchase", resolution: "SD" },
    ],
  }],
  alternates: [
    { hreflang: "de", href: "https://example.com/de/full?a=1&b=2" },
    { hreflang: "x-default", href: "https://example.com/full" },
  ],
};

export const FULL_PAGE: SitemapPage = FULL_FIELDS;

export function ref(id: number, type: SitemapType, path: string, above?: SitemapRef): SitemapRef {
  return {
    id,
    type,
    url: `https://example.com${path}`,
    level: above === undefined ? -1 : above.level + 1,
    parent: above?.id ?? null,
    index: 0,
  };
}

const SITE = ref(0, "IndexWebsiteSitemap", "/");
const ROBOTS = ref(1, "IndexRobotsTxtSitemap", "/robots.txt", SITE);
const XML = ref(2, "PagesXmlSitemap", "/sitemap.xml", ROBOTS);
const OLD = ref(3, "InvalidSitemap", "/old.xml", ROBOTS);

/** A whole walk: a site, its robots.txt, a sitemap with two pages, one that is gone. */
export const WALK: readonly TreeEvent[] = [
  { type: "sitemap-entered", sitemap: SITE },
  { type: "sitemap-entered", sitemap: ROBOTS },
  { type: "sitemap-entered", sitemap: XML },
  { type: "page", page: PLAIN_PAGE, sitemap: XML },
  { type: "warning", code: "bad-date", message: 'Cannot read date "x"', sitemap: XML, line: 3 },
  { type: "page", page: FULL_PAGE, sitemap: XML },
  {
    type: "sitemap-left",
    sitemap: XML,
    pages: 2,
    bytes: 1536,
    complete: false,
    warnings: { "bad-date": 1, "xml-cut": 1 },
  },
  { type: "invalid", sitemap: OLD, code: "http-status", reason: "404 Not Found" },
  { type: "sitemap-left", sitemap: ROBOTS, pages: 0, bytes: 90, complete: true, warnings: {} },
  { type: "sitemap-left", sitemap: SITE, pages: 0, bytes: 0, complete: true, warnings: {} },
  {
    type: "finished",
    verdict: "partial",
    stats: {
      sitemaps: 2,
      pages: 2,
      invalid: 1,
      warnings: 2,
      bytes: 1626,
      requests: 3,
      retries: 0,
      probes: 0,
      durationMs: 420,
    },
    source: "walk",
    discovery: [],
  },
];

/** The events of a site with pages of its own. */
export function eventsOf(pages: readonly SitemapPage[]): TreeEvent[] {
  return [
    { type: "sitemap-entered", sitemap: SITE },
    ...pages.map((page): TreeEvent => ({ type: "page", page, sitemap: SITE })),
  ];
}
