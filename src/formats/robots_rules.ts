/**
 * Rules of a robots.txt for one user agent, by RFC 9309. `Sitemap` lines are read by `lines.ts`.
 *
 * @module
 */

/** Maximum number of rules of one group; further ones are ignored. */
export const MAX_ROBOTS_RULES = 10_000;

/**
 * Maximum number of characters compared for one URL by patterns with wildcards; beyond it, the URL is
 * disallowed. 10,000 such rules need a million for a URL of a hundred characters; rules made to be slow
 * would need the size of robots.txt times the length of the URL.
 */
const MAX_COMPARED = 2_000_000;

/** Rules of a robots.txt for one user agent. */
export interface RobotsRules {
  /** Whether a URL of the site may be fetched, by its path and query. */
  allows(url: URL): boolean;
  /** Milliseconds between requests (`Crawl-delay`). */
  readonly crawlDelay: number | undefined;
  /** Whether rules beyond {@linkcode MAX_ROBOTS_RULES} were ignored. */
  readonly truncated: boolean;
}

/** All groups of one user agent, merged (RFC 9309 §2.2.1). */
interface Group {
  /** Whether a line named this user agent; its group may have no rules. */
  named: boolean;
  /** Patterns, and whether they allow; of equal ones, the one that allows is used. */
  readonly rules: Map<string, boolean>;
  crawlDelay: number | undefined;
  truncated: boolean;
}

// letters, `_` and `-` by RFC 9309 §2.2.1, and digits to tell `bot1` from `bot2`
const PRODUCT_TOKEN_REGEXP = /^[\w-]+/;
const EVERYONE_REGEXP = /^\*(?:\s|$)/;
const LINE_END_REGEXP = /\r\n|\r|\n/;
// up to 30 years
const SECONDS_REGEXP = /^\d{1,9}(?:\.\d*)?$|^\.\d+$/;

/**
 * Reads the rules for the first product of `userAgent` (`sitetree` of `sitetree/0.1.0 (+…)`), or those
 * for `*` if it has none. Unreadable lines are skipped; without rules, everything is allowed.
 */
export function parseRobotsRules(text: string, userAgent: string): RobotsRules {
  const token = productToken(userAgent);
  const ours = newGroup();
  const everyones = newGroup();
  /** Groups that the current line belongs to. */
  let current = new Set<Group>();
  let isAfterRule = false;

  for (const line of text.replace(/^\ufeff/, "").split(LINE_END_REGEXP)) {
    const [key, value] = readLine(line);
    switch (key) {
      case "user-agent":
        // consecutive lines share the rules after them, also if other records such as Sitemap or
        // Crawl-delay are in between (RFC 9309 §2.2.4)
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

/** Returns key and value; both are empty for a line without colon. A `#` always starts a comment. */
function readLine(line: string): readonly [key: string, value: string] {
  const comment = line.indexOf("#");
  const record = comment < 0 ? line : line.slice(0, comment);
  const colon = record.indexOf(":");
  if (colon < 0) return ["", ""];
  const key = record.slice(0, colon).trim().toLowerCase();
  // common misspellings, which Google reads too
  const isAgent = key === "useragent" || key === "user agent";
  return [isAgent ? "user-agent" : key, record.slice(colon + 1).trim()];
}

function addRule(groups: ReadonlySet<Group>, pattern: string, allow: boolean): void {
  // an empty pattern is ignored, and a path begins with a slash
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
  // the longest of several
  for (const group of groups) group.crawlDelay = Math.max(group.crawlDelay ?? 0, delay);
}

/** Rule of a group; its pattern is ASCII. */
interface Rule {
  readonly pattern: string;
  readonly hasWildcard: boolean;
  readonly allow: boolean;
}

/**
 * Rules of a group. They are compared with a path and a `$`, which no path contains, so that every
 * pattern, also one that ends in `$`, matches a prefix.
 */
class GroupRules implements RobotsRules {
  readonly crawlDelay: number | undefined;
  readonly truncated: boolean;
  /** In order of precedence, so the first match decides. */
  readonly #rules: readonly Rule[];
  /** Characters that may still be compared. */
  #left = 0;

  constructor({ rules, crawlDelay, truncated }: Group) {
    this.crawlDelay = crawlDelay;
    this.truncated = truncated;
    // RFC 9309 §2.2.2: the longest match, and allow among equals
    this.#rules = [...rules]
      .map(([pattern, allow]) => ({ pattern, hasWildcard: pattern.includes("*"), allow }))
      .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow));
  }

  allows(url: URL): boolean {
    // RFC 9309 §2.2.2: "The /robots.txt URI is implicitly allowed"
    if (this.#rules.length === 0 || url.pathname === "/robots.txt") return true;
    const path = comparable(url.pathname + url.search);
    const subject = `${path.replaceAll("*", "%2A").replaceAll("$", "%24")}$`;
    this.#left = MAX_COMPARED;
    for (const { pattern, hasWildcard, allow } of this.#rules) {
      if (hasWildcard ? this.#matches(pattern, subject) : subject.startsWith(pattern)) return allow;
      if (this.#left < 0) return false;
    }
    return true;
  }

  /**
   * Whether a pattern with wildcards matches. After a mismatch, only the last `*` is tried further on:
   * those before it have matched as early as possible, which leaves the most.
   */
  #matches(pattern: string, subject: string): boolean {
    let i = 0, at = 0, part = 0, partAt = -1, left = this.#left;
    while (i < pattern.length && left >= 0) {
      left--;
      if (pattern[i] === "*") {
        part = ++i;
        partAt = at;
      } else if (at < subject.length && pattern[i] === subject[at]) {
        i++;
        at++;
      } else if (partAt < 0 || at === subject.length) {
        break;
      } else {
        // the next place where the part may begin
        i = part;
        const next = subject.indexOf(pattern[part]!, partAt + 1);
        at = next < 0 ? subject.length : next;
        left -= at - partAt;
        partAt = at;
      }
    }
    this.#left = left;
    return i === pattern.length;
  }
}

/** Returns a pattern in the form that paths are compared with. */
function normalized(pattern: string): string {
  const isAnchored = pattern.endsWith("$");
  // a `$` before the end is literal (RFC 9309 §2.2.3), and %24 in a comparable path
  const body = comparable(isAnchored ? pattern.slice(0, -1) : pattern).replaceAll("$", "%24");
  return isAnchored ? `${body}$` : body;
}

/** An encoded octet, a run of characters that are neither unreserved nor reserved, or a bare `%`. */
const TO_COMPARE_REGEXP = /%[0-9a-f]{2}|[^\w.~:/?#[\]@!$&'()*+,;=%-]+|%/gi;
const UNRESERVED_REGEXP = /[\w.~-]/;
/** Reserved characters with the same meaning, raw or encoded. */
const ALIKE_IN_PATH_REGEXP = /[:@[\]!&'()+,;=]/;
const ALIKE_IN_QUERY_REGEXP = /[:/?@[\]!'()+,;]/;

/**
 * Returns path and query in a form in which equal ones have equal characters (RFC 9309 §2.2.2):
 * letters, digits and `-._~` are decoded, everything that is not ASCII or not allowed in URLs is
 * encoded. The RFC encodes reserved characters on both sides; here they are decoded on both, which
 * compares the same, also where a wildcard may match path or query. Separators stay as they are: `/`
 * and `?` in the path, `&` and `=` in the query.
 */
function comparable(path: string): string {
  const query = path.indexOf("?");
  return path.toWellFormed().replace(TO_COMPARE_REGEXP, (found, offset: number) => {
    if (found === "%") return "%25";
    if (!found.startsWith("%")) return encodeURIComponent(found);
    const character = String.fromCharCode(parseInt(found.slice(1), 16));
    const alike = query >= 0 && offset > query ? ALIKE_IN_QUERY_REGEXP : ALIKE_IN_PATH_REGEXP;
    return UNRESERVED_REGEXP.test(character) || alike.test(character)
      ? character
      : found.toUpperCase();
  });
}
