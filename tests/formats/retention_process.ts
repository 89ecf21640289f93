/**
 * Reads large documents, keeps one entry in a hundred, and prints the memory that these retain as JSON.
 * Run with `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { parseSitemap } from "../../mod.ts";
import { DocumentReader, ReaderPool } from "../../src/formats/document.ts";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";

export interface RetentionAnswer {
  readonly kind: string;
  /** Bytes that memory grew by. */
  readonly growth: number;
  /** Characters of the entries that were kept. */
  readonly text: number;
  readonly entries: number;
}

declare const gc: () => void;

const KEPT_OF = 100;
const CHUNK_BYTES = 64 * 1024;
const DOCUMENT_BYTES = 14_000_000;

const NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ' +
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" ' +
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" ' +
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" ' +
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"';

function rich(number: number, title: string, attribute: string): string {
  const address = `https://site.test/${title}/section/page-${number}.html`;
  return `<url${attribute}><loc>${address}</loc><lastmod>2024-05-06T07:08:09+00:00</lastmod>` +
    `<image:image><image:loc>${address}?image</image:loc><image:title>${title} and image ${number}` +
    `</image:title></image:image><news:news><news:publication><news:name>${title} gazette ${number}` +
    `</news:name><news:language>en</news:language></news:publication><news:publication_date>` +
    `2024-05-06</news:publication_date><news:title>${title} &amp; news ${number}</news:title>` +
    `<news:keywords>${title} keyword, another keyword ${number}</news:keywords></news:news>` +
    `<xhtml:link rel="alternate" hreflang="zh-Hant-TW-x-${number}" href="${address}?tw"/></url>\n`;
}

interface Shape {
  readonly head: string;
  entry(number: number): string;
  readonly isRobots?: boolean;
}

function urlset(entry: (number: number) => string): Shape {
  return { head: `<urlset ${NAMESPACES}>`, entry };
}

const SHAPES: Readonly<Record<string, Shape>> = {
  "plain": urlset((number) =>
    `<url><loc>https://site.test/section/page-${number}.html</loc>` +
    "<lastmod>2024-05-06</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>\n"
  ),
  "rich": urlset((number) => rich(number, "plain-title", "")),
  "rich and not ASCII": urlset((number) => rich(number, "größerer-titel", "")),
  "rich, with attributes": urlset((number) => rich(number, "plain-title", ' id="1"')),
  "rich and not ASCII, with attributes": urlset((number) =>
    rich(number, "größerer-titel", ' id="1"')
  ),
  "video": urlset((number) =>
    `<url><loc>https://site.test/section/page-${number}.html</loc><video:video>` +
    `<video:title>The title of video ${number}</video:title>` +
    `<video:tag>one of the tags of ${number}</video:tag><video:uploader ` +
    `info="https://site.test/uploader/${number}">Uploader number ${number}</video:uploader>` +
    `<video:restriction relationship="allow">IE GB</video:restriction></video:video></url>\n`
  ),
  "index": {
    head: `<sitemapindex ${NAMESPACES}>`,
    entry: (number) =>
      `<sitemap><loc>https://site.test/section/sitemap-${number}.xml</loc>` +
      "<lastmod>2024-05-06</lastmod></sitemap>\n",
  },
  "rss": {
    head: "<rss><channel>",
    entry: (number) =>
      `<item><title>The title of story ${number}</title><link>https://site.test/story-${number}` +
      `</link><pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate></item>` +
      `<item><description>No title, a description ${number}</description>` +
      `<guid>https://site.test/by-guid/story-${number}</guid></item>\n`,
  },
  "atom": {
    head: '<feed xmlns="http://www.w3.org/2005/Atom">',
    entry: (number) =>
      `<entry><title>The title <b>of entry</b> ${number}</title>` +
      `<link href="https://site.test/entries/${number}.html"/>` +
      "<updated>2024-05-06T07:08:09Z</updated></entry>\n",
  },
  "text": { head: "", entry: (number) => `https://site.test/section/page-${number}.html\n` },
  "robots.txt": {
    head: "User-agent: *\n",
    entry: (number) => `Sitemap: https://site.test/section/sitemap-${number}.xml # comment\n`,
    isRobots: true,
  },
  "warnings": urlset((number) =>
    `<url><loc>nothttp://site.test/section/page-${number}.html</loc><lastmod>no date at all: ` +
    `${number}</lastmod><element-number-${number}/>&entity${number};</other-end-tag-${number}>` +
    `<prefix-number-${number}:x/><x attribute-number-${number}/></url>\n`
  ),
};

/** Returns the chunks of a document, each in a separate buffer. */
function* chunksOf({ head, entry }: Shape, length: number): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = head;
  for (let written = 0, number = 0; written < length; written += CHUNK_BYTES) {
    while (text.length < CHUNK_BYTES) text += entry(number++);
    yield encoder.encode(text.slice(0, CHUNK_BYTES));
    text = text.slice(CHUNK_BYTES);
  }
}

/** Keeps one of a hundred: few, and yet one of every chunk. */
class Keeper {
  readonly kept: unknown[] = [];
  #count = 0;

  take(entry: unknown): void {
    if (this.#count++ % KEPT_OF === 0) this.kept.push(entry);
  }
}

function memory(): number {
  gc();
  gc();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

const LIMITS = { ...DEFAULT_LIMITS, maxEntries: 10_000_000 };

function readAll(shape: Shape, length: number, keeper: Keeper): void {
  const readers = new ReaderPool(LIMITS);
  const options = { url: "https://site.test/", isRobots: shape.isRobots ?? false, readers };
  const reader = new DocumentReader(options, {
    page: (page) => keeper.take(page),
    child: (url) => keeper.take(url),
    childDropped: () => {},
    warning: (_code, message) => keeper.take(message),
  });
  for (const chunk of chunksOf(shape, length)) reader.write(chunk);
  reader.end();
}

async function parseAll(shape: Shape, length: number, keeper: Keeper): Promise<void> {
  const stream = ReadableStream.from(chunksOf(shape, length));
  for await (const event of parseSitemap(stream, { url: "https://site.test/" })) {
    if (event.type === "page") keeper.take(event.page);
  }
}

async function answerOf(kind: string, read: typeof parseAll): Promise<RetentionAnswer> {
  const shape = SHAPES[kind.replace(" by parseSitemap()", "")]!;
  // warms up: code, caches and tables are allocated now
  await read(shape, CHUNK_BYTES, new Keeper());
  const before = memory();
  const keeper = new Keeper();
  await read(shape, DOCUMENT_BYTES, keeper);
  const growth = memory() - before;
  const { kept } = keeper;
  return { kind, growth, text: JSON.stringify(kept).length, entries: kept.length };
}

if (import.meta.main) {
  const answers = [await answerOf("rich by parseSitemap()", parseAll)];
  for (const kind of Object.keys(SHAPES)) {
    answers.push(await answerOf(kind, (...args) => Promise.resolve(readAll(...args))));
  }
  console.log(JSON.stringify(answers));
}
