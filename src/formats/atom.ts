/**
 * Atom 1.0 and 0.3: `feed`.
 *
 * @module
 */

import { parseDate } from "../date.ts";
import { trimSpace } from "../url.ts";
import type { XmlElement } from "../xml/element.ts";
import { decodeReferences } from "../xml/references.ts";
import { type Entries, quoted } from "./entries.ts";
import type { ElementSpec, ElementTable, RecordFormat } from "./record_reader.ts";
import { feedStory } from "./rss.ts";

/** Parts of the namespaces that mean Atom. */
export const ATOM_NAMESPACES: readonly string[] = ["w3.org/2005/Atom", "purl.org/atom/"];

interface EntryDraft {
  /** First link with `rel="alternate"` or without `rel`. */
  alternate?: string;
  /** First link with `rel="self"`. */
  self?: string;
  /** First other link that is no enclosure. */
  other?: string;
  title?: string;
  summary?: string;
  /** First readable date of each rank in `DATE_RANKS`. */
  dates: (number | undefined)[];
}

/** Dates from the most to the least telling; those of a kind share a rank. */
const DATE_RANKS: ReadonlyMap<string, number> = new Map([
  ["own:published", 0],
  ["own:issued", 0],
  ["own:updated", 1],
  ["own:modified", 2],
  ["own:created", 3],
]);

function takeLink(draft: EntryDraft, { attributes }: XmlElement): void {
  const href = trimSpace(attributes.get("href") ?? "");
  if (href === "") return;
  const rel = trimSpace(attributes.get("rel") ?? "alternate").toLowerCase();
  if (rel === "alternate" || rel === "") draft.alternate ??= href;
  else if (rel === "self") draft.self ??= href;
  else if (rel !== "enclosure") draft.other ??= href;
}

function dateSpec(rank: number): ElementSpec<EntryDraft> {
  return {
    value(draft, value, _element, warn) {
      const time = parseDate(value);
      if (time === time) draft.dates[rank] ??= time;
      else warn("bad-date", `Date ${quoted(value)} cannot be read`);
    },
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
      ...[...DATE_RANKS].map(([key, rank]) => [key, dateSpec(rank)] as const),
    ]),
  }],
]);

/** The format Atom, for one document. */
export function atomFormat(entries: Entries, line: () => number): RecordFormat<EntryDraft> {
  return {
    table: TABLE,
    tellsMisplaced: false,
    draft: () => ({ dates: [] }),
    finish({ alternate, self, other, title, summary, dates }) {
      const date = dates.find((time) => time !== undefined);
      entries.page(alternate ?? self ?? other, feedStory(title ?? summary, date), line());
    },
  };
}
