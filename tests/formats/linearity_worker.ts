/**
 * Feeds every field and every construct with long adversarial values, in a thread of its own: a value
 * whose cost is quadratic blocks the thread for minutes, and the test that started it notices.
 *
 * @module
 */

/// <reference lib="webworker" />

import { type Fetch, parseSitemap, walk } from "../../mod.ts";

/** Characters of a value: linear work takes milliseconds, quadratic work at least half a minute. */
const LENGTH = 100_000;

const FILLERS: readonly string[] = [
  ...[" ", "\t", "\n", "\r\n", "\u0085", "\u00a0", "\0", "\u0085 ", "a ", "\u0085 a"],
  ...["0", "1.", ".1", "1e", "+", "-1", "00:", "T00:00", "2024-01-01T", "Mon, ", "GMT"],
  ...["&", "&amp;", "&#", "&#x41;", "&a", ";", "=", "a,", ", "],
  ...["]", "]]>", "<", "<![", "<!--", "-->", "<?", "</", "<a>", ">", '"', "'"],
  ...["%", "%2e/", "/", "\\", "../", "@", ":", "?", "#", "*", "$"],
  ...["http:", "https://", "http://a.test/", "www.", "[::", "xn--", "a."],
  ...["é", "😀", "\u202e", "\ufeff", "utf-", "İ"],
];

const XMLNS = [
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
].join(" ");

function page(content: string): string {
  return `<urlset ${XMLNS}><url><loc>https://a.test/</loc>${content}</url></urlset>`;
}

function field(name: string, inside = ""): (value: string) => string {
  const [open, close] = inside === "" ? ["", ""] : [`<${inside}>`, `</${inside}>`];
  return (value) => page(`${open}<${name}>${value}</${name}>${close}`);
}

/** Documents with a value, by the place that it is in. */
const DOCUMENTS: Readonly<Record<string, (value: string) => string>> = {
  ...Object.fromEntries(
    [
      ...["loc", "lastmod", "changefreq", "priority", "unknown"].map((name) => [name]),
      ...["loc", "caption", "geo_location", "title", "license"].map((name) => [
        `image:${name}`,
        "image:image",
      ]),
      ...["title", "publication_date", "access", "genres", "keywords", "stock_tickers"].map(
        (name) => [`news:${name}`, "news:news"],
      ),
      ...[
        ...["thumbnail_loc", "title", "content_loc", "duration", "expiration_date", "rating"],
        ...["view_count", "publication_date", "family_friendly", "restriction", "platform"],
        ...["requires_subscription", "uploader", "live", "tag"],
      ].map((name) => [`video:${name}`, "video:video"]),
    ].map(([name, inside]) => [name!, field(name!, inside)]),
  ),
  "rel": (value) => page(`<xhtml:link rel="${value}" hreflang="x" href="y"/>`),
  "hreflang": (value) => page(`<xhtml:link rel="alternate" hreflang="${value}" href="y"/>`),
  "href": (value) => page(`<xhtml:link rel="alternate" hreflang="x" href='${value}'/>`),
  "sitemap loc": (value) => `<sitemapindex><sitemap><loc>${value}</loc></sitemap></sitemapindex>`,
  "sitemap lastmod": (value) =>
    `<sitemapindex><sitemap><loc>/a</loc><lastmod>${value}</lastmod></sitemap></sitemapindex>`,
  "sitemap text": (value) => `<sitemapindex><sitemap>${value}</sitemap></sitemapindex>`,
  "RSS link": (value) => `<rss><channel><item><link>${value}</link></item></channel></rss>`,
  "RSS guid": (value) => `<rss><channel><item><guid>${value}</guid></item></channel></rss>`,
  "RSS pubDate": (value) =>
    `<rss><channel><item><title>a</title><link>https://a.test/</link><pubDate>${value}</pubDate>` +
    "</item></channel></rss>",
  "Atom href": (value) => `<feed><entry><link href="${value}"/></entry></feed>`,
  "Atom rel": (value) => `<feed><entry><link rel="${value}" href="/a"/></entry></feed>`,
  "Atom id": (value) => `<feed><entry><id>${value}</id></entry></feed>`,
  "Atom updated": (value) =>
    `<feed><entry><title>a</title><link href="/a"/><updated>${value}</updated></entry></feed>`,
  "Atom base": (value) => `<feed xml:base="${value}"><entry><link href="a"/></entry></feed>`,
  "a declaration": (value) => `<?xml version="1.0" encoding="${value}"?>${page("")}`,
  "a doctype": (value) => `<!DOCTYPE ${value}>${page("")}`,
  "a comment": (value) => page(`<!-- ${value} -->`),
  "an instruction": (value) => page(`<?x ${value}?>`),
  "CDATA": (value) => page(`<lastmod><![CDATA[${value}]]></lastmod>`),
  "an attribute name": (value) => page(`<a ${value}="x"/>`),
  "an attribute value": (value) => page(`<a b="${value}"/>`),
  "an attribute without quotes": (value) => page(`<a b=${value}/>`),
  "a namespace": (value) => page(`<a xmlns:b="${value}"/>`),
  "an element name": (value) => page(`<a${value}></a${value}>`),
  "an end tag": (value) => page(`<a></a ${value}>`),
  "before the root": (value) => `${value}${page("")}`,
  "behind the root": (value) => `${page("")}${value}`,
  "between elements": (value) => page(value),
  "the title of an HTML page": (value) => `<html><head><title>${value}</title></head></html>`,
  "a line": (value) => `https://a.test/\n${value}\nhttps://b.test/`,
};

/** Lines of robots.txt with a value. */
const ROBOTS_LINES: Readonly<Record<string, (value: string) => string>> = {
  "Sitemap": (value) => `Sitemap: ${value}`,
  "a key": (value) => `${value}: x`,
  "User-agent": (value) => `User-agent: ${value}`,
  "Disallow": (value) => `User-agent: *\nDisallow: /${value}`,
  "Crawl-delay": (value) => `User-agent: *\nCrawl-delay: ${value}`,
};

/** A value with a filler at its edges, and one with a filler inside and white space at its edges. */
function valuesOf(filler: string): string[] {
  const half = filler.repeat(LENGTH / filler.length / 2);
  return [`${half}x${half}`, `\u0085x${half}${half}x\u0085`];
}

async function parse(text: string, contentType = "text/xml"): Promise<void> {
  const source = new TextEncoder().encode(text);
  for await (const _ of parseSitemap(source, { url: "https://a.test/", contentType }).batches());
}

async function readRobots(text: string): Promise<void> {
  const fetch: Fetch = (input) =>
    Promise.resolve(
      input.endsWith("/robots.txt") ? new Response(text) : new Response(null, { status: 404 }),
    );
  const options = { fetch, respectRobots: true, useKnownPaths: true, retries: 0, maxRetryDelay: 0 };
  for await (const _ of walk("https://a.test/", options).batches());
}

/** Runs every place with every filler; says which one before each. */
async function run(say: (name: string) => void): Promise<void> {
  for (const filler of FILLERS) {
    for (const value of valuesOf(filler)) {
      for (const [place, document] of Object.entries(DOCUMENTS)) {
        say(`${place}: ${JSON.stringify(value.slice(0, 20))}`);
        await parse(document(value));
      }
      for (const [place, line] of Object.entries(ROBOTS_LINES)) {
        say(`robots.txt, ${place}: ${JSON.stringify(value.slice(0, 20))}`);
        await readRobots(line(value));
      }
      say(`charset: ${JSON.stringify(value.slice(0, 20))}`);
      await parse(page(""), `text/xml; charset=${value}`);
    }
  }
}

self.onmessage = async () => {
  await run((name) => self.postMessage(name));
  self.postMessage(null);
};
