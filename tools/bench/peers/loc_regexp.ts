/**
 * The regular expression that scripts use instead of a parser: an upper bound, not a peer.
 *
 * It reads `<loc>` and nothing else, of the whole text at once. References and CDATA sections stay as
 * they are written, every document is read as UTF-8, a `<loc>` of an image or in a comment counts as
 * a page, and one with a prefix or an attribute does not.
 *
 * @module
 */

import type { Contender } from "../contender.ts";
import { decodeAll, emptyPage } from "./page_builder.ts";

const LOC_REGEXP = /<loc>\s*(.*?)\s*<\/loc>/g;

/** A page with a URL for each match. */
export const contender: Contender = {
  name: "RegExp for <loc> (upper bound)",
  kinds: ["plain", "rich", "non-ascii", "read"],
  isBound: true,
  read(_kind, chunks, sink) {
    for (const match of decodeAll(chunks).matchAll(LOC_REGEXP)) {
      const page = emptyPage();
      page.url = match[1]!;
      sink(page);
    }
  },
};
