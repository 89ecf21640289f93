/**
 * Feeds: RSS (`rss`, and `rdf:RDF` for RSS 1.0) and Atom 1.0 and 0.3 (`feed`).
 *
 * @module
 */

import type { NewsStory } from "../data/page.ts";
import { isAbsoluteHttp } from "../data/url.ts";
import { decodeReferences } from "../xml/references.ts";
import type { Address, ElementSpec, ElementTable, Format } from "./schema.ts";

/** Returns the story of an entry; `undefined` without a heading. */
function storyOf(title: string, publishDate: string | undefined): NewsStory | undefined {
  if (title === "") return undefined;
  return publishDate === undefined ? { title } : { title, publishDate };
}

// ------------------------------------------------------------------------------------------------- RSS

interface ItemDraft {
  /** `href` of a `link`, used if the element has no text. */
  href: Address | undefined;
  isPermaLink: boolean;
  guid: string | undefined;
  title: string | undefined;
  description: string | undefined;
  pubDate: string | undefined;
  dcDate: string | undefined;
}

const ITEM: ElementTable<ItemDraft> = {
  "own:link": {
    open(draft, element) {
      const href = element.addressAttribute("href");
      const rel = element.attribute("rel").toLowerCase();
      if (href !== undefined && (rel === "" || rel === "alternate")) draft.href = href;
    },
    isAddress: true,
  },
  "own:guid": {
    open(draft, element) {
      draft.isPermaLink = element.attribute("isPermaLink").toLowerCase() !== "false";
    },
    text(draft, value) {
      if (draft.isPermaLink) draft.guid = value;
    },
  },
  "own:title": { text: (draft, value) => void (draft.title = decodeReferences(value)) },
  "own:description": {
    text: (draft, value) => void (draft.description = decodeReferences(value)),
    wants: (draft) => draft.title === undefined,
  },
  "own:pubdate": {
    date: (draft, date) => draft.pubDate = date,
    unreadable: ["bad-date", "date"],
  },
  "dc:date": {
    date: (draft, date) => draft.dcDate = date,
    unreadable: ["bad-date", "date"],
  },
};

const COMMON = {
  type: "PagesRssSitemap",
  namespaces: [
    "purl.org/rss/",
    "purl.org/net/rss",
    "my.netscape.com/rdf/simple/",
    "backend.userland.com/rss",
    "harvard.edu/",
  ],
  entries: { "own:item": { children: ITEM } },
  reportsUnknown: false,
  hasBase: true,
  draft: () => ({
    href: undefined,
    isPermaLink: true,
    guid: undefined,
    title: undefined,
    description: undefined,
    pubDate: undefined,
    dcDate: undefined,
  }),
  reset(draft) {
    draft.href = undefined;
    draft.guid = draft.title = draft.description = undefined;
    draft.pubDate = draft.dcDate = undefined;
  },
  finish(draft, entry) {
    const { href, guid } = draft;
    const heading = draft.title ?? draft.description ?? "";
    const newsStory = storyOf(heading, draft.pubDate ?? draft.dcDate);
    if (entry.url !== undefined) return entry.addPage(newsStory ? { newsStory } : {});
    if (entry.hasBadAddress) return entry.drop();
    if (href !== undefined) entry.addPageAt(href, newsStory);
    else if (guid === undefined || !isAbsoluteHttp(guid)) entry.drop();
    else entry.addPageAt(entry.addressOf(guid), newsStory);
  },
} satisfies Omit<Format<ItemDraft>, "isExpectedIn">;

/** Format `rss`. */
export const RSS: Format<ItemDraft> = {
  ...COMMON,
  isExpectedIn: (names) => names.length === 1 && names[0] === "channel",
};

/** Format `rdf:RDF`, whose items may be next to the channel. */
export const RDF: Format<ItemDraft> = {
  ...COMMON,
  isExpectedIn: (names) => names.length === 0 || (names.length === 1 && names[0] === "channel"),
};

// ------------------------------------------------------------------------------------------------ Atom

/** Ranks of links, from the most to the least preferred. */
const RANKS = ["html", "alternate", "self", "other"] as const;
type Rank = typeof RANKS[number];

/** Dates, from the most to the least preferred. */
type DateName = "published" | "updated" | "modified" | "created";

interface EntryDraft extends Record<DateName, string | undefined> {
  /** The first link of each rank. */
  links: Partial<Record<Rank, Address>>;
  /** Rank of the current link, if its text is needed. */
  rank: Rank | undefined;
  title: string | undefined;
  summary: string | undefined;
}

/** Prefix of relations that are written as IANA URLs. */
const IANA_REGEXP = /^https?:\/\/www\.iana\.org\/assignments\/relation\//;
const HTML_TYPE_REGEXP = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

/** Returns the rank of a link by its relation and media type. */
function rankOf(relation: string, type: string): Rank | undefined {
  if (type === "" && (relation === "alternate" || relation === "")) return "html";
  const rel = relation.toLowerCase().replace(IANA_REGEXP, "");
  if (rel === "alternate" || rel === "") {
    return type === "" || HTML_TYPE_REGEXP.test(type) ? "html" : "alternate";
  }
  if (rel === "self") return "self";
  return rel === "via" || rel === "related" ? "other" : undefined;
}

const LINK: ElementSpec<EntryDraft> = {
  isList: true,
  open(draft, element) {
    const rank = rankOf(element.attribute("rel"), element.attribute("type"));
    draft.rank = undefined;
    if (rank === undefined || draft.links[rank] !== undefined) return;
    const address = element.addressAttribute("href");
    if (address === undefined) draft.rank = rank;
    else draft.links[rank] = address;
  },
  text({ rank, links }, text, element) {
    if (rank !== undefined) links[rank] = element.addressOf(text);
  },
};

function date(name: DateName): ElementSpec<EntryDraft> {
  return {
    isList: true,
    // the first one is used
    date: (draft, date) => void (draft[name] ??= date),
    unreadable: ["bad-date", "date"],
  };
}

const SUMMARY: ElementSpec<EntryDraft> = {
  text: (draft, value) => void (draft.summary = decodeReferences(value)),
  wants: (draft) => draft.title === undefined,
  hasMarkup: true,
};

const ENTRY: ElementTable<EntryDraft> = {
  "own:link": LINK,
  "own:title": {
    text: (draft, value) => void (draft.title = decodeReferences(value)),
    hasMarkup: true,
  },
  "own:summary": SUMMARY,
  "own:tagline": SUMMARY,
  "own:published": date("published"),
  "own:issued": date("published"),
  "own:updated": date("updated"),
  "own:modified": date("modified"),
  "own:created": date("created"),
};

/** Format `feed`. */
export const ATOM: Format<EntryDraft> = {
  type: "PagesAtomSitemap",
  namespaces: ["w3.org/2005/Atom", "purl.org/atom/"],
  entries: { "own:entry": { children: ENTRY } },
  isExpectedIn: (names) => names.length === 0,
  reportsUnknown: false,
  hasBase: true,
  draft: () => ({
    links: {},
    rank: undefined,
    title: undefined,
    summary: undefined,
    published: undefined,
    updated: undefined,
    modified: undefined,
    created: undefined,
  }),
  reset(draft) {
    draft.links = {};
    draft.title = draft.summary = undefined;
    draft.published =
      draft.updated =
      draft.modified =
      draft.created =
        undefined;
  },
  finish(draft, entry) {
    const { links, title, summary } = draft;
    const rank = RANKS.find((rank) => links[rank] !== undefined);
    if (rank === undefined) return entry.drop();
    const heading = title ?? summary ?? "";
    const { published, updated, modified, created } = draft;
    entry.addPageAt(links[rank]!, storyOf(heading, published ?? updated ?? modified ?? created));
  },
};
