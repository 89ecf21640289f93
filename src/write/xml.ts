/**
 * Numbers as XML Schema's `decimal` writes them.
 *
 * @module
 */

import { stringify } from "@libs/xml/stringify";
import type { DatePrecision } from "../data/calendar.ts";
import { isoDate } from "../data/date.ts";
import { type NewsStory, publishPrecision } from "../data/news_story.ts";
import {
  CHANGE_FREQUENCIES,
  type ChangeFrequency,
  isPriorityGiven,
  lastModifiedPrecision,
  type SitemapAlternate,
  type SitemapImage,
  type SitemapPage,
} from "../data/page.ts";
import {
  expirationPrecision,
  publicationPrecision,
  type SitemapVideo,
  type VideoRestriction,
} from "../data/sitemap_video.ts";
import { FORMAT_CONTROLS } from "./escape.ts";
import { strictPage } from "./strict_page.ts";
import {
  byteWriterStream,
  pageOf,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

const EXPONENT_REGEXP = /^(-?)(\d+)\.?(\d*)e([+-]\d+)$/;

/** A number without exponent; `undefined` if it is not finite. */
export function decimal(number: number): string | undefined {
  if (!Number.isFinite(number)) return undefined;
  const text = String(number);
  const match = EXPONENT_REGEXP.exec(text);
  if (match === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent] = match;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  // `String()` uses an exponent only where the point falls outside the digits.
  return point > 0 ? sign + digits.padEnd(point, "0") : `${sign}0.${"0".repeat(-point)}${digits}`;
}

// MERGED: Values made fit for XML 1.0, which `@libs/xml` leaves to its caller: it writes control characters as they are, and `<` in attributes too.

/**
 * What text cannot hold as it is, and what a terminal would obey. `&` has its own treatment: it is
 * common in URLs, and `replaceAll()` takes a third of the time that a pattern takes.
 */
const TEXT_REGEXP = new RegExp(
  `[\\0-\\x08\\x0b-\\x1f<>\\x7f-\\x9f${FORMAT_CONTROLS}\\ufffe\\uffff]`,
  "g",
);

/** The same for attributes, where quotes end the value and white space becomes spaces. */
const ATTRIBUTE_REGEXP = new RegExp(
  `[\\0-\\x1f"'<\\x7f-\\x9f${FORMAT_CONTROLS}\\ufffe\\uffff]`,
  "g",
);

/** Something that a reader of feeds takes for a reference that was escaped twice. */
const REFERENCE_REGEXP = /&(?=#?\w+;)/g;

const ENTITIES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** What XML 1.0 cannot hold in any way. */
// deno-lint-ignore no-control-regex
const FORBIDDEN_REGEXP = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** Text without what XML 1.0 cannot hold. */
export function xmlText(text: string): string {
  return text.toWellFormed().replace(FORBIDDEN_REGEXP, "");
}

/** Text for the content of an element. Characters that XML forbids are left out. */
export function escapeText(text: string): string {
  return escape(text, TEXT_REGEXP, nothing);
}

/** A URL for the content of an element. Characters that XML forbids are percent-encoded. */
export function escapeUrl(url: string): string {
  return escape(url, TEXT_REGEXP, encodeURIComponent);
}

/** Text for the value of an attribute. Characters that XML forbids are left out. */
export function escapeAttribute(text: string): string {
  return escape(text, ATTRIBUTE_REGEXP, nothing);
}

/** A URL for the value of an attribute. Characters that XML forbids are percent-encoded. */
export function escapeUrlAttribute(url: string): string {
  return escape(url, ATTRIBUTE_REGEXP, encodeURIComponent);
}

/**
 * Text for `news:title`, whose references readers of sitemaps undo twice, since so many sites
 * escape them twice: what looks like a reference is escaped once more.
 */
export function escapeTitle(text: string): string {
  return escapeText(text.includes("&") ? text.replace(REFERENCE_REGEXP, "&amp;") : text);
}

function escape(text: string, pattern: RegExp, replaceForbidden: (text: string) => string): string {
  let escaped = text.toWellFormed();
  if (escaped.includes("&")) escaped = escaped.replaceAll("&", "&amp;");
  // `search()` takes two thirds of the time of a `replace()` that finds nothing.
  if (escaped.search(pattern) < 0) return escaped;
  return escaped.replace(pattern, (character) => {
    const entity = ENTITIES[character];
    if (entity !== undefined) return entity;
    return isForbidden(character) ? replaceForbidden(character) : reference(character);
  });
}

/** XML 1.0 §2.2: characters that no reference can stand for either. */
function isForbidden(character: string): boolean {
  const isWhitespace = character === "\t" || character === "\n" || character === "\r";
  return !isWhitespace && (character < " " || character > "\ufffd");
}

function reference(character: string): string {
  return `&#x${character.charCodeAt(0).toString(16)};`;
}

function nothing(): string {
  return "";
}

// MERGED: Markup that `@libs/xml` has written once, with holes where values go.  One `stringify()` a page takes 6 µs for a plain page and 57 µs for one with news, images and alternates, and calls for many pages at once are at most twice as fast. So it is asked once for each kind of element, and its answer is filled in for every page.

/** Stands for a value. For private use, so that no markup has it. */
const HOLE = "\ue000";

/** Stands for elements inside an element. */
const CHILDREN = "_";

const HOLES_REGEXP = /\ue000|\s*<_\/>/;

/** The markup of elements, compact or indented. */
export class XmlMarkup {
  readonly #indent: string;
  readonly #parentOf: (name: string) => string | undefined;
  readonly #parts = new Map<string, readonly string[]>();

  /**
   * Markup is made as it is asked for.
   *
   * @param pretty Whether elements are indented, each in its line.
   * @param parentOf Gives the name of the element around an element, nothing for the root.
   */
  constructor(pretty: boolean, parentOf: (name: string) => string | undefined) {
    this.#indent = pretty ? "  " : "";
    this.#parentOf = parentOf;
  }

  /** A document around the children of its root element: what stands before and after them. */
  document(
    root: string,
    namespaces: Readonly<Record<string, string>>,
  ): { readonly head: string; readonly tail: string } {
    const [head = "", tail = ""] = this.#stringify({
      "@version": "1.0",
      "@encoding": "UTF-8",
      [root]: { ...namespaces, [CHILDREN]: null },
    });
    return { head, tail };
  }

  /** An element around its text; nothing around no text. */
  text(name: string, value: string | undefined): string {
    if (value === undefined || value === "") return "";
    const parts = this.#parts.get(name) ?? this.#make(name, HOLE);
    return parts[0] + value + parts[1];
  }

  /** An element around other elements. */
  container(name: string, children: string): string {
    const parts = this.#parts.get(name) ?? this.#make(name, { [CHILDREN]: null });
    return parts[0] + children + parts[1];
  }

  /** An element with one attribute around its text. */
  textWithAttribute(name: string, attribute: string, value: string, text: string): string {
    const parts = this.#parts.get(`${name}@`) ??
      this.#make(name, { [`@${attribute}`]: HOLE, "#text": HOLE }, "@");
    return parts[0] + value + parts[1] + text + parts[2];
  }

  /** A link of `xhtml`, with its language and address. */
  alternate(name: string, hreflang: string, href: string): string {
    const parts = this.#parts.get(name) ??
      this.#make(name, { "@rel": "alternate", "@hreflang": HOLE, "@href": HOLE });
    return parts[0] + hreflang + parts[1] + href + parts[2];
  }

  /** Makes the markup of an element in its place below the root. */
  #make(name: string, content: unknown, suffix = ""): readonly string[] {
    let document: unknown = content;
    let ancestor: string | undefined = name;
    while (ancestor !== undefined) {
      document = { [ancestor]: document };
      ancestor = this.#parentOf(ancestor);
    }
    const parts = this.#stringify(document);
    // Cut away the elements around: the first part begins where the tag before it ends, the last
    // one ends with its own tag.
    const [first = "", ...rest] = parts;
    const last = rest.pop() ?? "";
    const cut = [
      first.slice(first.lastIndexOf(">", first.lastIndexOf("<")) + 1),
      ...rest,
      last.slice(0, last.indexOf(">") + 1),
    ];
    this.#parts.set(name + suffix, cut);
    return cut;
  }

  #stringify(document: unknown): string[] {
    const text: string = stringify(document as Parameters<typeof stringify>[0], {
      // Text is never broken into lines: a URL would get white space around it.
      format: { indent: this.#indent, breakline: Infinity },
    });
    return text.split(HOLES_REGEXP);
  }
}

// MERGED: A page as the `url` element of a sitemap, with every extension that is read.  The order of elements is that of the schemas of sitemaps.org and Google.

/** The namespace of sitemaps and indexes. */
export const SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** The namespaces of a `urlset`, as attributes of the root. */
export const URLSET_NAMESPACES: Readonly<Record<string, string>> = {
  "@xmlns": SITEMAP_NAMESPACE,
  "@xmlns:xhtml": "http://www.w3.org/1999/xhtml",
  "@xmlns:news": "http://www.google.com/schemas/sitemap-news/0.9",
  "@xmlns:image": "http://www.google.com/schemas/sitemap-image/1.1",
  "@xmlns:video": "http://www.google.com/schemas/sitemap-video/1.1",
};

/** Parents that the prefix does not tell. */
const PARENTS: Readonly<Record<string, string>> = {
  "url": "urlset",
  "xhtml:link": "url",
  "news:news": "url",
  "image:image": "url",
  "video:video": "url",
  "news:name": "news:publication",
  "news:language": "news:publication",
};

/** The seven words, to themselves: anything else is not written, and nothing is escaped. */
const FREQUENCIES: ReadonlyMap<string | undefined, ChangeFrequency> = new Map(
  CHANGE_FREQUENCIES.map((word) => [word, word]),
);

/** The first and the last moment that `xsd:dateTime` can write with four digits for the year. */
const FIRST_TIME = Date.parse("0001-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** The name of the element around an element of a `urlset`. */
export function parentInUrlset(name: string): string | undefined {
  if (name === "urlset") return undefined;
  const colon = name.indexOf(":");
  return PARENTS[name] ?? (colon < 0 ? "url" : `${name.slice(0, colon)}:${name.slice(0, colon)}`);
}

/** Writes a page as a `url` element; nothing for a page without address. */
export function urlElement(markup: XmlMarkup, page: SitemapPage): string {
  const { images, videos, alternates, newsStory, priority } = page;
  const location = markup.text("loc", url(page.url));
  if (location === "") return "";
  let children = location +
    markup.text("lastmod", date(page.lastModifiedTime, lastModifiedPrecision(page))) +
    markup.text("changefreq", FREQUENCIES.get(page.changeFrequency));
  if (isPriorityGiven(page) && priority >= 0 && priority <= 1) {
    children += markup.text("priority", decimal(priority));
  }
  if (alternates !== undefined) {
    for (const alternate of alternates) children += alternateElement(markup, alternate);
  }
  if (newsStory !== undefined) children += newsElement(markup, newsStory);
  if (images !== undefined) { for (const image of images) children += imageElement(markup, image); }
  if (videos !== undefined) { for (const video of videos) children += videoElement(markup, video); }
  return markup.container("url", children);
}

/** Nothing for an alternate without language or address, which says nothing. */
function alternateElement(markup: XmlMarkup, alternate: SitemapAlternate): string {
  const hreflang = escapeAttribute(alternate.hreflang);
  const href = escapeUrlAttribute(alternate.href);
  return hreflang === "" || href === "" ? "" : markup.alternate("xhtml:link", hreflang, href);
}

/** Nothing for a story without title or date, as feeds have them: the extension wants both. */
function newsElement(markup: XmlMarkup, story: NewsStory): string {
  const publishDate = date(story.publishTime, publishPrecision(story));
  const title = escapeTitle(story.title);
  if (publishDate === undefined || title === "") return "";
  const publication = markup.text("news:name", text(story.publicationName)) +
    markup.text("news:language", text(story.publicationLanguage));
  return markup.container(
    "news:news",
    (publication && markup.container("news:publication", publication)) +
      markup.text("news:access", text(story.access)) +
      markup.text("news:genres", text(story.genres.join(", "))) +
      markup.text("news:publication_date", publishDate) +
      markup.text("news:title", title) +
      markup.text("news:keywords", text(story.keywords.join(", "))) +
      markup.text("news:stock_tickers", text(story.stockTickers.join(", "))),
  );
}

/** Nothing for an image without address. */
function imageElement(markup: XmlMarkup, image: SitemapImage): string {
  const location = markup.text("image:loc", url(image.loc));
  if (location === "") return "";
  return markup.container(
    "image:image",
    location +
      markup.text("image:caption", text(image.caption)) +
      markup.text("image:geo_location", text(image.geoLocation)) +
      markup.text("image:title", text(image.title)) +
      markup.text("image:license", url(image.license)),
  );
}

function videoElement(markup: XmlMarkup, video: SitemapVideo): string {
  let children = markup.text("video:thumbnail_loc", url(video.thumbnailLoc)) +
    markup.text("video:title", text(video.title)) +
    markup.text("video:description", text(video.description)) +
    markup.text("video:content_loc", url(video.contentLoc)) +
    markup.text("video:player_loc", url(video.playerLoc)) +
    markup.text("video:duration", number(video.duration)) +
    markup.text("video:expiration_date", date(video.expirationTime, expirationPrecision(video))) +
    markup.text("video:rating", number(video.rating)) +
    markup.text("video:view_count", number(video.viewCount)) +
    markup.text("video:publication_date", date(video.publicationTime, publicationPrecision(video)));
  for (const tag of video.tags ?? []) children += markup.text("video:tag", text(tag));
  children += markup.text("video:family_friendly", yesOrNo(video.familyFriendly)) +
    restrictionElement(markup, "video:restriction", video.restriction) +
    markup.text("video:requires_subscription", yesOrNo(video.requiresSubscription)) +
    uploaderElement(markup, video) +
    restrictionElement(markup, "video:platform", video.platform) +
    markup.text("video:live", yesOrNo(video.live));
  return markup.container("video:video", children);
}

function restrictionElement(
  markup: XmlMarkup,
  name: string,
  restriction: VideoRestriction | undefined,
): string {
  if (restriction === undefined) return "";
  const values = escapeText(restriction.values.join(" "));
  if (values === "") return "";
  const relationship = escapeAttribute(restriction.relationship);
  return markup.textWithAttribute(name, "relationship", relationship, values);
}

function uploaderElement(markup: XmlMarkup, { uploader }: SitemapVideo): string {
  const name = "video:uploader";
  if (uploader === undefined) return "";
  const title = escapeText(uploader.name);
  const info = escapeUrlAttribute(uploader.info ?? "");
  if (title === "" || info === "") return markup.text(name, title);
  return markup.textWithAttribute(name, "info", info, title);
}

function text(value: string | undefined): string | undefined {
  return value === undefined ? undefined : escapeText(value);
}

function url(value: string | undefined): string | undefined {
  return value === undefined ? undefined : escapeUrl(value);
}

/** None of the numbers of the extensions can be negative. */
function number(value: number | undefined): string | undefined {
  return value === undefined || value < 0 ? undefined : decimal(value);
}

function yesOrNo(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? "yes" : "no";
}

function date(time: number | undefined, precision: DatePrecision): string | undefined {
  const isWritable = time !== undefined && time >= FIRST_TIME && time <= LAST_TIME;
  return isWritable ? isoDate(time, precision) : undefined;
}

// MERGED: The two kinds of XML document that are written: a `urlset` of pages, a `sitemapindex` of files.

/** How a document with many entries is written. */
export interface DocumentFormat<Entry> {
  /** Stands before the entries. */
  readonly head: string;
  /** Writes an entry; nothing for one that is left out. */
  readonly entry: (entry: Entry) => string;
  /** Stands after the entries. */
  readonly tail: string;
}

/** What an index says of a sitemap. */
export interface IndexEntry {
  /** Address of the sitemap. */
  readonly url: string;
  /** When it last changed, as an ISO string. */
  readonly lastModified: string | undefined;
}

/** A `urlset` of pages; a strict one holds only what the schemas allow. */
export function urlsetFormat(pretty: boolean, strict: boolean): DocumentFormat<SitemapPage> {
  const markup = new XmlMarkup(pretty, parentInUrlset);
  return inLines(pretty, {
    ...markup.document("urlset", URLSET_NAMESPACES),
    entry(page) {
      const written = strict ? strictPage(page) : page;
      return written === undefined ? "" : urlElement(markup, written);
    },
  });
}

/** A `sitemapindex` of sitemaps. */
export function indexFormat(pretty: boolean): DocumentFormat<IndexEntry> {
  const markup = new XmlMarkup(pretty, parentInIndex);
  return inLines(pretty, {
    ...markup.document("sitemapindex", { "@xmlns": SITEMAP_NAMESPACE }),
    entry: ({ url, lastModified }) =>
      markup.container(
        "sitemap",
        markup.text("loc", escapeUrl(url)) + markup.text("lastmod", lastModified),
      ),
  });
}

function parentInIndex(name: string): string | undefined {
  if (name === "sitemapindex") return undefined;
  return name === "sitemap" ? "sitemapindex" : "sitemap";
}

/** Compact documents get a line for each entry, which `@libs/xml` writes without any. */
function inLines<Entry>(pretty: boolean, format: DocumentFormat<Entry>): DocumentFormat<Entry> {
  if (pretty) return { ...format, tail: `${format.tail}\n` };
  return {
    head: format.head.replace("?>", "?>\n"),
    entry(entry) {
      const text = format.entry(entry);
      return text === "" ? "" : `\n${text}`;
    },
    tail: `\n${format.tail}\n`,
  };
}

// MERGED: Pages as an XML sitemap.

/** Options of {@linkcode toSitemapXml}. */
export interface SitemapXmlOptions {
  /** Whether every element has its line, indented. Default: false, a line for each page. */
  readonly pretty?: boolean;
  /**
   * Whether all of it is valid by the schemas of sitemaps.org and of the extensions, whatever the
   * pages hold. Addresses that are no URIs are percent-encoded, and pages without an http(s) URL of
   * less than 2,048 characters left out; so is what lacks something that its extension requires: a
   * story without publication, a video without thumbnail. A year or month is written as its first
   * day. Default: false, all that can be read back is written.
   */
  readonly strict?: boolean;
}

/**
 * Writes pages as one XML sitemap, as UTF-8: a `urlset` with the extensions for news, images,
 * videos and alternates.
 *
 * The output is well-formed whatever the pages hold: characters that XML forbids are
 * percent-encoded in URLs and left out elsewhere. Nothing is invented: a priority that was not
 * given is omitted, dates have the precision that was given, and a story without a date is left
 * out, since the news extension wants one. What extensions lack otherwise is written as it is,
 * unless `strict` is asked for. A sitemap may have 50,000 URLs and 50 MB, and at least one URL;
 * `writeSitemapSet()` keeps to that.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { toReadableStream, toSitemapXml } from "@sitetree/sitetree/write";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const pages = [new SitemapPage({ url: "https://example.com/?a&b", priority: 0.8 })];
 * const xml = toReadableStream(pages).pipeThrough(toSitemapXml());
 * assertStringIncludes(
 *   await new Response(xml).text(),
 *   "<url><loc>https://example.com/?a&amp;b</loc><priority>0.8</priority></url>",
 * );
 * ```
 *
 * @param options How it is laid out.
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 */
export function toSitemapXml(
  options: SitemapXmlOptions = {},
): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(sitemapXmlFormat(options));
}

/** How {@linkcode toSitemapXml} writes. */
export function sitemapXmlFormat(options: SitemapXmlOptions): TextFormat<WriterInput> {
  const { pretty = false, strict = false } = options;
  const format = urlsetFormat(pretty, strict);
  return {
    head: format.head,
    write(input) {
      const page = pageOf(input);
      return page === undefined ? "" : format.entry(page);
    },
    end: () => format.tail,
  };
}
