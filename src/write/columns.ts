/**
 * Columns of pages in CSV, from the tables of their fields.
 *
 * @module
 */

import { compactDate } from "../data/date.ts";
import type { SitemapRef } from "../data/events.ts";
import type { NewsStory, SitemapImage, SitemapPage, SitemapVideo } from "../data/page.ts";
import { type Data, type Field, PAGE } from "../data/page_schema.ts";
import type { WriterInput } from "./text_stream.ts";

/** Options of {@linkcode toCsv}. */
export interface CsvOptions {
  /**
   * Columns, in their order; those of images, videos and alternates contain a list each. Default: `url`,
   * `priority`, `lastModified`, `changeFrequency`.
   */
  readonly columns?: readonly (
    | Exclude<keyof SitemapPage, "newsStory" | "images" | "videos" | "alternates">
    | `newsStory.${keyof NewsStory}`
    | `images.${keyof SitemapImage}`
    | `videos.${keyof SitemapVideo | "uploaderInfo" | "galleryTitle"}`
    | `alternates.${keyof NonNullable<SitemapPage["alternates"]>[number]}`
    | "sitemap"
    | `sitemap.${keyof SitemapRef}`
  )[];
  /** Whether the first row names the columns. Default: true. */
  readonly header?: boolean;
  /** Text between columns. Default: a comma. */
  readonly separator?: string;
  /** Whether to start with a byte order mark, by which Excel detects UTF-8. Default: false. */
  readonly bom?: boolean;
}

/** Before quoting. A list becomes one cell, its items joined. */
export type CsvValue = string | number | boolean | undefined | readonly CsvValue[];

export type CsvColumn = NonNullable<CsvOptions["columns"]>[number];

export interface Column<Name extends string = CsvColumn> {
  readonly name: Name;
  /** Description for `--columns help`. */
  readonly about: string;
  /** Whether all pages of a sitemap have the same cell. Default: false. */
  readonly isShared?: boolean;
  /** `sitemap` is the one that lists the page, if known, and `input` what was written. */
  readonly read: (
    page: SitemapPage,
    sitemap: SitemapRef | undefined,
    input?: WriterInput,
  ) => CsvValue;
}

const SITEMAP_COLUMNS: Readonly<Record<Extract<CsvColumn, `sitemap${string}`>, string>> = {
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

export const COLUMNS: readonly Column[] = [
  ...PAGE.fields.flatMap((field) =>
    recordColumns(field).map(({ name, ...column }) => {
      const path = field.record === undefined ? name : `${field.name}.${name}`;
      return { name: path as CsvColumn, ...column };
    })
  ),
  ...Object.entries(SITEMAP_COLUMNS).map(([name, about]) => {
    const field = (name.split(".")[1] ?? "url") as keyof SitemapRef;
    const read: Column["read"] = field === "lastModified"
      ? (_page, sitemap) => dateCell(sitemap?.lastModified)
      : (_page, sitemap) => sitemap?.[field] ?? undefined;
    return { name: name as CsvColumn, about, isShared: true, read };
  }),
];

/** Column of a record, without the name of the field that has the record. */
interface RecordColumn {
  readonly name: string;
  readonly about: string;
  readonly read: (record: object) => CsvValue;
}

function recordColumns(field: Field, isInList = false): RecordColumn[] {
  const { name, column = name, about, record, cell, isList } = field;
  const read = cellReader(field);
  if (record === undefined || cell !== undefined) {
    // the items of a list are joined by the separator of lists, so those inside of them are not
    if (!isList || !isInList) return [{ name: column, about, read }];
    return [{ name, about, read: (data) => (read(data) as readonly CsvValue[])?.join(", ") }];
  }
  return record.fields.flatMap((inner) => recordColumns(inner, isInList || isList))
    .map((column) => ({
      ...column,
      read: (data) => {
        const value = (data as Data)[name] as object | readonly object[] | undefined;
        return Array.isArray(value) ? value.map(column.read) : value && column.read(value);
      },
    }));
}

function cellReader(field: Field): (record: object) => CsvValue {
  const { name, kind, isList } = field;
  const cell = field.cell as ((record: unknown) => string) | undefined;
  if (kind === "date") return (record) => dateCell((record as Data)[name] as string | undefined);
  if (cell === undefined) return (record) => (record as Data)[name] as CsvValue;
  return (record) => {
    const value = (record as Data)[name];
    if (value === undefined) return undefined;
    return isList ? (value as unknown[]).map(cell) : cell(value);
  };
}

function dateCell(date: string | undefined): string | undefined {
  return date && compactDate(date);
}

export const DEFAULT_COLUMNS: readonly CsvColumn[] = [
  "url",
  "priority",
  "lastModified",
  "changeFrequency",
];
