/**
 * A row for each sitemap: the formats `sitemaps`, `sitemaps-csv` and `sitemaps-ndjson`.
 *
 * @module
 */

import type { InvalidCode } from "../data/codes.ts";
import { compactDate } from "../data/date.ts";
import type { SitemapRef, SitemapType } from "../data/events.ts";
import { excerpt, grouped } from "../data/text.ts";
import { csvRowWriter } from "../write/csv.ts";
import { escapeControls, escapeControlsInJson } from "../write/escape.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import type { ShortenUrl } from "../write/text.ts";
import type { EventFormat, SiteEvent } from "./event_writer.ts";
import { table } from "./terminal.ts";

/** A sitemap, read or invalid. */
interface SitemapRow {
  /** Homepage, where several sites are written. */
  readonly site?: string;
  readonly url: string;
  /** Declared URL, where a redirect led to another. */
  readonly requested_url?: string | undefined;
  readonly type: SitemapType;
  /** `ok`, `truncated`, or the code of an invalid one. */
  readonly status: "ok" | "truncated" | InvalidCode;
  /** Date that the index declares. */
  readonly lastmod?: string | undefined;
  readonly pages?: number;
  readonly bytes?: number;
  readonly warnings?: number;
}

/** Columns with their headings in the table. */
const COLUMNS: readonly (readonly [field: keyof SitemapRow, heading: string])[] = [
  ["url", "URL"],
  ["requested_url", "REQUESTED URL"],
  ["type", "TYPE"],
  ["status", "STATUS"],
  ["lastmod", "LASTMOD"],
  ["pages", "PAGES"],
  ["bytes", "BYTES"],
  ["warnings", "WARNINGS"],
];

/** Columns of numbers: pages, bytes and warnings. */
const NUMBERS = [5, 6, 7];
/** Columns that a narrow terminal lacks, those of the least use first; URL, status and pages stay. */
const DROP = [1, 4, 7, 6, 2];

/** Returns the row that an event completes, if any. The website itself has no row. */
function rowOf(event: SiteEvent): SitemapRow | undefined {
  if (event.type === "invalid") return rowFields(event, event.code);
  if (event.type !== "sitemap-left" || event.sitemap.type === "IndexWebsiteSitemap") {
    return undefined;
  }
  const { complete, pages, bytes } = event;
  const warnings = Object.values(event.warnings).reduce((sum, count) => sum + count, 0);
  return { ...rowFields(event, complete ? "ok" : "truncated"), pages, bytes, warnings };
}

function rowFields(
  { sitemap, site }: { readonly sitemap: SitemapRef; readonly site?: string },
  status: SitemapRow["status"],
): SitemapRow {
  const { url, requestedUrl, type, lastModified } = sitemap;
  const fields = { url, requested_url: requestedUrl, type, status, lastmod: lastModified };
  return site === undefined ? fields : { site, ...fields };
}

/** Returns the format of a table that fits a width, where possible. */
export function sitemapTableFormat(shorten: ShortenUrl, width: number): EventFormat {
  return rowsFormat("", (rows) =>
    table([
      COLUMNS.map(([, heading]) => heading),
      ...rows.map((row) => COLUMNS.map(([field]) => cell(row, field, shorten))),
    ], { numbers: NUMBERS, drop: DROP, width }));
}

/** Returns the format of CSV, with a column for the site if there are several. */
export function sitemapCsvFormat(hasSite = false): EventFormat {
  const row = csvRowWriter();
  const names = COLUMNS.map(([field]) => field);
  const columns = hasSite ? ["site" as const, ...names] : names;
  return rowsFormat(
    row(columns),
    (rows) => rows.map((fields) => row(columns.map((field) => fields[field]))).join(""),
  );
}

/** Returns a format that writes all rows at the end, in document order. */
function rowsFormat(head: string, render: (rows: readonly SitemapRow[]) => string): EventFormat {
  /** Rows by walk, id and URL, since saved walks share ids; in the order of being entered. */
  const rows = new Map<string, SitemapRow | undefined>();
  let walk = 0;
  return {
    head,
    write(event) {
      if (event.type === "finished") {
        walk++;
      } else if (event.type !== "page" && event.type !== "warning" && event.type !== "note") {
        rows.set(`${walk} ${event.sitemap.id} ${event.sitemap.url}`, rowOf(event));
      }
      return "";
    },
    end: () => render([...rows.values()].filter((row) => row !== undefined).map(compact)),
  };
}

/** Returns a row with its date as tables have it. */
function compact(row: SitemapRow): SitemapRow {
  return { ...row, lastmod: row.lastmod && compactDate(row.lastmod) };
}

/** Returns the format of NDJSON, which has a sitemap as soon as it was read. */
export function sitemapNdjsonFormat(): EventFormat {
  return {
    write(event) {
      const row = rowOf(event);
      return row === undefined ? "" : `${escapeControlsInJson(JSON.stringify(row))}\n`;
    },
  };
}

/** Returns the text of a cell, cut to a length, since the longest cell widens all rows. */
function cell(row: SitemapRow, field: keyof SitemapRow, shorten: ShortenUrl): string {
  const value = row[field];
  if (value === undefined) return "-";
  if (typeof value === "number") return grouped(value);
  if (field === "type") return SITEMAP_KINDS[row.type] ?? row.type;
  const isUrl = field === "url" || field === "requested_url";
  return escapeControls(excerpt(isUrl ? shorten(value) : value));
}
