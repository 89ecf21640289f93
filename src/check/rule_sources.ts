/** The name of each source, and its URL if it has one. */
export const RULE_SOURCES = {
  "S": ["Sitemap protocol", "https://www.sitemaps.org/protocol.html"],
  "G": [
    "Google: build a sitemap",
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
  ],
  "GL": [
    "Google: large sitemaps",
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps",
  ],
  "GI": [
    "Google: image sitemaps",
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
  ],
  "GN": [
    "Google: news sitemaps",
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
  ],
  "GV": [
    "Google: video sitemaps",
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps",
  ],
  "GH": [
    "Google: localized versions",
    "https://developers.google.com/search/docs/specialty/international/localized-versions#sitemap",
  ],
  "GC": ["Google: Sitemaps report", "https://support.google.com/webmasters/answer/7451001"],
  "B": [
    "Bing: sitemaps",
    "https://blogs.bing.com/webmaster/July-2025/Keeping-Content-Discoverable-with-Sitemaps-in-AI-Powered-Search",
  ],
  "B23": [
    "Bing: lastmod",
    "https://blogs.bing.com/webmaster/february-2023/The-Importance-of-Setting-the-lastmod-Tag-in-Your-Sitemap",
  ],
  "Y": [
    "Yandex: sitemap errors",
    "https://yandex.com/support/webmaster/en/error-dictionary/sitemap",
  ],
  "R": ["RFC 3986", "https://datatracker.ietf.org/doc/html/rfc3986"],
  "SR": [
    "sitemapr: findings",
    "https://github.com/bart-turczynski/sitemapr/blob/main/docs/findings-registry.csv",
  ],
  "QA": ["sitemap-qa", "https://github.com/Akotliar/sitemap-qa"],
  "TB": ["TryByte: sitemap rules", undefined],
  "HI": ["helix-importer-ui, issue 140", "https://github.com/adobe/helix-importer-ui/issues/140"],
  "P": ["common practice", undefined],
} as const;
