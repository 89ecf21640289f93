/**
 * Makes nodes of the tree by the names of their classes.
 *
 * @module
 */

import type { SitemapType } from "../events.ts";
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  PagesAtomSitemap,
  PagesRssSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  type Sitemap,
  type SitemapFields,
} from "./sitemaps.ts";

/** The kinds of sitemap that could be read. */
export type ReadableType = Exclude<SitemapType, "InvalidSitemap">;

const CLASSES: Readonly<Record<ReadableType, new (fields: SitemapFields) => Sitemap>> = {
  IndexWebsiteSitemap,
  IndexRobotsTxtSitemap,
  IndexXmlSitemap,
  PagesXmlSitemap,
  PagesTextSitemap,
  PagesRssSitemap,
  PagesAtomSitemap,
};

/** Whether a value, perhaps from another version's JSON, names a kind that could be read. */
export function isReadableType(type: unknown): type is ReadableType {
  return typeof type === "string" && Object.hasOwn(CLASSES, type);
}

/** A new node of the given kind. */
export function createSitemap(type: ReadableType, fields: SitemapFields): Sitemap {
  return new CLASSES[type](fields);
}
