/**
 * RSS 2.0 and its older kin: `rss`, and `rdf:RDF` for RSS 1.0.
 *
 * @module
 */

import { NewsStory } from "../news_story.ts";
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
  dcDate: number;
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
    date: (draft, time) => draft.pubDate = time,
    unreadable: ["bad-date", "date"],
  },
  "dc:date": { date: (draft, time) => draft.dcDate = time, unreadable: ["bad-date", "date"] },
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
    dcDate: NaN,
  }),
  reset(draft) {
    draft.href = undefined;
    draft.guid = draft.title = draft.description = undefined;
    draft.pubDate = draft.dcDate = NaN;
  },
  finish({ href, guid, title, description, pubDate, dcDate }, entry) {
    const heading = title ?? description ?? "";
    const date = pubDate === pubDate ? pubDate : dcDate;
    const newsStory = heading === ""
      ? undefined
      : new NewsStory(date === date ? { title: heading, publishDate: date } : { title: heading });
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
