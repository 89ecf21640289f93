/**
 * Reads a `urlset` with saxes, so that what was written is checked by other code than ours. It
 * throws at anything that is not well-formed, and at any element or attribute it does not know.
 *
 * @module
 */

import { SaxesParser, type SaxesTagNS } from "saxes";
import type { SitemapPage } from "../../src/data/page.ts";

const NAMESPACES: Readonly<Record<string, string>> = {
  "http://www.sitemaps.org/schemas/sitemap/0.9": "",
  "http://www.google.com/schemas/sitemap-news/0.9": "news:",
  "http://www.google.com/schemas/sitemap-image/1.1": "image:",
  "http://www.google.com/schemas/sitemap-video/1.1": "video:",
  "http://www.w3.org/1999/xhtml": "xhtml:",
};

export interface OracleElement {
  /** Local name behind the customary prefix of its namespace. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: OracleElement[];
  text: string;
}

export function readElements(xml: string): OracleElement {
  const parser = new SaxesParser({ xmlns: true });
  const open: OracleElement[] = [];
  let root: OracleElement | undefined;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag: SaxesTagNS) => {
    const attributes = Object.entries(tag.attributes)
      .filter(([name]) => !name.startsWith("xmlns"))
      .map(([name, attribute]) => [name, attribute.value]);
    const element: OracleElement = {
      name: `${NAMESPACES[tag.uri]}${tag.local}`,
      attributes: Object.fromEntries(attributes),
      children: [],
      text: "",
    };
    root ??= element;
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on("closetag", () => {
    open.pop();
  });
  parser.write(xml).close();
  if (root === undefined) throw new Error("no root");
  return root;
}

export function readPages(xml: string): SitemapPage[] {
  const root = readElements(xml);
  if (root.name !== "urlset") throw new Error(`root is ${root.name}`);
  return root.children.map((url) => readRecord(url) as never);
}

type Reader = (element: OracleElement) => unknown;

/** The second time that references in news titles are undone, for those that the tests use. */
function readTitle(element: OracleElement): string {
  return element.text
    .replace(/&(?:amp|#x26);|&eacute;/g, (all) => all === "&eacute;" ? "é" : "&")
    .trim();
}

function readText(element: OracleElement): string {
  return element.text.trim();
}

/** Dates are written without milliseconds that are zero. */
function readDate(element: OracleElement): string {
  return element.text.trim().replace(/(?<=T\d\d:\d\d:\d\d)Z$/, ".000Z");
}

function readNumber(element: OracleElement): number {
  return Number(element.text);
}

function readYes(element: OracleElement): boolean {
  return element.text === "yes";
}

function readList(element: OracleElement): string[] {
  return element.text.split(",").map((item) => item.trim());
}

function readWords(element: OracleElement): string[] {
  return element.text.split(" ");
}

/** Reads text as a field of an object, whose other fields are the attributes. */
function withAttributes(field: string, read: Reader): Reader {
  return (element) => ({ [field]: read(element), ...element.attributes });
}

/** Element → field, how it is read, and whether there may be several. */
const FIELDS: Readonly<Record<string, readonly [field: string, read: Reader, many?: true]>> = {
  "loc": ["url", readText],
  "lastmod": ["lastModified", readDate],
  "changefreq": ["changeFrequency", readText],
  "priority": ["priority", readNumber],
  "xhtml:link": ["alternates", readAlternate, true],
  "news:news": ["newsStory", readNews],
  "news:name": ["publicationName", readText],
  "news:language": ["publicationLanguage", readText],
  "news:access": ["access", readText],
  "news:genres": ["genres", readList],
  "news:publication_date": ["publishDate", readDate],
  "news:title": ["title", readTitle],
  "news:keywords": ["keywords", readList],
  "news:stock_tickers": ["stockTickers", readList],
  "image:image": ["images", readRecord, true],
  "image:loc": ["loc", readText],
  "image:caption": ["caption", readText],
  "image:geo_location": ["geoLocation", readText],
  "image:title": ["title", readText],
  "image:license": ["license", readText],
  "video:video": ["videos", readRecord, true],
  "video:thumbnail_loc": ["thumbnailLoc", readText],
  "video:title": ["title", readText],
  "video:description": ["description", readText],
  "video:content_loc": ["contentLoc", readText],
  "video:player_loc": ["playerLoc", readText],
  "video:duration": ["duration", readNumber],
  "video:expiration_date": ["expirationDate", readDate],
  "video:rating": ["rating", readNumber],
  "video:view_count": ["viewCount", readNumber],
  "video:publication_date": ["publicationDate", readDate],
  "video:tag": ["tags", readText, true],
  "video:family_friendly": ["familyFriendly", readYes],
  "video:restriction": ["restriction", withAttributes("values", readWords)],
  "video:requires_subscription": ["requiresSubscription", readYes],
  "video:uploader": ["uploader", withAttributes("name", readText)],
  "video:platform": ["platform", withAttributes("values", readWords)],
  "video:live": ["live", readYes],
  "video:gallery_loc": ["gallery", withAttributes("loc", readText)],
  "video:price": ["prices", withAttributes("amount", readNumber), true],
};

function readRecord(element: OracleElement): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const child of element.children) {
    const known = FIELDS[child.name];
    if (known === undefined) throw new Error(`unknown element ${child.name}`);
    const [field, read, many] = known;
    if (many) record[field] = [...(record[field] as unknown[] ?? []), read(child)];
    else if (field in record) throw new Error(`two elements ${child.name}`);
    else record[field] = read(child);
  }
  return record;
}

function readNews(element: OracleElement): Record<string, unknown> {
  const publication = element.children.find((child) => child.name === "news:publication");
  const children = element.children.filter((child) => child !== publication);
  return readRecord({ ...element, children: [...(publication?.children ?? []), ...children] });
}

function readAlternate({ attributes }: OracleElement): unknown {
  const { rel, hreflang, href } = attributes;
  if (rel !== "alternate") throw new Error(`rel is ${rel}`);
  return { hreflang, href };
}
