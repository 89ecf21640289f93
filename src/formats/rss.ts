/**
 * RSS 2.0 and its older kin: `rss`, and `rdf:RDF` for RSS 1.0.
 *
 * @module
 */

import { parseDate } from "../date.ts";
import { parseMailBytes } from "../date_bytes.ts";
import { isAbsoluteHttp } from "../url.ts";
import { decodeReferences } from "../xml/references.ts";
import type { Entries } from "./entries.ts";
import { FeedPages, warnOfDate } from "./feed_pages.ts";
import type { ElementSpec, ElementTable, RecordFormat } from "./record_format.ts";

/** Parts of the namespaces that mean RSS. */
export const RSS_NAMESPACES: readonly string[] = [
  "purl.org/rss/",
  "purl.org/net/rss",
  "my.netscape.com/rdf/simple/",
  "backend.userland.com/rss",
  "harvard.edu/",
];

interface ItemDraft {
  link: string | undefined;
  guid: string | undefined;
  title: string | undefined;
  description: string | undefined;
  date: number | undefined;
}

const DATE: ElementSpec<ItemDraft> = {
  value(draft, value, _element, warn) {
    const time = parseDate(value);
    if (time === time) draft.date ??= time;
    else warnOfDate(value, warn);
  },
  bytes(draft, view, start, end) {
    const time = parseMailBytes(view, start, end);
    if (time === time) draft.date ??= time;
    return time === time;
  },
  isPassing: true,
};

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
  ["own:pubdate", DATE],
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
    children: new Map([...ITEM_FIELDS, ["dc:date", DATE]]),
  }],
]);

/** The format RSS, for one document. */
export function rssFormat(
  entries: Entries,
  line: () => number,
  version: 1 | 2,
): RecordFormat<ItemDraft> {
  const pages = new FeedPages(entries, line);
  return {
    table: version === 1 ? RSS1_TABLE : RSS2_TABLE,
    tellsMisplaced: false,
    draft: () => ({
      link: undefined,
      guid: undefined,
      title: undefined,
      description: undefined,
      date: undefined,
    }),
    finish({ link, guid, title, description, date }) {
      const standIn = link === undefined && guid !== undefined && isAbsoluteHttp(guid)
        ? guid
        : undefined;
      pages.add(link ?? standIn, title ?? description, date);
    },
    flush: () => pages.flush(),
  };
}
