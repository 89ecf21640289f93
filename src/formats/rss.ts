/**
 * RSS 2.0 and its older kin: `rss`, and `rdf:RDF` for RSS 1.0.
 *
 * @module
 */

import { parseDate } from "../date.ts";
import { NewsStory } from "../page.ts";
import { isAbsoluteHttp } from "../url.ts";
import { decodeReferences } from "../xml/references.ts";
import { type Entries, quoted } from "./entries.ts";
import type { ElementSpec, ElementTable, RecordFormat, Warn } from "./record_reader.ts";

/** Parts of the namespaces that mean RSS. */
export const RSS_NAMESPACES: readonly string[] = [
  "purl.org/rss/",
  "purl.org/net/rss",
  "my.netscape.com/rdf/simple/",
  "backend.userland.com/rss",
  "harvard.edu/",
];

interface ItemDraft {
  link?: string;
  guid?: string;
  title?: string;
  description?: string;
  date?: number;
}

function setDate(draft: ItemDraft, value: string, _element: unknown, warn: Warn): void {
  const time = parseDate(value);
  if (time === time) draft.date ??= time;
  else warn("bad-date", `Date ${quoted(value)} cannot be read`);
}

const ITEM_FIELDS: readonly (readonly [string, ElementSpec<ItemDraft>])[] = [
  ["own:link", { value: (draft, value) => void (draft.link = value) }],
  ["own:guid", {
    value(draft, value, { attributes }) {
      if (attributes.get("isPermaLink")?.trim().toLowerCase() === "false") return;
      draft.guid = value;
    },
    wants: (draft) => draft.link === undefined,
  }],
  ["own:title", { value: (draft, value) => void (draft.title = decodeReferences(value)) }],
  ["own:description", {
    value: (draft, value) => void (draft.description = decodeReferences(value)),
    wants: (draft) => draft.title === undefined,
  }],
  ["own:pubdate", { value: setDate }],
];

const RSS2_TABLE: ElementTable<ItemDraft> = new Map([
  ["own:channel", {
    children: new Map<string, ElementSpec<ItemDraft>>([
      ["own:item", { entry: true, children: new Map(ITEM_FIELDS) }],
    ]),
  }],
]);

const RSS1_TABLE: ElementTable<ItemDraft> = new Map<string, ElementSpec<ItemDraft>>([
  ["own:item", {
    entry: true,
    children: new Map([...ITEM_FIELDS, ["dc:date", { value: setDate }]]),
  }],
]);

/** A page in a feed: its title and date make a news story. */
export function feedStory(
  title: string | undefined,
  date: number | undefined,
): { newsStory?: NewsStory } {
  if (title === undefined || title === "") return {};
  return {
    newsStory: new NewsStory(date === undefined ? { title } : { title, publishDate: date }),
  };
}

/** The format RSS, for one document. */
export function rssFormat(
  entries: Entries,
  line: () => number,
  version: 1 | 2,
): RecordFormat<ItemDraft> {
  return {
    table: version === 1 ? RSS1_TABLE : RSS2_TABLE,
    tellsMisplaced: false,
    draft: () => ({}),
    finish({ link, guid, title, description, date }) {
      const standIn = link === undefined && guid !== undefined && isAbsoluteHttp(guid)
        ? guid
        : undefined;
      entries.page(link ?? standIn, feedStory(title ?? description, date), line());
    },
  };
}
