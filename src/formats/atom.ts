/**
 * Atom 1.0 and 0.3: `feed`.
 *
 * @module
 */

import { type DatePrecision, TO_TIME } from "../date_precision.ts";
import { createStory } from "../news_story.ts";
import { decodeReferences } from "../xml/references.ts";
import type { Address, ElementSpec, ElementTable, Format } from "./format.ts";

/** From the most to the least wanted. */
const RANKS = ["html", "alternate", "self", "other"] as const;
type Rank = typeof RANKS[number];

const DATES = ["published", "updated", "modified", "created"] as const;
type DateName = typeof DATES[number];

interface EntryDraft extends Record<DateName, number> {
  /** The first link of each rank. */
  links: Partial<Record<Rank, Address>>;
  /** Rank of the link that is read, if its text is needed. */
  rank: Rank | undefined;
  title: string | undefined;
  summary: string | undefined;
  precision: Partial<Record<DateName, DatePrecision>>;
}

/** Relations by their IANA addresses. */
const IANA_REGEXP = /^https?:\/\/www\.iana\.org\/assignments\/relation\//;
const HTML_TYPE_REGEXP = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

/** Rank of a link by its relation and media type. */
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
    // the first one counts
    date(draft, time, precision) {
      if (!Number.isNaN(draft[name])) return;
      draft[name] = time;
      draft.precision[name] = precision;
    },
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

/** The format `feed`. */
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
    precision: {},
    published: NaN,
    updated: NaN,
    modified: NaN,
    created: NaN,
  }),
  reset(draft) {
    draft.links = {};
    draft.title = draft.summary = undefined;
    draft.published =
      draft.updated =
      draft.modified =
      draft.created =
        NaN;
    draft.precision = {};
  },
  finish(draft, entry) {
    const { links, title, summary } = draft;
    const rank = RANKS.find((rank) => links[rank] !== undefined);
    if (rank === undefined) return entry.drop();
    const heading = title ?? summary ?? "";
    const name = DATES.find((name) => !Number.isNaN(draft[name]));
    const newsStory = heading === "" ? undefined : createStory(
      name === undefined ? { title: heading } : { title: heading, publishDate: draft[name] },
      name === undefined ? TO_TIME : draft.precision[name]!,
    );
    entry.addPageAt(links[rank]!, newsStory);
  },
};
