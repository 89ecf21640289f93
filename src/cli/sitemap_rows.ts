/**
 * A row for each sitemap: the formats `sitemaps`, `sitemaps-csv` and `sitemaps-ndjson`.
 *
 * @module
 */

import type { InvalidCode } from "../data/codes.ts";
import type { SitemapRef, SitemapType, TreeEvent } from "../data/events.ts";
import { excerpt, grouped } from "../data/text.ts";
import { csvRowWriter } from "../write/csv.ts";
import { escapeControls, escapeControlsInJson } from "../write/escape.ts";
import type { EventFormat } from "./formats.ts";
import { KINDS } from "./stats_tally.ts";
import type { ShortenUrl } from "../write/tabtree.ts";
import { padEnd, padStart, widthOf } from "./terminal.ts";

/** A sitemap that was read or could not be. */
interface SitemapRow {
  /** Final URL. */
  readonly url: string;
  /** Declared URL, where a redirect led to another. */
  readonly requested_url?: string;
  readonly type: SitemapType;
  /** `ok`, `truncated`, or why it is invalid. */
  readonly status: "ok" | "truncated" | InvalidCode;
  /** Date that the index declares. */
  readonly lastmod?: string;
  readonly pages?: number;
  /** Inflated bytes. */
  readonly bytes?: number;
  readonly warnings?: number;
}

/** The columns, with their headings in the table. */
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

/** Columns in which numbers are aligned. */
const NUMBERS: ReadonlySet<keyof SitemapRow> = new Set(["pages", "bytes", "warnings"]);

/** Names of the types in the table. */
const TYPE_NAMES: ReadonlyMap<SitemapType, string> = new Map([
  ...KINDS,
  ["InvalidSitemap", "invalid"],
]);

/** Returns the row that an event completes, if any. The website itself has none. */
function rowOf(event: TreeEvent): SitemapRow | undefined {
  if (event.type === "invalid") return fieldsOf(event.sitemap, event.code);
  if (event.type !== "sitemap-left" || event.sitemap.type === "IndexWebsiteSitemap") {
    return undefined;
  }
  const { sitemap, complete, pages, bytes } = event;
  const warnings = Object.values(event.warnings).reduce((sum, count) => sum + count, 0);
  return { ...fieldsOf(sitemap, complete ? "ok" : "truncated"), pages, bytes, warnings };
}

function fieldsOf(
  { url, requestedUrl, type, lastModified }: SitemapRef,
  status: SitemapRow["status"],
): SitemapRow {
  return {
    url,
    ...(requestedUrl === undefined ? {} : { requested_url: requestedUrl }),
    type,
    status,
    ...(lastModified === undefined ? {} : { lastmod: lastModified }),
  };
}

/** Gathers rows in document order: an index is entered before its children, and left after them. */
class RowsInOrder {
  readonly #finished: SitemapRow[] = [];
  /** Rows of walks under way, by id and URL since walks share ids; absent while a sitemap is read. */
  readonly #rows = new Map<string, SitemapRow | undefined>();

  add(event: TreeEvent): void {
    switch (event.type) {
      case "sitemap-entered":
      case "sitemap-left":
      case "invalid":
        this.#rows.set(`${event.sitemap.id} ${event.sitemap.url}`, rowOf(event));
        return;
      case "finished":
        // The ids of the next walk start again.
        this.#finish();
    }
  }

  all(): readonly SitemapRow[] {
    this.#finish();
    return this.#finished;
  }

  #finish(): void {
    for (const row of this.#rows.values()) if (row !== undefined) this.#finished.push(row);
    this.#rows.clear();
  }
}

/** Returns the format of a table, written at the end since its widths depend on all rows. */
export function sitemapTableFormat(shorten: ShortenUrl): EventFormat {
  const rows = new RowsInOrder();
  return {
    write(event) {
      rows.add(event);
      return "";
    },
    end: () => table(rows.all(), shorten),
  };
}

/** Returns the format of CSV with a header, written at the end to be in document order. */
export function sitemapCsvFormat(): EventFormat {
  const row = csvRowWriter();
  const rows = new RowsInOrder();
  return {
    head: row(COLUMNS.map(([field]) => field)),
    write(event) {
      rows.add(event);
      return "";
    },
    end: () => rows.all().map((fields) => row(COLUMNS.map(([field]) => fields[field]))).join(""),
  };
}

/** Returns the format of NDJSON, in which a sitemap is written as soon as it was read. */
export function sitemapNdjsonFormat(): EventFormat {
  return {
    write(event) {
      const row = rowOf(event);
      return row === undefined ? "" : `${JSON.stringify(row)}\n`;
    },
    escape: escapeControlsInJson,
  };
}

function table(rows: readonly SitemapRow[], shorten: ShortenUrl): string {
  const lines = [
    COLUMNS.map(([, heading]) => heading),
    ...rows.map((row) => COLUMNS.map(([field]) => cell(row, field, shorten))),
  ];
  const widths = COLUMNS.map((_, column) =>
    lines.reduce((width, cells) => Math.max(width, widthOf(cells[column]!)), 0)
  );
  const pads = COLUMNS.map(([field]) => NUMBERS.has(field) ? padStart : padEnd);
  return lines.map((cells) =>
    cells.map((text, column) => pads[column]!(text, widths[column]!)).join("  ").trimEnd() + "\n"
  ).join("");
}

/** Returns the text of a cell. URLs are shortened, since the longest one widens all rows. */
function cell(row: SitemapRow, field: keyof SitemapRow, shorten: ShortenUrl): string {
  const value = row[field];
  if (value === undefined) return "-";
  if (typeof value === "number") return grouped(value);
  if (field === "type") return TYPE_NAMES.get(row.type) ?? row.type;
  const isUrl = field === "url" || field === "requested_url";
  return escapeControls(excerpt(isUrl ? shorten(value) : value));
}
