/**
 * Rows of sitemaps, from the events of walks.
 *
 * @module
 */

import type { InvalidEvent, SitemapLeftEvent, TreeEvent } from "../data/events.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { SITE_COLUMN } from "./columns.ts";
import { rowFormat, type RowSpec } from "./rows.ts";
import type { ShortenUrl } from "./text.ts";
import type { TextFormat } from "./text_stream.ts";

/** The last event of a sitemap, perhaps with the site that it belongs to. */
type SitemapRow = (SitemapLeftEvent | InvalidEvent) & { readonly site?: string };

function sitemapRows(isText: boolean, hasSite: boolean, shorten: ShortenUrl): RowSpec<SitemapRow> {
  const ofRead = <T>(read: (event: SitemapLeftEvent) => T) => (event: SitemapRow) =>
    event.type === "invalid" ? undefined : read(event);
  const total = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    columns: [
      ...(hasSite ? [SITE_COLUMN] : []),
      ["url", ({ sitemap: { url } }) => shorten(url)],
      // where a redirect led to another
      ["requested_url", ({ sitemap: { requestedUrl: url } }) => url && shorten(url)],
      ["type", ({ sitemap: { type } }) => isText ? SITEMAP_KINDS[type] ?? type : type],
      ["status", (row) => row.type === "invalid" ? row.code : row.complete ? "ok" : "truncated"],
      ["lastmod", ({ sitemap }) => sitemap.lastModified, "date"],
      ["pages", ofRead(({ pages }) => pages), "count"],
      ["bytes", ofRead(({ bytes }) => bytes), "count"],
      ["warnings", ofRead(({ warnings }) => total(warnings)), "count"],
    ],
    // those of the least use first; URL, status and pages stay
    drop: ["requested_url", "lastmod", "warnings", "bytes", "type"],
  };
}

interface SitemapRowOptions {
  readonly shorten: ShortenUrl;
  /** Columns of the terminal; infinite elsewhere. */
  readonly width: number;
  readonly hasSite: boolean;
}

/** Rows are in document order, but for NDJSON, which has a sitemap once it was read. */
export function sitemapRowFormat(
  name: Parameters<typeof rowFormat>[0],
  { shorten, width, hasSite }: SitemapRowOptions,
): TextFormat<TreeEvent> {
  const { head = "", write, end } = rowFormat(
    name,
    sitemapRows(name === "text", hasSite, shorten),
    width,
  );
  const text = (row: SitemapRow | undefined) => row === undefined ? "" : write(row);
  if (name === "ndjson") return { write: (event, site) => text(rowOf(event, site)) };
  /** Rows by walk, id and URL, since saved walks share ids; in the order of being entered. */
  const rows = new Map<string, SitemapRow | undefined>();
  let walk = 0;
  return {
    head,
    write(event, site) {
      if (event.type === "finished") {
        walk++;
      } else if (event.type !== "page" && event.type !== "warning" && event.type !== "note") {
        rows.set(`${walk} ${event.sitemap.id} ${event.sitemap.url}`, rowOf(event, site));
      }
      return "";
    },
    end: () => [...rows.values()].map(text).join("") + (end?.() ?? ""),
  };
}

function rowOf(event: TreeEvent, site: string | undefined): SitemapRow | undefined {
  const isRow = event.type === "invalid" ||
    event.type === "sitemap-left" && event.sitemap.type !== "IndexWebsiteSitemap";
  return isRow ? { ...event, ...(site !== undefined && { site }) } : undefined;
}
