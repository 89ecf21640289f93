/**
 * Groups of a robots.txt: user agents with their rules, by RFC 9309 and, where it differs, by Google's
 * parser. `Sitemap` lines are read by `../formats/lines.ts`.
 *
 * @module
 */

import { trimmed } from "../data/text.ts";

/** A robots.txt that was read. */
export interface Robots {
  /** Sitemaps that it declares, in its order and without duplicates. */
  readonly sitemaps: readonly string[];
  /** Groups in its order: consecutive user agents, and the `Allow` and `Disallow` lines after them. */
  readonly groups: readonly {
    /** Product tokens as written, without versions; `*` for all crawlers that no group names. */
    readonly agents: readonly string[];
    /** Rules in the order of the file, without empty ones, which match nothing. */
    readonly rules: readonly {
      /** Whether it allows what it matches. */
      readonly allow: boolean;
      /** Path as written, with its wildcards: `/private/*.html$`. */
      readonly path: string;
    }[];
    /** Milliseconds between requests (`Crawl-delay`). */
    readonly crawlDelay?: number;
  }[];
  /** Whether it has more than 500 KiB, the rest of which was ignored. */
  readonly truncated: boolean;
  /**
   * Whether a crawler may request a URL, by its path and query; its host is not compared.
   *
   * @param url a URL of the site, or a path that begins with a slash; what is neither counts as `/`
   * @param agent product token of the crawler (`examplebot`), or its whole User-Agent
   */
  allows(url: string | URL, agent: string): boolean;
  /**
   * Returns the milliseconds between two requests of a crawler (`Crawl-delay`), if there is such a line
   * for it.
   *
   * @param agent product token of the crawler (`examplebot`), or its whole User-Agent
   */
  crawlDelay(agent: string): number | undefined;
}

export type RobotsGroup = Robots["groups"][number];
export type RobotsRule = RobotsGroup["rules"][number];

interface OpenGroup extends RobotsGroup {
  readonly agents: string[];
  readonly rules: RobotsRule[];
  crawlDelay?: number;
}

/** Bytes of a line that Google reads; the rest of the line is ignored. */
const MAX_LINE_BYTES = 2083 * 8 - 1;

type Kind = "agent" | "allow" | "disallow" | "delay";

/** Kinds of lines by the beginning of their keys, with the misspellings that Google reads. */
const KEYS: readonly (readonly [kind: Kind, start: RegExp])[] = [
  ["agent", /^user[- ]?agent/i],
  ["allow", /^allow/i],
  ["disallow", /^(?:diss?all?ow|diasllow|disallaw)/i],
  ["delay", /^crawl-delay/i],
];

const LINE_END_REGEXP = /\r\n|\r|\n/;
/** Where a comment begins, or Google stops to read a line. */
const COMMENT_REGEXP = /[#\0]/;
/** Whitespace of ASCII; any other is part of a key or value, as for Google. */
const SPACE_REGEXP = /[\t-\r ]/;
const EVERYONE_REGEXP = /^\*(?:[\t-\r ]|$)/;
/** Letters, `_` and `-` by RFC 9309 §2.2.1, and digits, which tell `bot1` from `bot2`. */
const TOKEN_REGEXP = /^[\w-]+/;
/** Name of a crawler that presents itself as a browser: `Mozilla/5.0 (compatible; bot/1.0)`. */
const COMPATIBLE_REGEXP = /^\s*mozilla\/.*?\bcompatible;\s*([\w-]+)/i;
/** Seconds, up to 30 years. */
const SECONDS_REGEXP = /^\d{1,9}(?:\.\d*)?$|^\.\d+$/;

/** Groups with the same rules, but a `Crawl-delay` of their own, share one array of rules. */
export function readGroups(text: string): RobotsGroup[] {
  const groups: OpenGroup[] = [];
  let group: OpenGroup | undefined;
  let isAfterRule = false;
  for (const line of text.split(LINE_END_REGEXP)) {
    const [kind, value] = readLine(line);
    if (kind === "agent") {
      // other lines than rules do not end a group (RFC 9309 §2.2.4), so that agents of different
      // delays may have the same rules
      const isNew = group === undefined || isAfterRule;
      if (isNew || group!.crawlDelay !== undefined) {
        group = { agents: [], rules: isNew ? [] : group!.rules };
        groups.push(group);
      }
      isAfterRule = false;
      const agent = EVERYONE_REGEXP.test(value) ? "*" : TOKEN_REGEXP.exec(value)?.[0];
      if (agent !== undefined) group!.agents.push(agent);
    } else if (group !== undefined && kind === "delay") {
      // the longest of several
      const delay = SECONDS_REGEXP.test(value) ? Math.round(Number(value) * 1000) : -1;
      if (delay >= 0) group.crawlDelay = Math.max(group.crawlDelay ?? 0, delay);
    } else if (group !== undefined && kind !== undefined) {
      isAfterRule = true;
      if (value !== "") group.rules.push({ allow: kind === "allow", path: value });
    }
  }
  return groups.filter(({ agents }) => agents.length > 0);
}

/**
 * Returns the product token of a crawler, in lower case: of `bot`, of `bot/1.0 (+https://…)`, or of
 * `Mozilla/5.0 (compatible; bot/1.0)`, as in the example of RFC 9309 §2.2.1. Empty if there is none.
 */
export function productToken(userAgent: string): string {
  const token = COMPATIBLE_REGEXP.exec(userAgent)?.[1] ?? TOKEN_REGEXP.exec(userAgent.trim())?.[0];
  return token?.toLowerCase() ?? "";
}

function readLine(line: string): readonly [kind: Kind | undefined, value: string] {
  const isShort = line.length <= MAX_LINE_BYTES / 3;
  const read = isShort ? line : line.slice(0, lengthWithin(line, MAX_LINE_BYTES));
  const [text = ""] = read.split(COMMENT_REGEXP, 1);
  const record = trimmed(text, SPACE_REGEXP);
  const colon = record.indexOf(":");
  const [key = "", value, ...rest] = colon < 0
    ? record.split(/[\t ]+/)
    : [record.slice(0, colon), record.slice(colon + 1)];
  // a line without a colon has exactly two words
  if (value === undefined || rest.length > 0) return [undefined, ""];
  return [KEYS.find(([, start]) => start.test(key))?.[0], trimmed(value, SPACE_REGEXP)];
}

/** Returns the length of the start of a text that fits into a number of bytes of UTF-8. */
export function lengthWithin(text: string, maxBytes: number): number {
  return new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read;
}
