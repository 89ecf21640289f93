/**
 * Receiver of the entries of a document.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import type { SitemapPage } from "../page.ts";

/** Receives the entries of a document, in document order. */
export interface EntrySink {
  /** Takes a page. */
  page(page: SitemapPage): void;
  /**
   * Takes the address of a sitemap that an index or robots.txt lists, with the time that the index
   * declares for it, if any. Returns false beyond the limit of children, which truncates the document.
   */
  child(url: string, lastModified?: number): boolean | void;
  /** A sitemap that an index or robots.txt lists was dropped: no usable address. */
  childDropped(): void;
  /** Takes a warning: something was repaired, ignored or lost. */
  warning(code: WarningCode, message: string, line?: number): void;
}
