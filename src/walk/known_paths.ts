/**
 * Paths where sitemaps are often found although nothing declares them. To add one, append it to the
 * list.
 *
 * @module
 */

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
export function knownUrls(homepage: URL, paths: readonly string[]): URL[] {
  const urls = new Map<string, URL>();
  for (const path of paths) {
    const url = new URL(homepage.href + path.replace(/^\/+/, ""));
    url.hash = "";
    if (!urls.has(url.href)) urls.set(url.href, url);
  }
  return [...urls.values()];
}
