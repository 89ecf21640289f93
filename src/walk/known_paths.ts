/**
 * Paths where sitemaps are often found although nothing declares them. To add one, append it to the
 * first or the second list.
 *
 * @module
 */

import { addressKey } from "../data/url.ts";
import type { ResolvedWalkOptions } from "./options.ts";

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

/** Paths that are probed after these, if nothing was found so far. */
export const FURTHER_PATHS: readonly string[] = [
  "news-sitemap.xml",
  "sitemap1.xml",
  "sitemap/sitemap.xml",
  "sitemap/index.xml",
  "sitemaps/sitemap.xml",
  "urllist.txt",
  "xmlsitemap.php",
  "1_index_sitemap.xml",
];

/** Known paths that are probed even on a site that answers all paths alike. */
export const COMMON_PATHS: readonly string[] = [
  "sitemap_index.xml",
  "sitemap-index.xml",
  "sitemap.xml",
  "sitemap.txt",
  "wp-sitemap.xml",
];

/** Paths that are probed in the folder of a homepage that has a path. */
export const FOLDER_PATHS: readonly string[] = ["sitemap.xml", "sitemap_index.xml"];

/** Paths of the caller are also probed without known paths if sitemaps are given. */
export function firstPaths(
  { useKnownPaths, sitemaps, extraKnownPaths }: ResolvedWalkOptions,
): string[] {
  if (useKnownPaths !== false) return [...KNOWN_PATHS, ...extraKnownPaths];
  return sitemaps === undefined ? [] : [...extraKnownPaths];
}

/** Returns the URLs of paths below a homepage that ends in a slash, each once, in order. */
export function knownUrls({ href }: URL, paths: readonly string[]): Set<string> {
  return new Set(paths.map((path) => addressKey(href + path.replace(/^\/+/, ""))));
}
