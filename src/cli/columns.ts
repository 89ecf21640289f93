import { type Column, COLUMNS, type CsvColumn, DEFAULT_COLUMNS } from "../write/columns.ts";
import type { WrittenEvent } from "./run/event_writer.ts";
import { listOf } from "./values.ts";

export type ListColumn = CsvColumn | "site";

export const LIST_COLUMNS: readonly Column<ListColumn>[] = [
  ...COLUMNS,
  {
    name: "site",
    about: "homepage of the site, or the file that was read",
    isShared: true,
    read: (_page, _sitemap, input) => (input as WrittenEvent | undefined)?.site,
  },
];

const NAMES: readonly ListColumn[] = LIST_COLUMNS.map(({ name }) => name);

/** Names that the sitemap protocol has for columns. */
const ALIASES: Readonly<Record<string, ListColumn>> = {
  loc: "url",
  lastmod: "lastModified",
  changefreq: "changeFrequency",
};

export function defaultColumns(hasSite: boolean): readonly ListColumn[] {
  return [...(hasSite ? ["site" as const] : []), ...DEFAULT_COLUMNS, "sitemap"];
}

export function parseColumns(text: string): readonly ListColumn[] {
  return text === "all" ? NAMES : listed(text);
}

const listed = listOf("column", NAMES, "--columns help lists them", ALIASES);
