/**
 * Reads a `urlset` with saxes: an independent oracle for well-formed documents.
 *
 * Builds the whole document before it applies the rules of the specification one by one, so that it
 * shares nothing with the library's reader.
 *
 * @module
 */

import { SaxesParser, type SaxesTagNS } from "saxes";
import { readDate } from "../../src/data/date.ts";
import type { ChangeFrequency, SitemapPage } from "../../src/data/page.ts";
import { decodeReferences } from "../../src/xml/references.ts";

interface Node {
  readonly family: string;
  readonly local: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
  text: string;
}

/** Parses a document into a tree; returns `undefined` if it is not well-formed. */
function treeOf(text: string): Node | undefined {
  const parser = new SaxesParser({ xmlns: true });
  const open: Node[] = [];
  let root: Node | undefined;
  let rootTag: SaxesTagNS | undefined;
  let isWellFormed = true;
  parser.on("error", () => void (isWellFormed = false));
  parser.on("opentag", (tag: SaxesTagNS) => {
    const attributes = Object.values(tag.attributes).map(({ name, value }) => [name, value]);
    rootTag ??= tag;
    const node: Node = {
      family: familyOf(tag, rootTag),
      local: tag.local.toLowerCase(),
      attributes: Object.fromEntries(attributes),
      children: [],
      text: "",
    };
    root ??= node;
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  const addText = (piece: string) => {
    const node = open.at(-1);
    if (node !== undefined) node.text += piece;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => void open.pop());
  // the library refuses an internal subset
  parser.on("doctype", (doctype) => void (isWellFormed &&= !doctype.includes("[")));
  parser.write(text).close();
  return isWellFormed ? root : undefined;
}

/** Returns the family of a tag by its namespace, else by its conventional prefix. */
function familyOf(tag: SaxesTagNS, root: SaxesTagNS): string {
  const { prefix } = tag;
  const uri = tag.uri.trim();
  const isRoots = uri === root.uri.trim();
  if (isRoots && prefix === root.prefix) return "sitemap";
  for (const name of ["news", "image", "video"]) {
    if (uri.includes(`/sitemap-${name}/`)) return name;
  }
  if (uri.includes("/1999/xhtml")) return "xhtml";
  if (uri === "" || isRoots || uri.includes("/sitemap/")) return "sitemap";
  return ["news", "image", "video", "xhtml"].includes(prefix) ? prefix : "foreign";
}

/** Trims Unicode whitespace and NEL. */
function trimmed(text: string): string {
  return text.replace(/^[\s\x85]+|[\s\x85]+$/g, "");
}

function childrenOf(node: Node, family: string, local: string): Node[] {
  return node.children.filter((child) => child.family === family && child.local === local);
}

/** Returns the last non-empty value of that name. */
function valueOf(node: Node, family: string, local: string): string | undefined {
  return childrenOf(node, family, local).map(({ text }) => trimmed(text)).findLast((text) => text);
}

/** Returns the fields with a value, in the order of their first one. */
function fieldsOf(node: Node, family: string, names: Readonly<Record<string, string>>) {
  const fields: Record<string, string> = {};
  for (const child of node.children) {
    const value = trimmed(child.text);
    const name = child.family === family ? names[child.local] : undefined;
    if (name !== undefined && value !== "") fields[name] = value;
  }
  return fields;
}

const IMAGE_NAMES = {
  loc: "loc",
  caption: "caption",
  geo_location: "geoLocation",
  title: "title",
  license: "license",
};

function imagesOf(url: Node, base: string): unknown[] {
  return childrenOf(url, "image", "image").map((image) => fieldsOf(image, "image", IMAGE_NAMES))
    .filter((image) => "loc" in image)
    .map((image) => ({ ...image, loc: related(image["loc"]!, base) }));
}

/** Resolves an address unless it has a scheme. */
function related(address: string, base: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : resolved(address, base) ?? address;
}

function alternatesOf(url: Node, base: string): unknown[] {
  return childrenOf(url, "xhtml", "link").flatMap(({ attributes }) => {
    if (trimmed(attributes["rel"] ?? "").toLowerCase() !== "alternate") return [];
    const hreflang = trimmed(attributes["hreflang"] ?? "");
    const href = trimmed(attributes["href"] ?? "");
    return hreflang === "" || href === "" ? [] : [{ hreflang, href: related(href, base) }];
  });
}

function listOf(value: string | undefined): string[] {
  return (value ?? "").split(",").map((item) => item.trim()).filter((item) => item);
}

/** Returns the fields that have a value or items. */
function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => Array.isArray(value) ? value.length > 0 : value !== undefined),
  );
}

function newsOf(url: Node): unknown {
  let story: unknown;
  for (const news of childrenOf(url, "news", "news")) {
    const title = valueOf(news, "news", "title");
    const date = datesOf(news, "news", "publication_date").findLast((date) => date !== undefined);
    if (title === undefined || date === undefined) continue;
    const publications = {
      ...news,
      children: childrenOf(news, "news", "publication").flatMap(({ children }) => children),
    };
    story = present({
      title: decodeReferences(title),
      publishDate: date,
      publicationName: valueOf(publications, "news", "name"),
      publicationLanguage: valueOf(publications, "news", "language"),
      access: valueOf(news, "news", "access"),
      genres: listOf(valueOf(news, "news", "genres")),
      keywords: listOf(valueOf(news, "news", "keywords")),
      stockTickers: listOf(valueOf(news, "news", "stock_tickers")),
    });
  }
  return story;
}

function datesOf(node: Node, family: string, local: string): (string | undefined)[] {
  return childrenOf(node, family, local).map(({ text }) => trimmed(text)).filter((text) => text)
    .map((text) => readDate(text));
}

const FLAG_WORDS: Readonly<Record<string, boolean>> = {
  yes: true,
  true: true,
  no: false,
  false: false,
};

/** Reads those fields of videos that the generated documents have. */
function videosOf(url: Node, base: string): unknown[] {
  return childrenOf(url, "video", "video").map((video) => {
    const fields: Record<string, unknown> = {};
    const tags: string[] = [];
    const prices: unknown[] = [];
    for (const { family, local, text, attributes } of video.children) {
      const value = trimmed(text);
      if (family !== "video" || value === "") continue;
      if (local === "tag") tags.push(value);
      if (local === "price") prices.push(...priceOf(value, attributes));
      const [name, field] = videoField(local, value, attributes);
      if (field !== undefined) fields[name] = name.endsWith("Loc") ? related(value, base) : field;
    }
    return {
      ...fields,
      ...(tags.length === 0 ? {} : { tags }),
      ...(prices.length === 0 ? {} : { prices }),
    };
  });
}

function numberOf(value: string): number | undefined {
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

function priceOf(value: string, attributes: Readonly<Record<string, string>>): unknown[] {
  const currency = trimmed(attributes["currency"] ?? "");
  const type = trimmed(attributes["type"] ?? "");
  const resolution = trimmed(attributes["resolution"] ?? "");
  const amount = numberOf(value);
  if (currency === "" || amount === undefined) return [];
  return [{
    amount,
    currency,
    ...(type === "" ? {} : { type }),
    ...(resolution === "" ? {} : { resolution }),
  }];
}

const VIDEO_TEXTS: Readonly<Record<string, string>> = {
  thumbnail_loc: "thumbnailLoc",
  title: "title",
  description: "description",
  content_loc: "contentLoc",
  player_loc: "playerLoc",
};
const VIDEO_NUMBERS: Readonly<Record<string, string>> = {
  duration: "duration",
  rating: "rating",
  view_count: "viewCount",
};
const VIDEO_DATES: Readonly<Record<string, string>> = {
  publication_date: "publicationDate",
  expiration_date: "expirationDate",
};
const VIDEO_FLAGS: Readonly<Record<string, string>> = {
  family_friendly: "familyFriendly",
  requires_subscription: "requiresSubscription",
  live: "live",
};

function videoField(
  local: string,
  value: string,
  attributes: Readonly<Record<string, string>>,
): [string, unknown] {
  if (local in VIDEO_TEXTS) return [VIDEO_TEXTS[local]!, value];
  if (local in VIDEO_DATES) return [VIDEO_DATES[local]!, readDate(value)];
  if (local in VIDEO_FLAGS) return [VIDEO_FLAGS[local]!, FLAG_WORDS[value.toLowerCase()]];
  if (local in VIDEO_NUMBERS) {
    return [VIDEO_NUMBERS[local]!, numberOf(value)];
  }
  if (local === "uploader") {
    const info = trimmed(attributes["info"] ?? "");
    return ["uploader", info === "" ? { name: value } : { name: value, info }];
  }
  if (local === "gallery_loc") {
    const title = trimmed(attributes["title"] ?? "");
    return ["gallery", title === "" ? { loc: value } : { loc: value, title }];
  }
  const relationship = trimmed(attributes["relationship"] ?? "").toLowerCase();
  const isList = local === "restriction" || local === "platform";
  return isList && (relationship === "allow" || relationship === "deny")
    ? [local, { relationship, values: value.split(/\s+/) }]
    : [local, undefined];
}

/** Repairs and resolves an address; returns `undefined` if the result is not http(s). */
function resolved(address: string, base: string): string | undefined {
  const unbroken = address.replace(/[\t\r\n]/g, "");
  if (/^https?:\/\/(?![/\\])/i.test(unbroken)) return URL.canParse(unbroken) ? unbroken : undefined;
  if (/^www\./i.test(unbroken)) {
    const url = `${new URL(base).protocol}//${unbroken}`;
    return URL.canParse(url) ? url : undefined;
  }
  if (/^https?:/i.test(unbroken)) return URL.parse(unbroken)?.href;
  const url = URL.parse(unbroken, base);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
}

/** Returns the last readable value of that name. */
function lastReadable<T>(
  node: Node,
  local: string,
  read: (value: string) => T | undefined,
): T | undefined {
  return childrenOf(node, "sitemap", local).map(({ text }) => trimmed(text))
    .filter((text) => text !== "").map(read).findLast((value) => value !== undefined);
}

function priorityOf(value: string): number | undefined {
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) &&
    Number(value) >= 0 && Number(value) <= 1;
  return isNumber ? Number(value) + 0 : undefined;
}

function frequencyOf(value: string): ChangeFrequency | undefined {
  const word = value.toLowerCase();
  const isFrequency = /^(always|hourly|daily|weekly|monthly|yearly|never)$/.test(word);
  return isFrequency ? word as ChangeFrequency : undefined;
}

function pageOf(node: Node, url: string, base: string): SitemapPage {
  const fields = present({
    lastModified: lastReadable(node, "lastmod", (value) => readDate(value)),
    changeFrequency: lastReadable(node, "changefreq", frequencyOf),
    priority: lastReadable(node, "priority", priorityOf),
    newsStory: newsOf(node),
    images: imagesOf(node, base),
    videos: videosOf(node, base),
    alternates: alternatesOf(node, base),
  });
  return { url, ...fields };
}

/** Returns the entries at any depth below an element, without nested ones. */
function entriesIn(node: Node): Node[] {
  return node.children.flatMap((child) => isEntry(child) ? [child] : entriesIn(child));
}

/** Whether the first entry is a sitemap, so that the document is an index. */
function isIndex(node: Node): boolean {
  const [first] = node.children.filter(({ family, local }) =>
    family === "sitemap" && (local === "url" || local === "sitemap")
  );
  return first?.local === "sitemap";
}

function isEntry({ family, local }: Node): boolean {
  return family === "sitemap" && local === "url";
}

/** Whether an entry is nested in another, which the library then closes. */
function isNested(node: Node, isInEntry: boolean): boolean {
  return node.children.some((child) =>
    (isEntry(child) && isInEntry) || isNested(child, isInEntry || isEntry(child))
  );
}

/** Returns the pages of a well-formed `urlset` in UTF-8 as JSON; `undefined` for any other document. */
export function saxesPages(
  bytes: Uint8Array,
  base = "https://site.test/dir/sitemap.xml",
): unknown[] | undefined {
  const text = new TextDecoder().decode(bytes);
  if (/encoding=(?!"utf-8")/i.test(text.slice(0, 100))) return undefined;
  const root = treeOf(text);
  if (root?.local !== "urlset" || isNested(root, false) || isIndex(root)) return undefined;
  const seen = new Set<string>();
  return entriesIn(root).flatMap((node) => {
    const url = lastReadable(node, "loc", (address) => resolved(address, base));
    if (url === undefined || seen.has(url)) return [];
    seen.add(url);
    return [pageOf(node, url, base)];
  });
}
