import { compactDate } from "../data/date.ts";
import type { RecordedChange } from "../sync/mod.ts";
import { painter } from "../write/ansi.ts";
import { encodeWhitespace, escapeControls } from "../write/escape.ts";
import type { RowColumn, RowSpec } from "../write/rows.ts";

/** What only changes have that were written: `--dry-run` and `diff` write none. */
type Written = "run" | "sequence" | "time";

export type ChangeEvent =
  & Omit<RecordedChange, Written>
  & Partial<Pick<RecordedChange, Written>>;

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

export function changeRows(color: boolean): RowSpec<ChangeEvent> {
  const paint = painter(color);
  return {
    columns: COLUMNS,
    object: ({ type, page, previous, fields, sitemap, site, run, sequence, time }) => ({
      ...{ type, page, previous, fields, sitemap, site, run, sequence, time },
    }),
    line(change) {
      const { type, page } = change;
      const [mark, style] = MARKS[type];
      const differences = differencesOf(change);
      const detail = differences.length === 0 ? "" : ` (${differences.join(", ")})`;
      return paint(style, `${mark} ${encodeWhitespace(page.url)}`) + escapeControls(detail);
    },
  };
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

const COLUMNS: readonly RowColumn<ChangeEvent>[] = [
  ["type", ({ type }) => type],
  ["url", ({ page }) => page.url],
  ["priority", ({ page }) => page.priority],
  ["lastModified", ({ page }) => page.lastModified && compactDate(page.lastModified)],
  ["changeFrequency", ({ page }) => page.changeFrequency],
  ["changed", ({ fields }) => fields],
  ["sitemap", ({ sitemap }) => sitemap],
  ["site", ({ site }) => site],
  ["run", ({ run }) => run],
  ["sequence", ({ sequence }) => sequence],
  ["time", ({ time }) => time?.toISOString()],
];
