/**
 * Plain text: one URL a line.
 *
 * @module
 */

import { SitemapPage } from "../page.ts";
import { trimSpace } from "../url.ts";
import { quoted } from "./entries.ts";
import type { LineFormat } from "./lines.ts";

const SPACE_INSIDE_REGEXP = /\s/;

/** A text sitemap: it is one if it holds at least one URL. */
export const TEXT_FORMAT: LineFormat = {
  type: "PagesTextSitemap",
  withoutEntries: "Text without a URL",
  hasAddressLines: true,
  take(line, number, entries) {
    const address = trimSpace(line);
    if (address === "" || address.startsWith("#")) return;
    if (!entries.resolver.isAbsoluteHttp(address) || SPACE_INSIDE_REGEXP.test(address)) {
      return entries.warn("bad-line", `Invalid URL ${quoted(address)}: expected http(s)`, number);
    }
    entries.scan.text(address);
    entries.page(
      new SitemapPage({ url: address }),
      entries.scan.high,
      entries.scan.low,
      number,
    );
  },
};
