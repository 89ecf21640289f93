/**
 * Codes of failed requests, invalid sitemaps, warnings and notes, each with its meaning. The types, the
 * reports of the command line and the tables of the documentation derive from these tables.
 *
 * @module
 */

/** Meaning of each {@linkcode RequestCode}. */
export const REQUEST_CODES = {
  "http-status": "the response status was not 2xx",
  "browser-challenge": "the response is a page that only a browser gets past",
  "timeout": "no response, or no more of its body, in time",
  "host-not-found": "the host name does not exist",
  "dns": "the host name could not be resolved for another reason",
  "connection-refused": "the host does not accept connections at this port",
  "connection-reset": "the connection was closed before the end of the response",
  "host-unreachable": "no route to the host",
  "host-down": "not sent: the host has not answered the requests before",
  "tls-certificate": "the certificate is expired, not trusted or that of another host",
  "tls-handshake": "a TLS connection failed for another reason",
  "proxy": "the proxy requires a login, or cannot connect to the host",
  "invalid-response": "the response is not valid HTTP",
  "content-encoding": "the runtime could not decode the body",
  "truncated": "the body is a part, has another length, or ended for an unknown reason",
  "invalid-url": "the runtime does not accept the URL",
  "login": "every path redirects to one login page",
  "redirect": "a redirect loop, too many redirects, or an invalid redirect target",
  "recursion": "a redirect to an ancestor of the sitemap",
  "blocked": "refused by a policy of the caller, robots.txt or a permission of the runtime",
  "network": "any other failure",
} as const;

/** Why a request failed. */
export type RequestCode = keyof typeof REQUEST_CODES;

/** Meaning of each {@linkcode InvalidCode}. */
export const INVALID_CODES = {
  "http-status": "the response status was not 2xx",
  "network": "no connection, a TLS error, or a body of which nothing could be read",
  "timeout": "no response in time",
  "redirect": "a redirect loop, too many redirects, or an invalid redirect target",
  "recursion": "the URL, or its redirect target, is an ancestor of the sitemap",
  "already-visited": "listed below a known path, but already in the tree of robots.txt",
  "too-deep": "deeper than `maxDepth`",
  "not-a-sitemap": "HTML, prose, JSON, an unknown root element, or text without a URL",
  "empty": "no content, or only whitespace",
  "too-large": "over `maxBytes` before the first complete entry",
  "xml-dtd": "a DOCTYPE with an internal subset",
  "unfetched": "a child of an index that was read without a network",
  "blocked": "refused by a policy of the caller",
} as const;

/** Why a declared sitemap is unusable. */
export type InvalidCode = keyof typeof INVALID_CODES;

/** Meaning of each {@linkcode WarningCode}. */
export const WARNING_CODES = {
  // XML that was repaired
  "xml-bare-ampersand": "an `&` that does not start a reference; taken literally",
  "xml-unknown-entity": "a reference to an unknown entity; taken literally",
  "xml-bad-reference": "a numeric reference to a character that XML forbids; dropped",
  "xml-bare-less-than": "a `<` that starts no tag, read as text, or a misspelt one",
  "xml-bad-attribute": "an attribute without value or quotes, or with a raw `<`; repaired",
  "xml-duplicate-attribute": "a repeated attribute; the first one is used",
  "xml-mismatched-tag": "an end tag that closes more than its element, or nothing",
  "xml-control-character": "a character that XML forbids; dropped",
  "xml-leading-junk": "content before the XML declaration or the root element; skipped",
  "xml-trailing-content": "content after the root element; only its entries are read",
  "xml-unbound-prefix": "an undeclared namespace prefix; read by its conventional meaning",
  "xml-cut": "the document ends inside its root element; complete entries and addresses are kept",
  // bytes
  "body-cut": "the body broke off, or is only a part; received entries are kept",
  "content-encoding":
    "the body does not have its Content-Encoding; read as is where `fetch` lets us",
  "gzip-cut": "truncated or corrupt gzip data; decompressed entries are kept",
  "gzip-checksum": "a gzip member has a wrong checksum or length; its content is kept",
  "gzip-trailing": "bytes after the last gzip member; ignored",
  "encoding-unknown": "an unknown encoding label; ignored",
  "encoding-mismatch": "the declared encoding is obviously wrong; ignored",
  "encoding-replaced": "bytes that are invalid in the encoding; replaced by U+FFFD",
  // entries and fields
  "no-address": "an entry without an address; dropped",
  "bad-address": "an entry whose address is not an http(s) URL; dropped",
  "address-repaired":
    "an address with line breaks, quotes, a raw `<`, wrong slashes or no scheme; repaired",
  "relative-address": "an address without scheme and host; resolved",
  "duplicate-address": "a repeated address in one sitemap; the first entry is used",
  "misplaced-element": "an element in an unexpected position; an entry or address may be used",
  "repeated-element": "a repeated field; the last readable value is used",
  "unclosed-entry": "an entry that is not closed before the next one; kept",
  "bad-line": "a line that is not an absolute http(s) URL; skipped",
  "bad-date": "an unreadable date; dropped",
  "unknown-zone": "a date with an unknown zone name; read as UTC",
  "bad-priority": "a priority that is not a number from 0 to 1",
  "bad-changefreq": "a change frequency that is not one of the seven words; dropped",
  "bad-news": "a news story without title or readable date; dropped",
  "bad-image": "an image without address; dropped",
  "bad-alternate": "an alternate without hreflang or href; dropped",
  "bad-video": "an unreadable field of a video; dropped",
  // limits
  "too-large": "over `maxBytes`; truncated",
  "robots-too-large": "robots.txt over 500 KiB; truncated",
  "too-many-entries": "over `maxEntries`; truncated",
  "too-many-attributes": "an element with over 1,000 attributes; truncated there",
  "too-deep-elements": "over 256 nested elements; truncated there",
  "value-too-long": "an entry with a value over 1 MiB; dropped",
  "max-sitemaps": "`maxSitemaps` reached; the walk ends",
  "max-pages": "`maxPages` reached; the walk ends",
  "deadline": "`deadline` reached; the walk ends",
  // discovery
  "robots-unreadable": "robots.txt could not be read",
  "probe-failed": "known paths or the homepage failed, other than by 404; one per reason",
  // synchronisation
  "mass-removal": "more than half of the known pages would be removed; none is",
} as const;

/** Repair, ignored value or loss that is reported as a warning. */
export type WarningCode = keyof typeof WARNING_CODES;

/** Meaning of each {@linkcode NoteCode}. */
export const NOTE_CODES = {
  "namespace": "the root element has no or another namespace, or a prefix another one",
  "prefix-unbound": "an undeclared namespace prefix of an attribute",
  "bom": "the document begins with a byte order mark",
  "encoding": "the document is not UTF-8",
  "doctype": "a DOCTYPE without an internal subset",
  "changefreq-case": "a change frequency that is not in lower case",
  "date-format": "a date that is not in the format of W3C, readable or without effect",
  "date-zone": "a time without a zone; read as UTC",
  "link-rel": "a link whose `rel` is not `alternate`",
  "element-unknown": "an element that is not part of the format",
  "content-type": "a Content-Type that is none of XML, text or gzip",
  "robots-txt": "robots.txt; the message is its text",
} as const;

/** Fact about a document that is not worth a warning. */
export type NoteCode = keyof typeof NOTE_CODES;
