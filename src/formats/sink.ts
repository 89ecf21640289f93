/**
 * Where the entries of a document go.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import type { SitemapPage } from "../page.ts";

/** Receives what a document holds, in document order. */
export interface EntrySink {
  /** A page. */
  page(page: SitemapPage): void;
  /**
   * The address of a sitemap that an index or robots.txt lists; false where there is no room for it,
   * which cuts the document there.
   */
  child(url: string): boolean | void;
  /** Something was repaired, passed over or lost. */
  warning(code: WarningCode, message: string, line?: number): void;
}
