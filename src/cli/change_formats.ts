import { compactDate } from "../data/date.ts";
import type { SitemapPage } from "../data/page.ts";
import type { PageField } from "../sync/mod.ts";
import { painter } from "../write/ansi.ts";
import { csvRowWriter, type CsvValue } from "../write/csv.ts";
import {
  encodeWhitespace,
  escapeControls,
  escapeControlsInJson,
  escapeFormatControls,
} from "../write/escape.ts";
import type { TextFormat } from "../write/text_stream.ts";
import type { FormatName } from "./format_names.ts";

export interface ChangeEvent {
  readonly type: "added" | "changed" | "removed";
  /** The page after the change, or as it was before it was removed. */
  readonly page: SitemapPage;
  /** The page before; only if it changed. */
  readonly previous?: SitemapPage;
  /** Fields whose values changed; only if it changed. */
  readonly fields?: readonly PageField[];
  /** URL of the sitemap that lists or listed it. */
  readonly sitemap: string;
  /** Homepage of the site. */
  readonly site: string;
  /** Number of the run; absent if nothing is written (`--dry-run`), as are the following. */
  readonly run?: number;
  readonly sequence?: number;
  /** When it was committed. */
  readonly time?: Date;
}

export function isChange<E extends { readonly type: string }>(
  event: E | ChangeEvent,
): event is ChangeEvent {
  return Object.hasOwn(MARKS, event.type);
}

export interface ChangeFormatOptions {
  readonly color: boolean;
  readonly isTerminal: boolean;
}

export function jsonFormats<T>(
  toJson: (row: T) => string,
): Record<"ndjson" | "json", () => TextFormat<T>> {
  return {
    ndjson: () => ({ write: (row) => `${toJson(row)}\n` }),
    json() {
      let before = "\n";
      return {
        head: "[",
        write(row) {
          const text = before + toJson(row);
          before = ",\n";
          return text;
        },
        end: () => before === "\n" ? "]\n" : "\n]\n",
      };
    },
  };
}

export const CHANGE_FORMATS: Readonly<
  Record<FormatName<"changes">, (options: ChangeFormatOptions) => TextFormat<ChangeEvent>>
> = {
  text: ({ color }) => ({ write: (change) => textLine(change, color) }),
  ...jsonFormats(changeJson),
  csv: ({ isTerminal }) => csvTable(CSV_COLUMNS, isTerminal),
};

const MARKS = {
  added: ["+", "green"],
  changed: ["~", "yellow"],
  removed: ["-", "red"],
} as const;

function textLine(change: ChangeEvent, color: boolean): string {
  const { type, page } = change;
  const [mark, style] = MARKS[type];
  const differences = differencesOf(change);
  const detail = differences.length === 0 ? "" : ` (${differences.join(", ")})`;
  const line = `${mark} ${encodeWhitespace(page.url)}`;
  return `${painter(color)(style, line)}${escapeControls(detail)}\n`;
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

export function changeJson(change: ChangeEvent): string {
  const { type, page, previous, fields, sitemap, site, run, sequence, time } = change;
  return escapeControlsInJson(
    JSON.stringify({ type, page, previous, fields, sitemap, site, run, sequence, time }),
  );
}

export const CSV_COLUMNS: readonly (readonly [
  name: string,
  read: (change: ChangeEvent) => string | number | readonly string[] | undefined,
])[] = [
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

export function csvTable<T>(
  columns: readonly (readonly [name: string, read: (item: T) => CsvValue])[],
  isTerminal: boolean,
): TextFormat<T> {
  const row = csvRowWriter();
  const write = (item: T) => row(columns.map(([, read]) => read(item)));
  return {
    head: row(columns.map(([name]) => name)),
    write: isTerminal ? (item) => escapeFormatControls(write(item)) : write,
  };
}
