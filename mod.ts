/**
 * Finds every sitemap of a website and streams every page in them.
 *
 * {@linkcode walk} yields tree events while it reads robots.txt, the declared sitemaps and the known
 * paths. {@linkcode pages} yields only the pages, {@linkcode collect} folds events into a tree, and
 * {@linkcode parseSitemap} reads one document without network access. Large walks are faster in
 * batches, see {@linkcode EventStream}.
 *
 * Pages arrive with the first bytes, memory stays flat, broken sitemaps still yield everything
 * readable, and every loss is reported.
 *
 * @example
 * ```ts
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const urls: string[] = [];
 * for await (const event of parseSitemap("https://example.com/a\nhttps://example.com/b\n")) {
 *   if (event.type === "page") urls.push(event.page.url);
 * }
 * assertEquals(urls, ["https://example.com/a", "https://example.com/b"]);
 * ```
 *
 * @module
 */

export type { EventStream } from "./src/data/batches.ts";
export {
  INVALID_CODES,
  type InvalidCode,
  REQUEST_CODES,
  type RequestCode,
  WARNING_CODES,
  type WarningCode,
} from "./src/data/codes.ts";
export type {
  FinishedEvent,
  InvalidEvent,
  PageEvent,
  SitemapEnteredEvent,
  SitemapLeftEvent,
  SitemapRef,
  SitemapType,
  TreeEvent,
  Verdict,
  WalkStats,
  WarningEvent,
} from "./src/data/events.ts";
export type { Fetch } from "./src/http/exchange.ts";
export type { HostsPolicy } from "./src/http/hosts.ts";
export type { RequestReport } from "./src/http/report.ts";
export type { DocumentLimits } from "./src/data/limits.ts";
export type {
  ChangeFrequency,
  NewsStoryFields,
  SitemapAlternate,
  SitemapImage,
  SitemapPageFields,
  SitemapVideoFields,
  VideoGallery,
  VideoPrice,
  VideoRestriction,
  VideoUploader,
} from "./src/data/page_schema.ts";
export { NewsStory, SitemapPage, SitemapVideo } from "./src/data/page.ts";
export { sitemapFromString, sitemapTreeForHomepage } from "./src/tree/sitemap_tree.ts";
export type { PageList } from "./src/tree/page_list.ts";
export type { PageStore } from "./src/tree/page_store.ts";
export type { Time } from "./src/data/calendar.ts";
export { collect, type CollectOptions } from "./src/tree/collect.ts";
export { sitemapFromJson } from "./src/tree/json.ts";
export {
  AbstractSitemap,
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  InvalidSitemap,
  type InvalidSitemapFields,
  PagesAtomSitemap,
  PagesRssSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  type Sitemap,
  type SitemapFields,
  type SitemapJson,
  type SitemapJsonOptions,
} from "./src/tree/sitemaps.ts";
export { KNOWN_PATHS } from "./src/walk/known_paths.ts";
export type {
  ListedSitemap,
  RecurseCallback,
  RecurseListCallback,
  WalkOptions,
  WalkOrder,
} from "./src/walk/options.ts";
export { type ParseOptions, parseSitemap, type SitemapSource } from "./src/walk/parse_sitemap.ts";
export { pages, walk } from "./src/walk/walk.ts";
