/**
 * Reads a well-formed sitemap or feed with saxes, by the rules of `fixtures/conformance/README.md`: an
 * oracle that shares no code with the library. By default it reads the forms of dates and the twice
 * escaped references that `well_formed_documents.ts` writes.
 *
 * @module
 */

import { SaxesParser, type SaxesTagNS } from "saxes";

type Maybe = string | undefined;

export interface TextReaders {
  readonly date: (text: string) => Maybe;
  readonly title: (text: string) => string;
}

export interface Node {
  /** Group of namespaces that it belongs to; `own` is that of the format. */
  readonly family: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** URL of the document, and the `xml:base` in scope or that URL. */
  readonly url: Maybe;
  readonly base: Maybe;
  readonly readers: TextReaders;
  readonly children: Node[];
  /** Its own text, and with that of all elements inside it, trimmed. */
  text: string;
  content: string;
}

/** Reads the trimmed text of an element; returns `undefined` if it is unreadable. */
type Read<T = unknown> = (text: string, node: Node) => T | undefined;
type Fields = Readonly<Record<string, unknown>>;

const RSS = /^$|^http:\/\/(purl.org\/rss\/1.0|(channel|my).netscape.com\/rdf\/simple\/0.9)\/$/;
const ATOM = /^$|^http:\/\/(www.w3.org\/2005\/Atom|purl.org\/atom\/ns#)$/;
/** Namespaces of feeds, apart from that of their roots. */
const FEEDS: Readonly<Record<string, RegExp>> = { rss: RSS, rdf: RSS, feed: ATOM };
const EXTENSIONS = new Map([
  ["http://purl.org/dc/elements/1.1/", "dc"],
  ["http://purl.org/dc/terms/", "dcterms"],
  ["http://www.w3.org/2005/Atom", "atom"],
]);

function familyOf(tag: SaxesTagNS, root: SaxesTagNS): string {
  const uri = trim(tag.uri), own = FEEDS[root.local.toLowerCase()] ?? /^$|\/sitemap\//;
  const isRoots = uri === trim(root.uri);
  if (own.test(uri) || (isRoots && tag.prefix === root.prefix)) return "own";
  const known = /\/sitemap-(news|image|video)\//.exec(uri)?.[1] ?? EXTENSIONS.get(uri);
  if (known !== undefined) return known;
  if (uri.includes("/1999/xhtml")) return "xhtml";
  const isUnnamed = tag.prefix === "" && root.local.toLowerCase() === "rdf";
  if (isRoots || isUnnamed) return "own";
  return /^(news|image|video|xhtml)$/.test(tag.prefix) ? tag.prefix : "foreign";
}

/** Parses a document into a tree; throws if it is not well-formed, or has an internal subset. */
export function treeOf(text: string, url: Maybe, readers: TextReaders): Node {
  const parser = new SaxesParser({ xmlns: true });
  const none = { url, base: url, readers, attributes: {}, text: "", content: "" };
  const open: Node[] = [{ ...none, family: "", name: "", children: [] }];
  let root: SaxesTagNS | undefined;
  parser.on("opentag", (tag: SaxesTagNS) => {
    const attributes = Object.fromEntries(
      Object.values(tag.attributes).map(({ name, value }) => [name, trim(value)]),
    );
    const outer = open.at(-1)!, name = tag.local.toLowerCase();
    const base = URL.parse(attributes["xml:base"] ?? "", outer.base)?.href ?? outer.base;
    const family = familyOf(tag, root ??= tag);
    open.push({ ...none, family, name, attributes, base, children: [] });
    outer.children.push(open.at(-1)!);
  });
  parser.on("closetag", () => {
    const node = open.pop()!;
    node.text = trim(node.text);
    node.content = trim(node.content);
  });
  const addText = (piece: string) => {
    open.at(-1)!.text += piece;
    for (const node of open) node.content += piece;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("doctype", (doctype) => {
    if (doctype.includes("[")) throw new SyntaxError("Internal subset");
  });
  parser.write(text).close();
  return open[0]!.children[0]!;
}

function trim(text: string): string {
  return text.replace(/^[\s\x85]+|[\s\x85]+$/g, "");
}

const MAIL_REGEXP = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d (GMT|[+-]\d{4})$/;
const ISO_REGEXP = /^(\d{4})(-\d\d)?(-\d\d)?([T ]\d\d:\d\d)?(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

function writtenDate(text: string): Maybe {
  if (MAIL_REGEXP.test(text)) return new Date(text).toISOString();
  const match = ISO_REGEXP.exec(text);
  if (match === null) return undefined;
  const [, year, month = "-01", day = "-01", clock = "T00:00", second = ":00", rest = ""] = match;
  const zone = match[7] ?? "Z", days = `${year}${month}${day}`;
  const time = new Date(`${days}T${clock.slice(1)}${second}${rest.slice(0, 4)}${zone}`);
  // a day that does not exist is moved to the next month
  const isDay = new Date(`${days}T00:00Z`).getUTCDate() === Number(day.slice(1));
  const isTime = match[4] !== undefined || /[1-9]/.test(zone);
  const length = isTime ? 24 : match[3] ? 10 : match[2] ? 7 : 4;
  return isDay && !Number.isNaN(time.getTime()) ? time.toISOString().slice(0, length) : undefined;
}

const REFERENCES = new Map([["amp", "&"], ["lt", "<"], ["eacute", "é"], ["#233", "é"]]);

/** Decodes the references of a text that is escaped twice. */
function writtenTitle(text: string): string {
  return text.replaceAll(/&(amp|lt|eacute|#233);/g, (_, name) => REFERENCES.get(name)!);
}

const WRITTEN: TextReaders = { date: writtenDate, title: writtenTitle };

/** Repairs and resolves an address; returns `undefined` if the result is not an http(s) URL. */
function resolve(address: string, { base, url }: Pick<Node, "base" | "url">): Maybe {
  const text = address.replace(/[\t\r\n]/g, "");
  if (/^https?:\/\/(?![/\\])/i.test(text)) return URL.canParse(text) ? text : undefined;
  if (/^https?:/i.test(text)) return URL.parse(text)?.href;
  if (/^www\./i.test(text)) {
    const withScheme = `${URL.parse(url ?? "")?.protocol ?? "https:"}//${text}`;
    return URL.canParse(withScheme) ? withScheme : undefined;
  }
  const parsed = text === "" ? null : URL.parse(text, base);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.href : undefined;
}

/** The address of a page: `xml:base` is that of feeds. */
const address: Read<string> = (text, { url }) => resolve(text, { base: url, url });
/** Any other address: resolved if it is relative. */
const related: Read<string> = (text, node) =>
  /^[a-z][a-z\d+.-]*:/i.test(text) ? text : address(text, node) ?? text;
const absolute: Read<string> = (text) => /^https?:\/\//i.test(text) ? text : undefined;
const text: Read<string> = (text) => text;
const date: Read<string> = (text, { readers }) => readers.date(text);
const title: Read<string> = (text, { readers }) => readers.title(text);
const number: Read<number> = (text) =>
  /^\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;
const flag: Read<boolean> = (text) =>
  /^(yes|true|no|false)$/i.test(text) ? /^(yes|true)$/i.test(text) : undefined;
const priority: Read<number> = (text) => {
  const isDecimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  return isDecimal && Number(text) >= 0 && Number(text) <= 1 ? Number(text) + 0 : undefined;
};
const frequency: Read<string> = (text) =>
  /^(always|hourly|daily|weekly|monthly|yearly|never)$/i.exec(text)?.[0].toLowerCase();
const limited: Read<Fields> = (text, { attributes }) => {
  const relationship = attributes["relationship"]?.toLowerCase() ?? "";
  const isKnown = relationship === "allow" || relationship === "deny";
  return isKnown ? { relationship, values: text.split(/\s+/) } : undefined;
};
const price: Read<Fields> = (text, node) => {
  const { currency, type, resolution } = node.attributes, amount = number(text, node);
  if (amount === undefined || !currency) return undefined;
  return { amount, currency, type: type || undefined, resolution: resolution || undefined };
};
const uploader: Read<Fields> = (name, { attributes: { info } }) => ({
  name,
  info: info || undefined,
});
const gallery: Read<Fields> = (loc, { attributes: { title } }) => ({
  loc,
  title: title || undefined,
});
const guid: Read<string> = (text, node) =>
  node.attributes["isPermaLink"] === "false" ? undefined : absolute(text, node);

const filled = <T>(items: T[]) => items.length > 0 ? items : undefined;

/** Fields of extensions; `geoLocation` is in `geo_location`. */
const TABLES = {
  news: { title, access: text },
  image: { loc: related, caption: text, geoLocation: text, title: text, license: text },
  video: {
    ...{ thumbnailLoc: related, title: text, description: text, contentLoc: related },
    ...{ playerLoc: related, duration: number, expirationDate: date, rating: number },
    ...{ viewCount: number, publicationDate: date, familyFriendly: flag, live: flag },
    ...{ restriction: limited, platform: limited, requiresSubscription: flag, uploader },
  },
} as const;

/** Returns the elements with these names, such as `own:loc`, directly inside another. */
function all(node: Node, names: string): Node[] {
  return node.children.filter(({ family, name }) => names.split(" ").includes(`${family}:${name}`));
}

function values<T>(node: Node, names: string, read: Read<T>): T[] {
  return all(node, names).map((child) => child.text ? read(child.text, child) : undefined)
    .filter((value) => value !== undefined);
}

function last<T>(node: Node, names: string, read: Read<T>): T | undefined {
  return values(node, names, read).at(-1);
}

function recordOf(family: keyof typeof TABLES): (node: Node) => Fields {
  const nameOf = (name: string) =>
    `${family}:${name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)}`;
  const table = Object.entries<Read>(TABLES[family]);
  return (node) =>
    Object.fromEntries(table.map(([name, read]) => [name, last(node, nameOf(name), read)]));
}

function listOf(node: Node, name: string): string[] | undefined {
  // one without items is not readable
  return last(node, name, (list) => filled(list.split(",").map(trim).filter((item) => item)));
}

function newsOf(node: Node): Fields {
  const parts = all(node, "news:publication").flatMap(({ children }) => children);
  return {
    ...recordOf("news")(node),
    genres: listOf(node, "news:genres"),
    keywords: listOf(node, "news:keywords"),
    stockTickers: listOf(node, "news:stock_tickers"),
    publishDate: last(node, "news:publication_date", date),
    publicationName: last({ ...node, children: parts }, "news:name", text),
    publicationLanguage: last({ ...node, children: parts }, "news:language", text),
  };
}

function alternatesOf(link: Node): Fields[] {
  const { rel, hreflang, href } = link.attributes;
  const isComplete = rel?.toLowerCase() === "alternate" && hreflang && href;
  return isComplete ? [{ hreflang, href: related(href, link) }] : [];
}

function videoOf(node: Node): Fields {
  return {
    ...recordOf("video")(node),
    tags: filled(values(node, "video:tag", text)),
    prices: filled(values(node, "video:price", price)),
    gallery: last(node, "video:gallery_loc", gallery),
  };
}

function pageOf(node: Node): Fields {
  return {
    url: last(node, "own:loc", address),
    lastModified: last(node, "own:lastmod", date),
    changeFrequency: last(node, "own:changefreq", frequency),
    priority: last(node, "own:priority", priority),
    newsStory: all(node, "news:news").map(newsOf)
      .findLast(({ title, publishDate }) => title !== undefined && publishDate !== undefined),
    images: filled(all(node, "image:image").map(recordOf("image")).filter(({ loc }) => loc)),
    videos: filled(all(node, "video:video").map(videoOf)),
    alternates: filled(all(node, "xhtml:link").flatMap(alternatesOf)),
  };
}

function childrenOf(node: Node): Fields[] {
  const lastModified = last(node, "own:lastmod", date), own = absolute(node.text, node);
  const locs = filled(values(node, "own:loc", text)) ?? (own === undefined ? [] : [own]);
  return locs.map((loc) => ({ url: address(loc, node), lastModified }));
}

function storyOf(url: Maybe, titles: Maybe[], dates: Maybe[]): Fields {
  const title = titles.find(Boolean), publishDate = dates.find(Boolean);
  return title ? { url, newsStory: { title, publishDate } } : { url, lastModified: publishDate };
}

/** Returns a title, with the text of elements inside it. */
function lastTitle(node: Node, name: string): Maybe {
  return all(node, name).map((child) => title(child.content, child)).findLast(Boolean);
}

const IANA = "http://www.iana.org/assignments/relation/";
const ITEM_DATES = "own:pubdate dc:date dcterms:issued dcterms:created dcterms:modified " +
  "atom:published atom:updated own:published own:updated";

function itemOf(item: Node): Fields {
  const links = all(item, "own:link").map((link) => {
    const { rel = "alternate", href = "" } = link.attributes;
    const address = link.text || (rel === "alternate" ? href : "");
    return { address, url: resolve(address, link) };
  }).filter(({ address }) => address !== "");
  const atom = all(item, "atom:link")
    .find(({ attributes: { rel = "alternate" } }) => rel === "alternate");
  const url = links.findLast(({ url }) => url !== undefined)?.url ??
    (atom && resolve(atom.attributes["href"] ?? "", atom)) ??
    (links.length === 0 ? last(item, "own:guid", guid) : undefined);
  const titles = ["own:title", "own:description"].map((name) => lastTitle(item, name));
  return storyOf(url, titles, ITEM_DATES.split(" ").map((name) => last(item, name, date)));
}

function entryOf(entry: Node): Fields {
  const links = all(entry, "own:link").map((link) => {
    const { rel = "alternate", type = "text/html", href = link.text } = link.attributes;
    const relation = rel.toLowerCase().replace(IANA, "");
    const isHtml = relation === "alternate" && /^(text\/html|application\/xhtml\+xml)$/.test(type);
    return { rank: isHtml ? "html" : relation, href, url: resolve(href, link) };
  }).filter(({ href }) => href !== "");
  const link = [["html"], ["alternate"], ["self"], ["via", "related"]]
    .map((ranks) => links.find(({ rank }) => ranks.includes(rank))).find(Boolean);
  const url = links.length === 0 ? last(entry, "own:id", absolute) : link?.url;
  const titles = ["own:title", "own:summary", "own:tagline"].map((name) => lastTitle(entry, name));
  const dates = ["own:published own:issued", "own:updated", "own:modified", "own:created"];
  return storyOf(url, titles, dates.map((names) => values(entry, names, date)[0]));
}

/** Returns the entries with one of these names at any depth. */
function entriesIn(node: Node, ...names: readonly string[]): Node[] {
  return node.children.flatMap((child) =>
    child.family === "own" && names.includes(child.name) ? [child] : entriesIn(child, ...names)
  );
}

/** Returns the entries that have a URL, and only the first of those with the same one. */
function unique(entries: readonly Fields[], keyOf = (url: string) => url): unknown[] {
  const byKey = new Map<string, unknown>();
  for (const entry of entries) {
    const url = entry["url"] as Maybe;
    if (url !== undefined && !byKey.has(keyOf(url))) byKey.set(keyOf(url), entry);
  }
  // drops what is undefined
  return JSON.parse(JSON.stringify([...byKey.values()]));
}

/** Returns the type of a document, then its pages or sitemaps. */
export function readTree(root: Node): unknown[] {
  const { name } = root, listed = entriesIn(root, "url", "sitemap");
  const isIndex = name === "urlset" && listed[0]?.name === "sitemap";
  if (isIndex || name === "sitemapindex") {
    const withoutFragment = (url: string) => new URL(url).href.replace(/#.*/, "");
    return ["IndexXmlSitemap", ...unique(listed.flatMap(childrenOf), withoutFragment)];
  }
  if (name === "urlset") return ["PagesXmlSitemap", ...unique(entriesIn(root, "url").map(pageOf))];
  if (name === "feed") {
    return ["PagesAtomSitemap", ...unique(entriesIn(root, "entry").map(entryOf))];
  }
  return ["PagesRssSitemap", ...unique(entriesIn(root, "item").map(itemOf))];
}

/** Returns the type of a well-formed document, then its pages or sitemaps; throws for any other. */
export function readWithSaxes(text: string, url?: string): unknown[] {
  return readTree(treeOf(text, url, WRITTEN));
}
