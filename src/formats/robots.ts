/**
 * robots.txt: the sitemaps it declares.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import { trimSpace } from "../url.ts";
import type { LineFormat } from "./lines.ts";

/**
 * Line with a sitemap key. Google accepts every key that begins like this, anywhere in the file: RFC
 * 9309 §2.2.4 does not tie the line to a group.
 */
const SITEMAP_REGEXP = /^\s*site-?map/i;
/**
 * Key and colon: `Sitemap:`, `Sitemaps :`. The colon behind a key of several words has whitespace next
 * to it (`Sitemap index: x`); otherwise it is part of the address (`Sitemap https://site.test/`).
 */
const KEY_REGEXP = /^\s*site-?map(?:[^\s:]*\s*:|[^:]*(?:\s:|:(?=\s|$)))/i;
/** Key and address without a colon: exactly two words. */
const TWO_WORDS_REGEXP = /^\s*site-?map\S*\s+(\S+)\s*$/i;
/** A `#` elsewhere is part of the address. */
const COMMENT_REGEXP = /\s#.*$/s;

/** Characters around an address, in pairs. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "<": ">",
  "“": "”",
  "„": "“",
  "‘": "’",
  "«": "»",
};

/** The `Sitemap:` lines of a robots.txt. */
export const ROBOTS_FORMAT: LineFormat = {
  type: "IndexRobotsTxtSitemap",
  take(line, number, entries) {
    if (!SITEMAP_REGEXP.test(line)) return;
    const value = valueOf(line.replace(COMMENT_REGEXP, ""));
    if (value === undefined) return;
    const address = withoutQuotes(value);
    if (address !== value && address !== "") {
      entries.warn("address-repaired", "Quotes around the address of a sitemap removed", number);
    }
    entries.child(ownCopy(address), number);
  },
  takeOverlong(line, entries) {
    if (SITEMAP_REGEXP.test(line)) entries.dropChild();
  },
};

/** Value of a sitemap line without its comment; `undefined` for any other line. */
function valueOf(line: string): string | undefined {
  const key = KEY_REGEXP.exec(line)?.[0];
  const value = key === undefined ? TWO_WORDS_REGEXP.exec(line)?.[1] : line.slice(key.length);
  return value === undefined ? undefined : trimSpace(value);
}

/** Value without quotes or angle brackets around all of it. */
function withoutQuotes(value: string): string {
  const closing = QUOTES[value.charAt(0)];
  return closing !== undefined && value.length > 1 && value.endsWith(closing)
    ? trimSpace(value.slice(1, -1))
    : value;
}
