/**
 * `ls --sitemaps`: a row for each sitemap.
 *
 * @module
 */

import { compactDate } from "../data/date.ts";
import type { InvalidEvent, SitemapLeftEvent } from "../data/events.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { rowFormat, type RowSpec } from "../write/rows.ts";
import type { ShortenUrl } from "../write/text.ts";
import type { EventFormat, WrittenEvent } from "./run/event_writer.ts";
import type { FormatName } from "./format_names.ts";

/** The last event of a sitemap. */
type SitemapRow = (SitemapLeftEvent | InvalidEvent) & { readonly site?: string };

function rowOf(event: WrittenEvent): SitemapRow | undefined {
  const isRow = event.type === "invalid" ||
    event.type === "sitemap-left" && event.sitemap.type !== "IndexWebsiteSitemap";
  return isRow ? event : undefined;
}

interface RowOptions {
  readonly shorten: ShortenUrl;
  /** Columns of the terminal; infinite elsewhere. */
  readonly width: number;
  readonly hasSite?: boolean;
}

function sitemapRows(
  format: FormatName<"rows">,
  { shorten, hasSite }: RowOptions,
): RowSpec<SitemapRow> {
  const isJson = format === "json" || format === "ndjson";
  const ofRead = <T>(read: (event: SitemapLeftEvent) => T) => (event: SitemapRow) =>
    event.type === "invalid" ? undefined : read(event);
  return {
    columns: [
      ...(hasSite ? [["site", ({ site }: SitemapRow) => site] as const] : []),
      ["url", ({ sitemap: { url } }) => shorten(url)],
      // where a redirect led to another
      ["requested_url", ({ sitemap: { requestedUrl: url } }) => url && shorten(url)],
      [
        "type",
        ({ sitemap: { type } }) => format === "text" ? SITEMAP_KINDS[type] ?? type : type,
      ],
      [
        "status",
        (event) => event.type === "invalid" ? event.code : event.complete ? "ok" : "truncated",
      ],
      [
        "lastmod",
        ({ sitemap: { lastModified: date } }) => isJson ? date : date && compactDate(date),
      ],
      ["pages", ofRead(({ pages }) => pages), "count"],
      ["bytes", ofRead(({ bytes }) => bytes), "count"],
      [
        "warnings",
        ofRead(({ warnings }) => Object.values(warnings).reduce((sum, count) => sum + count, 0)),
        "count",
      ],
    ],
    // those of the least use first; URL, status and pages stay
    drop: ["requested_url", "lastmod", "warnings", "bytes", "type"],
  };
}

/** Rows are in document order, but for NDJSON, which has a sitemap once it was read. */
export function sitemapRowsFormat(format: FormatName<"rows">, options: RowOptions): EventFormat {
  const { head = "", write, end } = rowFormat(format, sitemapRows(format, options), options.width);
  const text = (row: SitemapRow | undefined) => row === undefined ? "" : write(row);
  if (format === "ndjson") return { write: (event) => text(rowOf(event)) };
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
    end: () => [...rows.values()].map(text).join("") + (end?.() ?? ""),
  };
}
