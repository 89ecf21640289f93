import { streamSource } from "../bytes/byte_source.ts";
import { detectEncoding } from "../bytes/detect_encoding.ts";
import { HashTable } from "../bytes/hash_table.ts";
import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import { HeldBytes } from "../bytes/window.ts";
import { MAX_ROBOTS_BYTES } from "../data/limits.ts";
import { ADDRESS, applyRules, type OptionRules } from "../data/option_rules.ts";
import { Entries } from "../formats/entries.ts";
import { LineReader, ROBOTS_FORMAT, withoutTags } from "../formats/lines.ts";
import {
  lengthWithin,
  productToken,
  readGroups,
  type Robots,
  type RobotsGroup,
  type RobotsRule,
} from "./groups.ts";
import { RuleMatcher } from "./rule_matcher.ts";

/** Options of {@linkcode parseRobots} and {@linkcode readRobots}. */
export interface RobotsOptions {
  /** Final URL of the robots.txt, which relative addresses of sitemaps need. Default: none. */
  readonly url?: string | URL;
}

const OPTIONS: OptionRules<RobotsOptions> = { url: ADDRESS };

/**
 * Reads a robots.txt by RFC 9309 and, where the two differ, by Google's rules. Nothing in it is an
 * error: unreadable lines are skipped, and without rules everything is allowed. At most 500 KiB are
 * read. The time to parse is proportional to the size of the file; the time to match a URL does not
 * depend on how its wildcards are arranged.
 *
 * @param text content of the file
 * @param options URL of the file
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { parseRobots } from "@sitetree/sitetree/robots";
 * import { assertEquals } from "@std/assert";
 *
 * const robots = parseRobots(`
 *   User-agent: *
 *   Disallow: /cart
 *   Allow: /cart/help$
 *   Crawl-delay: 2
 *   Sitemap: https://example.com/sitemap.xml
 * `);
 * assertEquals(robots.allows("https://example.com/cart?id=7", "examplebot"), false);
 * assertEquals(robots.allows("https://example.com/cart/help", "examplebot"), true);
 * assertEquals(robots.crawlDelay("examplebot"), 2000);
 * assertEquals(robots.sitemaps, ["https://example.com/sitemap.xml"]);
 * ```
 */
export function parseRobots(text: string, options: RobotsOptions = {}): Robots {
  applyRules(OPTIONS, options);
  // a character has at most three bytes
  const length = text.length * 3 <= MAX_ROBOTS_BYTES
    ? text.length
    : lengthWithin(text, MAX_ROBOTS_BYTES);
  return robotsOf(text.slice(0, length), length < text.length, options);
}

/**
 * Reads a robots.txt as {@linkcode parseRobots} does, from a stream of bytes such as the body of a
 * response. The stream is cancelled after 500 KiB.
 *
 * @param stream content of the file; `null` is empty
 * @param options URL of the file
 * @returns a promise that rejects with the error of the stream, if that fails
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example
 * ```ts ignore
 * import { readRobots } from "@sitetree/sitetree/robots";
 *
 * const { body, url } = await fetch("https://example.com/robots.txt");
 * const robots = await readRobots(body, { url });
 * if (robots.allows("https://example.com/page", "examplebot")) console.log(robots.sitemaps);
 * ```
 */
export async function readRobots(
  stream: ReadableStream<Uint8Array> | null,
  options: RobotsOptions = {},
): Promise<Robots> {
  applyRules(OPTIONS, options);
  const held = new HeldBytes();
  const source = stream === null ? undefined : streamSource(stream);
  try {
    while (held.length <= MAX_ROBOTS_BYTES) {
      const chunk = await source?.read();
      if (chunk === undefined) break;
      held.add(chunk.subarray(0, MAX_ROBOTS_BYTES + 1));
    }
  } finally {
    source?.cancel();
  }
  return robotsOfBytes(held.bytes, options);
}

/** Reads a robots.txt from bytes, which are UTF-8 unless they show that they are not. */
export function robotsOfBytes(bytes: Uint8Array, options: RobotsOptions = {}): Robots {
  const read = bytes.subarray(0, MAX_ROBOTS_BYTES);
  const { label = "utf-8" } = detectEncoding(read, { atEnd: true, warn: () => {} }) ?? {};
  const text = new TextDecoder(label).decode(read);
  return robotsOf(text, read.length < bytes.length, options);
}

/** Rules for one user agent: those of all groups that name it (RFC 9309 §2.2.1). */
interface AgentRules {
  readonly lists: Set<readonly RobotsRule[]>;
  crawlDelay?: number;
  matcher?: RuleMatcher;
}

function robotsOf(text: string, truncated: boolean, options: RobotsOptions): Robots {
  // a byte order mark; U+FFFD is what decoders make of a part of one, which Google skips too
  const content = text.replace(/^[\ufeff\ufffd]/, "");
  // the last line is incomplete
  const lastEnd = Math.max(content.lastIndexOf("\n"), content.lastIndexOf("\r"));
  const lines = truncated ? content.slice(0, lastEnd + 1) : content;
  const groups = readGroups(lines);
  const agents = agentRules(groups);
  return {
    sitemaps: sitemapsOf(lines, String(options.url ?? "")),
    groups,
    truncated,
    allows(url, agent) {
      const rules = rulesOf(agents, agent);
      if (rules === undefined) return true;
      rules.matcher ??= new RuleMatcher([...rules.lists].flat());
      return rules.matcher.allows(url);
    },
    crawlDelay: (agent) => rulesOf(agents, agent)?.crawlDelay,
  };
}

/** Returns the rules for a crawler in the order of the file. */
export function rulesFor({ groups }: Robots, agent: string): readonly RobotsRule[] {
  return [...rulesOf(agentRules(groups), agent)?.lists ?? []].flat();
}

function rulesOf(agents: ReadonlyMap<string, AgentRules>, agent: string): AgentRules | undefined {
  return agents.get(productToken(agent)) ?? agents.get("*");
}

/** Returns the rules by product token in lower case. */
function agentRules(groups: readonly RobotsGroup[]): Map<string, AgentRules> {
  const agents = new Map<string, AgentRules>();
  for (const { agents: names, rules, crawlDelay } of groups) {
    for (const name of names) {
      const key = name.toLowerCase();
      const known = agents.get(key) ?? { lists: new Set() };
      known.lists.add(rules);
      // the longest of several
      if (crawlDelay !== undefined) {
        known.crawlDelay = Math.max(known.crawlDelay ?? 0, crawlDelay);
      }
      agents.set(key, known);
    }
  }
  return agents;
}

/** Reads the sitemap lines as a walk does, without the reader of XML. */
function sitemapsOf(text: string, url: string): string[] {
  const sitemaps: string[] = [];
  const entries = new Entries(url, {
    page: () => {},
    child: (address) => void sitemaps.push(address),
    childDropped: () => {},
    warning: () => {},
  }, {
    maxEntries: Infinity,
    seen: new HashTable(),
    scan: new ValueScan(randomKey()),
    typeOf: () => ROBOTS_FORMAT.type,
  });
  const reader = new LineReader(ROBOTS_FORMAT, entries, { firstLine: 1, maxLength: Infinity });
  const isHtml = text.trimStart().startsWith("<");
  reader.write(new TextEncoder().encode(isHtml ? withoutTags(text) : text));
  reader.end(false);
  return sitemaps;
}
