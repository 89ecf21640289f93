/**
 * Plain text: one URL a line.
 *
 * @module
 */

import { trimSpace } from "../url.ts";
import { quoted } from "./entries.ts";
import type { LineFormat } from "./line_document.ts";

const SPACE_INSIDE_REGEXP = /\s/;

const NO_FIELDS = {};

/** A text sitemap: it is one if it holds at least one URL. */
export const TEXT_FORMAT: LineFormat = {
  type: "PagesTextSitemap",
  withoutEntries: "Text without a URL",
  hasAddressLines: true,
  take(line, number, entries) {
    const address = trimSpace(line);
    if (address === "" || address.startsWith("#")) return;
    if (entries.isAbsoluteHttp(address) && !SPACE_INSIDE_REGEXP.test(address)) {
      entries.page(address, NO_FIELDS, number);
    } else {
      entries.warn("bad-line", `Line ${quoted(address)} is no URL`, number);
    }
  },
};
