import {
  type Column,
  DEFAULT_COLUMNS,
  PAGE_COLUMNS,
  type PageRow,
  SITE_COLUMN,
} from "../write/columns.ts";
import { listOf } from "./values.ts";

export const LIST_COLUMNS: readonly Column<PageRow>[] = [...PAGE_COLUMNS, SITE_COLUMN];

const NAMES = LIST_COLUMNS.map(([name]) => name);

/** Names that the sitemap protocol has for columns. */
const ALIASES: Readonly<Record<string, string>> = {
  loc: "url",
  lastmod: "lastModified",
  changefreq: "changeFrequency",
};

export function defaultColumns(hasSite: boolean): readonly string[] {
  return [...(hasSite ? ["site"] : []), ...DEFAULT_COLUMNS, "sitemap"];
}

export function parseColumns(text: string): readonly string[] {
  return text === "all" ? NAMES : listed(text);
}

const listed = listOf("column", NAMES, "--columns help lists them", ALIASES);
