/**
 * Documents of every format, with everything that real ones contain, valid or not.
 *
 * @module
 */

import fc from "fast-check";
import { gzipSync } from "node:zlib";

/** A document and its request. */
export interface Sample {
  /** Bytes of the body. */
  readonly bytes: Uint8Array;
  /** Requested URL. */
  readonly url: string;
  /** Its Content-Type. */
  readonly contentType?: string;
}

const ENCODER = new TextEncoder();

/** URL of documents. */
export const SITEMAP_URL = "https://site.test/dir/sitemap.xml";
/** URL of robots.txt. */
export const ROBOTS_URL = "https://site.test/robots.txt";

/** Content between elements. */
const gap: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("", "\n", "  ", "\n\t", "\r\n", "\r") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "<!-- c -->",
      "<!-- <url> -->",
      "<?pi x?>",
      "text",
      "&",
      "<",
      "\0",
      "é",
    ),
  },
);

const letters = fc.stringMatching(/^[a-z]{0,8}$/);

const address: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: fc.nat(99).map((at) => `https://a.test/page/${at}`) },
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constantFrom("/", "https://a.test/", "http://b.test/?x=1&amp;y=", "//c.test/", "../"),
      letters,
      fc.constantFrom(
        "",
        "&amp;",
        "&",
        "&#233;",
        "&#x1F600;",
        "&eacute;",
        "&nope;",
        "&#0;",
        "é",
        "%20",
      ),
      letters,
      fc.constantFrom("", " ", "\n", "#f"),
    ).map((parts) => parts.join("")),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "   ",
      "mailto:a@b.test",
      "<![CDATA[https://a.test/c?x&y]]>",
      "https://a.test/<!-- c -->d",
      "https://a.test/<b>e</b>",
      "https://a.test/\u0001f",
      `https://a.test/${"long".repeat(40)}`,
      "HTTPS://A.TEST/G",
      "https://",
    ),
  },
);

const value: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "2005-01-01",
    "2005-01-01T10:20:30+02:00",
    "Sat, 01 Jan 2005 10:20:30 GMT",
    "nope",
  ),
  fc.constantFrom("0.5", ".3", "1.0", "2", "-0", "1e-1", "daily", "ALWAYS", "en", "Blog, Opinion"),
  fc.constantFrom(
    "Title &amp; more",
    "<![CDATA[a <b> &amp;]]>",
    "R&D",
    "&amp;lt;b&amp;gt;",
    "日本語",
    "",
  ),
  fc.string({ maxLength: 12 }),
);

const attributes: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constant("") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ' a="1"',
      " a='1 > 2'",
      " a=1",
      " a",
      ' a="1" a="2"',
      ' a="&amp;&"',
      ' xmlns="urn:x"',
      ' xmlns:image="urn:x"',
      ' a="<"',
      " /",
      ' a="1"b="2"',
      ' a="\n\t"',
    ),
  },
);

/** An element, mostly valid. */
function element(
  name: fc.Arbitrary<string>,
  content: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc.tuple(name, attributes, content, fc.nat(29)).map(([tag, more, inner, turn]) => {
    if (turn === 0) return `<${tag}${more}>${inner}`;
    if (turn === 1) return `<${tag}${more}/>`;
    if (turn === 2) return `<${tag.toUpperCase()}${more}>${inner}</${tag}>`;
    if (turn === 3) return `<${tag}${more}>${inner}</${tag} >`;
    if (turn === 4) return `<${tag}${more}>${inner}</other>`;
    if (turn === 5) return `<${tag}${more}\n>${inner}</${tag}\n>`;
    return `<${tag}${more}>${inner}</${tag}>`;
  });
}

function named(...names: string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...names);
}

function several(
  item: fc.Arbitrary<string>,
  maxLength: number,
  size: fc.SizeForArbitrary = "small",
): fc.Arbitrary<string> {
  return fc.array(fc.tuple(gap, item), { maxLength, size })
    .map((items) => items.map(([before, inner]) => before + inner).join(""));
}

const image = element(
  named("image:image"),
  several(
    fc.oneof(
      element(named("image:loc", "image:license"), address),
      element(named("image:caption", "image:title", "image:geo_location"), value),
    ),
    3,
  ),
);

const news = element(
  named("news:news"),
  several(
    fc.oneof(
      element(
        named("news:publication"),
        several(element(named("news:name", "news:language"), value), 2),
      ),
      element(
        named("news:publication_date", "news:title", "news:keywords", "news:genres", "news:access"),
        value,
      ),
    ),
    4,
  ),
);

const video = element(
  named("video:video"),
  several(
    fc.oneof(
      element(named("video:thumbnail_loc", "video:content_loc", "video:player_loc"), address),
      element(
        named("video:title", "video:description", "video:duration", "video:tag", "video:rating"),
        value,
      ),
    ),
    4,
  ),
);

const alternate = fc.tuple(named("xhtml:link", "link"), address, named("", ' hreflang="de"'))
  .map(([name, href, language]) =>
    `<${name} rel="alternate"${language} href="${href.replaceAll('"', "")}"/>`
  );

/** A record of the most common shape. */
const plainUrl = fc.tuple(fc.nat(9999), fc.nat(3)).map(([at, more]) =>
  `<url><loc>https://a.test/plain/${at}</loc>` +
  `${more > 0 ? "<lastmod>2005-01-01</lastmod>" : ""}` +
  `${more > 1 ? "<changefreq>daily</changefreq>" : ""}` +
  `${more > 2 ? "<priority>0.8</priority>" : ""}</url>\n`
);

const url = element(
  named("url", "url", "url", "s:url", "sitemap"),
  several(
    fc.oneof(
      { weight: 6, arbitrary: element(named("loc", "loc", "loc", "s:loc"), address) },
      {
        weight: 6,
        arbitrary: element(named("lastmod", "changefreq", "priority", "unknown"), value),
      },
      { weight: 2, arbitrary: image },
      { weight: 1, arbitrary: news },
      { weight: 1, arbitrary: video },
      { weight: 2, arbitrary: alternate },
    ),
    6,
  ),
);

const sitemap = element(
  named("sitemap", "sitemap", "url"),
  several(
    fc.oneof(
      { weight: 3, arbitrary: element(named("loc"), address) },
      element(named("lastmod"), value),
    ),
    3,
  ),
);

const item = element(
  named("item"),
  several(
    fc.oneof(
      { weight: 3, arbitrary: element(named("link", "guid", "atom:link"), address) },
      element(named("title", "description", "pubDate", "dc:date", "media:title"), value),
    ),
    5,
  ),
);

const atomLink = fc.tuple(named("alternate", "self", "enclosure", ""), address)
  .map(([rel, href]) => `<link rel="${rel}" href="${href.replaceAll('"', "")}"/>`);

const atomEntry = element(
  named("entry"),
  several(
    fc.oneof(
      { weight: 3, arbitrary: atomLink },
      element(named("title", "summary", "published", "updated", "issued"), value),
    ),
    5,
  ),
);

const NAMESPACES = ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"' +
  ' xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"' +
  ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"' +
  ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"' +
  ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"' +
  ' xmlns:xhtml="http://www.w3.org/1999/xhtml"';

const prologue = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom("", '<?xml version="1.0" encoding="UTF-8"?>\n', "<!-- first -->\n"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "\n<?xml version='1.0'?>",
      "<?xml version='1.0'?><!DOCTYPE urlset SYSTEM 'x'>",
      "\ufeff\ufeff",
      "<!-- first -->junk",
      " ".repeat(40),
      "\0",
    ),
  },
);

const epilogue = fc.constantFrom("\n", "", "<!-- last -->", "trailing", "<url/>");

function root(
  name: string,
  namespaces: fc.Arbitrary<string>,
  content: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc.tuple(prologue, namespaces, content, epilogue)
    .map(([before, more, inner, after]) => `${before}<${name}${more}>${inner}</${name}>${after}`);
}

const urlset = root(
  "urlset",
  fc.constantFrom(NAMESPACES, NAMESPACES, "", ' xmlns="urn:other"'),
  several(
    fc.oneof(
      { weight: 3, arbitrary: url },
      {
        weight: 4,
        arbitrary: fc.array(plainUrl, { maxLength: 20, size: "max" }).map((all) => all.join("")),
      },
    ),
    10,
    "max",
  ),
);

const line = fc.oneof(
  { weight: 5, arbitrary: address },
  fc.constantFrom("Sitemap: /a.xml", "site-map : https://b.test/s.xml # x", "User-agent: *", "# c"),
  fc.string({ maxLength: 20 }),
);

const lines = fc.array(
  fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r", "\u2028", "\u0085", "\f", "\n\n")),
  { maxLength: 60 },
).map((all) => all.flat().join(""));

const html = fc.tuple(value, fc.constantFrom("<meta charset=utf-8>", "", "<script>a<b&&c</script>"))
  .map(([title, inside]) =>
    `<!DOCTYPE html><html><head>${inside}<title>${title}</title></head><body>&nbsp;<p>x</body></html>`
  );

/** Text of any format, with its URL. */
const text: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  { weight: 8, arbitrary: urlset.map((document) => [document, SITEMAP_URL] as const) },
  {
    weight: 2,
    arbitrary: root("sitemapindex", fc.constantFrom(NAMESPACES, ""), several(sitemap, 12))
      .map((document) => [document, SITEMAP_URL] as const),
  },
  {
    weight: 2,
    arbitrary: root("rss", fc.constantFrom(' version="2.0"', ""), several(item, 10))
      .map((document) =>
        [
          document.replace(/(<rss[^>]*>)/, "$1<channel>").replace("</rss>", "</channel></rss>"),
          SITEMAP_URL,
        ] as const
      ),
  },
  {
    weight: 1,
    arbitrary: root("rdf:RDF", fc.constant(' xmlns="http://purl.org/rss/1.0/"'), several(item, 6))
      .map((document) => [document, SITEMAP_URL] as const),
  },
  {
    weight: 2,
    arbitrary: root(
      "feed",
      fc.constantFrom(' xmlns="http://www.w3.org/2005/Atom"', ""),
      several(atomEntry, 10),
    ).map((document) => [document, SITEMAP_URL] as const),
  },
  { weight: 2, arbitrary: lines.map((document) => [document, SITEMAP_URL] as const) },
  { weight: 2, arbitrary: lines.map((document) => [document, ROBOTS_URL] as const) },
  { weight: 1, arbitrary: html.map((document) => [document, SITEMAP_URL] as const) },
);

function utf16(document: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(document.length * 2 + 2));
  view.setUint16(0, 0xfeff, littleEndian);
  for (let at = 0; at < document.length; at++) {
    view.setUint16(at * 2 + 2, document.charCodeAt(at), littleEndian);
  }
  return new Uint8Array(view.buffer);
}

function latin1(document: string): Uint8Array {
  return Uint8Array.from(document, (letter) => letter.charCodeAt(0) & 0xff);
}

function gzipped(bytes: Uint8Array): Uint8Array {
  const half = bytes.length >> 1;
  const members = [bytes.subarray(0, half), bytes.subarray(half)].map((part) => gzipSync(part));
  return new Uint8Array(members.flatMap((member) => [...member]));
}

/** Encodings of text. */
const encode: fc.Arbitrary<(document: string, url: string) => Sample> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constant((document: string, url: string) => ({
      bytes: ENCODER.encode(document),
      url,
    })),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((littleEndian) => (document: string, url: string) => ({
      bytes: utf16(document, littleEndian),
      url,
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constant((document: string, url: string) => ({
      bytes: latin1(document),
      url,
      contentType: "text/xml; charset=iso-8859-1",
    })),
  },
  {
    weight: 2,
    arbitrary: fc.constant((document: string, url: string) => ({
      bytes: gzipped(ENCODER.encode(document)),
      url,
    })),
  },
);

/** Documents of any format, in any encoding, compressed or not. */
export const documents: fc.Arbitrary<Sample> = fc.tuple(text, encode)
  .map(([[document, address], made]) => made(document, address));
