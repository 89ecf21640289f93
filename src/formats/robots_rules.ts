/**
 * What a robots.txt lets us fetch, by RFC 9309.
 *
 * Sitemap lines are no part of this: they belong to no group and are read elsewhere.
 *
 * @module
 */

/** Rules of one group that are kept; of more, the first ones. Google's parser has no such limit. */
export const MAX_ROBOTS_RULES = 10_000;

/**
 * Characters of a path that are compared with rules: RFC 9110 §4.1 asks servers for 8,000 octets and
 * many take no more. A longer one is allowed only where there are no rules.
 */
export const MAX_ROBOTS_PATH = 8192;

/**
 * Characters that may be looked at for one URL. Thousands of rules with wildcards stay far below that;
 * 500 KiB of rules made for it would take a second. Beyond it, a URL counts as disallowed.
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

interface Rule {
  readonly allow: boolean;
  /** The octets of the pattern: the most specific rule is the longest one. */
  readonly length: number;
  /** What stands between the `*` of the pattern. */
  readonly parts: readonly string[];
  /** Whether the pattern ends in `$`. */
  readonly anchored: boolean;
}

/** All groups of one user agent, merged (RFC 9309 §2.2.1). */
interface Group {
  /** Whether any line named this user agent; a group may well have no rules. */
  named: boolean;
  rules: Rule[];
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
  return rulesOf(ours.named ? ours : everyones);
}

function newGroup(): Group {
  return { named: false, rules: [], crawlDelay: undefined, truncated: false };
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
  const rule = compile(pattern, allow);
  for (const group of groups) {
    if (group.rules.length < MAX_ROBOTS_RULES) group.rules.push(rule);
    else group.truncated = true;
  }
}

function addCrawlDelay(groups: ReadonlySet<Group>, seconds: string): void {
  if (!SECONDS_REGEXP.test(seconds)) return;
  const delay = Math.round(Number(seconds) * 1000);
  // of several the longest, which offends nobody
  for (const group of groups) group.crawlDelay = Math.max(group.crawlDelay ?? 0, delay);
}

function rulesOf({ rules, crawlDelay, truncated }: Group): RobotsRules {
  // RFC 9309 §2.2.2: the longest match counts, and allow among equals, so the first one that matches
  const ordered = rules.toSorted((a, b) =>
    b.length - a.length || Number(b.allow) - Number(a.allow)
  );
  return {
    allows(url) {
      // RFC 9309 §2.2.2: "The /robots.txt URI is implicitly allowed"
      if (url.pathname === "/robots.txt") return true;
      if (ordered.length === 0) return true;
      const path = comparable(url.pathname + url.search).replaceAll("*", "%2A")
        .replaceAll("$", "%24");
      if (path.length > MAX_ROBOTS_PATH) return false;
      const budget: Budget = { left: MAX_COMPARED };
      for (const rule of ordered) {
        if (matches(rule, path, budget)) return rule.allow;
        if (budget.left < 0) return false;
      }
      return true;
    },
    crawlDelay,
    truncated,
  };
}

function compile(pattern: string, allow: boolean): Rule {
  const anchored = pattern.endsWith("$");
  // a `$` before the end stands for itself (RFC 9309 §2.2.3), which is %24 in a path to compare
  const body = comparable(anchored ? pattern.slice(0, -1) : pattern).replaceAll("$", "%24");
  return {
    allow,
    length: body.length + Number(anchored),
    parts: body.split(/\*+/),
    anchored,
  };
}

/** Characters that may still be looked at. */
interface Budget {
  left: number;
}

/**
 * Whether a pattern matches. Each part is looked for where the one before ended and never again
 * further on: the leftmost place leaves the most to the rest, so there is nothing to try twice.
 */
function matches({ parts, anchored }: Rule, path: string, budget: Budget): boolean {
  const [first] = parts as [string];
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = parts.length - 1;
  if (last === 0) return !anchored || at === path.length;
  for (let index = 1; index <= last; index++) {
    const part = parts[index] as string;
    if (anchored && index === last) return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    budget.left -= (found < 0 ? path.length : found) - at + part.length;
    if (found < 0 || budget.left < 0) return false;
    at = found + part.length;
  }
  return true;
}

const ENCODER = new TextEncoder();
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
    if (!found.startsWith("%") || found === "%") return percentEncode(found);
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
