import type { SitemapType } from "./events.ts";

export const SITEMAP_KINDS: Readonly<Record<SitemapType, string>> = {
  IndexWebsiteSitemap: "website",
  IndexRobotsTxtSitemap: "robots.txt",
  IndexXmlSitemap: "index",
  PagesXmlSitemap: "XML",
  PagesTextSitemap: "text",
  PagesRssSitemap: "RSS",
  PagesAtomSitemap: "Atom",
  InvalidSitemap: "invalid",
};
