/**
 * The shapes of documents that `shapes_bench.ts` reads: every kind of well-formed XML that sitemaps
 * are written in. The same seed makes the same document.
 *
 * @module
 */

import { SITE, SITEMAP_NAMESPACE, WORDS, XML_DECLARATION } from "./document_parts.ts";
import { Random } from "../../tests/support/random.ts";
import * as entries from "./shape_entries.ts";
import {
  entryWith,
  type MakeEntry,
  plainAddress,
  plainAround,
  plainWith,
} from "./shape_entries.ts";
import * as extensions from "./shape_extensions.ts";
import { NAMESPACES } from "./shape_extensions.ts";
import * as feeds from "./shape_feeds.ts";

/** A document without its entries. */
interface Frame {
  readonly head: string;
  readonly tail: string;
}

/** One kind of document. */
export interface Shape extends Frame {
  /** Name in the table. */
  readonly name: string;
  readonly entry: MakeEntry;
}

function urlset(attributes: string, name = "urlset"): Frame {
  return { head: `${XML_DECLARATION}<${name} ${attributes}>\n`, tail: `</${name}>\n` };
}

const EXTENSIONS = Object.entries(NAMESPACES)
  .map(([prefix, namespace]) => ` xmlns:${prefix}="${namespace}"`).join("");

const PLAIN = urlset(SITEMAP_NAMESPACE);
const EXTENDED = urlset(SITEMAP_NAMESPACE + EXTENSIONS);
const RSS: Frame = {
  head: `${XML_DECLARATION}<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" ' +
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom">\n' +
    `<channel>\n  <title>Example</title>\n  <link>${SITE}/</link>\n` +
    `  <atom:link href="${SITE}/feed" rel="self" type="application/rss+xml"/>\n`,
  tail: "</channel>\n</rss>\n",
};
const RDF: Frame = {
  head: `${XML_DECLARATION}<rdf:RDF xmlns="http://purl.org/rss/1.0/" ` +
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" ' +
    'xmlns:dc="http://purl.org/dc/elements/1.1/">\n' +
    `  <channel rdf:about="${SITE}/">\n    <title>Example</title>\n    <link>${SITE}/</link>\n` +
    "  </channel>\n",
  tail: "</rdf:RDF>\n",
};
const ATOM: Frame = {
  head: `${XML_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">\n  <title>Example</title>\n` +
    `  <id>${SITE}/</id>\n  <link rel="self" href="${SITE}/feed"/>\n`,
  tail: "</feed>\n",
};
const INDEX: Frame = {
  head: `${XML_DECLARATION}<sitemapindex ${SITEMAP_NAMESPACE}>\n`,
  tail: "</sitemapindex>\n",
};

/** All shapes, in the order of the table. */
export const SHAPES: readonly Shape[] = [
  { name: "plain", ...PLAIN, entry: entries.plainEntry },

  // white space
  {
    name: "one line",
    ...PLAIN,
    entry: plainWith((entry) => entry.replaceAll(/\s*\n\s*/g, "").trimStart()),
  },
  { name: "CRLF", ...PLAIN, entry: plainWith((entry) => entry.replaceAll("\n", "\r\n")) },
  { name: "tabs", ...PLAIN, entry: plainWith((entry) => entry.replaceAll("  ", "\t")) },
  {
    name: "blanks in tags",
    ...PLAIN,
    entry: plainWith((entry) =>
      entry.replace("<url>", "<url >").replace("<loc>", "<loc\n>").replaceAll(
        /<\/(\w+)>/g,
        "</$1 >",
      )
    ),
  },
  { name: "padded values", ...PLAIN, entry: entries.padded(entries.plainEntry) },

  // values
  { name: "only loc", ...PLAIN, entry: entries.bareEntry },
  { name: "fields at random", ...PLAIN, entry: entries.sparseEntry },
  { name: "fields in any order", ...PLAIN, entry: entries.shuffledEntry },
  { name: "&amp; in addresses", ...PLAIN, entry: entryWith(entries.queryAddress("&amp;")) },
  {
    name: "&amp; several times",
    ...PLAIN,
    entry: entryWith(entries.longQueryAddress("&amp;")),
  },
  { name: "&#38; in addresses", ...PLAIN, entry: entryWith(entries.queryAddress("&#38;")) },
  {
    name: "&amp; in padded values",
    ...PLAIN,
    entry: entries.padded(entryWith(entries.longQueryAddress("&amp;"))),
  },
  { name: "several references", ...PLAIN, entry: entryWith(entries.addressWithReferences) },
  {
    name: "CDATA in loc",
    ...PLAIN,
    entry: entryWith((...at) => entries.cdata(entries.queryAddress("&")(...at))),
  },
  {
    name: "CDATA in padded loc",
    ...PLAIN,
    entry: entries.padded(
      entryWith((...at) => entries.cdata(entries.queryAddress("&")(...at))),
    ),
  },
  { name: "CDATA everywhere", ...PLAIN, entry: entries.cdataEntry },
  { name: "long addresses", ...PLAIN, entry: entryWith(entries.longAddress) },
  { name: "percent-encoded paths", ...PLAIN, entry: entryWith(entries.escapedAddress) },
  { name: "non-ASCII paths", ...PLAIN, entry: entryWith(entries.nonAsciiAddress) },
  { name: "zones and fractions", ...PLAIN, entry: entries.datedEntry(entries.zonedTimestamp) },
  { name: "odd dates", ...PLAIN, entry: entries.datedEntry(entries.oddDate) },
  { name: "odd priorities", ...PLAIN, entry: entries.oddPriorityEntry },

  // hosts
  { name: "two hosts", ...PLAIN, entry: entryWith(entries.addressOn(entries.TWO_HOSTS)) },
  { name: "100 hosts", ...PLAIN, entry: entryWith(entries.addressOn(entries.HUNDRED_HOSTS)) },
  { name: "a host per page", ...PLAIN, entry: entryWith(entries.ownHostAddress) },
  { name: "IDN hosts", ...PLAIN, entry: entryWith(entries.addressOn(entries.IDN_HOSTS)) },

  // tags and names
  {
    name: "single quotes",
    head: `<?xml version='1.0' encoding='UTF-8'?>\n<urlset ${
      SITEMAP_NAMESPACE.replaceAll('"', "'")
    }>\n`,
    tail: PLAIN.tail,
    entry: plainWith((entry) =>
      entry.replace("<url>", "<url class='page'>").replace("<loc>", "<loc type='text/html'>")
    ),
  },
  {
    name: "attribute on url",
    ...PLAIN,
    entry: plainWith((entry) => entry.replace("<url>", '<url class="page">')),
  },
  {
    name: "varying attribute on url",
    ...PLAIN,
    entry: plainWith((entry, number) => entry.replace("<url>", `<url id="p${number}">`)),
  },
  {
    name: "prefixed elements",
    ...urlset(SITEMAP_NAMESPACE.replace("xmlns", "xmlns:s"), "s:urlset"),
    entry: plainWith((entry) => entry.replaceAll(/<(\/?)/g, "<$1s:")),
  },
  {
    name: "no namespace",
    head: `${XML_DECLARATION}<urlset>\n`,
    tail: "</urlset>\n",
    entry: entries.plainEntry,
  },
  {
    name: "upper-case names",
    ...urlset(SITEMAP_NAMESPACE, "URLSET"),
    entry: plainWith((entry) => entry.replaceAll(/<\/?\w+/g, (tag) => tag.toUpperCase())),
  },

  // what is skipped
  {
    name: "comments between records",
    ...PLAIN,
    entry: plainWith((entry, number) => `  <!-- page <${number}> -->\n${entry}`),
  },
  {
    name: "comments in records",
    ...PLAIN,
    entry: plainAround((_, number) => `<!-- changed: ${number} -->`),
  },
  {
    name: "processing instructions",
    ...PLAIN,
    entry: plainAround((_, number) => `<?cache key="${number}"?>`),
  },
  {
    name: "unknown element",
    ...PLAIN,
    entry: plainAround((random) => entries.element("pagetype", random.pick(WORDS))),
  },
  {
    name: "unknown element, own xmlns",
    ...PLAIN,
    entry: plainAround((random) =>
      `<type xmlns="http://www.example.com/schemas/page">${random.pick(WORDS)}</type>`
    ),
  },
  {
    name: "unknown element, prefix",
    ...urlset(
      `${SITEMAP_NAMESPACE} xmlns:mobile="http://www.google.com/schemas/sitemap-mobile/1.0"`,
    ),
    entry: plainAround(() => "<mobile:mobile/>"),
  },
  {
    name: "unknown elements, nested",
    ...urlset(`${SITEMAP_NAMESPACE} xmlns:p="http://www.google.com/schemas/sitemap-pagemap/1.0"`),
    entry: plainAround((random) =>
      '<p:PageMap>\n      <p:DataObject type="document">' +
      `<p:Attribute name="title">${random.pick(WORDS)}</p:Attribute>` +
      `<p:Attribute name="loc">${random.pick(WORDS)}</p:Attribute>text</p:DataObject>\n    ` +
      "</p:PageMap>"
    ),
  },

  {
    name: "PageMap",
    ...PLAIN,
    entry: plainAround((random, number) =>
      '<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0">\n' +
      `      <DataObject type="document" id="d${number}">\n` +
      `        <Attribute name="title">${random.pick(WORDS)}</Attribute>\n` +
      `        <Attribute name="author">${random.pick(WORDS)}</Attribute>\n` +
      "      </DataObject>\n    </PageMap>"
    ),
  },

  // extensions
  {
    name: "hreflang",
    ...EXTENDED,
    entry: entryWith(plainAddress, extensions.alternates(extensions.usualLink)),
  },
  {
    name: "hreflang, other order",
    ...EXTENDED,
    entry: entryWith(
      plainAddress,
      extensions.alternates((hreflang, href) =>
        `<xhtml:link hreflang="${hreflang}" rel="alternate" href="${href}" />`
      ),
    ),
  },
  {
    name: "hreflang, href first",
    ...EXTENDED,
    entry: entryWith(
      plainAddress,
      extensions.alternates((hreflang, href) =>
        `<xhtml:link href="${href}" hreflang="${hreflang}" rel="alternate"/>`
      ),
    ),
  },
  {
    name: "hreflang, &amp; in addresses",
    ...EXTENDED,
    entry: entryWith(
      entries.queryAddress("&amp;"),
      extensions.alternates(extensions.usualLink, "?page=1&amp;sort=new"),
    ),
  },
  {
    name: "hreflang, single quotes",
    ...EXTENDED,
    entry: entryWith(
      plainAddress,
      extensions.alternates((...link) => extensions.usualLink(...link).replaceAll('"', "'")),
    ),
  },
  {
    name: "hreflang, line breaks",
    ...EXTENDED,
    entry: entryWith(
      plainAddress,
      extensions.alternates((...link) => extensions.usualLink(...link).replaceAll(" ", "\n      ")),
    ),
  },
  { name: "images", ...EXTENDED, entry: entryWith(plainAddress, extensions.threeImages) },
  {
    name: "images with attributes",
    ...EXTENDED,
    entry: entryWith(plainAddress, extensions.imageWithAttributes),
  },
  { name: "image, all fields", ...EXTENDED, entry: entryWith(plainAddress, extensions.fullImage) },
  {
    name: "CDATA in image titles",
    ...EXTENDED,
    entry: entryWith(plainAddress, extensions.titledImage(WORDS, extensions.markedUpTitle)),
  },
  {
    name: "non-ASCII titles",
    ...EXTENDED,
    entry: entryWith(plainAddress, extensions.nonAsciiTitles),
  },
  {
    name: "xmlns in each record",
    ...PLAIN,
    entry: entryWith(plainAddress, extensions.declaringImage),
  },
  { name: "news", ...EXTENDED, entry: entryWith(plainAddress, extensions.news) },
  { name: "news, all fields", ...EXTENDED, entry: entryWith(plainAddress, extensions.fullNews) },
  { name: "video", ...EXTENDED, entry: entryWith(plainAddress, extensions.video) },
  { name: "video, all fields", ...EXTENDED, entry: entryWith(plainAddress, extensions.fullVideo) },
  {
    name: "all extensions",
    ...EXTENDED,
    entry: entryWith(
      plainAddress,
      extensions.fullImage,
      extensions.news,
      extensions.video,
      extensions.alternates(extensions.usualLink),
    ),
  },

  // other formats
  {
    name: "sitemapindex",
    ...INDEX,
    entry: (random, number) =>
      `  <sitemap>\n    <loc>${SITE}/sitemap-${number}.xml.gz</loc>\n` +
      `    <lastmod>${entries.timestamp(random)}</lastmod>\n  </sitemap>\n`,
  },
  {
    name: "sitemapindex, &amp; in addresses",
    ...INDEX,
    entry: (random, number) =>
      `  <sitemap>\n    <loc>${SITE}/sitemap.xml?type=${
        random.pick(WORDS)
      }&amp;page=${number}</loc>\n` +
      `    <lastmod>${entries.timestamp(random)}</lastmod>\n  </sitemap>\n`,
  },
  { name: "RSS", ...RSS, entry: feeds.rssItem },
  { name: "RSS, rich", ...RSS, entry: feeds.richRssItem },
  { name: "RSS 1.0", ...RDF, entry: feeds.rdfItem },
  { name: "Atom", ...ATOM, entry: feeds.atomEntry },
  { name: "Atom, links and XHTML", ...ATOM, entry: feeds.linkedAtomEntry },
  { name: "Atom, escaped HTML", ...ATOM, entry: feeds.htmlAtomEntry },
];

/** Documents end before they are larger: entries with many fields would take minutes. */
const MAX_BYTES = 16e6;

/** A document of a shape and the number of its entries: as many as given, unless they are large. */
export interface ShapeDocument {
  readonly bytes: Uint8Array;
  readonly pages: number;
}

/** Makes the document of a shape. */
export function generateShape(shape: Shape, maxPages: number, seed = 1): ShapeDocument {
  const random = new Random(seed);
  const parts = [shape.head];
  let length = shape.head.length, pages = 0;
  while (pages < maxPages && length < MAX_BYTES) {
    const entry = shape.entry(random, pages++);
    parts.push(entry);
    length += entry.length;
  }
  parts.push(shape.tail);
  return { bytes: new TextEncoder().encode(parts.join("")), pages };
}
