/**
 * Rows of pages, from the events of walks.
 *
 * @module
 */

import type { SitemapRef, TreeEvent } from "../data/events.ts";
import type { Column, PageRow } from "./columns.ts";
import { membersJson, objectJson, quotedJson } from "./json_text.ts";
import { rowFormat } from "./rows.ts";
import type { TextFormat } from "./text_stream.ts";

interface PageRowOptions {
  readonly columns: readonly Column<PageRow>[];
  /** Whether pages are written with their site. */
  readonly hasSite: boolean;
  /** Columns of the terminal; infinite elsewhere. */
  readonly width: number;
}

export function pageRowFormat(
  name: "ndjson" | "json" | "csv",
  { columns, hasSite, width }: PageRowOptions,
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
