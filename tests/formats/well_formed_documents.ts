/**
 * Arbitrary well-formed sitemaps and feeds, for a comparison with `saxes_reader.ts`.
 *
 * Documents are arrays of parts, so that they shrink, in which `image|loc` stands for a name in a
 * namespace, and `@` after the name for its binding. A style then chooses the prefixes and whether
 * they are bound at the root or where they are used.
 *
 * What the specification leaves open is not generated: an entry in an entry, several links of an RSS
 * item, an unusable link of Atom beside others.
 *
 * @module
 */

import fc from "../support/fast_check.ts";
import {
  ABSOLUTE,
  ADDRESS,
  attribute,
  attributes,
  DATE,
  decoys,
  element,
  group,
  joined,
  mostly,
  oneOf,
  rarely,
  RELATED,
  RELATIVE,
  some,
  type Text,
  TITLE,
  UNUSABLE,
  written,
  WRITTEN_ADDRESS,
} from "./well_formed_parts.ts";

const NEWS_TITLE = element("news|title", written(TITLE));
const NEWS_DATE = element("news|publication_date", written(DATE));
const NEWS = fc.oneof(
  NEWS_TITLE,
  NEWS_DATE,
  element(
    "news|publication",
    group(
      fc.oneof(
        element("news|name", written(TITLE)),
        element("news|language", written(oneOf("en", "de"))),
        element("news|title", written(TITLE)),
      ),
      3,
    ),
  ),
  element("news|access", written(oneOf("Subscription", "Registration"))),
  element(
    "news|genres news|keywords news|stock_tickers",
    written(oneOf("Blog", " a , b,, c ", "NASDAQ:A, NYSE:B", ", ,")),
  ),
  element("news|name", written(TITLE)),
);

const IMAGE_LOC = element("image|loc", written(RELATED));
const IMAGE = fc.oneof(
  IMAGE_LOC,
  element(
    "image|caption image|geo_location image|title",
    written(TITLE.filter((text) => !text.includes("\r"))),
  ),
  element("image|license", written(RELATED)),
  element("own|loc", written(ABSOLUTE)),
);

const VIDEO = fc.oneof(
  element("video|thumbnail_loc video|content_loc video|player_loc", written(RELATED)),
  element("video|title video|description video|tag", written(TITLE)),
  element(
    "video|duration video|rating video|view_count",
    written(oneOf("600", "4.2", "0", "many", "-1", "")),
  ),
  element("video|publication_date video|expiration_date", written(DATE)),
  element(
    "video|family_friendly video|requires_subscription video|live",
    written(oneOf("yes", "no", "maybe")),
  ),
  element(
    "video|restriction video|platform",
    written(oneOf("IE GB", "DE", "web  tv\nmobile")),
    attributes(attribute("relationship", oneOf("allow", "deny", "other"))),
  ),
  element("video|uploader", written(TITLE), attributes(attribute("info", RELATED))),
  element("video|gallery_loc", written(ABSOLUTE), attributes(attribute("title", "All"))),
  element(
    "video|price",
    written(oneOf("1.99", "2", "free")),
    attributes(
      attribute("currency", oneOf("EUR", "")),
      rarely(attribute("type", "rent")),
      rarely(attribute("resolution", "HD")),
    ),
  ),
);

const ALTERNATE = element(
  "xhtml|link",
  "",
  attributes(
    attribute("rel", mostly("alternate", "canonical")),
    mostly(attribute("hreflang", oneOf("de", "x-default", "")), ""),
    mostly(attribute("href", RELATED), ""),
  ),
);

const LOC = element("own|loc", WRITTEN_ADDRESS);
const LASTMOD = element("own|lastmod", written(DATE));
const URL_FIELD = fc.oneof(
  { weight: 4, arbitrary: LOC },
  { weight: 2, arbitrary: LASTMOD },
  element("own|changefreq", written(oneOf("daily", "Never", "HOURLY", "often", ""))),
  element("own|priority", written(oneOf("0.5", "1", ".3", "1.", "5e-1", "+0", "2", "x"))),
  element(
    "news|news",
    joined(
      group(fc.oneof(NEWS, NEWS, decoys(NEWS)), 10),
      mostly(joined(NEWS_TITLE, NEWS_DATE), ""),
    ),
  ),
  element(
    "image|image",
    joined(group(fc.oneof(IMAGE, IMAGE, decoys(IMAGE)), 4), mostly(IMAGE_LOC, "")),
  ),
  element("video|video", group(fc.oneof(VIDEO, VIDEO, decoys(VIDEO)), 16)),
  ALTERNATE,
  fc.oneof(IMAGE, NEWS, VIDEO, element("own|link", "", attribute("href", ABSOLUTE))),
);

/** Fields of an entry, at least an address in most. */
function entry(name: string, address: Text, field: Text): Text {
  return element(
    name,
    joined(
      group(fc.oneof(field, field, field, decoys(fc.oneof(address, field))), 5),
      mostly(address, ""),
    ),
  );
}

const URL_ENTRY = entry("own|url", LOC, URL_FIELD);
const CHILD_NAMES = "own|sitemap own|sitemap own|url";
const CHILD = mostly(
  entry(CHILD_NAMES, LOC, fc.oneof(LOC, LASTMOD)),
  element(CHILD_NAMES, written(mostly(ABSOLUTE, "text"))),
);

// ----------------------------------------------------------------------------------------------- feeds

const BASE = rarely(
  attribute("xml:base", oneOf("https://base.test/dir/", "sub/", "/root/", "../", "//b.test")),
);

/** Attributes of a link, perhaps with one of some relations. */
function linkAttributes(href: Text, relations: Text, ...others: readonly Text[]): Text {
  const relation = rarely(attribute("rel", relations));
  return attributes(BASE, attribute("href", href), relation, ...others);
}

const RSS_RELATIONS = oneOf("alternate", "self", "replies");
const RSS_LINK = fc.oneof(
  { weight: 5, arbitrary: element("own|link", WRITTEN_ADDRESS, attributes(BASE)) },
  element("own|link", oneOf("", " ", "<!-- -->"), linkAttributes(ADDRESS, RSS_RELATIONS)),
);
const ATOM_LINK_IN_RSS = element(
  "atom|link",
  "",
  linkAttributes(mostly(ABSOLUTE, RELATIVE), RSS_RELATIONS),
);
const GUID = element(
  "own|guid",
  written(mostly(ABSOLUTE, oneOf("tag:site.test,2024:1", "12", ""))),
  attributes(rarely(attribute("isPermaLink", oneOf("false", "true")))),
);
const RSS_DATE = element(
  "own|pubDate own|pubDate dc|date dcterms|issued dcterms|created dcterms|modified " +
    "atom|published atom|updated none|published none|updated",
  written(DATE),
);
/** A title, perhaps with elements inside it. */
const MARKED_UP = mostly(
  written(TITLE),
  joined("<xhtml|div@>a <xhtml|b>b&amp;amp;", written(TITLE), "</xhtml|b></xhtml|div>"),
  joined(written(TITLE), element("own|b x|b own|link dc|date", written(TITLE)), written(TITLE)),
);
const RSS_FIELD = fc.oneof(
  { weight: 3, arbitrary: element("own|title", MARKED_UP) },
  { weight: 2, arbitrary: element("own|description", MARKED_UP) },
  { weight: 3, arbitrary: RSS_DATE },
  { weight: 2, arbitrary: ATOM_LINK_IN_RSS },
  element("atom|title", written(TITLE)),
  element("own|source", written(TITLE), attribute("url", ABSOLUTE)),
  element("image|image", group(IMAGE, 3)),
);
/** An item has one link and one guid at most: which of two counts depends on more than their order. */
const [MAYBE_LINK, MAYBE_GUID] = [mostly(RSS_LINK, ""), mostly(GUID, "")];
const RSS_FIELDS = group(
  fc.oneof(RSS_FIELD, RSS_FIELD, RSS_FIELD, decoys(fc.oneof(RSS_FIELD, RSS_LINK, GUID))),
  6,
);
const ITEM = element(
  "own|item",
  fc.oneof(
    joined(MAYBE_LINK, MAYBE_GUID, RSS_FIELDS),
    joined(RSS_FIELDS, MAYBE_GUID, MAYBE_LINK),
  ),
  attributes(BASE),
);

const ATOM_RELATIONS = oneOf(
  ...["alternate", "Alternate", "self", "via", "related", "enclosure", "edit"],
  "http://www.iana.org/assignments/relation/alternate",
);
const ATOM_TYPES = oneOf("text/html", "application/xhtml+xml", "application/json");

function atomLink(href: Text): Text {
  const type = rarely(attribute("type", ATOM_TYPES));
  return element("own|link", "", linkAttributes(href, ATOM_RELATIONS, type));
}

const ATOM_LINKS = mostly(
  some(mostly(atomLink(ADDRESS), element("own|link", written(ABSOLUTE))), 4),
  atomLink(UNUSABLE.filter((address) => address !== "")),
);
const ATOM_ID = element("own|id", written(mostly(ABSOLUTE, oneOf("urn:uuid:1", "tag:x", ""))));
const ATOM_TITLE = element(
  "own|title",
  MARKED_UP,
  attributes(rarely(attribute("type", oneOf("html", "xhtml", "text")))),
);
const ATOM_DATE = element(
  "own|published own|issued own|updated own|modified own|created",
  written(DATE),
);
const ATOM_FIELD = fc.oneof(
  { weight: 2, arbitrary: ATOM_TITLE },
  { weight: 3, arbitrary: ATOM_DATE },
  element("own|summary", MARKED_UP),
  element("dc|date", written(DATE)),
);
/** What is in a feed and in an entry. */
const ATOM_PART = fc.oneof(ATOM_FIELD, atomLink(ABSOLUTE), ATOM_ID);
const PERSON = element("own|source own|author", group(ATOM_PART, 3));
const ENTRY = element(
  "own|entry",
  joined(
    mostly(ATOM_ID, ""),
    group(fc.oneof(ATOM_FIELD, ATOM_FIELD, ATOM_FIELD, decoys(ATOM_PART), PERSON), 6),
    // RFC 4287 requires content of an entry without link
    ATOM_LINKS.map((links) => links || "<own|content@>x</own|content>"),
  ),
  attributes(BASE),
);

// ------------------------------------------------------------------------------------------- documents

/** Entries, some of them inside unknown elements, and other elements between them. */
function body(entries: Text, others: Text): Text {
  const unknown = element("own|wrapper x|list", group(fc.oneof(entries, others), 2));
  return group(fc.oneof({ weight: 6, arbitrary: entries }, unknown, others), 10);
}

const OTHERS = fc.oneof(ALTERNATE, LOC, LASTMOD);
const CHANNEL_FIELDS = fc.oneof(RSS_FIELD, RSS_LINK, element("own|image", group(RSS_LINK, 2)));

interface Kind {
  readonly root: string;
  readonly content: Text;
  /** Namespaces of the format; `""` for none. */
  readonly namespaces: readonly string[];
  readonly hasBase?: true;
}

const SITEMAP_NAMESPACES = [
  ...["http://www.sitemaps.org/schemas/sitemap/0.9", "urn:mine", ""],
  "http://www.google.com/schemas/sitemap/0.84",
  " http://www.sitemaps.org/schemas/sitemap/0.9 ",
];
const RSS_1 = [
  ...["http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"],
  "http://channel.netscape.com/rdf/simple/0.9/",
];

const KINDS: readonly Kind[] = [
  { root: "own|urlset", content: body(URL_ENTRY, OTHERS), namespaces: SITEMAP_NAMESPACES },
  {
    root: "own|urlset",
    content: joined(
      URL_ENTRY,
      body(URL_ENTRY, element("own|sitemap", group(fc.oneof(LOC, LASTMOD), 2))),
    ),
    namespaces: SITEMAP_NAMESPACES,
  },
  { root: "own|sitemapindex", content: body(CHILD, OTHERS), namespaces: SITEMAP_NAMESPACES },
  {
    root: "own|urlset",
    content: joined("<own|sitemap@/>", body(CHILD, OTHERS)),
    namespaces: SITEMAP_NAMESPACES,
  },
  {
    root: "own|rss",
    content: element("own|channel", body(ITEM, CHANNEL_FIELDS), attributes(BASE)),
    namespaces: ["", "", "urn:mine", ...RSS_1],
    hasBase: true,
  },
  {
    root: "rdf|RDF",
    content: joined(element("own|channel", group(CHANNEL_FIELDS, 3)), body(ITEM, CHANNEL_FIELDS)),
    namespaces: [...RSS_1, "urn:mine"],
    hasBase: true,
  },
  {
    root: "own|feed",
    content: body(ENTRY, ATOM_PART),
    namespaces: ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#", "", "urn:mine"],
    hasBase: true,
  },
];

/** Namespaces of extensions, the usual one first. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  news: ["http://www.google.com/schemas/sitemap-news/0.9"],
  image: ["http://www.google.com/schemas/sitemap-image/1.1", "https://x.test/sitemap-image/2"],
  video: ["http://www.google.com/schemas/sitemap-video/1.1"],
  xhtml: ["http://www.w3.org/1999/xhtml"],
  dc: ["http://purl.org/dc/elements/1.1/"],
  dcterms: ["http://purl.org/dc/terms/"],
  atom: ["http://www.w3.org/2005/Atom"],
  rdf: ["http://www.w3.org/1999/02/22-rdf-syntax-ns#"],
  x: ["urn:foreign"],
};
const FAMILIES = Object.keys(EXTENSIONS);

/** Prefix and namespace of a family, bound at the root or where it is used. */
interface Binding {
  readonly prefix: string;
  readonly uri: string;
  readonly isLocal: boolean;
}

/** Prefixes of all extensions: the usual ones, those of others, or none. */
const BINDINGS: fc.Arbitrary<Readonly<Record<string, Binding>>> = fc.tuple(
  mostly("usual", "shuffled", "short", "default"),
  fc.shuffledSubarray(FAMILIES.slice(0, -2), { minLength: FAMILIES.length - 2 }),
  fc.array(fc.boolean(), { minLength: FAMILIES.length, maxLength: FAMILIES.length }),
  fc.nat(9),
).map(([way, shuffled, locals, number]) =>
  Object.fromEntries(FAMILIES.map((family, at): [string, Binding] => {
    const uris = EXTENSIONS[family]!, uri = number === 0 ? uris.at(-1)! : uris[0]!;
    const isFixed = family === "x" || family === "rdf";
    if (isFixed) return [family, { prefix: family, uri, isLocal: false }];
    // an unknown namespace leaves a conventional prefix its meaning
    const isUnknown = number === 1 && way === "usual" && at < 4;
    const prefix = { usual: family, shuffled: shuffled[at]!, short: `n${at}`, default: "" }[way]!;
    const isLocal = way === "default" || locals[at]!;
    return [family, { prefix, uri: isUnknown ? "urn:unknown" : uri, isLocal }];
  }))
);

function declaration({ prefix, uri }: Binding): string {
  return ` xmlns${prefix && `:${prefix}`}="${uri}"`;
}

/** Writes the names of a document with their prefixes. */
function named(text: string, bindings: Readonly<Record<string, Binding>>): string {
  const { own } = bindings;
  const global = Object.values(bindings).filter(({ isLocal, prefix, uri }) =>
    !isLocal && (prefix || uri)
  );
  return text.replaceAll(/<(\/?)(\w+)\|(\w+)(@*)/g, (_, slash, family, local, mark) => {
    const binding = bindings[family]!, name = `${binding.prefix && `${binding.prefix}:`}${local}`;
    if (mark === "@@") return `<${name}${global.map(declaration).join("")}`;
    // inside an element that binds the default namespace, that of the format is bound again
    const isHidden = family === "own" && own!.prefix === "" && bindings["image"]!.prefix === "";
    return `<${slash}${name}${mark && (binding.isLocal || isHidden) ? declaration(binding) : ""}`;
  });
}

const PROLOGUE = joined(
  oneOf("", '<?xml version="1.0" encoding="UTF-8"?>', "<?xml version='1.0' standalone='yes' ?>\n"),
  rarely(oneOf("<?xml-stylesheet href='x.xsl'?>", "<!-- <urlset> -->\n", "\n\n")),
  rarely(oneOf("<!DOCTYPE urlset>", '<!DOCTYPE x SYSTEM "x.dtd">\n')),
);

export const WELL_FORMED: Text = fc.constantFrom(...KINDS).chain((
  { root, content, namespaces, hasBase },
) =>
  fc.tuple(
    PROLOGUE,
    hasBase ? attributes(BASE) : attributes(),
    content,
    fc.constantFrom("", "", "", "s"),
    fc.constantFrom(...namespaces),
    BINDINGS,
    fc.constantFrom("", "\n", "<!-- end -->\n", "<?x?>"),
  ).map(([prologue, start, content, prefix, uri, bindings, epilogue]) => {
    const own: Binding = { prefix: uri === "" ? "" : prefix, uri, isLocal: false };
    const text = `<${root}@@${start}>${content}</${root}>`;
    const none: Binding = { prefix: "", uri: "", isLocal: true };
    return prologue + named(text, { own, none, ...bindings }) + epilogue;
  })
);
