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
  RELATED,
  RELATIVE,
  some,
  type Text,
  TITLE,
  UNUSABLE,
  written,
  WRITTEN_ADDRESS,
} from "./well_formed_parts.ts";

function limits(name: string): Text {
  return element(
    `video|${name}`,
    written(fc.constantFrom("IE GB", "DE", "web  tv\nmobile")),
    attributes(attribute("relationship", fc.constantFrom("allow", "deny", "other"))),
  );
}

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
        element("news|language", written(fc.constantFrom("en", "de"))),
        element("news|title", written(TITLE)),
      ),
      3,
    ),
  ),
  element("news|access", written(fc.constantFrom("Subscription", "Registration"))),
  fc.constantFrom("genres", "keywords", "stock_tickers").chain((name) =>
    element(
      `news|${name}`,
      written(fc.constantFrom("Blog", " a , b,, c ", "NASDAQ:A, NYSE:B", ", ,")),
    )
  ),
  element("news|name", written(TITLE)),
);

const IMAGE_LOC = element("image|loc", written(RELATED));
const IMAGE = fc.oneof(
  IMAGE_LOC,
  fc.constantFrom("caption", "geo_location", "title").chain((name) =>
    element(`image|${name}`, written(TITLE.filter((text) => !text.includes("\r"))))
  ),
  element("image|license", written(RELATED)),
  element("own|loc", written(ABSOLUTE)),
);

const VIDEO = fc.oneof(
  fc.constantFrom("thumbnail_loc", "content_loc", "player_loc").chain((name) =>
    element(`video|${name}`, written(RELATED))
  ),
  fc.constantFrom("title", "description", "tag").chain((name) =>
    element(`video|${name}`, written(TITLE))
  ),
  fc.constantFrom("duration", "rating", "view_count").chain((name) =>
    element(`video|${name}`, written(fc.constantFrom("600", "4.2", "0", "many", "-1", "")))
  ),
  fc.constantFrom("publication_date", "expiration_date").chain((name) =>
    element(`video|${name}`, written(DATE))
  ),
  fc.constantFrom("family_friendly", "requires_subscription", "live").chain((name) =>
    element(`video|${name}`, written(fc.constantFrom("yes", "no", "maybe")))
  ),
  fc.constantFrom("restriction", "platform").chain(limits),
  element("video|uploader", written(TITLE), attributes(attribute("info", RELATED))),
  element(
    "video|gallery_loc",
    written(ABSOLUTE),
    attributes(attribute("title", fc.constant("All"))),
  ),
  element(
    "video|price",
    written(fc.constantFrom("1.99", "2", "free")),
    attributes(
      attribute("currency", fc.constantFrom("EUR", "")),
      mostly(fc.constant(""), attribute("type", fc.constant("rent"))),
      mostly(fc.constant(""), attribute("resolution", fc.constant("HD"))),
    ),
  ),
);

const ALTERNATE = element(
  "xhtml|link",
  fc.constant(""),
  attributes(
    attribute("rel", mostly(fc.constant("alternate"), fc.constant("canonical"))),
    mostly(attribute("hreflang", fc.constantFrom("de", "x-default", "")), fc.constant("")),
    mostly(attribute("href", RELATED), fc.constant("")),
  ),
);

const LOC = element("own|loc", WRITTEN_ADDRESS);
const LASTMOD = element("own|lastmod", written(DATE));
const URL_FIELD = fc.oneof(
  { weight: 4, arbitrary: LOC },
  { weight: 2, arbitrary: LASTMOD },
  element("own|changefreq", written(fc.constantFrom("daily", "Never", "HOURLY", "often", ""))),
  element("own|priority", written(fc.constantFrom("0.5", "1", ".3", "1.", "5e-1", "+0", "2", "x"))),
  element(
    "news|news",
    joined(
      group(fc.oneof(NEWS, NEWS, decoys(NEWS)), 10),
      mostly(joined(NEWS_TITLE, NEWS_DATE), fc.constant("")),
    ),
  ),
  element(
    "image|image",
    joined(group(fc.oneof(IMAGE, IMAGE, decoys(IMAGE)), 4), mostly(IMAGE_LOC, fc.constant(""))),
  ),
  element("video|video", group(fc.oneof(VIDEO, VIDEO, decoys(VIDEO)), 16)),
  ALTERNATE,
  fc.oneof(IMAGE, NEWS, VIDEO, element("own|link", fc.constant(""), attribute("href", ABSOLUTE))),
);

/** Fields of an entry, at least an address in most. */
function entry(name: string, address: Text, field: Text): Text {
  return element(
    name,
    joined(
      group(fc.oneof(field, field, field, decoys(fc.oneof(address, field))), 5),
      mostly(address, fc.constant("")),
    ),
  );
}

const URL_ENTRY = entry("own|url", LOC, URL_FIELD);
const CHILD = fc.constantFrom("own|sitemap", "own|sitemap", "own|url").chain((name) =>
  mostly(
    entry(name, LOC, fc.oneof(LOC, LASTMOD)),
    element(name, written(mostly(ABSOLUTE, fc.constant("text")))),
  )
);

// ----------------------------------------------------------------------------------------------- feeds

const BASE = mostly(
  fc.constant(""),
  attribute(
    "xml:base",
    fc.constantFrom("https://base.test/dir/", "sub/", "/root/", "../", "//b.test"),
  ),
);

const RSS_LINK = fc.oneof(
  { weight: 5, arbitrary: element("own|link", WRITTEN_ADDRESS, attributes(BASE)) },
  element(
    "own|link",
    fc.constantFrom("", " ", "<!-- -->"),
    attributes(
      BASE,
      attribute("href", ADDRESS),
      mostly(fc.constant(""), attribute("rel", fc.constantFrom("alternate", "self", "replies"))),
    ),
  ),
);
const ATOM_LINK_IN_RSS = element(
  "atom|link",
  fc.constant(""),
  attributes(
    BASE,
    attribute("href", mostly(ABSOLUTE, RELATIVE)),
    mostly(fc.constant(""), attribute("rel", fc.constantFrom("alternate", "self", "replies"))),
  ),
);
const GUID = element(
  "own|guid",
  written(mostly(ABSOLUTE, fc.constantFrom("tag:site.test,2024:1", "12", ""))),
  attributes(mostly(fc.constant(""), attribute("isPermaLink", fc.constantFrom("false", "true")))),
);
const RSS_DATE = fc.constantFrom(
  ...[
    "own|pubDate",
    "own|pubDate",
    "dc|date",
    "dcterms|issued",
    "dcterms|created",
    "dcterms|modified",
  ],
  ...["atom|published", "atom|updated", "none|published", "none|updated"],
).chain((name) => element(name, written(DATE)));
const RSS_FIELD = fc.oneof(
  { weight: 3, arbitrary: element("own|title", written(TITLE)) },
  { weight: 2, arbitrary: element("own|description", written(TITLE)) },
  { weight: 3, arbitrary: RSS_DATE },
  { weight: 2, arbitrary: ATOM_LINK_IN_RSS },
  element("atom|title", written(TITLE)),
  element("own|source", written(TITLE), attribute("url", ABSOLUTE)),
  element("image|image", group(IMAGE, 3)),
);
/** An item has one link and one guid at most: which of two counts depends on more than their order. */
const ITEM = fc.tuple(
  mostly(RSS_LINK, fc.constant("")),
  mostly(GUID, fc.constant("")),
  fc.boolean(),
)
  .chain(([link, guid, isFirst]) =>
    element(
      "own|item",
      joined(
        fc.constant(isFirst ? link + guid : ""),
        group(
          fc.oneof(RSS_FIELD, RSS_FIELD, RSS_FIELD, decoys(fc.oneof(RSS_FIELD, RSS_LINK, GUID))),
          6,
        ),
        fc.constant(isFirst ? "" : guid + link),
      ),
      attributes(BASE),
    )
  );

function atomLink(href: Text): Text {
  return element(
    "own|link",
    fc.constant(""),
    attributes(
      BASE,
      attribute("href", href),
      mostly(
        fc.constant(""),
        attribute(
          "rel",
          fc.constantFrom(
            ...["alternate", "Alternate", "self", "via", "related", "enclosure", "edit"],
            "http://www.iana.org/assignments/relation/alternate",
          ),
        ),
      ),
      mostly(
        fc.constant(""),
        attribute(
          "type",
          fc.constantFrom("text/html", "application/xhtml+xml", "application/json"),
        ),
      ),
    ),
  );
}

const ATOM_LINKS = mostly(
  some(mostly(atomLink(ADDRESS), element("own|link", written(ABSOLUTE))), 4),
  atomLink(UNUSABLE.filter((address) => address !== "")),
);
const ATOM_ID = element(
  "own|id",
  written(mostly(ABSOLUTE, fc.constantFrom("urn:uuid:1", "tag:x", ""))),
);
const ATOM_TITLE = element(
  "own|title",
  mostly(
    written(TITLE),
    joined(
      fc.constant("<xhtml|div@>a <xhtml|b>b&amp;amp;"),
      written(TITLE),
      fc.constant("</xhtml|b></xhtml|div>"),
    ),
  ),
  attributes(mostly(fc.constant(""), attribute("type", fc.constantFrom("html", "xhtml", "text")))),
);
const ATOM_DATE = fc.constantFrom("published", "issued", "updated", "modified", "created")
  .chain((name) => element(`own|${name}`, written(DATE)));
const ATOM_FIELD = fc.oneof(
  { weight: 2, arbitrary: ATOM_TITLE },
  { weight: 3, arbitrary: ATOM_DATE },
  element("own|summary", written(TITLE)),
  element("dc|date", written(DATE)),
);
const ENTRY = fc.tuple(ATOM_LINKS, mostly(ATOM_ID, fc.constant(""))).chain(([links, id]) =>
  element(
    "own|entry",
    joined(
      fc.constant(id),
      group(
        fc.oneof(
          ...[
            ATOM_FIELD,
            ATOM_FIELD,
            ATOM_FIELD,
            decoys(fc.oneof(ATOM_FIELD, atomLink(ABSOLUTE), ATOM_ID)),
          ],
          fc.constantFrom("own|source", "own|author").chain((name) =>
            element(name, group(fc.oneof(ATOM_FIELD, atomLink(ABSOLUTE), ATOM_ID), 3))
          ),
        ),
        6,
      ),
      // RFC 4287 requires content of an entry without link
      fc.constant(links || "<own|updated@>2024-05-06</own|updated><own|content@>x</own|content>"),
    ),
    attributes(BASE),
  )
);

// ------------------------------------------------------------------------------------------- documents

/** Entries, some of them inside unknown elements, and other elements between them. */
function body(entries: Text, others: Text): Text {
  const unknown = fc.constantFrom("own|wrapper", "x|list").chain((name) =>
    element(name, group(fc.oneof(entries, others), 2))
  );
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
  ...[
    "http://www.sitemaps.org/schemas/sitemap/0.9",
    "http://www.google.com/schemas/sitemap/0.84",
    "",
  ],
  ...["urn:mine", " http://www.sitemaps.org/schemas/sitemap/0.9 "],
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
    content: joined(fc.constant("<own|sitemap@/>"), body(CHILD, OTHERS)),
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
    namespaces: RSS_1,
    hasBase: true,
  },
  {
    root: "own|feed",
    content: body(ENTRY, fc.oneof(ATOM_FIELD, atomLink(ABSOLUTE), ATOM_ID)),
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
  mostly(
    fc.constant("usual"),
    fc.constant("shuffled"),
    fc.constant("short"),
    fc.constant("default"),
  ),
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
  fc.constantFrom(
    "",
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<?xml version='1.0' standalone='yes' ?>\n",
  ),
  mostly(
    fc.constant(""),
    fc.constantFrom("<?xml-stylesheet href='x.xsl'?>", "<!-- <urlset> -->\n", "\n\n"),
  ),
  mostly(fc.constant(""), fc.constantFrom("<!DOCTYPE urlset>", '<!DOCTYPE x SYSTEM "x.dtd">\n')),
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
