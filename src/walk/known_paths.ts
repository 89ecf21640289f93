/**
 * Paths where sitemaps stand that nobody declares.
 *
 * @module
 */

/** USP's fourteen, then our own; probed in this order. */
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

/** The URLs of paths below a homepage that ends in a slash, each once, in order. */
export function knownUrls(homepage: URL, paths: readonly string[]): URL[] {
  const urls = new Map<string, URL>();
  for (const path of paths) {
    const url = new URL(homepage.href + path.replace(/^\/+/, ""));
    url.hash = "";
    urls.set(url.href, urls.get(url.href) ?? url);
  }
  return [...urls.values()];
}
