/**
 * Finds every sitemap of a website and streams every page in them.
 *
 * {@linkcode walk} yields tree events while it reads robots.txt, the declared sitemaps and the known
 * paths. {@linkcode pages} yields only the pages, {@linkcode collect} folds events into a tree, and
 * {@linkcode parseSitemap} reads one document without network access. Large walks are faster in
 * batches, see {@linkcode EventStream}.
 *
 * Pages arrive with the first bytes, memory stays flat, broken sitemaps still yield everything
 * readable, and every loss is reported: by events, by the verdict in `finished` of a stream after its
 * end, and by a {@linkcode BlockedError} of {@linkcode pages} if nothing could be read.
 *
 * @example
 * ```ts ignore
 * import { pages } from "@sitetree/sitetree";
 *
 * for await (const page of pages("https://example.com/")) console.log(page.url, page.lastModified);
 * ```
 *
 * @module
 */

export type { EventStream } from "./src/data/batches.ts";
export {
  INVALID_CODES,
  type InvalidCode,
  NOTE_CODES,
  type NoteCode,
  REQUEST_CODES,
  type RequestCode,
  WARNING_CODES,
  type WarningCode,
} from "./src/data/codes.ts";
export { BlockedError } from "./src/data/errors.ts";
export type {
  FinishedEvent,
  InvalidEvent,
  NoteEvent,
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
export type { RequestReport } from "./src/http/request_report.ts";
export type { DocumentLimits } from "./src/data/limits.ts";
export type {
  ChangeFrequency,
  NewsStory,
  SitemapImage,
  SitemapPage,
  SitemapVideo,
} from "./src/data/page.ts";
export { sitemapFromString, sitemapTreeForHomepage } from "./src/tree/sitemap_tree.ts";
export { collect, type CollectOptions } from "./src/tree/collect.ts";
export { sitemapFromJson } from "./src/tree/json.ts";
export {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  InvalidSitemap,
  PagesAtomSitemap,
  PagesRssSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  type Sitemap,
  type SitemapJson,
} from "./src/tree/sitemaps.ts";
export { KNOWN_PATHS } from "./src/walk/known_paths.ts";
export type { WalkOptions } from "./src/walk/options.ts";
export { type ParseOptions, parseSitemap } from "./src/walk/parse_sitemap.ts";
export { pages, walk } from "./src/walk/walk.ts";
