/**
 * `ls --sitemaps`: a row for each sitemap.
 *
 * @module
 */

import type { InvalidCode } from "../data/codes.ts";
import { compactDate } from "../data/date.ts";
import type { SitemapRef, SitemapType } from "../data/events.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import type { ShortenUrl } from "../write/text.ts";
import type { EventFormat, WrittenEvent } from "./event_writer.ts";
import type { FormatName } from "./format_names.ts";
import { type RowColumn, rowFormatOf } from "./row_formats.ts";

interface SitemapRow {
  /** Homepage, where several sites are written. */
  readonly site?: string;
  readonly url: string;
  /** Declared URL, where a redirect led to another. */
  readonly requested_url?: string | undefined;
  readonly type: SitemapType;
  readonly status: "ok" | "truncated" | InvalidCode;
  /** Date that the index declares. */
  readonly lastmod?: string | undefined;
  readonly pages?: number;
  readonly bytes?: number;
  readonly warnings?: number;
}

/** Columns that a narrow terminal lacks, those of the least use first; URL, status and pages stay. */
const DROP = ["requested_url", "lastmod", "warnings", "bytes", "type"];

function rowOf(event: WrittenEvent): SitemapRow | undefined {
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

interface RowOptions {
  readonly shorten: ShortenUrl;
  readonly isTerminal: boolean;
  readonly hasSite: boolean;
}

function columnsOf(
  format: FormatName<"rows">,
  { shorten, hasSite }: RowOptions,
): RowColumn<SitemapRow>[] {
  const kindOf = (type: SitemapType) => SITEMAP_KINDS[type] ?? type;
  const isJson = format === "json" || format === "ndjson";
  return [
    ...(hasSite ? [["site", ({ site }: SitemapRow) => site] as const] : []),
    ["url", ({ url }) => shorten(url)],
    ["requested_url", ({ requested_url: url }) => url && shorten(url)],
    ["type", ({ type }) => format === "text" ? kindOf(type) : type],
    ["status", ({ status }) => status],
    ["lastmod", ({ lastmod }) => isJson ? lastmod : lastmod && compactDate(lastmod)],
    ["pages", ({ pages }) => pages, "count"],
    ["bytes", ({ bytes }) => bytes, "count"],
    ["warnings", ({ warnings }) => warnings, "count"],
  ];
}

/** Rows are in document order, but for NDJSON, which has a sitemap once it was read. */
export function sitemapRowsFormat(format: FormatName<"rows">, options: RowOptions): EventFormat {
  const columns = columnsOf(format, options);
  const { head = "", write, end } = rowFormatOf(format, columns, options.isTerminal, DROP);
  if (format === "ndjson") {
    return {
      write(event) {
        const row = rowOf(event);
        return row === undefined ? "" : write(row);
      },
    };
  }
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
    end() {
      const read = [...rows.values()].filter((row) => row !== undefined);
      return read.map(write).join("") + (end?.() ?? "");
    },
  };
}
