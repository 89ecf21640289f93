import { withScheme } from "../data/url.ts";
import type { RobotsRule } from "./groups.ts";
import { PatternSet } from "./pattern_set.ts";

/** Bytes of the objects and arrays of a matcher, about, without the elements of arrays. */
const OBJECT_BYTES = 3000;

/** The rules are copied, and keep no text alive. */
export class RuleMatcher {
  /** Whether each rule allows, in order of precedence. */
  readonly #allow: Uint8Array;
  readonly #patterns: PatternSet;

  constructor(rules: readonly RobotsRule[]) {
    const ranked = rules.flatMap(({ allow, path }) =>
      (allow ? [path, ...directoryOf(path)] : [path])
        .map((pattern) => ({ pattern: anchored(pattern), octets: octetsOf(pattern), allow }))
    );
    // RFC 9309 §2.2.2: the longest match, and allow among equals
    ranked.sort((a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow));
    this.#allow = Uint8Array.from(ranked, ({ allow }) => Number(allow));
    this.#patterns = new PatternSet(ranked.map(({ pattern }) => pattern));
  }

  get bytes(): number {
    return OBJECT_BYTES + this.#allow.length + this.#patterns.bytes;
  }

  allows(url: string | URL): boolean {
    const path = pathOf(url);
    // RFC 9309 §2.2.2: "The /robots.txt URI is implicitly allowed"
    if (/^\/robots\.txt(?:\?|$)/.test(path)) return true;
    let best = this.#patterns.find(subjectOf(path));
    // RFC 9309 §2.2.2: unreserved characters of URLs are decoded; Google compares them as written
    const decoded = path.replace(UNRESERVED_OCTET_REGEXP, characterOf);
    if (decoded !== path) best = Math.min(best, this.#patterns.find(subjectOf(decoded)));
    return this.#allow[best] !== 0;
  }
}

/** Returns path and query of a URL; a word without a scheme begins with a host. */
function pathOf(url: string | URL): string {
  const word = String(url).trim();
  const isPath = /^\/(?!\/)/.test(word);
  const href = url instanceof URL
    ? word
    : URL.parse(isPath ? `https://site.invalid${word}` : withScheme(word))?.href;
  const [, path] = /^[^/#]*\/\/[^/#]*([^#]*)/.exec(href ?? "") ?? [];
  return path || "/";
}

/** Characters before and after a path, which are encoded inside of it. */
const START = "^";
const END = "$";

function anchored(pattern: string): string {
  const isWhole = pattern.endsWith("$");
  // a `$` before the end is literal (RFC 9309 §2.2.3)
  const body = comparable(isWhole ? pattern.slice(0, -1) : pattern).replaceAll("$", "%24");
  return `${START}${body}${isWhole ? END : ""}`;
}

function subjectOf(path: string): string {
  const text = comparable(path).replaceAll("*", "%2A").replaceAll("$", "%24");
  return `${START}${text}${END}`;
}

/** Returns the pattern that Google adds to one that allows `index.html` or `index.htm`: its directory. */
function directoryOf(pattern: string): string[] {
  const slash = pattern.lastIndexOf("/");
  return pattern.startsWith("/index.htm", slash) ? [`${pattern.slice(0, slash + 1)}$`] : [];
}

/** Returns the number of octets of a pattern, where characters beyond ASCII are encoded. */
function octetsOf(pattern: string): number {
  return pattern.toWellFormed().replace(/[^\0-\x7f]+/g, encodeURIComponent).length;
}

/** Only characters that are compared as they are. */
const PLAIN_REGEXP = /^[\w.~:/?#[\]@!$&'()*+,;=-]*$/;
/** An encoded octet, a run of characters that are neither unreserved nor reserved, or a bare `%`. */
const TO_COMPARE_REGEXP = /%[0-9a-f]{2}|[^\w.~:/?#[\]@!$&'()*+,;=%-]+|%/gi;
/** An encoded letter, digit, `-`, `.`, `_` or `~`. */
const UNRESERVED_OCTET_REGEXP = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;
/** Reserved characters with the same meaning, raw or encoded. */
const ALIKE_IN_PATH_REGEXP = /[:@[\]!&'()+,;=]/;
const ALIKE_IN_QUERY_REGEXP = /[:/?@[\]!'()+,;]/;

/**
 * Returns path and query in a form in which equal ones have equal characters (RFC 9309 §2.2.2):
 * everything that is not ASCII or not allowed in URLs is encoded. The RFC encodes reserved characters on
 * both sides; here they are decoded on both, which compares the same, also where a wildcard may match
 * path or query. Separators stay as they are: `/` and `?` in the path, `&` and `=` in the query.
 */
function comparable(path: string): string {
  if (PLAIN_REGEXP.test(path)) return path;
  const query = path.indexOf("?");
  return path.toWellFormed().replace(TO_COMPARE_REGEXP, (found, offset: number) => {
    if (found === "%") return "%25";
    if (!found.startsWith("%")) return encodeURIComponent(found);
    const character = characterOf(found);
    const alike = query >= 0 && offset > query ? ALIKE_IN_QUERY_REGEXP : ALIKE_IN_PATH_REGEXP;
    return alike.test(character) ? character : found.toUpperCase();
  });
}

function characterOf(octet: string): string {
  return String.fromCharCode(parseInt(octet.slice(1), 16));
}
