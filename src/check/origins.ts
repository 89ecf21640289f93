/**
 * Origins of URLs, each parsed once, with what their robots.txt says.
 *
 * The sum of what is kept of all robots.txt is bounded, see {@linkcode RobotsStore}. Pages of a host
 * whose rules are not kept are not judged by them, and its robots.txt counts as not read: `skipped` of
 * the result says so.
 *
 * @module
 */

import type { SitemapRef } from "../data/events.ts";
import { groupBy } from "../data/group_by.ts";
import { isPrivateHost } from "../data/private_hosts.ts";
import { ownCopy } from "../data/text.ts";
import { addressKey } from "../data/url.ts";
import type { RobotsRule } from "../robots/groups.ts";
import { parseRobots, rulesFor } from "../robots/robots.ts";
import { RobotsStore } from "../robots/robots_store.ts";
import { RuleMatcher } from "../robots/rule_matcher.ts";
import { UrlScan } from "./url_scan.ts";

const MAX_ORIGINS = 1000;
/** A host name has 253 characters at most. */
const MAX_ORIGIN_LENGTH = 300;
/** Bytes of a sitemap that a robots.txt declares, about, without its URL. */
const DECLARED_BYTES = 64;
/** Maximum number of rules that are tried one by one, and length of their texts. */
const MAX_CANDIDATES = 128, MAX_CANDIDATE_LENGTH = 64;

/** Scheme, user info and host, up to the path. */
const START_REGEXP = /^https?:\/\/[^/?#\\]+/i;
const STAGING_REGEXP = /^(?:staging|stage|stg|dev|qa|uat|preprod)\d?\.[^.]+\..+/;

/** An origin as URLs write it. */
export interface Origin {
  /** Scheme and host as written: `HTTPS://Example.com:443`. */
  readonly text: string;
  /** Serialised: `https://example.com`. */
  readonly href: string;
  readonly scheme: string;
  /** Host and port without `www.`, which variants of a site share. */
  readonly bare: string;
  readonly hasUser: boolean;
  /** Whether it is local, private or for staging. */
  readonly isInternal: boolean;
  /** 0 if it is as serialised, else a number that depends on how it is written. */
  readonly variant: number;
  /** Halves of its hash. */
  readonly high: number;
  readonly low: number;
}

export class Origins {
  readonly #origins = new Map<string, Origin>();
  /** By serialised origin. */
  readonly #robots = new RobotsStore<RobotsFilter>();
  /** Keys of the sitemaps that are declared, by {@linkcode Origin.bare}. */
  readonly #declared = new Map<string, Set<string>>();
  readonly #agent: string;
  readonly #scan = new UrlScan();
  readonly #key = crypto.getRandomValues(new Int32Array(2));
  #last: Origin | undefined;

  constructor(agent: string) {
    this.#agent = agent;
  }

  of(url: string): Origin | undefined {
    const last = this.#last;
    if (last !== undefined && isBelow(url, last.text)) return last;
    const text = START_REGEXP.exec(url)?.[0];
    if (text === undefined) return undefined;
    let origin = this.#origins.get(text);
    if (origin === undefined) {
      if (this.#origins.size >= MAX_ORIGINS) this.#origins.clear();
      origin = this.#parse(text);
      if (origin === undefined) return undefined;
      if (text.length <= MAX_ORIGIN_LENGTH) this.#origins.set(text, origin);
    }
    return this.#last = origin;
  }

  /** Whether some robots.txt were not kept. */
  get isFull(): boolean {
    return this.#robots.isFull;
  }

  addRobots({ url, requestedUrl }: SitemapRef, text: string): void {
    const origin = this.of(requestedUrl ?? url);
    if (origin === undefined || this.#robots.isFull) return;
    // as many addresses may be relative to it as a robots.txt has lines
    const robots = parseRobots(text, { url: url.length > MAX_ORIGIN_LENGTH ? origin.href : url });
    const filter = new RobotsFilter(rulesFor(robots, this.#agent));
    const keys = robots.sitemaps.map(addressKey);
    const bytes = keys.reduce((sum, { length }) => sum + DECLARED_BYTES + length, filter.bytes);
    if (!this.#robots.add(origin.href, filter, bytes)) return;
    const declared = this.#declared.get(origin.bare) ?? new Set();
    for (const key of keys) declared.add(key);
    this.#declared.set(origin.bare, declared);
  }

  robotsOf({ href }: Origin): RobotsFilter | undefined {
    return this.#robots.get(href);
  }

  /** Returns `undefined` if robots.txt of the host is not known. */
  declaredBy({ bare }: Origin): ReadonlySet<string> | undefined {
    return this.#declared.get(bare);
  }

  #parse(text: string): Origin | undefined {
    const parsed = URL.parse(text);
    if (parsed === null) return undefined;
    const { origin: href, protocol: scheme, host, hostname, username, password } = parsed;
    const [seedHigh = 0, seedLow = 0] = this.#key;
    this.#scan.scan(text, 0, seedHigh, seedLow);
    const variant = text === href ? 0 : 2 + (this.#scan.high & 0x7f);
    this.#scan.scan(href, 0, seedHigh, seedLow);
    return {
      text,
      href,
      scheme,
      bare: host.replace(/^www\./, ""),
      hasUser: username !== "" || password !== "",
      isInternal: isPrivateHost(hostname) || STAGING_REGEXP.test(hostname),
      variant,
      high: this.#scan.high,
      low: this.#scan.low,
    };
  }
}

function isBelow(url: string, origin: string): boolean {
  // `startsWith()` is slower
  if (url.slice(0, origin.length) !== origin) return false;
  const next = url.charCodeAt(origin.length);
  // `/`, `?`, `#`, `\`, or the end
  return next === 0x2f || next === 0x3f || next === 0x23 || next === 0x5c || next !== next;
}

/** Texts that a path must have for a rule to match it. */
interface Candidate {
  readonly prefix: string;
  readonly needle: string;
}

/** Rules of a robots.txt for one crawler, after a cheap test of whether one can match. */
class RobotsFilter {
  /** `undefined` if nothing is disallowed. */
  readonly #matcher: RuleMatcher | undefined;
  /** Rules by the first character after the slash. */
  readonly #byCode: ReadonlyMap<number, readonly Candidate[]>;
  /** Those that begin otherwise. */
  readonly #others: readonly Candidate[];
  /** Whether there are so many rules that comparing all of them at once is faster. */
  readonly #hasMany: boolean;

  constructor(rules: readonly RobotsRule[]) {
    const disallowed = rules.filter(({ allow }) => !allow);
    this.#hasMany = disallowed.length > MAX_CANDIDATES;
    this.#matcher = disallowed.length === 0 ? undefined : new RuleMatcher(rules);
    const candidates = this.#hasMany ? [] : disallowed.map(({ path }) => candidateOf(path));
    this.#byCode = groupBy(candidates, ({ prefix }) => prefix.charCodeAt(1));
    this.#others = this.#byCode.get(NaN) ?? [];
  }

  get bytes(): number {
    return this.#matcher?.bytes ?? 0;
  }

  disallows(url: string, pathAt: number): boolean {
    if (this.#matcher === undefined) return false;
    const isCandidate = ({ prefix, needle }: Candidate) =>
      url.startsWith(prefix, pathAt) && (needle === "" || url.includes(needle, pathAt));
    const rules = this.#byCode.get(url.charCodeAt(pathAt + 1));
    // an escape is the same as its character
    const isPossible = this.#hasMany || rules?.some(isCandidate) ||
      this.#others.some(isCandidate) || url.includes("%", pathAt);
    return isPossible && !this.#matcher.allows(url);
  }
}

/** Returns the literal beginning of a pattern, and its longest literal part after that. */
function candidateOf(path: string): Candidate {
  const [prefix = ""] = /^[\w/.-]*/.exec(path) ?? [];
  const parts = path.slice(prefix.length).split(/(?:%[0-9a-f]{2}|[^\w.~:/?@!&'()+,;=-])+/i);
  const needle = parts.reduce((longest, part) => part.length > longest.length ? part : longest, "");
  const [start, literal] = [prefix, needle].map((text) =>
    ownCopy(text.slice(0, MAX_CANDIDATE_LENGTH))
  );
  return { prefix: start!, needle: literal! };
}
