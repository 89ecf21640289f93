/**
 * Matches the rules of a robots.txt with the path of a URL.
 *
 * @module
 */

import type { RobotsRule } from "./groups.ts";
import { PatternSet } from "./pattern_set.ts";

/** Rule with what decides its precedence, and the list that it is from. */
interface RankedRule {
  readonly pattern: string;
  readonly octets: number;
  readonly allow: boolean;
  readonly list: readonly RobotsRule[];
}

/** All rules of a robots.txt. */
export class RuleMatcher {
  /** In order of precedence. */
  readonly #rules: readonly RankedRule[];
  readonly #patterns: PatternSet;

  /** Takes the rules of all groups. */
  constructor(lists: ReadonlySet<readonly RobotsRule[]>) {
    const rules: RankedRule[] = [];
    for (const list of lists) {
      for (const { allow, path } of list) {
        for (const pattern of allow ? [path, ...directoryOf(path)] : [path]) {
          rules.push({ pattern: anchored(pattern), octets: octetsOf(pattern), allow, list });
        }
      }
    }
    // RFC 9309 §2.2.2: the longest match, and allow among equals
    rules.sort((a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow));
    this.#rules = rules;
    this.#patterns = new PatternSet(rules.map(({ pattern }) => pattern));
  }

  /** Whether the rules of some lists allow a path with its query, as a URL has it. */
  allows(path: string, lists: ReadonlySet<readonly RobotsRule[]>): boolean {
    const counts = (rule: number) => lists.has(this.#rules[rule]!.list);
    let best = this.#patterns.find(subjectOf(path), counts);
    // RFC 9309 §2.2.2: unreserved characters of URLs are decoded; Google compares them as written
    const decoded = path.replace(UNRESERVED_OCTET_REGEXP, characterOf);
    if (decoded !== path) best = Math.min(best, this.#patterns.find(subjectOf(decoded), counts));
    return this.#rules[best]?.allow ?? true;
  }
}

/** Characters before and after a path, which are encoded inside of it. */
const START = "^";
const END = "$";

/** Returns a pattern in the form that paths are compared with. */
function anchored(pattern: string): string {
  const isWhole = pattern.endsWith("$");
  // a `$` before the end is literal (RFC 9309 §2.2.3)
  const body = comparable(isWhole ? pattern.slice(0, -1) : pattern).replaceAll("$", "%24");
  return `${START}${body}${isWhole ? END : ""}`;
}

/** Returns a path in the form that patterns are compared with. */
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
