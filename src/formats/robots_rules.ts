/**
 * What a robots.txt lets us fetch, by RFC 9309.
 *
 * Sitemap lines are no part of this: they belong to no group and are read elsewhere.
 *
 * @module
 */

/** Different rules of one group that are kept; of more, the first ones. Google's parser has no such limit. */
export const MAX_ROBOTS_RULES = 10_000;

/**
 * Characters of patterns with wildcards that may be compared with one URL; a URL that takes more counts
 * as disallowed. 10,000 such rules take a million for a URL of a hundred characters. Rules made to be
 * slow would take 500 KiB times the length of the URL.
 */
const MAX_COMPARED = 2_000_000;

/** What a robots.txt says to one user agent. */
export interface RobotsRules {
  /** Whether a URL of the site may be fetched, by its path and query. */
  allows(url: URL): boolean;
  /** Milliseconds to leave between requests, where our group asks for it (`Crawl-delay`). */
  readonly crawlDelay: number | undefined;
  /** Whether there were more than {@linkcode MAX_ROBOTS_RULES} rules for us. */
  readonly truncated: boolean;
}

/** All groups of one user agent, merged (RFC 9309 §2.2.1). */
interface Group {
  /** Whether any line named this user agent; a group may well have no rules. */
  named: boolean;
  /** Whether patterns allow what they match; of two equal ones, the one that does counts. */
  readonly rules: Map<string, boolean>;
  crawlDelay: number | undefined;
  truncated: boolean;
}

// RFC 9309 §2.2.1 has letters, `_` and `-`; digits besides, so that `bot1` and `bot2` are two.
const PRODUCT_TOKEN_REGEXP = /^[\w-]+/;
const EVERYONE_REGEXP = /^\*(?:\s|$)/;
const LINE_END_REGEXP = /\r\n|\r|\n/;
// nine digits are 30 years
const SECONDS_REGEXP = /^\d{1,9}(?:\.\d*)?$|^\.\d+$/;

/**
 * Reads the rules for the first product of `userAgent` (`sitetree` of `sitetree/0.1.0 (+…)`), or
 * else those for `*`. What cannot be read is passed over; without rules all is allowed.
 */
export function parseRobotsRules(text: string, userAgent: string): RobotsRules {
  const token = productToken(userAgent);
  const ours = newGroup();
  const everyones = newGroup();
  /** The groups that the lines being read belong to. */
  let current = new Set<Group>();
  let isAfterRule = false;

  for (const line of text.replace(/^\ufeff/, "").split(LINE_END_REGEXP)) {
    const [key, value] = readLine(line);
    switch (key) {
      case "user-agent":
        // Several such lines in a row share the rules after them; any other record in between, such
        // as Sitemap or Crawl-delay, must not interfere (RFC 9309 §2.2.4).
        if (isAfterRule) current = new Set();
        isAfterRule = false;
        if (EVERYONE_REGEXP.test(value)) current.add(everyones);
        else if (token !== "" && productToken(value) === token) current.add(ours);
        for (const group of current) group.named = true;
        break;
      case "allow":
      case "disallow":
        isAfterRule = true;
        addRule(current, value, key === "allow");
        break;
      case "crawl-delay":
        addCrawlDelay(current, value);
        break;
    }
  }
  return new GroupRules(ours.named ? ours : everyones);
}

function newGroup(): Group {
  return { named: false, rules: new Map(), crawlDelay: undefined, truncated: false };
}

function productToken(userAgent: string): string {
  return PRODUCT_TOKEN_REGEXP.exec(userAgent.trim())?.[0].toLowerCase() ?? "";
}

/** Key and value; both empty for a line without colon. A `#` always starts a comment. */
function readLine(line: string): readonly [key: string, value: string] {
  const comment = line.indexOf("#");
  const record = comment < 0 ? line : line.slice(0, comment);
  const colon = record.indexOf(":");
  if (colon < 0) return ["", ""];
  const key = record.slice(0, colon).trim().toLowerCase();
  // frequent misspellings, which Google reads too
  const isAgent = key === "useragent" || key === "user agent";
  return [isAgent ? "user-agent" : key, record.slice(colon + 1).trim()];
}

function addRule(groups: ReadonlySet<Group>, pattern: string, allow: boolean): void {
  // An empty pattern is no rule; one that begins otherwise matches no path, since all begin with /.
  if (groups.size === 0 || !(pattern.startsWith("/") || pattern.startsWith("*"))) return;
  const rule = normalized(pattern);
  for (const group of groups) {
    const known = group.rules.get(rule);
    if (known === undefined && group.rules.size === MAX_ROBOTS_RULES) group.truncated = true;
    else group.rules.set(rule, allow || known === true);
  }
}

function addCrawlDelay(groups: ReadonlySet<Group>, seconds: string): void {
  if (!SECONDS_REGEXP.test(seconds)) return;
  const delay = Math.round(Number(seconds) * 1000);
  // of several the longest, which offends nobody
  for (const group of groups) group.crawlDelay = Math.max(group.crawlDelay ?? 0, delay);
}

const ENCODER = new TextEncoder();
const STAR = 0x2a;

/** A rule with wildcards; all of its octets are ASCII. */
interface Wildcard {
  readonly octets: Uint8Array;
  readonly allow: boolean;
}

/**
 * The rules of a group. What they are compared with is a path and a `$`, which no path has: every
 * pattern, also one that ends in `$`, then matches the beginning of it.
 */
class GroupRules implements RobotsRules {
  readonly crawlDelay: number | undefined;
  readonly truncated: boolean;
  readonly #rules: ReadonlyMap<string, boolean>;
  /** Lengths of the patterns without wildcards, from the longest to the shortest. */
  readonly #lengths: readonly number[];
  /** Patterns with wildcards, from the first that counts to the last. */
  readonly #wildcards: readonly Wildcard[];
  /** Characters that may still be compared. */
  #left = 0;

  constructor({ rules, crawlDelay, truncated }: Group) {
    this.crawlDelay = crawlDelay;
    this.truncated = truncated;
    this.#rules = rules;
    const patterns = [...rules.keys()];
    const literals = patterns.filter((pattern) => !pattern.includes("*"));
    this.#lengths = [...new Set(literals.map(({ length }) => length))].sort((a, b) => b - a);
    // RFC 9309 §2.2.2: the longest match counts, and allow among equals
    this.#wildcards = patterns.filter((pattern) => pattern.includes("*"))
      .map((pattern) => ({ octets: ENCODER.encode(pattern), allow: rules.get(pattern)! }))
      .sort((a, b) => b.octets.length - a.octets.length || Number(b.allow) - Number(a.allow));
  }

  allows(url: URL): boolean {
    // RFC 9309 §2.2.2: "The /robots.txt URI is implicitly allowed"
    if (this.#rules.size === 0 || url.pathname === "/robots.txt") return true;
    const path = comparable(url.pathname + url.search);
    const subject = `${path.replaceAll("*", "%2A").replaceAll("$", "%24")}$`;
    const literal = this.#longestLiteral(subject);
    const isAllowed = this.#rules.get(literal) ?? true;
    const octets = ENCODER.encode(subject);
    this.#left = MAX_COMPARED;
    for (const wildcard of this.#wildcards) {
      const { length } = wildcard.octets;
      if (length < literal.length) break;
      if (!this.#matches(wildcard.octets, octets)) continue;
      return wildcard.allow || (length === literal.length && isAllowed);
    }
    return this.#left >= 0 && isAllowed;
  }

  /** The longest pattern without wildcards that matches, `""` if none does. */
  #longestLiteral(subject: string): string {
    for (const length of this.#lengths) {
      const beginning = subject.slice(0, length);
      if (this.#rules.has(beginning)) return beginning;
    }
    return "";
  }

  /**
   * Whether a pattern with wildcards matches. When a character differs, only the last `*` is tried
   * again, further on: those before it have matched as early as possible, which leaves the most.
   */
  #matches(pattern: Uint8Array, subject: Uint8Array): boolean {
    let i = 0, at = 0, part = 0, partAt = -1, left = this.#left;
    while (i < pattern.length && left >= 0) {
      const code = pattern[i]!;
      left--;
      if (code === STAR) {
        part = ++i;
        partAt = at;
      } else if (at < subject.length && code === subject[at]) {
        i++;
        at++;
      } else if (partAt < 0 || at === subject.length) {
        break;
      } else {
        // to the next place where the part may begin
        const first = pattern[i = part]!;
        for (at = partAt + 1; at < subject.length && subject[at] !== first;) at++;
        left -= at - partAt;
        partAt = at;
      }
    }
    this.#left = left;
    return i === pattern.length;
  }
}

/** A pattern as paths are compared with it. */
function normalized(pattern: string): string {
  const isAnchored = pattern.endsWith("$");
  // a `$` before the end is literal (RFC 9309 §2.2.3), which is %24 in a path to compare
  const body = comparable(isAnchored ? pattern.slice(0, -1) : pattern).replaceAll("$", "%24");
  return isAnchored ? `${body}$` : body;
}

/** An encoded octet, a run of characters that are neither unreserved nor reserved, or a bare `%`. */
const TO_COMPARE_REGEXP = /%[0-9a-f]{2}|[^\w.~:/?#[\]@!$&'()*+,;=%-]+|%/gi;
const UNRESERVED_REGEXP = /[\w.~-]/;
/** Reserved characters that, where they stand raw, mean the same as encoded. */
const ALIKE_IN_PATH_REGEXP = /[:@[\]!&'()+,;=]/;
const ALIKE_IN_QUERY_REGEXP = /[:/?@[\]!'()+,;]/;

/**
 * Path and query, so that equal ones have equal characters (RFC 9309 §2.2.2): letters, digits and
 * `-._~` are decoded, everything outside ASCII and what no URL may hold is encoded. The RFC encodes
 * reserved characters on both sides; they are decoded on both here, which compares the same, also
 * where a wildcard leaves open whether path or query is meant. Those that divide stay as they are:
 * `/` and `?` in the path, `&` and `=` in the query.
 */
function comparable(path: string): string {
  const query = path.indexOf("?");
  return path.toWellFormed().replace(TO_COMPARE_REGEXP, (found, offset: number) => {
    if (found === "%") return "%25";
    if (!found.startsWith("%")) return percentEncode(found);
    const character = String.fromCharCode(parseInt(found.slice(1), 16));
    const alike = query >= 0 && offset > query ? ALIKE_IN_QUERY_REGEXP : ALIKE_IN_PATH_REGEXP;
    return UNRESERVED_REGEXP.test(character) || alike.test(character)
      ? character
      : found.toUpperCase();
  });
}

function percentEncode(characters: string): string {
  let encoded = "";
  for (const octet of ENCODER.encode(characters)) {
    encoded += `%${octet.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}
