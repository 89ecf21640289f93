/**
 * Changes of pages as rows: those of runs, and the differences of two walks.
 *
 * @module
 */

import type { Verdict } from "../data/events.ts";
import { VERDICTS } from "../data/words.ts";
import { painter } from "../write/ansi.ts";
import { encodeWhitespace, escapeControls } from "../write/escape.ts";
import { objectJson } from "../write/json_text.ts";
import { paragraph } from "../write/layout.ts";
import type { RowSpec } from "../write/rows.ts";
import type { DiffEvent, DiffStats } from "./diff.ts";
import type { RecordedChange } from "./history.ts";

/** What only changes have that were written: `--dry-run` and `diff` write none. */
type Written = "run" | "sequence" | "time";

export type ChangeEvent =
  & Omit<RecordedChange, Written>
  & Partial<Pick<RecordedChange, Written>>;

type IncompleteSide = Extract<DiffEvent, { readonly type: "incomplete" }> & {
  /** Its name: a URL or a path. */
  readonly site: string;
};

export type DiffRow = IncompleteSide | ChangeEvent;

export function isChange<E extends { readonly type: string }>(
  event: E | ChangeEvent,
): event is ChangeEvent {
  return Object.hasOwn(MARKS, event.type);
}

const MARKS = {
  added: ["+", "green"],
  changed: ["~", "yellow"],
  removed: ["-", "red"],
} as const;

export function changeRows(color: boolean): RowSpec<DiffRow> {
  const paint = painter(color);
  const ofChange = <T>(read: (change: ChangeEvent) => T) => (row: DiffRow) =>
    row.type === "incomplete" ? undefined : read(row);
  return {
    columns: [
      ["type", ({ type }) => type],
      ["url", ofChange(({ page }) => page.url)],
      ["priority", ofChange(({ page }) => page.priority)],
      ["lastModified", ofChange(({ page }) => page.lastModified), "date"],
      ["changeFrequency", ofChange(({ page }) => page.changeFrequency)],
      ["changed", ofChange(({ fields }) => fields)],
      ["sitemap", ofChange(({ sitemap }) => sitemap)],
      ["site", ({ site }) => site],
      ["run", ofChange(({ run }) => run)],
      ["sequence", ofChange(({ sequence }) => sequence)],
      ["time", ofChange(({ time }) => time?.toISOString())],
    ],
    json(row, after) {
      if (row.type === "incomplete") return objectJson(row, after);
      const { type, page, previous, fields, sitemap, site, run, sequence, time } = row;
      const members = { type, page, previous, fields, sitemap, site, run, sequence, time };
      return objectJson(members, after);
    },
    line(row, width) {
      if (row.type === "incomplete") {
        const text = incompleteText({ ...row, site: encodeWhitespace(row.site) });
        return paragraph(`! ${text}`, width).join("\n");
      }
      const [mark, style] = MARKS[row.type];
      const differences = differencesOf(row);
      const detail = differences.length === 0 ? "" : ` (${differences.join(", ")})`;
      return paint(style, `${mark} ${encodeWhitespace(row.page.url)}`) + escapeControls(detail);
    },
  };
}

const EFFECTS: Readonly<Record<IncompleteSide["side"], string>> = {
  a: "pages that seem added may only be unread there",
  b: "pages that seem removed may only be unread there",
};

export function incompleteText({ site, verdict, side }: IncompleteSide): string {
  return `${site}: ${VERDICTS[verdict]} (${verdict}); ${EFFECTS[side]}`;
}

export function differencesOf({ page, previous, fields = [] }: ChangeEvent): string[] {
  return fields.map((name) => {
    const before = previous?.[name], after = page[name];
    return isPlain(before) && isPlain(after)
      ? `${name} ${before ?? "none"} → ${after ?? "none"}`
      : name;
  });
}

/** Values of extensions are lists and records. */
function isPlain(value: unknown): boolean {
  return typeof value !== "object";
}

export interface DiffSummary extends DiffStats {
  readonly a: string;
  readonly verdictA: Verdict;
  readonly b: string;
  readonly verdictB: Verdict;
}

export const DIFF_SUMMARY_ROWS: RowSpec<DiffSummary> = {
  columns: [
    ["a", ({ a }) => a],
    ["verdictA", ({ verdictA }) => verdictA],
    ["b", ({ b }) => b],
    ["verdictB", ({ verdictB }) => verdictB],
    ["added", ({ added }) => added, "count"],
    ["changed", ({ changed }) => changed, "count"],
    ["removed", ({ removed }) => removed, "count"],
    ["unchanged", ({ unchanged }) => unchanged, "count"],
  ],
  // a side that was not read completely is named before
  drop: ["unchanged", "verdictA", "verdictB", "b"],
};
