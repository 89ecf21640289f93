/**
 * RSS 2.0 and its older kin: `rss`, and `rdf:RDF` for RSS 1.0.
 *
 * @module
 */

import { type DatePrecision, TO_TIME } from "../date_precision.ts";
import { createStory } from "../news_story.ts";
import { isAbsoluteHttp } from "../url.ts";
import { decodeReferences } from "../xml/references.ts";
import type { Address, ElementTable, Format } from "./format.ts";

interface ItemDraft {
  /** `href` of a `link`, used if it has no text. */
  href: Address | undefined;
  isPermaLink: boolean;
  guid: string | undefined;
  title: string | undefined;
  description: string | undefined;
  pubDate: number;
  pubPrecision: DatePrecision;
  dcDate: number;
  dcPrecision: DatePrecision;
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
    date(draft, time, precision) {
      draft.pubDate = time;
      draft.pubPrecision = precision;
    },
    unreadable: ["bad-date", "date"],
  },
  "dc:date": {
    date(draft, time, precision) {
      draft.dcDate = time;
      draft.dcPrecision = precision;
    },
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
    pubDate: NaN,
    pubPrecision: TO_TIME,
    dcDate: NaN,
    dcPrecision: TO_TIME,
  }),
  reset(draft) {
    draft.href = undefined;
    draft.guid = draft.title = draft.description = undefined;
    draft.pubDate = draft.dcDate = NaN;
  },
  finish(draft, entry) {
    const { href, guid, pubDate } = draft;
    const heading = draft.title ?? draft.description ?? "";
    const [publishDate, precision] = pubDate === pubDate
      ? [pubDate, draft.pubPrecision]
      : [draft.dcDate, draft.dcPrecision];
    const newsStory = heading === ""
      ? undefined
      : createStory({ title: heading, publishDate }, precision);
    const { url } = entry;
    if (url !== undefined) return entry.addPage(newsStory ? { url, newsStory } : { url });
    if (entry.hasBadAddress) return entry.drop();
    if (href !== undefined) entry.addPageAt(href, newsStory);
    else if (guid === undefined || !isAbsoluteHttp(guid)) entry.drop();
    else entry.addPageAt(entry.addressOf(guid), newsStory);
  },
} satisfies Omit<Format<ItemDraft>, "isExpectedIn">;

/** The format `rss`. */
export const RSS: Format<ItemDraft> = {
  ...COMMON,
  isExpectedIn: (names) => names.length === 1 && names[0] === "channel",
};

/** The format `rdf:RDF`, whose items are expected beside the channel. */
export const RDF: Format<ItemDraft> = {
  ...COMMON,
  isExpectedIn: (names) => names.length === 0 || (names.length === 1 && names[0] === "channel"),
};
