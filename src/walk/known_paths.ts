/**
 * Paths where sitemaps are often found although nothing declares them. To add one, append it to the
 * list.
 *
 * @module
 */

import { addressKey } from "../data/url.ts";

/** Known paths in the order in which they are probed: the fourteen of USP, then ours. */
export const KNOWN_PATHS: readonly string[] = [
  "sitemap_index.xml",
  "sitemap-index.xml",
  "sitemap_index.xml.gz",
  "sitemap-index.xml.gz",
  "sitemap/sitemap-index.xml",
  "sitemap.xml",
  "sitemap.xml.gz",
  "sitemap_news.xml",
  "sitemap-news.xml",
  "sitemap_news.xml.gz",
  "sitemap-news.xml.gz",
  ".sitemap.xml",
  "sitemap",
  "admin/config/search/xmlsitemap",
  "sitemap.txt",
  "sitemaps.xml",
  "wp-sitemap.xml",
  "sitemap.php",
];

/** Returns the URLs of paths below a homepage that ends in a slash, each once, in order. */
export function knownUrls({ href }: URL, paths: readonly string[]): Set<string> {
  return new Set(paths.map((path) => addressKey(href + path.replace(/^\/+/, ""))));
}
