/**
 * Rows of pages and of sitemaps, from the events of walks.
 *
 * @module
 */

import type { InvalidEvent, SitemapLeftEvent, SitemapRef, TreeEvent } from "../data/events.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { type Column, type PageRow, SITE_COLUMN } from "./columns.ts";
import { membersJson, objectJson, quotedJson } from "./json_text.ts";
import { rowFormat, type RowSpec } from "./rows.ts";
import type { ShortenUrl } from "./text.ts";
import type { TextFormat } from "./text_stream.ts";

interface EventRowOptions {
  /** Whether rows have their site. */
  readonly hasSite: boolean;
  /** Columns of the terminal; infinite elsewhere. */
  readonly width: number;
}

export function pageRowFormat(
  name: "ndjson" | "json" | "csv",
  { columns, hasSite, width }: EventRowOptions & { readonly columns: readonly Column<PageRow>[] },
): TextFormat<TreeEvent> {
  const { write, ...format } = rowFormat(name, { columns, json: pageJson() }, width);
  return {
    ...format,
    write(event, site) {
      if (event.type !== "page") return "";
      if (!hasSite || site === undefined) return write(event);
      return write({ page: event.page, sitemap: event.sitemap, site });
    },
  };
}

function pageJson(): (row: PageRow, after: string) => string {
  let lastRef: SitemapRef | undefined, lastSite: string | undefined, members = "";
  return ({ page, sitemap, site }, after) => {
    // the pages of a sitemap share one ref
    if (sitemap !== lastRef || site !== lastSite) {
      lastRef = sitemap;
      lastSite = site;
      const siteMember = site === undefined ? "" : `,"site":${quotedJson(site)}`;
      members = `,"sitemap":${quotedJson(sitemap!.url)}${siteMember}}`;
    }
    const pageMembers = membersJson(page);
    if (pageMembers !== undefined) return pageMembers + members + after;
    return objectJson({ ...page, sitemap: sitemap!.url, site }, after);
  };
}

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

/** Rows are in document order, but for NDJSON, which has a sitemap once it was read. */
export function sitemapRowFormat(
  name: Parameters<typeof rowFormat>[0],
  { shorten, hasSite, width }: EventRowOptions & { readonly shorten: ShortenUrl },
): TextFormat<TreeEvent> {
  const spec = sitemapRows(name === "text", hasSite, shorten);
  const { head = "", write, end } = rowFormat(name, spec, width);
  const text = (row: SitemapRow | undefined) => row ? write(row) : "";
  if (name === "ndjson") return { write: (event, site) => text(rowOf(event, site)) };
  /** Rows by walk, id and URL, since saved walks share ids; in the order of being entered. */
  const rows = new Map<string, SitemapRow | undefined>();
  let walk = 0;
  return {
    head,
    write(event, site) {
      if (event.type === "finished") walk++;
      else if (event.type !== "page" && event.type !== "warning" && event.type !== "note") {
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
