/**
 * Parses long adversarial values in every field and construct.
 *
 * @module
 */

/// <reference lib="webworker" />

import { type Fetch, parseSitemap, walk } from "../../mod.ts";
import { chunked } from "../support/chunked.ts";
import { assertLinear, inWorker } from "./growth.ts";

/** Characters of the fillers of a case: more of them while it is slow and may not be linear. */
const LENGTHS: readonly number[] = [10_000, 100_000, 1_000_000];
const CHUNK_BYTES = 1000;

const FILLERS: readonly string[] = [
  ...[" ", "\t", "\n", "\r", "\r\n", "\u0085", "\u00a0", "\u2028", "\u3000", "\0", "\ufffe"],
  ...["\0a ", "<\0", "<a\0/>", "</\0a>"],
  ...["a", "a ", " a", "\u0085 ", " \u0085", "\u0085 a", "a\u0085", "é\u00a0", "_"],
  ...["0", "1.", ".1", "1e", "+", "-1", "--", "00:", "T00:00", "2024-01-01T", "Mon, ", "GMT", "("],
  ...["&", "&amp;", "&#", "&#x41;", "&a", `&${"a".repeat(32)};`, ";", "=", ",", "a,", ", "],
  ...[
    "]",
    "]]>",
    "<",
    "<!",
    "<![",
    "<![CDATA[",
    "<![CDATA[]]>",
    "<!--",
    "-->",
    "<?",
    "<a",
    "<a b='",
  ],
  ...["< /", "</ ", "</ a", "</ a>", "<a></ a>", "<!CDATA[", "<! [", "<br>", "<br>a", "<b>a</b>"],
  ...["</", "<a>", "<a/>", "</a>", ">", '"', "'", "{", "<url><x>", "<item><br>", '<a b="><'],
  ...["%", "%2e/", "/", "//", "\\", ".", "../", "/.", "@", ":", "?", "#", " #", "*", "$"],
  ...["http:", "https://", "http://a.test/", "www.", "[::", "xn--", "a."],
  ...["é", "😀", "\u202e", "\ufeff", "\ufffd", "utf-", "İ"],
];

/** What comes before, a record with a value, and what comes behind. */
type Place = readonly [before: string, record: (value: string) => string, behind: string];

const XMLNS = [
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
].join(" ");

function page(content: (value: string) => string): Place {
  return [
    `<urlset ${XMLNS}>`,
    (value) => `<url><loc>https://a.test/</loc>${content(value)}</url>`,
    "</urlset>",
  ];
}

/** Fields with the same value, in an element if one is given. */
function fields(names: string, inside = ""): Place {
  const [open, close] = inside === "" ? ["", ""] : [`<${inside}>`, `</${inside}>`];
  return page((value) =>
    open + names.split(" ").map((name) => `<${name}>${value}</${name}>`).join("") + close
  );
}

function video(name: string, attribute: string): Place {
  return page((value) =>
    `<video:video><video:${name} ${attribute}="${value}">${value}</video:${name}></video:video>`
  );
}

function index(entry: (value: string) => string): Place {
  return ["<sitemapindex>", (value) => `<sitemap>${entry(value)}</sitemap>`, "</sitemapindex>"];
}

function rss(item: (value: string) => string): Place {
  return ["<rss><channel>", (value) => `<item>${item(value)}</item>`, "</channel></rss>"];
}

function atom(entry: (value: string) => string): Place {
  return ["<feed>", (value) => `<entry>${entry(value)}</entry>`, "</feed>"];
}

function root(document: (value: string) => string): Place {
  return ["", document, ""];
}

const PAGES = "<urlset><url><loc>https://a.test/</loc></url></urlset>";

/** Where a value can be. */
const PLACES: Readonly<Record<string, Place>> = {
  "loc": [`<urlset>`, (value) => `<url><loc>${value}</loc></url>`, "</urlset>"],
  "path": [`<urlset>`, (value) => `<url><loc>https://a.test/${value}</loc></url>`, "</urlset>"],
  "CDATA": [`<urlset>`, (value) => `<url><loc><![CDATA[${value}]]></loc></url>`, "</urlset>"],
  "lastmod": fields("lastmod"),
  "changefreq": fields("changefreq"),
  "priority": fields("priority"),
  "an unknown element": fields("unknown"),
  "images": fields(
    "image:loc image:caption image:geo_location image:title image:license",
    "image:image",
  ),
  "news": fields(
    "news:publication news:name news:title news:publication_date news:access news:genres " +
      "news:keywords news:stock_tickers",
    "news:news",
  ),
  "the texts of videos": fields(
    "video:thumbnail_loc video:title video:description video:content_loc video:player_loc video:tag",
    "video:video",
  ),
  "the data of videos": fields(
    "video:duration video:rating video:view_count video:expiration_date video:publication_date " +
      "video:family_friendly video:requires_subscription video:live",
    "video:video",
  ),
  "video:restriction": video("restriction", 'relationship="allow" a'),
  "video:platform": video("platform", "relationship"),
  "video:uploader": video("uploader", "info"),
  "alternates": page((value) =>
    `<xhtml:link rel="alternate" hreflang="${value}" href="${value}"/>`
  ),
  "alternates, backwards": page((value) =>
    `<xhtml:link href='${value}' hreflang='${value}' rel='${value}'/>`
  ),
  "sitemap loc": index((value) => `<loc>${value}</loc><lastmod>${value}</lastmod>`),
  "sitemap path": index((value) => `<loc>https://a.test/${value}</loc>`),
  "sitemap text": index((value) => value),
  "RSS": rss((value) => `<link>${value}</link><title>${value}</title><pubDate>${value}</pubDate>`),
  "RSS, otherwise": rss((value) =>
    `<link rel="${value}" href="${value}"/><guid isPermaLink="${value}">${value}</guid>` +
    `<description>${value}</description><dc:date>${value}</dc:date>`
  ),
  "Atom": atom((value) =>
    `<link href="${value}" rel="${value}" type="${value}"/><title>${value}</title>` +
    `<updated>${value}</updated>`
  ),
  "Atom, otherwise": atom((value) =>
    `<link>${value}</link><id>${value}</id><summary>${value}</summary><issued>${value}</issued>`
  ),
  "xml:base": [
    "<feed>",
    (value) => `<entry xml:base="${value}"><link href="a"/></entry>`,
    "</feed>",
  ],
  "an XML declaration": root((value) => `<?xml version="1.0" encoding="${value}"?>${PAGES}`),
  "inside of an XML declaration": root((value) => `<?xml ${value} encoding="utf-8"?>${PAGES}`),
  "a DOCTYPE": root((value) => `<!DOCTYPE ${value}>${PAGES}`),
  "a system identifier": root((value) => `<!DOCTYPE urlset SYSTEM "${value}">${PAGES}`),
  "a comment": page((value) => `<!-- ${value} -->`),
  "an instruction": page((value) => `<?x ${value}?>`),
  "an attribute name": page((value) => `<a ${value}="x"/>`),
  "an attribute value": page((value) => `<a b="${value}"/>`),
  "an attribute without quotes": page((value) => `<a b=${value}/>`),
  "namespaces": page((value) => `<a xmlns="${value}" xmlns:b${value}="c"/>`),
  "an element name": page((value) => `<a${value}></a${value}>`),
  "an end tag": page((value) => `<a></a ${value}>`),
  "between elements": page((value) => value),
  "before the root": root((value) => `${value}${PAGES}`),
  "behind the root": root((value) => `${PAGES}${value}`),
  "an HTML page": root((value) =>
    `<html><head>${value}<title>${value}</title></head><body>${value}</body></html>`
  ),
  "lines": ["https://a.test/\n", (value) => `${value}\n`, "https://b.test/"],
  "addresses": ["", (value) => `https://a.test/${value}\n`, ""],
};

function robots(lines: (value: string) => string): Place {
  return ["User-agent: *\n", lines, "Sitemap: /a\n"];
}

function html(content: (value: string) => string): Place {
  return ["<!DOCTYPE html><html>", content, "</html>"];
}

/** Where a value can be in robots.txt. */
const ROBOTS_PLACES: Readonly<Record<string, Place>> = {
  "Sitemap": robots((value) => `Sitemap: ${value}\n`),
  "Sitemap without a colon": robots((value) => `Sitemap${value} ${value}\n`),
  "a key": robots((value) => `${value}: x\n`),
  "User-agent": robots((value) => `User-agent: ${value}\n`),
  "Disallow": robots((value) => `Disallow: /${value}\nAllow: /*${value}\n`),
  "Crawl-delay": robots((value) => `Crawl-delay: ${value}\n`),
  "an HTML page": html((value) => `<p>a${value}b</p>`),
};

/** Where a value can be in a homepage. */
const HOMEPAGE_PLACES: Readonly<Record<string, Place>> = {
  "its head": html((value) => `<head>${value}<title>${value}</title></head>`),
  "a link": html((value) => `<link rel="sitemap ${value}" href="${value}" ${value}>`),
};

/** Ways to fill a place with a filler, up to a length. */
const WAYS: Readonly<Record<string, (place: Place, filler: string, length: number) => string>> = {
  "at the edges of": ([before, record, behind], filler, length) => {
    const half = filler.repeat(length / filler.length / 2);
    return before + record(`${half}x${half}`) + behind;
  },
  "inside of": ([before, record, behind], filler, length) =>
    before + record(`\u0085x${filler.repeat(length / filler.length)}x\u0085`) + behind,
  "in many": ([before, record, behind], filler, length) => {
    const one = record(`x${filler.repeat(3)}`);
    return before + one.repeat(Math.max(1, length / one.length)) + behind;
  },
};

async function parse(source: string | ReadableStream<Uint8Array>, charset = "utf-8") {
  const contentType = `text/xml; charset=${charset}`;
  const options = { url: "https://a.test/", contentType };
  for await (const _ of parseSitemap(source, options).batches());
}

function parseChunks(text: string): Promise<void> {
  const chunks = chunked(new TextEncoder().encode(text), CHUNK_BYTES);
  return parse(ReadableStream.from(chunks) as ReadableStream<Uint8Array>);
}

/** Walks a site that has nothing but a document at a path. */
async function walkDocument(path: string, text: string): Promise<void> {
  const fetch: Fetch = (input) =>
    Promise.resolve(
      new URL(input).pathname === path
        ? new Response(text, { headers: path === "/" ? { "content-type": "text/html" } : {} })
        : new Response(null, { status: 404 }),
    );
  const options = {
    maxSitemaps: 100,
    fetch,
    respectRobots: true,
    useKnownPaths: () => false,
    retries: 0,
  };
  for await (const _ of walk("https://a.test/", { ...options, maxRetryDelay: 0 }).batches());
}

const readRobots = (text: string) => walkDocument("/robots.txt", text);
const readHomepage = (text: string) => walkDocument("/", text);

type Run = (text: string) => Promise<void>;

/** Places of values by the way in which their documents are read. */
const RUNS: readonly (readonly [document: string, typeof PLACES, Run])[] = [
  ["", PLACES, parse],
  ["robots.txt, ", ROBOTS_PLACES, readRobots],
  ["a homepage, ", HOMEPAGE_PLACES, readHomepage],
];

inWorker(async (report) => {
  const check = (name: string, make: (length: number) => string, run: Run) =>
    assertLinear(name, { lengths: LENGTHS, make, run, isQuick: true }, report);
  for (const filler of FILLERS) {
    const quoted = JSON.stringify(filler);
    for (const [way, fill] of Object.entries(WAYS)) {
      for (const [document, places, run] of RUNS) {
        for (const [where, place] of Object.entries(places)) {
          const name = `${quoted} ${way} ${document}${where}`;
          await check(name, (length) => fill(place, filler, length), run);
        }
      }
    }
    const fill = WAYS["at the edges of"]!;
    for (const [where, place] of Object.entries(PLACES)) {
      const name = `${quoted} in chunks of ${where}`;
      await check(name, (length) => fill(place, filler, length), parseChunks);
    }
    const charset = (length: number) => filler.repeat(length / filler.length);
    await check(`${quoted} in a charset`, charset, (text) => parse(PAGES, text));
  }
});
