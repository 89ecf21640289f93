/**
 * The closed unions of codes that events carry, each with a sentence for people.
 *
 * @module
 */

/** Why a declared sitemap could not be used. */
export type InvalidCode =
  | "http-status"
  | "network"
  | "timeout"
  | "redirect"
  | "recursion"
  | "already-visited"
  | "too-deep"
  | "not-a-sitemap"
  | "empty"
  | "too-large"
  | "xml-dtd"
  | "unfetched"
  | "blocked";

/** What each {@linkcode InvalidCode} means. */
export const INVALID_CODES: Readonly<Record<InvalidCode, string>> = {
  "http-status": "the answer was not 2xx",
  "network": "no connection, TLS failed, or the body broke off before any content",
  "timeout": "no answer in time",
  "redirect": "a redirect loop, too many redirects, or a target that is not http(s) or no URL",
  "recursion": "the address, or where it redirects to, is a sitemap above it",
  "already-visited": "listed below a known path, but the tree of robots.txt has it already",
  "too-deep": "deeper than `maxDepth`",
  "not-a-sitemap": "HTML, prose, JSON, an unknown root element, or text without a URL",
  "empty": "no content at all, or only white space",
  "too-large": "over `maxBytes` before anything was complete",
  "xml-dtd": "a DOCTYPE with an internal subset",
  "unfetched": "a child of an index that was read without a network",
  "blocked": "refused by a policy of the caller",
};

/** What was repaired, passed over or lost, and told. */
export type WarningCode =
  | "xml-bare-ampersand"
  | "xml-unknown-entity"
  | "xml-bad-reference"
  | "xml-bare-less-than"
  | "xml-bad-attribute"
  | "xml-duplicate-attribute"
  | "xml-mismatched-tag"
  | "xml-control-character"
  | "xml-leading-junk"
  | "xml-trailing-content"
  | "xml-unbound-prefix"
  | "xml-cut"
  | "body-cut"
  | "content-encoding"
  | "gzip-cut"
  | "gzip-checksum"
  | "gzip-trailing"
  | "encoding-unknown"
  | "encoding-mismatch"
  | "encoding-replaced"
  | "no-address"
  | "bad-address"
  | "address-repaired"
  | "relative-address"
  | "duplicate-address"
  | "misplaced-element"
  | "repeated-element"
  | "unclosed-entry"
  | "bad-line"
  | "bad-date"
  | "unknown-zone"
  | "bad-priority"
  | "bad-changefreq"
  | "bad-news"
  | "bad-image"
  | "bad-alternate"
  | "bad-video"
  | "too-large"
  | "robots-too-large"
  | "too-many-entries"
  | "too-many-attributes"
  | "too-deep-elements"
  | "value-too-long"
  | "max-sitemaps"
  | "max-pages"
  | "deadline"
  | "robots-unreadable"
  | "probe-failed"
  | "path-ignored";

/** What each {@linkcode WarningCode} means. */
export const WARNING_CODES: Readonly<Record<WarningCode, string>> = {
  // XML that was repaired
  "xml-bare-ampersand": "an `&` that starts no reference; taken literally",
  "xml-unknown-entity": "a reference to an unknown entity; taken literally",
  "xml-bad-reference": "a numeric reference to a character that XML forbids; left out",
  "xml-bare-less-than": "a `<` that starts no tag; taken as text",
  "xml-bad-attribute": "an attribute without value or quotes, or with a raw `<`; read as meant",
  "xml-duplicate-attribute": "an attribute given twice; the first counts",
  "xml-mismatched-tag": "an end tag that closes more than its element, or nothing",
  "xml-control-character": "a character that XML forbids; left out",
  "xml-leading-junk": "white space or byte order marks before the XML declaration; skipped",
  "xml-trailing-content": "content after the end of the root element; ignored",
  "xml-unbound-prefix": "a prefix that no namespace is bound to; read by its customary meaning",
  "xml-cut": "the document ends before its root element does; complete entries are kept",
  // bytes
  "body-cut": "the connection broke inside the body; what arrived was read",
  "content-encoding": "the body does not have the Content-Encoding it claims; read as it is",
  "gzip-cut": "a gzip member is cut or damaged; what could be unpacked was read",
  "gzip-checksum": "a gzip member has a wrong checksum or length; its content was read",
  "gzip-trailing": "bytes after the last gzip member; ignored",
  "encoding-unknown": "an unknown encoding label; ignored",
  "encoding-mismatch": "the text is plainly not in the encoding it claims; not believed",
  "encoding-replaced": "bytes that make no sense in the encoding; replaced by U+FFFD",
  // entries and fields
  "no-address": "an entry without an address; left out",
  "bad-address": "an address that is no http(s) URL; left out with its entry",
  "address-repaired":
    "an address with line breaks, quotes, wrong slashes or no scheme; read as meant",
  "relative-address": "an address without scheme and host; resolved",
  "duplicate-address": "an address that this sitemap gave before; the first counts",
  "misplaced-element": "an element in an unexpected position; skipped, unless it is an entry",
  "repeated-element": "a field given more than once; the last readable value counts",
  "unclosed-entry": "an entry still open when the next begins; it ends there and counts",
  "bad-line": "a line that is no absolute http(s) URL; skipped",
  "bad-date": "a date that cannot be read; left out",
  "unknown-zone": "a date with an unknown zone name; read as UTC",
  "bad-priority": "a priority that is no number from 0 to 1; 0.5 stands in",
  "bad-changefreq": "a change frequency that is none of the seven words; left out",
  "bad-news": "a news story without title or readable date; left out",
  "bad-image": "an image without address; left out",
  "bad-alternate": "an alternate without hreflang or href; left out",
  "bad-video": "a field of a video that cannot be read; left out",
  // ceilings
  "too-large": "over `maxBytes`; read up to there",
  "robots-too-large":
    "robots.txt is over `maxRobotsBytes`, or has 10,000 rules for us; read up to there",
  "too-many-entries": "over `maxEntries`; read up to there",
  "too-many-attributes": "an element over `maxAttributes`; read up to there",
  "too-deep-elements": "elements nested over `maxElementDepth`; read up to there",
  "value-too-long": "a value over `maxValueLength`; its entry was left out",
  "max-sitemaps": "`maxSitemaps` reached; the walk ends",
  "max-pages": "`maxPages` reached; the walk ends",
  "deadline": "`deadline` reached; the walk ends",
  // discovery
  "robots-unreadable": "robots.txt could not be read",
  "probe-failed": "a known path failed otherwise than by not being there",
  "path-ignored": "the homepage has a path or query, which is ignored",
};
