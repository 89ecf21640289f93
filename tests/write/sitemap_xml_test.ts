import { stringify } from "@libs/xml";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import fc from "../support/fast_check.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { toSitemapXml } from "../../src/write/mod.ts";
import { sitemapXmlFormat } from "../../src/write/xml.ts";
import { anyText, hostilePage, OBEYED_REGEXP, sitemapPage } from "../data/arbitrary_page.ts";
import { FULL_PAGE, PLAIN_PAGE, WALK } from "./samples.ts";
import { type OracleElement, readElements, readPages } from "./urlset_oracle.ts";
import { written } from "./written.ts";

const NAMESPACES = {
  "xmlns": "http://www.sitemaps.org/schemas/sitemap/0.9",
  "xmlns:xhtml": "http://www.w3.org/1999/xhtml",
  "xmlns:news": "http://www.google.com/schemas/sitemap-news/0.9",
  "xmlns:image": "http://www.google.com/schemas/sitemap-image/1.1",
  "xmlns:video": "http://www.google.com/schemas/sitemap-video/1.1",
};

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n' +
  `<urlset ${Object.entries(NAMESPACES).map(([name, uri]) => `${name}="${uri}"`).join(" ")}>`;

/** FULL_PAGE as `@libs/xml` takes it, in the order that the schemas of sitemaps.org and Google ask for. */
const FULL_ELEMENT = {
  "loc": "https://example.com/full?a=1&b=2",
  "lastmod": "2005-01-01T10:20:30.456Z",
  "changefreq": "daily",
  "priority": "0.8",
  "xhtml:link": [
    { "@rel": "alternate", "@hreflang": "de", "@href": "https://example.com/de/full?a=1&b=2" },
    { "@rel": "alternate", "@hreflang": "x-default", "@href": "https://example.com/full" },
  ],
  "news:news": {
    "news:publication": { "news:name": "The Example Times", "news:language": "en" },
    "news:access": "Subscription",
    "news:genres": "PressRelease, Blog",
    "news:publication_date": "2008-12-23",
    "news:title": "Two mills & one <river>",
    "news:keywords": "mill, river",
    "news:stock_tickers": "NASDAQ:AMAT",
  },
  "image:image": [
    {
      "image:loc": "https://example.com/1.png",
      "image:caption": "A mill",
      "image:geo_location": "Limerick, Ireland",
      "image:title": "Mill",
      "image:license": "https://example.com/license",
    },
    {
      "image:loc": "https://example.com/2.png",
      "image:caption": "Another mill",
      "image:geo_location": "Cork, Ireland",
      "image:title": "Second mill",
      "image:license": "https://example.com/license?2",
    },
  ],
  "video:video": [{
    "video:thumbnail_loc": "https://example.com/thumb.png",
    "video:title": "Grinding",
    "video:description": "How a mill works",
    "video:content_loc": "https://example.com/video.mp4",
    "video:player_loc": "https://example.com/player?v=1",
    "video:duration": "600",
    "video:expiration_date": "2030-01-01T00:00:00Z",
    "video:rating": "4.2",
    "video:view_count": "12345",
    "video:publication_date": "2007-11-05T19:20:30Z",
    "video:tag": ["mill", "grain"],
    "video:family_friendly": "yes",
    "video:restriction": { "@relationship": "allow", "#text": "IE GB" },
    "video:gallery_loc": {
      "@title": "Mills & grain",
      "#text": "https://example.com/gallery?1",
    },
    "video:price": [
      { "@currency": "EUR", "@type": "rent", "@resolution": "HD", "#text": "1.99" },
      { "@currency": "USD", "@type": "purchase", "@resolution": "SD", "#text": "12" },
    ],
    "video:requires_subscription": "no",
    "video:uploader": { "@info": "https://example.com/users/miller", "#text": "Miller" },
    "video:platform": { "@relationship": "deny", "#text": "tv" },
    "video:live": "no",
  }],
};

Deno.test("toSitemapXml() writes a line a page", async () => {
  assertEquals(
    await written(toSitemapXml(), [PLAIN_PAGE, { url: "https://a.test/?a&b", priority: 1 }]),
    HEAD + "\n<url><loc>https://example.com/plain</loc></url>\n" +
      "<url><loc>https://a.test/?a&amp;b</loc><priority>1</priority></url>\n</urlset>\n",
  );
});

Deno.test("toSitemapXml() writes an empty urlset without pages", async () => {
  assertEquals(await written(toSitemapXml(), []), HEAD + "\n</urlset>\n");
  assertEquals(readPages(await written(toSitemapXml(), WALK.slice(0, 3))), []);
});

Deno.test("toSitemapXml() writes what @libs/xml writes", async () => {
  const plain = { loc: PLAIN_PAGE.url };
  const attributes = Object.entries(NAMESPACES).map(([name, uri]) => [`@${name}`, uri]);
  const urlset = { ...Object.fromEntries(attributes), url: [plain, FULL_ELEMENT] };
  const document = { "@version": "1.0", "@encoding": "UTF-8", urlset };
  const xml = await written(toSitemapXml(), [PLAIN_PAGE, FULL_PAGE]);
  assertEquals(
    xml.replaceAll("\n", ""),
    stringify(document as never, { format: { indent: "" } }),
  );
});

Deno.test("toSitemapXml() writes pages that read back equal", async () => {
  assertEquals(readPages(await written(toSitemapXml(), WALK)), [PLAIN_PAGE, FULL_PAGE]);
  const pages = fc.array(sitemapPage(), { maxLength: 3 });
  await fc.assert(fc.asyncProperty(pages, async (pages) => {
    assertEquals(readPages(await written(toSitemapXml(), pages)), pages);
  }));
});

Deno.test("toSitemapXml() is well-formed whatever the pages hold", async () => {
  const pages = fc.array(hostilePage(), { maxLength: 3 });
  await fc.assert(fc.asyncProperty(pages, async (pages) => {
    const xml = await written(toSitemapXml(), pages);
    assertEquals(readElements(xml).children.length, pages.filter((page) => page.url !== "").length);
    assertNotMatch(xml, OBEYED_REGEXP);
    assertNotMatch(xml, /[\ufffe\uffff]/);
  }));
});

Deno.test("toSitemapXml() writes what a terminal would obey as references", async () => {
  const text = "a\u202eb\u200f\x9bc";
  const page = {
    url: `https://a.test/${text}`,
    alternates: [{ hreflang: "de", href: `https://a.test/${text}` }],
    newsStory: { title: text, publishDate: "1970-01-01" },
  };
  const xml = await written(toSitemapXml(), [page]);
  assertEquals(xml.match(/a&#x202e;b&#x200f;&#x9b;c/g)?.length, 3);
  assertEquals(readPages(xml), [page]);
});

Deno.test("toSitemapXml() keeps all that XML can hold, markup and references included", async () => {
  for (const text of ["]]>", "<![CDATA[x]]>", "a\r\nb\rc", "&amp;", "\"'", "x\ty", "😀\x85z"]) {
    const page = {
      url: `https://a.test/${text}`,
      images: [{ loc: text, caption: text }],
      alternates: [{ hreflang: text, href: text }],
      newsStory: { title: text, publishDate: "1970-01-01" },
    };
    assertEquals(readPages(await written(toSitemapXml(), [page])), [page]);
  }
});

Deno.test("toSitemapXml() percent-encodes in URLs what XML cannot hold, and drops it elsewhere", async () => {
  const text = "a\0b\x1b[mc\ufffed\uffff";
  const page = {
    url: `https://a.test/${text}\ud800`,
    images: [{ loc: text, caption: `${text}\udc00` }],
    alternates: [{ hreflang: text, href: text }],
  };
  const [read] = readPages(await written(toSitemapXml(), [page]));
  const encoded = "a%00b%1B[mc%EF%BF%BEd%EF%BF%BF";
  assertEquals(read, {
    url: `https://a.test/${encoded}\ufffd`,
    images: [{ loc: encoded, caption: "ab[mcd\ufffd" }],
    alternates: [{ hreflang: "ab[mcd", href: encoded }],
  });
  assertEquals(new URL(read?.url ?? "").href, new URL(page.url).href);
});

Deno.test("toSitemapXml() writes titles for readers that undo references twice", async () => {
  const newsStory = { title: "AT&T: how &amp; why &eacute; &x", publishDate: "1970-01-01" };
  const xml = await written(toSitemapXml(), [{ url: "https://a.test/", newsStory }]);
  assertStringIncludes(
    xml,
    "<news:title>AT&amp;T: how &amp;amp;amp; why &amp;amp;eacute; &amp;x</news:title>",
  );
});

Deno.test("toSitemapXml() writes a given priority and dates at their precision", async () => {
  const dates = ["2024", "2024-05", "2024-05-01", "2024-05-01T10:20:00.000Z"];
  const pages = dates.map((date, number) => ({
    url: `https://a.test/${number}`,
    priority: 0.5,
    lastModified: date,
    newsStory: { title: "T", publishDate: date },
    videos: [{ expirationDate: date, publicationDate: date }],
  }));
  const line = (number: number, date: string) =>
    `<url><loc>https://a.test/${number}</loc><lastmod>${date}</lastmod><priority>0.5</priority>` +
    `<news:news><news:publication_date>${date}</news:publication_date>` +
    "<news:title>T</news:title></news:news>" +
    `<video:video><video:expiration_date>${date}</video:expiration_date>` +
    `<video:publication_date>${date}</video:publication_date></video:video></url>`;
  const lines = (await written(toSitemapXml(), pages)).split("\n").slice(2, -2);
  assertEquals(lines, [
    line(0, "2024"),
    line(1, "2024-05"),
    line(2, "2024-05-01"),
    line(3, "2024-05-01T10:20:00Z"),
  ]);
});

Deno.test("toSitemapXml() leaves out what it cannot write validly", async () => {
  const pages: SitemapPage[] = [
    // Fields that no sitemap gives: out of range, empty, without what the extension wants.
    { url: "https://a.test/1", priority: 2, lastModified: "" },
    { url: "https://a.test/2", priority: NaN, lastModified: "10000-01-01" },
    { url: "https://a.test/3", changeFrequency: "<b>" as "daily" },
    { url: "https://a.test/4", newsStory: { title: "No date" } },
    { url: "https://a.test/5", videos: [{ duration: Infinity, title: "" }] },
    { url: "" },
    {
      url: "https://a.test/7",
      newsStory: { title: "\0", publishDate: "1970-01-01" },
      images: [{ loc: "", caption: "No address" }],
      alternates: [{ hreflang: "\0", href: "https://a.test/" }, { hreflang: "de", href: "" }],
      videos: [{
        duration: -1,
        restriction: { relationship: "allow", values: [] },
        uploader: { name: "\0", info: "https://a.test/" },
      }, { uploader: { name: "Miller", info: "" } }],
    },
  ];
  const lines = (await written(toSitemapXml(), pages)).split("\n").slice(2, -2);
  assertEquals(lines, [
    "<url><loc>https://a.test/1</loc></url>",
    "<url><loc>https://a.test/2</loc></url>",
    "<url><loc>https://a.test/3</loc></url>",
    "<url><loc>https://a.test/4</loc></url>",
    "<url><loc>https://a.test/5</loc><video:video></video:video></url>",
    "<url><loc>https://a.test/7</loc><video:video></video:video>" +
    "<video:video><video:uploader>Miller</video:uploader></video:video></url>",
  ]);
});

Deno.test("toSitemapXml() writes small numbers without exponent", async () => {
  const xml = await written(toSitemapXml(), [{ url: "https://a.test/", priority: 1e-7 }]);
  assertStringIncludes(xml, "<priority>0.0000001</priority>");
});

/** Asserts that an element has children of another one only, in its order. */
function assertSequence(element: OracleElement, model: object): void {
  const names = Object.keys(model);
  const places = element.children.map(({ name }) => names.indexOf(name));
  assert(!places.includes(-1), `child of ${element.name}`);
  assertEquals(places, places.toSorted((a, b) => a - b), `order of children in ${element.name}`);
  for (const [at, child] of element.children.entries()) {
    const [inner] = [Object.values(model)[places[at]!]].flat();
    assertSequence(child, typeof inner === "object" ? inner : {});
  }
}

function assertSequences(xml: string): void {
  for (const url of readElements(xml).children) assertSequence(url, FULL_ELEMENT);
}

Deno.test("toSitemapXml() writes elements in the order of the schemas", async () => {
  assertSequences(await written(toSitemapXml(), [PLAIN_PAGE, FULL_PAGE]));
  await fc.assert(fc.asyncProperty(sitemapPage(), async (page) => {
    assertSequences(await written(toSitemapXml(), [page]));
  }));
});

Deno.test("toSitemapXml() writes text that holds its own placeholders as it is", async () => {
  await fc.assert(fc.asyncProperty(anyText(), async (text) => {
    const url = `https://a.test/\ue000<_/>${text.replace(/[^\x20-\x7e]/g, "").trim()}`;
    assertEquals(readPages(await written(toSitemapXml(), [{ url }])), [{ url }]);
  }));
});

/** Returns the numbers of a field as they are written. */
async function writtenNumbers(numbers: readonly number[]): Promise<(string | undefined)[]> {
  const page = { url: "https://a.test/", videos: numbers.map((viewCount) => ({ viewCount })) };
  const xml = await written(toSitemapXml(), [page]);
  return xml.split("<video:video>").slice(1).map((video) =>
    /<video:view_count>(.*)<\/video:view_count>/.exec(video)?.[1]
  );
}

Deno.test("toSitemapXml() writes numbers without exponent, and none that is negative or not finite", async () => {
  const rows: readonly (readonly [number, string | undefined])[] = [
    [0, "0"],
    [0.8, "0.8"],
    [1e-7, "0.0000001"],
    [1.5e-9, "0.0000000015"],
    [1.25e22, "12500000000000000000000"],
    ...[-1, NaN, Infinity, -Infinity].map((number) => [number, undefined] as const),
  ];
  const numbers = rows.map(([number]) => number);
  assertEquals(await writtenNumbers(numbers), rows.map(([, text]) => text));
});

Deno.test("toSitemapXml() writes every finite number so that it reads back", async () => {
  const numbers = fc.array(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }));
  await fc.assert(fc.asyncProperty(numbers, async (numbers) => {
    const texts = await writtenNumbers(numbers);
    for (const text of texts) assertMatch(text ?? "", /^\d+(\.\d+)?$/);
    assertEquals(texts.map(Number), numbers);
  }));
});

const MAX_BYTES = 52_428_800;

/** Returns a format of XML and the warnings that it gives. */
function measured() {
  const warnings: string[] = [];
  const format = sitemapXmlFormat((line) => warnings.push(line));
  return { format, warnings };
}

Deno.test("sitemapXmlFormat() warns once of more than 50,000 URLs, and writes them all", () => {
  const { format, warnings } = measured();
  const page = { url: "https://a.test/" };
  const line = format.write(page);
  for (let at = 1; at < 50_000; at++) format.write(page);
  assertEquals(format.write({ url: "" }), "");
  assertEquals(warnings, []);
  for (let at = 0; at < 3; at++) assertEquals(format.write(page), line);
  assertEquals(warnings, [
    "Writing one XML sitemap of more than 50,000 URLs: the protocol requires several files",
  ]);
});

for (const character of ["a", "水"]) {
  Deno.test(`sitemapXmlFormat() warns once of more than 52,428,800 bytes of "${character}"`, () => {
    const bytesOf = (text: string) => new TextEncoder().encode(text).length;
    const plain = sitemapXmlFormat();
    const framed = bytesOf(plain.head! + plain.end!() + plain.write({ url: "https://a.test/" }));
    const left = MAX_BYTES - framed;
    const size = bytesOf(character);
    const path = character.repeat(Math.floor(left / size)) + "a".repeat(left % size);
    const { format, warnings } = measured();
    const text = format.write({ url: `https://a.test/${path}` });
    assertEquals(bytesOf(format.head + text + format.end!()), MAX_BYTES);
    assertEquals(warnings, []);
    const small = { url: "https://a.test/" };
    for (let at = 0; at < 3; at++) assertEquals(format.write(small), plain.write(small));
    assertEquals(warnings, [
      "Writing one XML sitemap of more than 50 MiB (52,428,800 bytes): " +
      "the protocol requires several files",
    ]);
  });
}
