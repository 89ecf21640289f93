/**
 * Plain text: one URL a line.
 *
 * @module
 */

import { trimSpace } from "../url.ts";
import { quoted } from "./entries.ts";
import type { LineFormat } from "./line_document.ts";

const SPACE_INSIDE_REGEXP = /\s/;

/** An address can only be wrong in its beginning: the URL parser takes anything behind that. */
const MAX_BEGINNING = 2048;

const NO_FIELDS = {};

/** A text sitemap: it is one if it holds at least one URL. */
export const TEXT_FORMAT: LineFormat = {
  type: "PagesTextSitemap",
  withoutEntries: "Text without a URL",
  hasAddressLines: true,
  take(line, number, entries) {
    const address = trimSpace(line);
    if (address === "" || address.startsWith("#")) return;
    // once that is known to be right, the parser is not shown megabytes of what follows
    if (address.length > MAX_BEGINNING) entries.isAbsoluteHttp(address.slice(0, MAX_BEGINNING));
    if (entries.isAbsoluteHttp(address) && !SPACE_INSIDE_REGEXP.test(address)) {
      entries.page(address, NO_FIELDS, number);
    } else {
      entries.warn("bad-line", `Line ${quoted(address)} is no URL`, number);
    }
  },
};
