/**
 * Documents to measure with: the same ones in every run, in the shapes that real sites serve.
 *
 * @module
 */

import {
  address,
  CHANGE_FREQUENCIES,
  FOREIGN_WORDS,
  isoDateTime,
  LANGUAGES,
  mailDate,
  phrase,
  SECTIONS,
  SITE,
  SITEMAP_NAMESPACE,
  timeOf,
  WORDS,
  XML_DECLARATION,
} from "./document_parts.ts";
import { Random } from "../../tests/support/random.ts";
import { element, queryAddress, zonedTimestamp } from "./shape_entries.ts";
import { usualLink } from "./shape_extensions.ts";

/** Kind of document. */
export type DocumentKind = "plain" | "rich" | "non-ascii" | "read" | "rss" | "atom" | "text";

/** All kinds, in the order of the table. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  "plain",
  "rich",
  "non-ascii",
  "read",
  "rss",
  "atom",
  "text",
];

const EXTENSION_NAMESPACES = [
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
].join(" ");

function standardFields(random: Random): string {
  return `    <lastmod>${isoDateTime(timeOf(random))}</lastmod>\n` +
    `    <changefreq>${random.pick(CHANGE_FREQUENCIES)}</changefreq>\n` +
    `    <priority>${(random.below(11) / 10).toFixed(1)}</priority>\n`;
}

function image(random: Random, number: number, words: readonly string[]): string {
  return `    <image:image>\n` +
    `      <image:loc>${SITE}/images/${phrase(random, WORDS, "-")}-${number}.jpg</image:loc>\n` +
    `      <image:title>${phrase(random, words, " ")}</image:title>\n` +
    `    </image:image>\n`;
}

function news(random: Random): string {
  return `    <news:news>\n      <news:publication>\n` +
    `        <news:name>The Example Times</news:name>\n` +
    `        <news:language>${random.pick(LANGUAGES).slice(0, 2)}</news:language>\n` +
    `      </news:publication>\n` +
    `      <news:publication_date>${isoDateTime(timeOf(random))}</news:publication_date>\n` +
    `      <news:title>${phrase(random, WORDS, " ")} &amp; ${phrase(random, WORDS, " ")}` +
    `</news:title>\n    </news:news>\n`;
}

function alternates(random: Random, number: number): string {
  let text = "";
  for (let at = random.below(3); at < 5; at += 2) {
    const language = LANGUAGES[at]!;
    text += `    <xhtml:link rel="alternate" hreflang="${language}" ` +
      `href="${SITE}/${language}/${random.pick(WORDS)}-${number}.html"/>\n`;
  }
  return text;
}

function plainEntry(random: Random, number: number): string {
  return `  <url>\n    <loc>${address(random, number, WORDS)}</loc>\n` +
    `${standardFields(random)}  </url>\n`;
}

function richEntry(random: Random, number: number): string {
  return `  <url>\n    <loc>${address(random, number, WORDS)}</loc>\n` +
    `${standardFields(random)}${image(random, number, WORDS)}` +
    `${number % 2 === 0 ? news(random) : ""}${alternates(random, number)}  </url>\n`;
}

function nonAsciiEntry(random: Random, number: number): string {
  return `  <url>\n    <loc>${address(random, number, FOREIGN_WORDS)}</loc>\n` +
    `${standardFields(random)}${number % 4 === 0 ? image(random, number, FOREIGN_WORDS) : ""}` +
    `  </url>\n`;
}

/** An entry whose values take work: `&amp;` in each address, a date with a zone. */
function readEntry(random: Random, number: number): string {
  const makeAddress = queryAddress("&amp;");
  const links = [0, 1].map((at) => {
    const language = LANGUAGES[at]!;
    return usualLink(language, `${makeAddress(random, number)}&amp;lang=${language}`);
  });
  return [
    "  <url>",
    element("loc", makeAddress(random, number)),
    element("lastmod", zonedTimestamp(random)),
    element("changefreq", random.pick(CHANGE_FREQUENCIES)),
    element("priority", (random.below(11) / 10).toFixed(1)),
    image(random, number, WORDS).trim().replace(".jpg", ".jpg?w=640&amp;h=480"),
    ...links,
  ].join("\n    ") + "\n  </url>\n";
}

function rssItem(random: Random, number: number): string {
  const link = address(random, number, WORDS);
  return `    <item>\n      <title>${phrase(random, WORDS, " ")}</title>\n` +
    `      <link>${link}</link>\n      <guid isPermaLink="true">${link}</guid>\n` +
    `      <pubDate>${mailDate(timeOf(random))}</pubDate>\n` +
    `      <dc:creator>${random.pick(WORDS)}</dc:creator>\n` +
    `      <description><![CDATA[<p>${phrase(random, WORDS, " ")}</p>]]></description>\n` +
    `    </item>\n`;
}

function atomEntry(random: Random, number: number): string {
  const link = address(random, number, WORDS);
  return `  <entry>\n    <title>${phrase(random, WORDS, " ")}</title>\n` +
    `    <link rel="alternate" type="text/html" href="${link}"/>\n    <id>${link}</id>\n` +
    `    <published>${isoDateTime(timeOf(random))}</published>\n` +
    `    <updated>${isoDateTime(timeOf(random))}</updated>\n` +
    `    <summary>${phrase(random, WORDS, " ")}</summary>\n  </entry>\n`;
}

interface DocumentForm {
  readonly head: string;
  readonly entry: (random: Random, number: number) => string;
  readonly tail: string;
}

const FORMS: Readonly<Record<DocumentKind, DocumentForm>> = {
  "plain": {
    head: `${XML_DECLARATION}<urlset ${SITEMAP_NAMESPACE}>\n`,
    entry: plainEntry,
    tail: "</urlset>\n",
  },
  "rich": {
    head: `${XML_DECLARATION}<urlset ${SITEMAP_NAMESPACE} ${EXTENSION_NAMESPACES}>\n`,
    entry: richEntry,
    tail: "</urlset>\n",
  },
  "non-ascii": {
    head: `${XML_DECLARATION}<urlset ${SITEMAP_NAMESPACE} ${EXTENSION_NAMESPACES}>\n`,
    entry: nonAsciiEntry,
    tail: "</urlset>\n",
  },
  "read": {
    head: `${XML_DECLARATION}<urlset ${SITEMAP_NAMESPACE} ${EXTENSION_NAMESPACES}>\n`,
    entry: readEntry,
    tail: "</urlset>\n",
  },
  "rss": {
    head: `${XML_DECLARATION}<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">\n` +
      `  <channel>\n    <title>Example</title>\n    <link>${SITE}/</link>\n`,
    entry: rssItem,
    tail: "  </channel>\n</rss>\n",
  },
  "atom": {
    head: `${XML_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">\n` +
      `  <title>Example</title>\n  <id>${SITE}/</id>\n`,
    entry: atomEntry,
    tail: "</feed>\n",
  },
  "text": {
    head: "",
    entry: (random, number) => address(random, number, WORDS).replace("&amp;", "&") + "\n",
    tail: "",
  },
};

/** Generates a document of one kind with a number of pages. */
export function generateDocument(kind: DocumentKind, pages: number, seed = 1): Uint8Array {
  const random = new Random(seed);
  const { head, entry, tail } = FORMS[kind];
  const parts = [head];
  for (let number = 0; number < pages; number++) parts.push(entry(random, number));
  parts.push(tail);
  return new TextEncoder().encode(parts.join(""));
}

/** A sitemap of a large site: tabs, `loc`, `lastmod` and `priority`, about 143 bytes a page. */
export function generateSitemap(pages: number, seed: number): Uint8Array {
  const random = new Random(seed);
  const parts = [`${XML_DECLARATION}<urlset ${SITEMAP_NAMESPACE}>\n`];
  for (let number = 0; number < pages; number++) {
    const path = `${random.pick(SECTIONS)}/${random.pick(WORDS)}-${random.pick(WORDS)}` +
      `-${random.pick(WORDS)}-${seed}-${number}`;
    parts.push(
      `<url>\n\t<loc>${SITE}/${path}/</loc>\n` +
        `\t<lastmod>${timeOf(random).toISOString().slice(0, 10)}</lastmod>\n` +
        `\t<priority>0.${random.below(10)}</priority>\n</url>\n`,
    );
  }
  parts.push("</urlset>\n");
  return new TextEncoder().encode(parts.join(""));
}

/** Generates an index of a number of sitemaps with the URLs of `addressOf`. */
export function generateIndex(count: number, addressOf: (at: number) => string): Uint8Array {
  const parts = [`${XML_DECLARATION}<sitemapindex ${SITEMAP_NAMESPACE}>\n`];
  for (let at = 0; at < count; at++) {
    parts.push(`<sitemap>\n\t<loc>${addressOf(at)}</loc>\n</sitemap>\n`);
  }
  parts.push("</sitemapindex>\n");
  return new TextEncoder().encode(parts.join(""));
}
