/**
 * The page in other languages: `xhtml:link rel="alternate"`.
 *
 * @module
 */

import type { SitemapAlternate } from "../../page.ts";
import { trimSpace } from "../../url.ts";
import type { ElementSpec } from "../record_format.ts";

/** What the alternates gather. */
export interface AlternateDraft {
  /** The alternates that were complete. */
  alternates?: SitemapAlternate[];
}

/** `xhtml:link` in an entry: only `rel="alternate"` with both `hreflang` and `href`. */
export const ALTERNATE: ElementSpec<AlternateDraft> = {
  open(draft, { attributes }, warn) {
    if (trimSpace(attributes.get("rel") ?? "").toLowerCase() !== "alternate") return;
    const hreflang = trimSpace(attributes.get("hreflang") ?? "");
    const href = trimSpace(attributes.get("href") ?? "");
    if (hreflang === "" || href === "") {
      warn("bad-alternate", "Alternate without hreflang or href left out");
    } else {
      (draft.alternates ??= []).push({ hreflang, href });
    }
  },
};
