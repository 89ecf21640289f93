/**
 * robots.txt: the sitemaps it declares.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import { trimSpace } from "../url.ts";
import type { LineFormat } from "./line_document.ts";

/** As Google reads it: RFC 9309 §2.2.4 lets the line stand anywhere, tied to no group. */
const SITEMAP_LINE_REGEXP = /^[\s\u0085\ufeff]*site-?map\s*:(.*)$/is;
const COMMENT_REGEXP = /(?:^|\s)#.*$/s;

/** The `Sitemap:` lines of a robots.txt. */
export const ROBOTS_FORMAT: LineFormat = {
  type: "IndexRobotsTxtSitemap",
  take(line, number, entries) {
    const value = SITEMAP_LINE_REGEXP.exec(line)?.[1];
    if (value === undefined) return;
    entries.child(ownCopy(trimSpace(value.replace(COMMENT_REGEXP, ""))), number);
  },
};
