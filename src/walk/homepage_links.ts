/**
 * Links of a homepage to sitemaps and feeds: `Link` headers, and `<link>` tags found by a scan for tags
 * rather than by a parser.
 *
 * @module
 */

import { decodeHTMLAttribute } from "entities";
import { trimSpace } from "../data/text.ts";
import { addressKey, isHttp, withoutUserInfo } from "../data/url.ts";

/** Links of a homepage, as absolute URLs without fragment and user info, each once. */
export interface HomepageLinks {
  readonly sitemaps: readonly string[];
  /** The first feed of each type. */
  readonly feeds: readonly string[];
}

interface HeadScan {
  readonly links: readonly HeadLink[];
  /** The `href` of the first `<base>` that has one. */
  readonly base: string | undefined;
  /** Whether the head has ended, so that nothing after it matters. */
  readonly isEnded: boolean;
}

/** A link: its relations in lower case, its address as written, and its media type. */
interface HeadLink {
  readonly relations: readonly string[];
  readonly href: string;
  readonly type: string;
}

const MAX_LINKS = 20;
/** Number of links that are resolved: each takes as long as its base is. */
const MAX_RESOLVED = 100;

const FEED_TYPES = ["application/rss+xml", "application/atom+xml"];

/** End tags of the elements whose content is skipped. */
const END_TAGS: Readonly<Record<string, RegExp>> = {
  script: /<\/script[\s/>]/gi,
  style: /<\/style[\s/>]/gi,
  template: /<\/template[\s/>]/gi,
  noscript: /<\/noscript[\s/>]/gi,
};

/** Start of a comment, or start of a tag with its name: `<!--`, `</head`, `<LINK`. */
const CONSTRUCT_REGEXP = /<(?:!--|(\/?[a-z][^\s/>]*))/gi;
/** Rest of a tag, with `>` only in quoted values. A quote elsewhere is an ordinary character. */
const TAG_REST_REGEXP = /(?:[^=>]|=[\s=]*(?:"[^"]*"|'[^']*'|[^\s"'=>]))*(?:=[\s=]*)?>/y;
/** An attribute: its name, and its value in double quotes, in single quotes or without quotes. */
const ATTRIBUTE_REGEXP = /([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?/g;

/**
 * Scans the beginning of an HTML document up to `</head>` or `<body>`. A tag, comment or element that
 * is not complete is left out, so the scan of a longer beginning starts with the same links.
 */
export function scanHead(html: string): HeadScan {
  const links: HeadLink[] = [];
  let base: string | undefined;
  for (let at = 0; at >= 0;) {
    CONSTRUCT_REGEXP.lastIndex = at;
    const construct = CONSTRUCT_REGEXP.exec(html);
    if (construct === null) break;
    const [start, word] = construct;
    const end = construct.index + start.length;
    // a name at the end of the text may continue
    if (word !== undefined && end === html.length) break;
    const name = word?.toLowerCase();
    if (name === "/head" || name === "body") return { links, base, isEnded: true };
    if (name === undefined) {
      // `<!-->` is a comment
      const close = html.indexOf("-->", end - "--".length);
      at = close < 0 ? close : close + "-->".length;
      continue;
    }
    TAG_REST_REGEXP.lastIndex = end;
    const rest = TAG_REST_REGEXP.exec(html)?.[0];
    if (rest === undefined) break;
    at = end + rest.length;
    if (Object.hasOwn(END_TAGS, name)) {
      const endTag = END_TAGS[name]!;
      endTag.lastIndex = at;
      at = endTag.exec(html)?.index ?? -1;
    } else if (name === "base") base ??= attributesOf(rest).get("href");
    else if (name === "link") {
      const attributes = attributesOf(rest);
      const href = attributes.get("href");
      const type = trimSpace(attributes.get("type") ?? "").toLowerCase();
      if (href !== undefined) links.push({ relations: wordsOf(attributes.get("rel")), href, type });
    }
  }
  return { links, base, isEnded: false };
}

function attributesOf(rest: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single, bare] of rest.matchAll(ATTRIBUTE_REGEXP)) {
    const key = name.toLowerCase();
    const value = double ?? single ?? bare;
    if (value !== undefined && !attributes.has(key)) {
      attributes.set(key, decodeHTMLAttribute(value));
    }
  }
  return attributes;
}

function wordsOf(relations = ""): string[] {
  return relations.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

/**
 * A link of a `Link` header with its parameters: `<a.xml>; rel="sitemap"`. A string without an end is
 * the rest of the header (RFC 8288 §B.4), so that no character is read for two links.
 */
const HEADER_LINK_REGEXP = /<([^<>]*)>((?:[^",<]|"(?:[^"\\]|\\.)*(?:"|\\?$))*)/gs;
/** A parameter of a link, its value bare or in quotes; or a string elsewhere. */
const PARAMETER_REGEXP =
  /;\s*([^\s=;"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)(?:"|\\?$)|([^\s;,"]*)))?|"(?:[^"\\]|\\.)*"?/gs;

function headerSitemaps(header: string | null): string[] {
  if (header === null) return [];
  return [...header.matchAll(HEADER_LINK_REGEXP)].flatMap(([, href = "", parameters = ""]) => {
    // RFC 8288 §3.3: only the first "rel" counts
    const [, , quoted, bare] = [...parameters.matchAll(PARAMETER_REGEXP)].find(([, name]) =>
      /^rel$/i.test(name ?? "")
    ) ?? [];
    return wordsOf(quoted ?? bare).includes("sitemap") ? [href] : [];
  });
}

/** `url` is the final one. */
export function homepageLinks(url: URL, header: string | null, head: HeadScan): HomepageLinks {
  const base = head.base === undefined ? url : URL.parse(trimSpace(head.base), url) ?? url;
  const named = (relation: string, type?: string) => {
    const links = head.links.filter((link) =>
      link.relations.includes(relation) && (type === undefined || link.type === type)
    );
    return resolved(links.map(({ href }) => href), base);
  };
  const sitemaps = unique([...resolved(headerSitemaps(header), url), ...named("sitemap")]);
  const feeds = unique(FEED_TYPES.flatMap((type) => named("alternate", type).slice(0, 1)));
  return { sitemaps: sitemaps.slice(0, MAX_LINKS), feeds };
}

function resolved(hrefs: readonly string[], base: URL): string[] {
  return unique(hrefs).slice(0, MAX_RESOLVED).flatMap((href) => {
    const url = URL.parse(trimSpace(href), base);
    const isUsable = url !== null && isHttp(url) && url.hostname !== "";
    return isUsable ? [addressKey(withoutUserInfo(url).href)] : [];
  });
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
