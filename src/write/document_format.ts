/**
 * The two kinds of XML document that are written: a `urlset` of pages, a `sitemapindex` of files.
 *
 * @module
 */

import type { SitemapPage } from "../page.ts";
import { strictPage } from "./strict_page.ts";
import { parentInUrlset, SITEMAP_NAMESPACE, urlElement, URLSET_NAMESPACES } from "./url_element.ts";
import { escapeUrl } from "./xml_escape.ts";
import { XmlMarkup } from "./xml_markup.ts";

/** How a document with many entries is written. */
export interface DocumentFormat<Entry> {
  /** Stands before the entries. */
  readonly head: string;
  /** Writes an entry; nothing for one that is left out. */
  readonly entry: (entry: Entry) => string;
  /** Stands after the entries. */
  readonly tail: string;
}

/** What an index says of a sitemap. */
export interface IndexEntry {
  /** Address of the sitemap. */
  readonly url: string;
  /** When it last changed, as an ISO string. */
  readonly lastModified: string | undefined;
}

/** A `urlset` of pages; a strict one holds only what the schemas allow. */
export function urlsetFormat(pretty: boolean, strict: boolean): DocumentFormat<SitemapPage> {
  const markup = new XmlMarkup(pretty, parentInUrlset);
  return inLines(pretty, {
    ...markup.document("urlset", URLSET_NAMESPACES),
    entry(page) {
      const written = strict ? strictPage(page) : page;
      return written === undefined ? "" : urlElement(markup, written);
    },
  });
}

/** A `sitemapindex` of sitemaps. */
export function indexFormat(pretty: boolean): DocumentFormat<IndexEntry> {
  const markup = new XmlMarkup(pretty, parentInIndex);
  return inLines(pretty, {
    ...markup.document("sitemapindex", { "@xmlns": SITEMAP_NAMESPACE }),
    entry: ({ url, lastModified }) =>
      markup.container(
        "sitemap",
        markup.text("loc", escapeUrl(url)) + markup.text("lastmod", lastModified),
      ),
  });
}

function parentInIndex(name: string): string | undefined {
  if (name === "sitemapindex") return undefined;
  return name === "sitemap" ? "sitemapindex" : "sitemap";
}

/** Compact documents get a line for each entry, which `@libs/xml` writes without any. */
function inLines<Entry>(pretty: boolean, format: DocumentFormat<Entry>): DocumentFormat<Entry> {
  if (pretty) return { ...format, tail: `${format.tail}\n` };
  return {
    head: format.head.replace("?>", "?>\n"),
    entry(entry) {
      const text = format.entry(entry);
      return text === "" ? "" : `\n${text}`;
    },
    tail: `\n${format.tail}\n`,
  };
}
