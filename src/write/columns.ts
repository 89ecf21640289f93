/**
 * Columns: what every writer of rows shares, and the columns of pages.
 *
 * @module
 */

import { compactDate } from "../data/date.ts";
import type { SitemapRef } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { type Data, type Field, PAGE } from "../data/page_schema.ts";

/** In CSV, a list becomes one cell, its items joined. */
export type CellValue = string | number | boolean | undefined | readonly CellValue[];

/**
 * | kind       | written as                                                                       |
 * | ---------- | -------------------------------------------------------------------------------- |
 * | `count`    | number, its digits grouped for people                                            |
 * | `number`   | number that is a name, such as that of a run                                     |
 * | `date`     | date without milliseconds that are zero, but for JSON                            |
 * | `code`     | code in Markdown, such as a URL                                                  |
 * | `markdown` | Markdown already                                                                 |
 */
export type ColumnKind = "count" | "number" | "date" | "code" | "markdown";

/** `about` describes it for `--columns help`. */
export type Column<Row, Name extends string = string> = readonly [
  name: Name,
  read: (row: Row) => CellValue,
  kind?: ColumnKind | undefined,
  about?: string | undefined,
];

/** Returns a function that reads the value of a column as it is written but for JSON. */
export function cellReader<Row>([, read, kind]: Column<Row>): (row: Row) => CellValue {
  return kind === "date" ? (row) => compactDates(read(row)) : read;
}

function compactDates(value: CellValue): CellValue {
  if (typeof value === "string") return compactDate(value);
  return Array.isArray(value) ? value.map(compactDates) : value;
}

/** A page as it is written; an event of a page is one. */
export interface PageRow {
  readonly page: SitemapPage;
  /** The one that lists it, if known. */
  readonly sitemap?: SitemapRef;
  readonly site?: string;
}

export const SITE_COLUMN: Column<Pick<PageRow, "site">, "site"> = [
  "site",
  ({ site }) => site,
  undefined,
  "homepage of the site, or the file that was read",
];

export const DEFAULT_COLUMNS = ["url", "priority", "lastModified", "changeFrequency"] as const;

const SITEMAP_COLUMNS: Readonly<Record<"sitemap" | `sitemap.${keyof SitemapRef}`, string>> = {
  "sitemap": "URL of the sitemap that lists the page",
  "sitemap.id": "number of the sitemap within the walk",
  "sitemap.type": "type of the sitemap, such as PagesXmlSitemap",
  "sitemap.url": "the same as sitemap",
  "sitemap.requestedUrl": "URL that was declared, if it redirects",
  "sitemap.level": "level of the sitemap in the tree",
  "sitemap.parent": "number of the sitemap above it",
  "sitemap.index": "position of the sitemap in the one above it",
  "sitemap.lastModified": "date of the sitemap according to its index",
  "sitemap.foundBy": "how it was found, if nothing lists it",
};

/** Without that of the site, which only some events have. */
export const PAGE_COLUMNS: readonly Column<PageRow>[] = [
  ...PAGE.fields.flatMap((field) =>
    recordColumns(field).map(([name, read, kind, about]): Column<PageRow> => [
      field.record === undefined ? name : `${field.name}.${name}`,
      field.record === undefined
        ? ({ page }) => (page as unknown as Data)[name] as CellValue
        : ({ page }) => read(page),
      kind,
      about,
    ])
  ),
  ...Object.entries(SITEMAP_COLUMNS).map(([name, about]): Column<PageRow> => {
    const field = (name.split(".")[1] ?? "url") as keyof SitemapRef;
    const kind = field === "lastModified" ? "date" : undefined;
    return [name, ({ sitemap }) => sitemap?.[field] ?? undefined, kind, about];
  }),
];

/** Returns the columns of a field, without the name of the record that has the field. */
function recordColumns(
  { name, column = name, kind, about, record, cell, isList }: Field,
  isInList = false,
): Column<object>[] {
  const read = (data: object) => (data as Data)[name];
  if (record !== undefined && cell === undefined) {
    return record.fields.flatMap((inner) => recordColumns(inner, isInList || isList))
      .map(([column, readInner, ...rest]) => [
        column,
        (data) => ofEach(read(data), (value) => readInner(value as object)),
        ...rest,
      ]);
  }
  const shown = cell as ((value: unknown) => string) | undefined;
  const readCell = (data: object) => shown ? ofEach(read(data), shown) : read(data) as CellValue;
  // the items of a list are joined by the separator of lists, so those inside of them are not
  const isJoined = isList && isInList;
  return [[
    isJoined ? name : column,
    isJoined ? (data) => (readCell(data) as readonly CellValue[])?.join(", ") : readCell,
    kind === "date" ? "date" : undefined,
    about,
  ]];
}

function ofEach(value: unknown, read: (value: unknown) => CellValue): CellValue {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.map(read) : read(value);
}
