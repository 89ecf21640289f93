/**
 * Feeds: RSS (`rss`, and `rdf:RDF` for RSS 1.0) and Atom 1.0 and 0.3 (`feed`).
 *
 * @module
 */

import type { PageValues } from "../data/page.ts";
import { isAbsoluteHttp } from "../data/url.ts";
import { decodeReferences } from "../xml/references.ts";
import {
  type Address,
  ATOM_NAMESPACES,
  type ElementContext,
  type ElementSpec,
  type ElementTable,
  type Format,
} from "./schema.ts";

/** Rank of an entry without a date; a small integer, as doubles are slower (`deno task bench`, Atom). */
const NO_RANK = 99;

interface FeedDraft {
  title: string | undefined;
  /** Text that is used without a title. */
  description: string | undefined;
  date: string | undefined;
  /** Rank of `date`, the lower the better. */
  dateRank: number;
}

function valuesOf({ title, description, date }: FeedDraft): PageValues {
  const headline = title ?? description ?? "";
  if (headline === "") return date === undefined ? {} : { lastModified: date };
  return {
    newsStory: date === undefined ? { title: headline } : { title: headline, publishDate: date },
  };
}

const TITLE: ElementSpec<FeedDraft> = {
  text: (draft, value) => void (draft.title = decodeReferences(value)),
  hasMarkup: true,
};

const DESCRIPTION: ElementSpec<FeedDraft> = {
  text: (draft, value) => void (draft.description = decodeReferences(value)),
  wants: (draft) => draft.title === undefined,
  hasMarkup: true,
};

/** A date; of several with the same rank, the last is used, or the first if it may be repeated. */
function dateOf(rank: number, isList?: true): ElementSpec<FeedDraft> {
  return {
    ...(isList && { isList }),
    date(draft, date) {
      if (isList ? rank >= draft.dateRank : rank > draft.dateRank) return;
      draft.date = date;
      draft.dateRank = rank;
    },
    unreadable: ["bad-date", "date"],
  };
}

/** Prefix of relations that are written as IANA URLs. */
const IANA_REGEXP = /^https?:\/\/www\.iana\.org\/assignments\/relation\//;

function relationOf(element: ElementContext): string {
  const relation = element.attribute("rel");
  if (relation === "" || relation === "alternate") return "alternate";
  return relation.toLowerCase().replace(IANA_REGEXP, "");
}

// ------------------------------------------------------------------------------------------------- RSS

interface ItemDraft extends FeedDraft {
  /** `href` of a `link`, used if the element has no text. */
  href: Address | undefined;
  /** The first alternate link of Atom. */
  atomLink: Address | undefined;
  isPermaLink: boolean;
  guid: string | undefined;
}

/** Dates of an item, from the most to the least preferred. */
const ITEM_DATES = [
  "own:pubdate",
  "dc:date",
  "dcterms:issued",
  "dcterms:created",
  "dcterms:modified",
  "atom:published",
  "atom:updated",
  "own:published",
  "own:updated",
];

const ITEM: ElementTable<ItemDraft> = {
  "own:link": {
    open(draft, element) {
      const href = element.addressAttribute("href");
      if (href !== undefined && relationOf(element) === "alternate") draft.href = href;
    },
    isAddress: true,
    // its text is preferred, as outside of unclosed elements
    ranks: (element) => [relationOf(element) === "alternate" ? 1 : -1, 0],
  },
  "atom:link": {
    isList: true,
    open(draft, element) {
      if (draft.atomLink !== undefined || relationOf(element) !== "alternate") return;
      draft.atomLink = element.addressAttribute("href");
    },
    ranks: (element) => [relationOf(element) === "alternate" ? 2 : -1, -1],
  },
  "own:guid": {
    open(draft, element) {
      draft.isPermaLink = element.attribute("isPermaLink").toLowerCase() !== "false";
    },
    text(draft, value) {
      if (draft.isPermaLink) draft.guid = value;
    },
    isUrl: true,
  },
  "own:title": TITLE,
  "own:description": DESCRIPTION,
  ...Object.fromEntries(ITEM_DATES.map((name, rank) => [name, dateOf(rank)])),
};

const COMMON = {
  type: "PagesRssSitemap",
  namespaces: [
    "purl.org/rss/",
    "purl.org/net/rss",
    "my.netscape.com/rdf/simple/",
    "channel.netscape.com/rdf/simple/",
    "backend.userland.com/rss",
    "harvard.edu/",
  ],
  entries: { "own:item": { children: ITEM } },
  addresses: ["own:link", "atom:link"],
  hasIsoDates: false,
  isFeed: true,
  draft: () => ({
    title: undefined,
    description: undefined,
    date: undefined,
    dateRank: NO_RANK,
    href: undefined,
    atomLink: undefined,
    isPermaLink: true,
    guid: undefined,
  }),
  finish(draft, entry) {
    const { href, atomLink, guid } = draft, values = valuesOf(draft);
    if (entry.url !== undefined) return entry.addPage(values);
    if (href !== undefined && entry.addPageAt(href, values)) return;
    if (entry.isCut) return;
    const hasBadLink = entry.hasBadAddress;
    if (atomLink !== undefined && entry.addPageAt(atomLink, values)) return;
    if (hasBadLink) return entry.drop();
    const isUrl = guid !== undefined && isAbsoluteHttp(guid);
    entry.addPageAt(entry.takeStray() ?? (isUrl ? entry.addressOf(guid) : undefined), values);
  },
} satisfies Omit<Format<ItemDraft>, "places">;

export const RSS: Format<ItemDraft> = {
  ...COMMON,
  places: ["channel"],
};

/** Format `rdf:RDF`, whose items may be next to the channel. */
export const RDF: Format<ItemDraft> = {
  ...COMMON,
  hasAnyDefault: true,
  places: ["", "channel"],
};

// ------------------------------------------------------------------------------------------------ Atom

/** Ranks of links, from the most to the least preferred; those of `none` are no pages. */
type Rank = "html" | "alternate" | "self" | "other" | "none";

interface EntryDraft extends FeedDraft {
  /** The first link of each rank. */
  links: Partial<Record<Rank, Address>>;
  /** Whether there is a link of any relation. */
  hasLink: boolean;
  /** Rank of the current link, if it has no `href`. */
  rank: Rank | undefined;
  id: string | undefined;
}

const HTML_TYPE_REGEXP = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

function rankOf(element: ElementContext): Rank {
  const relation = relationOf(element), type = element.attribute("type");
  if (relation === "alternate") {
    return type === "" || HTML_TYPE_REGEXP.test(type) ? "html" : "alternate";
  }
  if (relation === "self") return "self";
  return relation === "via" || relation === "related" ? "other" : "none";
}

/** Ranks of links inside unclosed elements; the first alternate one is used, of any type. */
const STRAY_RANKS = { html: 0, alternate: 0, self: 1, other: 2, none: -1 } as const;

const LINK: ElementSpec<EntryDraft> = {
  isList: true,
  open(draft, element) {
    const rank = rankOf(element), { links } = draft;
    draft.rank = undefined;
    if (element.hasAttribute("href")) draft.hasLink = true;
    const isNeeded = rank !== "none" && links[rank] === undefined;
    const address = isNeeded ? element.addressAttribute("href") : undefined;
    if (address !== undefined) links[rank] = address;
    else if (isNeeded || !draft.hasLink) draft.rank = rank;
  },
  text(draft, text, element) {
    const { rank, links } = draft;
    if (rank === undefined) return;
    draft.hasLink = true;
    links[rank] ??= element.addressOf(text);
  },
  isUrl: true,
  ranks(element) {
    const rank = STRAY_RANKS[rankOf(element)];
    return element.hasAttribute("href") ? [rank, -1] : [-1, rank];
  },
};

const ENTRY: ElementTable<EntryDraft> = {
  "own:link": LINK,
  "own:id": {
    text: (draft, value) => void (draft.id = value),
    wants: (draft) => !draft.hasLink,
    isUrl: true,
  },
  "own:title": TITLE,
  "own:summary": DESCRIPTION,
  "own:tagline": DESCRIPTION,
  "own:published": dateOf(0, true),
  "own:issued": dateOf(0, true),
  "own:updated": dateOf(1, true),
  "own:modified": dateOf(2, true),
  "own:created": dateOf(3, true),
};

export const ATOM: Format<EntryDraft> = {
  type: "PagesAtomSitemap",
  namespaces: ATOM_NAMESPACES,
  namespace: "http://www.w3.org/2005/Atom",
  hasIsoDates: true,
  entries: { "own:entry": { children: ENTRY } },
  addresses: ["own:link"],
  places: [""],
  isFeed: true,
  draft: () => ({
    title: undefined,
    description: undefined,
    date: undefined,
    dateRank: NO_RANK,
    links: {},
    hasLink: false,
    rank: undefined,
    id: undefined,
  }),
  finish(draft, entry) {
    const { links, hasLink, id } = draft, values = valuesOf(draft);
    const alternate = links.html ?? links.alternate;
    if (alternate === undefined && entry.isCut) return;
    const link = alternate ?? entry.takeStray(STRAY_RANKS.alternate) ?? links.self ?? links.other ??
      entry.takeStray();
    const hasId = !hasLink && id !== undefined && isAbsoluteHttp(id);
    if (link !== undefined || !hasId) return void entry.addPageAt(link, values);
    entry.warn("address-repaired", "Entry without a link: its id is used as its address");
    entry.addPageAt(entry.addressOf(id), values);
  },
};
