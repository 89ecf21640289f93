/**
 * Atom 1.0 and 0.3: `feed`.
 *
 * @module
 */

import { parseDate } from "../date.ts";
import { parseIsoBytes } from "../date_bytes.ts";
import { trimSpace } from "../url.ts";
import type { XmlElement } from "../xml/element.ts";
import { decodeReferences } from "../xml/references.ts";
import type { Entries } from "./entries.ts";
import { FeedPages, warnOfDate } from "./feed_pages.ts";
import type { ElementSpec, ElementTable, RecordFormat } from "./record_format.ts";

/** Parts of the namespaces that mean Atom. */
export const ATOM_NAMESPACES: readonly string[] = ["w3.org/2005/Atom", "purl.org/atom/"];

interface EntryDraft {
  /** First link with `rel="alternate"` or without `rel`. */
  alternate: string | undefined;
  /** First link with `rel="self"`. */
  self: string | undefined;
  /** First other link that is no enclosure. */
  other: string | undefined;
  title: string | undefined;
  summary: string | undefined;
  // first readable date of each kind
  published: number | undefined;
  updated: number | undefined;
  modified: number | undefined;
  created: number | undefined;
}

function takeLink(draft: EntryDraft, { attributes }: XmlElement): void {
  const href = trimSpace(attributes.get("href") ?? "");
  if (href === "") return;
  const given = attributes.get("rel") ?? "alternate";
  const rel = given === "alternate" ? given : trimSpace(given).toLowerCase();
  if (rel === "alternate" || rel === "") draft.alternate ??= href;
  else if (rel === "self") draft.self ??= href;
  else if (rel !== "enclosure") draft.other ??= href;
}

function date(name: "published" | "updated" | "modified" | "created"): ElementSpec<EntryDraft> {
  return {
    value(draft, value, _element, warn) {
      const time = parseDate(value);
      if (time === time) draft[name] ??= time;
      else warnOfDate(value, warn);
    },
    bytes(draft, view, start, end) {
      const time = parseIsoBytes(view, start, end);
      if (time === time) draft[name] ??= time;
      return time === time;
    },
    isPassing: true,
  };
}

const SUMMARY: ElementSpec<EntryDraft> = {
  value: (draft, value) => void (draft.summary ??= decodeReferences(value)),
  wants: (draft) => draft.title === undefined,
  markup: true,
};

const TABLE: ElementTable<EntryDraft> = new Map<string, ElementSpec<EntryDraft>>([
  ["own:entry", {
    entry: true,
    children: new Map<string, ElementSpec<EntryDraft>>([
      ["own:link", { open: takeLink }],
      ["own:title", {
        value: (draft, value) => void (draft.title ??= decodeReferences(value)),
        markup: true,
      }],
      ["own:summary", SUMMARY],
      ["own:tagline", SUMMARY],
      ["own:published", date("published")],
      ["own:issued", date("published")],
      ["own:updated", date("updated")],
      ["own:modified", date("modified")],
      ["own:created", date("created")],
    ]),
  }],
]);

/** The format Atom, for one document. */
export function atomFormat(entries: Entries, line: () => number): RecordFormat<EntryDraft> {
  const pages = new FeedPages(entries, line);
  return {
    table: TABLE,
    tellsMisplaced: false,
    draft: () => ({
      alternate: undefined,
      self: undefined,
      other: undefined,
      title: undefined,
      summary: undefined,
      published: undefined,
      updated: undefined,
      modified: undefined,
      created: undefined,
    }),
    finish({ alternate, self, other, title, summary, published, updated, modified, created }) {
      // from the most to the least telling
      const date = published ?? updated ?? modified ?? created;
      pages.add(alternate ?? self ?? other, title ?? summary, date);
    },
    flush: () => pages.flush(),
  };
}
