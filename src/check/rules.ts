/**
 * The rules of a check, from which its codes, its options and its documentation derive.
 *
 * @module
 */

import type { InvalidCode, NoteCode, WarningCode } from "../data/codes.ts";
import type { RULE_SOURCES } from "./rule_sources.ts";
import type { Severity } from "./severity.ts";

/** A rule: how serious its findings are, what breaks it, and what to do. */
export interface Rule {
  /** How serious its findings are, unless an aspect has another severity. */
  readonly severity: Severity;
  /** What it is about as a clause, for people. */
  readonly title: string;
  /** What to do about it as a sentence, for people. */
  readonly help: string;
  /** Keys of `RULE_SOURCES`. */
  readonly sources: readonly (keyof typeof RULE_SOURCES)[];
  /** What it needs to know, which not every source of events says; it is skipped without. */
  readonly needs?: readonly (
    | "now"
    | "notes"
    | "warnings"
    | "robots"
    | "host"
    | "duration"
    | "response"
    | "answers"
  )[];
  /** Ways to break it, by name. */
  readonly aspects: Readonly<
    Record<string, {
      /** How serious it is, if less or more than the rule. */
      readonly severity?: Severity;
      /** What is counted; the document itself if absent. */
      readonly noun?: string;
      /** Plural of the noun, unless it only has an `s` more. */
      readonly plural?: string;
      /** What is wrong with it as a clause, for people, with a detail at `{}`. */
      readonly text: string;
      /** Codes of warnings that show it. */
      readonly warnings?: readonly WarningCode[];
      /** Codes of invalid sitemaps that show it. */
      readonly invalid?: readonly InvalidCode[];
      /** Codes of notes that show it. */
      readonly notes?: readonly NoteCode[];
    }>
  >;
}

export type RuleNeed = NonNullable<Rule["needs"]>[number];

/**
 * The rules by code, in the order in which findings are listed. Each row is checked as it is written,
 * and has the type of all, so that the codes are known and the rows are alike.
 */
export const RULES = {
  "sitemap-failed": {
    severity: "error",
    title: "A declared sitemap cannot be fetched: an error status, a timeout or no connection",
    help: "Serve the sitemap with status 200, or remove it from robots.txt or the index",
    sources: ["GC", "Y"],
    aspects: {
      failed: {
        text: "cannot be fetched: {}",
        invalid: ["http-status", "network", "timeout", "redirect"],
      },
    },
  } satisfies Rule as Rule,
  "sitemap-redirected": {
    severity: "warning",
    title: "The declared URL of a sitemap redirects",
    help: "Declare the final URL in robots.txt and in the index",
    sources: ["Y", "B"],
    aspects: { redirected: { text: "is declared at a URL that redirects: {}" } },
  } satisfies Rule as Rule,
  "sitemap-html": {
    severity: "error",
    title: "HTML or another format is at the URL of a sitemap",
    help: "Serve an XML, text, RSS or Atom sitemap there; a page for people belongs elsewhere",
    sources: ["GC"],
    aspects: { other: { text: "is not a sitemap: {}", invalid: ["not-a-sitemap"] } },
  } satisfies Rule as Rule,
  "sitemap-empty": {
    severity: "warning",
    title: "A sitemap has no entry (an error if it has no content at all)",
    help: "List at least one URL, or do not declare the sitemap",
    sources: ["S", "GC"],
    aspects: {
      content: { severity: "error", text: "has no content", invalid: ["empty"] },
      entries: { text: "has no entry" },
    },
  } satisfies Rule as Rule,
  "sitemap-repeated": {
    severity: "warning",
    title: "A sitemap is listed more than once, or lists one of its ancestors",
    help: "List each sitemap once, in one index",
    sources: ["SR"],
    aspects: {
      cycle: { text: "is listed below itself", invalid: ["recursion"] },
      again: { noun: "more listing", text: "of this sitemap", invalid: ["already-visited"] },
      twice: { noun: "sitemap", text: "listed more than once in this file" },
    },
  } satisfies Rule as Rule,
  "sitemap-undeclared": {
    severity: "notice",
    title: "A sitemap was found by its name or on the homepage, and robots.txt does not declare it",
    help: "Add a `Sitemap:` line to robots.txt, so that every crawler finds it",
    sources: ["S", "B"],
    needs: ["robots"],
    aspects: { undeclared: { text: "is not declared in robots.txt" } },
  } satisfies Rule as Rule,
  "robots-unreadable": {
    severity: "warning",
    title: "robots.txt cannot be read, or only a part of it, or is not text",
    help: "Serve robots.txt as text below 500 KiB with status 200; without one, answer with 404",
    sources: ["GC"],
    needs: ["warnings"],
    aspects: {
      unreadable: { text: "robots.txt cannot be read", warnings: ["robots-unreadable"] },
      large: { text: "robots.txt is too large", warnings: ["robots-too-large"] },
      other: { text: "robots.txt is not text: {}" },
    },
  } satisfies Rule as Rule,
  "sitemap-disallowed": {
    severity: "error",
    title: "robots.txt disallows a sitemap",
    help: "Allow the URL of the sitemap in robots.txt, since crawlers do not fetch it otherwise",
    sources: ["GC", "Y"],
    needs: ["notes", "robots"],
    aspects: { disallowed: { text: "is disallowed by robots.txt" } },
  } satisfies Rule as Rule,
  "page-disallowed": {
    severity: "warning",
    title: "robots.txt disallows a listed page, for all crawlers or for the given one",
    help: "Allow the page in robots.txt, or remove it from the sitemap",
    sources: ["GC", "SR"],
    needs: ["notes", "robots"],
    aspects: { disallowed: { noun: "page", text: "disallowed by robots.txt" } },
  } satisfies Rule as Rule,
  "page-status": {
    severity: "error",
    title: "A listed page fails (redirects or must not be indexed: a warning)",
    help: "List the final URLs of pages that are there and may be indexed, and no others",
    sources: ["GC", "SR"],
    needs: ["answers"],
    aspects: {
      failed: { noun: "page that fails", plural: "pages that fail", text: "" },
      redirected: {
        severity: "warning",
        noun: "page that redirects",
        plural: "pages that redirect",
        text: "",
      },
      disallowed: { severity: "warning", noun: "page", text: "disallowed by robots.txt" },
      noindex: { severity: "warning", noun: "page", text: "with `X-Robots-Tag: noindex`" },
    },
  } satisfies Rule as Rule,
  "compression": {
    severity: "error",
    title: "Compressed data is truncated or corrupt, or Content-Encoding is wrong",
    help: "Compress the file again, and set Content-Encoding only if the body has that encoding",
    sources: ["GC", "Y"],
    needs: ["warnings"],
    aspects: {
      corrupt: {
        noun: "fault",
        text: "in the compressed data",
        warnings: ["gzip-cut", "gzip-checksum"],
      },
      encoding: {
        text: "does not have its declared Content-Encoding: {}",
        warnings: ["content-encoding"],
      },
      trailing: {
        severity: "warning",
        text: "has bytes after the compressed data",
        warnings: ["gzip-trailing"],
      },
    },
  } satisfies Rule as Rule,
  "content-type": {
    severity: "notice",
    title: "The Content-Type is neither XML, text, RSS, Atom nor gzip",
    help: "Serve XML sitemaps as application/xml, text sitemaps as text/plain",
    sources: ["SR"],
    needs: ["response", "notes"],
    aspects: { type: { text: "is not served as a sitemap: {}", notes: ["content-type"] } },
  } satisfies Rule as Rule,
  "sitemap-slow": {
    severity: "notice",
    title: "A sitemap takes longer than 10 seconds",
    help: "Generate the sitemap ahead of time, or split it; crawlers give up on slow ones",
    sources: ["P"],
    needs: ["duration"],
    aspects: { slow: { text: "takes longer than 10 s: {}" } },
  } satisfies Rule as Rule,
  "urls-over-limit": {
    severity: "error",
    title: "A sitemap has more than 50,000 URLs",
    help: "Split the sitemap, and list the parts in an index",
    sources: ["S", "G", "B"],
    aspects: { many: { text: "has more than 50,000 URLs: {}" } },
  } satisfies Rule as Rule,
  "size-over-limit": {
    severity: "error",
    title: "A sitemap has more than 52,428,800 bytes (50 MiB) uncompressed",
    help: "Split the sitemap, and list the parts in an index; compression does not raise the limit",
    sources: ["S", "G", "B"],
    aspects: {
      large: { text: "has more than 52,428,800 bytes: {}" },
      unread: { text: "is too large to be read", invalid: ["too-large"] },
    },
  } satisfies Rule as Rule,
  "index-over-limit": {
    severity: "error",
    title: "An index lists more than 50,000 sitemaps",
    help: "Split the index, and declare each part in robots.txt",
    sources: ["S", "GL"],
    aspects: { many: { text: "lists more than 50,000 sitemaps: {}" } },
  } satisfies Rule as Rule,
  "index-nested": {
    severity: "warning",
    title: "An index lists another index",
    help: "List sitemaps of pages only, and declare each index in robots.txt",
    sources: ["S", "GC"],
    aspects: {
      deep: { text: "is nested too deep to be read", invalid: ["too-deep"] },
      nested: { text: "is an index inside an index: {}" },
    },
  } satisfies Rule as Rule,
  "index-other-host": {
    severity: "warning",
    title: "An index lists a sitemap of another host, whose robots.txt does not declare it",
    help: "Declare the sitemap in robots.txt of that host, or serve it from the host of the index",
    sources: ["GL", "SR"],
    needs: ["host"],
    aspects: {
      undeclared: {
        noun: "sitemap",
        text: "of another host, whose robots.txt does not declare it",
      },
      unseen: { noun: "sitemap", text: "of another host, whose robots.txt was not read" },
    },
  } satisfies Rule as Rule,
  "xml-broken": {
    severity: "error",
    title: "The XML is not well-formed",
    help: "Write the file with an XML library; most parsers stop at the first error",
    sources: ["S", "GC"],
    needs: ["warnings"],
    aspects: {
      broken: {
        noun: "place",
        text: "where the XML is not well-formed",
        warnings: [
          "xml-unknown-entity",
          "xml-bad-reference",
          "xml-bare-less-than",
          "xml-bad-attribute",
          "xml-duplicate-attribute",
          "xml-mismatched-tag",
          "xml-control-character",
          "xml-trailing-content",
          "unclosed-entry",
        ],
      },
    },
  } satisfies Rule as Rule,
  "xml-cut": {
    severity: "error",
    title: "The document is truncated",
    help: "Write the file to a temporary name and rename it, and look for timeouts of the server",
    sources: ["GC"],
    needs: ["warnings"],
    aspects: { cut: { text: "is truncated", warnings: ["xml-cut", "body-cut"] } },
  } satisfies Rule as Rule,
  "xml-leading-junk": {
    severity: "error",
    title: "Content before the XML declaration or the root element (white space: a warning)",
    help: "Begin the file with `<?xml`; look for blank lines and messages of plugins and templates",
    sources: ["GC"],
    needs: ["warnings"],
    aspects: {
      content: { text: "has content before the root element", warnings: ["xml-leading-junk"] },
      space: {
        severity: "warning",
        text: "has white space or a comment before the XML declaration",
      },
    },
  } satisfies Rule as Rule,
  "xml-doctype": {
    severity: "warning",
    title: "The document has a DOCTYPE (an error if it declares entities or elements)",
    help: "Remove the DOCTYPE: sitemaps have none, and parsers refuse it for security",
    sources: ["TB"],
    needs: ["notes"],
    aspects: {
      subset: { severity: "error", text: "has a DOCTYPE with declarations", invalid: ["xml-dtd"] },
      doctype: { text: "has a DOCTYPE", notes: ["doctype"] },
    },
  } satisfies Rule as Rule,
  "namespace": {
    severity: "error",
    title: "A namespace is missing or wrong, or a prefix is not declared",
    help:
      'Declare xmlns="http://www.sitemaps.org/schemas/sitemap/0.9", and the namespace of each prefix',
    sources: ["S", "GC"],
    needs: ["notes"],
    aspects: {
      namespace: { text: "has a missing or wrong namespace: {}", notes: ["namespace"] },
      prefix: {
        noun: "namespace prefix",
        plural: "namespace prefixes",
        text: "not declared",
        warnings: ["xml-unbound-prefix"],
        notes: ["prefix-unbound"],
      },
    },
  } satisfies Rule as Rule,
  "encoding": {
    severity: "error",
    title: "The document is not UTF-8, or its declared encoding is wrong",
    help: "Write UTF-8, and declare the same encoding in the XML declaration and the Content-Type",
    sources: ["S", "Y"],
    needs: ["notes"],
    aspects: {
      other: { text: "is not UTF-8: {}", notes: ["encoding"] },
      wrong: {
        text: "declares another encoding than it has: {}",
        warnings: ["encoding-unknown", "encoding-mismatch"],
      },
      replaced: {
        noun: "place",
        text: "with bytes that are invalid in the encoding",
        warnings: ["encoding-replaced"],
      },
    },
  } satisfies Rule as Rule,
  "bom": {
    severity: "notice",
    title: "The document begins with a byte order mark",
    help: "Save the file as UTF-8 without a byte order mark",
    sources: ["Y", "SR"],
    needs: ["notes"],
    aspects: { bom: { text: "begins with a byte order mark", notes: ["bom"] } },
  } satisfies Rule as Rule,
  "element-unknown": {
    severity: "notice",
    title: "An element is unknown, or in an unexpected position",
    help: "Check the spelling and the position of the element; it is ignored otherwise",
    sources: ["Y"],
    needs: ["notes"],
    aspects: {
      misplaced: {
        noun: "element",
        text: "in an unexpected position",
        warnings: ["misplaced-element"],
      },
      unknown: { noun: "element", text: "outside of the format", notes: ["element-unknown"] },
    },
  } satisfies Rule as Rule,
  "element-repeated": {
    severity: "warning",
    title: "An entry has a field twice",
    help: "Write each field of an entry once",
    sources: ["Y"],
    needs: ["warnings"],
    aspects: { repeated: { noun: "repeated field", text: "", warnings: ["repeated-element"] } },
  } satisfies Rule as Rule,
  "text-line": {
    severity: "error",
    title: "A line of a text sitemap is not a URL",
    help: "Write one absolute URL per line, and nothing else",
    sources: ["S", "SR"],
    needs: ["warnings"],
    aspects: { line: { noun: "line", text: "without an absolute URL", warnings: ["bad-line"] } },
  } satisfies Rule as Rule,
  "loc-missing": {
    severity: "error",
    title: "An entry has no `loc`, or one that is not a valid http(s) URL",
    help: "Write one absolute http(s) URL into the `loc` of each entry",
    sources: ["S", "GC"],
    needs: ["warnings"],
    aspects: {
      missing: {
        noun: "entry",
        plural: "entries",
        text: "without a usable URL",
        warnings: ["no-address", "bad-address"],
      },
      repaired: {
        noun: "URL",
        text: "with line breaks, quotes, a `<`, wrong slashes or no scheme",
        warnings: ["address-repaired"],
      },
    },
  } satisfies Rule as Rule,
  "loc-relative": {
    severity: "error",
    title: "A URL is not absolute",
    help: "Write URLs with scheme and host: https://example.com/page, not /page",
    sources: ["S", "G"],
    needs: ["warnings"],
    aspects: { relative: { noun: "relative URL", text: "", warnings: ["relative-address"] } },
  } satisfies Rule as Rule,
  "loc-long": {
    severity: "error",
    title: "A URL has 2,048 characters or more",
    help: "Shorten the URL; crawlers drop longer ones, Yandex from 1,024 characters on",
    sources: ["S", "Y"],
    aspects: { long: { noun: "URL", text: "of 2,048 characters or more" } },
  } satisfies Rule as Rule,
  "loc-entity": {
    severity: "error",
    title: "An `&` is not escaped",
    help: "Write `&amp;` for `&` in XML, in URLs, too",
    sources: ["S"],
    needs: ["warnings"],
    aspects: {
      ampersand: {
        noun: "`&`",
        plural: "`&`",
        text: "not escaped",
        warnings: ["xml-bare-ampersand"],
      },
    },
  } satisfies Rule as Rule,
  "loc-encoding": {
    severity: "warning",
    title: "A URL has blanks, forbidden characters or a bare `%` (other than ASCII: notice)",
    help: "Percent-encode URLs: `%20` for a blank, `%25` for a bare `%`, UTF-8 for other letters",
    sources: ["S", "R"],
    aspects: {
      forbidden: { noun: "URL", text: "with characters that URLs must not have" },
      percent: { noun: "URL", text: "with a `%` that encodes nothing" },
      wide: { severity: "notice", noun: "URL", text: "with letters outside of ASCII" },
    },
  } satisfies Rule as Rule,
  "loc-fragment": {
    severity: "warning",
    title: "A URL has a fragment or a user name",
    help: "Remove `#…` and `user@` from the URL: crawlers ignore the one and refuse the other",
    sources: ["TB", "SR"],
    aspects: {
      fragment: { noun: "URL", text: "with a fragment" },
      user: { noun: "URL", text: "with a user name" },
    },
  } satisfies Rule as Rule,
  "loc-outside-path": {
    severity: "warning",
    title: "A page is outside of the folder of a sitemap that robots.txt does not declare",
    help: "Declare the sitemap in robots.txt, or move it to the root of the site",
    sources: ["S", "Y"],
    needs: ["robots"],
    aspects: { outside: { noun: "page", text: "outside of the folder of the sitemap" } },
  } satisfies Rule as Rule,
  "loc-other-host": {
    severity: "error",
    title:
      "A page is on another host, whose robots.txt does not declare the sitemap (not read: a warning)",
    help: "List pages of the sitemap's own host, or declare the sitemap in robots.txt of that host",
    sources: ["S", "GC"],
    needs: ["host"],
    aspects: {
      undeclared: {
        noun: "page",
        text: "of another host, whose robots.txt does not declare the sitemap",
      },
      unseen: {
        severity: "warning",
        noun: "page",
        text: "of another host, whose robots.txt was not read",
      },
    },
  } satisfies Rule as Rule,
  "loc-mixed-origin": {
    severity: "warning",
    title: "URLs mix http with https, or www with the bare domain",
    help: "List the URLs that the site redirects to, all with the same scheme and host",
    sources: ["GC", "G"],
    aspects: {
      scheme: { noun: "URL", text: "with another scheme" },
      www: { noun: "URL", text: "that differs by `www.`" },
    },
  } satisfies Rule as Rule,
  "loc-duplicate": {
    severity: "warning",
    title: "A URL is listed twice in a sitemap (in several sitemaps: notice)",
    help: "List each URL once",
    sources: ["SR"],
    aspects: {
      file: { noun: "repeated URL", text: "in this sitemap", warnings: ["duplicate-address"] },
      site: { severity: "notice", noun: "URL", text: "that another sitemap lists, too" },
    },
  } satisfies Rule as Rule,
  "loc-equivalent": {
    severity: "warning",
    title: "Two URLs differ only by their encoding, by case of the host or by a final slash",
    help: "List the one that the other redirects to",
    sources: ["SR", "R"],
    aspects: { equivalent: { noun: "URL", text: "equivalent to another one that is listed" } },
  } satisfies Rule as Rule,
  "loc-parameters": {
    severity: "notice",
    title: "A URL has session or tracking parameters",
    help: "List the canonical URL, without parameters that do not change the page",
    sources: ["G"],
    aspects: { parameters: { noun: "URL", text: "with session or tracking parameters" } },
  } satisfies Rule as Rule,
  "loc-leak": {
    severity: "warning",
    title: "A URL should not be public: a local, private or staging host, /admin, .env, .sql, .zip",
    help: "Remove the URL from the sitemap, and check how it got there",
    sources: ["QA"],
    aspects: {
      host: { noun: "URL", text: "with a local, private or staging host" },
      path: { noun: "URL", text: "of an administration page, a backup or a configuration file" },
    },
  } satisfies Rule as Rule,
  "loc-sitemap": {
    severity: "warning",
    title: "A sitemap of pages lists sitemaps",
    help: "List sitemaps in a `sitemapindex`",
    sources: ["HI"],
    aspects: { sitemap: { noun: "sitemap", text: "listed as a page" } },
  } satisfies Rule as Rule,
  "lastmod-invalid": {
    severity: "error",
    title: "A date is unreadable",
    help: "Write dates such as 2024-05-01 or 2024-05-01T12:00:30+00:00",
    sources: ["S", "GC"],
    needs: ["warnings"],
    aspects: { invalid: { noun: "unreadable date", text: "", warnings: ["bad-date"] } },
  } satisfies Rule as Rule,
  "lastmod-format": {
    severity: "warning",
    title: "A date is readable, but not a W3C date, or has a time without a zone",
    help: "Write dates such as 2024-05-01 or 2024-05-01T12:00:30+00:00",
    sources: ["S", "B"],
    needs: ["notes"],
    aspects: {
      format: { noun: "date", text: "in another format", notes: ["date-format"] },
      zone: {
        noun: "date",
        text: "without a known zone",
        warnings: ["unknown-zone"],
        notes: ["date-zone"],
      },
    },
  } satisfies Rule as Rule,
  "lastmod-future": {
    severity: "warning",
    title: "A date is in the future",
    help: "Set `lastmod` to the last significant change of the page",
    sources: ["B"],
    needs: ["now"],
    aspects: { future: { noun: "date", text: "in the future" } },
  } satisfies Rule as Rule,
  "lastmod-identical": {
    severity: "warning",
    title: "Most pages of a sitemap have the same date",
    help: "Set `lastmod` to the last change of each page, not to the time of the build",
    sources: ["B23", "G"],
    aspects: { identical: { noun: "page", text: "with the same date" } },
  } satisfies Rule as Rule,
  "lastmod-missing": {
    severity: "notice",
    title: "No page of a sitemap, or no sitemap of an index, has a date",
    help: "Add `lastmod`, which crawlers use to find what changed",
    sources: ["B", "GL"],
    aspects: {
      pages: { noun: "page", text: "without a date" },
      sitemaps: { noun: "sitemap", text: "without a date" },
    },
  } satisfies Rule as Rule,
  "lastmod-index": {
    severity: "notice",
    title: "The date of a sitemap in the index is older than its newest page",
    help: "Set `lastmod` in the index to the newest date of the sitemap",
    sources: ["B"],
    aspects: { older: { text: "is newer than its date in the index: {}" } },
  } satisfies Rule as Rule,
  "hint-invalid": {
    severity: "warning",
    title: "`changefreq` or `priority` is outside of its values",
    help: "Use one of the seven words in lower case, and a number from 0.0 to 1.0, or leave it out",
    sources: ["S"],
    needs: ["warnings"],
    aspects: {
      value: { noun: "invalid value", text: "", warnings: ["bad-changefreq", "bad-priority"] },
      case: {
        severity: "notice",
        noun: "`changefreq`",
        plural: "`changefreq`",
        text: "not in lower case",
        notes: ["changefreq-case"],
      },
    },
  } satisfies Rule as Rule,
  "hreflang-code": {
    severity: "error",
    title: "An hreflang is not a language, perhaps with script and region, nor x-default",
    help: "Use ISO 639-1 and ISO 3166-1 codes: `en`, `en-GB`, `zh-Hant-TW`; not `en_US` or `en-UK`",
    sources: ["GH"],
    aspects: { code: { noun: "alternate", text: "with an invalid language code" } },
  } satisfies Rule as Rule,
  "hreflang-return": {
    severity: "error",
    title: "An alternate does not link back, or links a different set (not listed: notice)",
    help: "List each version with links to all versions, itself included",
    sources: ["GH"],
    aspects: {
      missing: { noun: "alternate", text: "that does not link back" },
      different: {
        noun: "pair of pages",
        plural: "pairs of pages",
        text: "with different alternates",
      },
      unlisted: {
        severity: "notice",
        noun: "alternate",
        text: "outside of the sitemaps, whose links back are unknown",
      },
    },
  } satisfies Rule as Rule,
  "hreflang-set": {
    severity: "warning",
    title: "A set of alternates lacks the page itself, or repeats a code (no x-default: notice)",
    help: "Link all versions, the page itself, and x-default, each with a code of its own",
    sources: ["GH", "SR"],
    aspects: {
      self: { noun: "page", text: "without a link to itself" },
      repeated: { noun: "page", text: "with two links for one language" },
      relative: { noun: "alternate", text: "with a relative URL" },
      incomplete: {
        noun: "alternate",
        text: "without a language or a URL",
        warnings: ["bad-alternate"],
      },
      rel: { noun: "link", text: "that is not `alternate`", notes: ["link-rel"] },
      default: { severity: "notice", noun: "page", text: "without x-default" },
    },
  } satisfies Rule as Rule,
  "news-fields": {
    severity: "error",
    title: "A news story lacks name, language, date or title, or has a bad one",
    help: "Write publication name and language, publication date and title of each story",
    sources: ["GN"],
    aspects: {
      bad: {
        noun: "news story",
        plural: "news stories",
        text: "without title or readable date",
        warnings: ["bad-news"],
      },
      missing: { noun: "news story", plural: "news stories", text: "with a missing or bad field" },
    },
  } satisfies Rule as Rule,
  "news-limits": {
    severity: "error",
    title: "A sitemap has more than 1,000 news stories (older than two days: a warning)",
    help: "List the stories of the last two days, at most 1,000 in a sitemap",
    sources: ["GN"],
    needs: ["now"],
    aspects: {
      many: { text: "has more than 1,000 news stories: {}" },
      old: {
        severity: "warning",
        noun: "news story",
        plural: "news stories",
        text: "older than two days",
      },
    },
  } satisfies Rule as Rule,
  "image-limits": {
    severity: "error",
    title: "A page has more than 1,000 images, or one without URL (removed tags: notice)",
    help: "List at most 1,000 images for a page, each with `image:loc`; Google ignores other tags",
    sources: ["GI"],
    aspects: {
      many: { noun: "page", text: "with more than 1,000 images" },
      address: { noun: "image", text: "without a URL", warnings: ["bad-image"] },
      removed: { severity: "notice", noun: "image", text: "with tags that Google no longer reads" },
    },
  } satisfies Rule as Rule,
  "video-fields": {
    severity: "error",
    title: "A video lacks a required field, or has a value outside of its range",
    help:
      "Write thumbnail, title, description (2,048 characters) and content or player; 1 to 28,800 s, rating 0 to 5, 32 tags",
    sources: ["GV"],
    aspects: {
      unreadable: { noun: "unreadable field", text: "of videos", warnings: ["bad-video"] },
      fields: { noun: "video", text: "with a missing or bad field" },
    },
  } satisfies Rule as Rule,
} as const;

/** Code of a rule, a key of {@linkcode RULES}. */
export type RuleCode = keyof typeof RULES;

export const RULE_CODES: readonly RuleCode[] = Object.keys(RULES) as RuleCode[];
