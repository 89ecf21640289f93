/**
 * Origins of URLs, each parsed once, with what their robots.txt says.
 *
 * @module
 */

import type { SitemapRef } from "../data/events.ts";
import { addressKey } from "../data/url.ts";
import { productToken, type RobotsRule } from "../robots/groups.ts";
import { parseRobots, type Robots } from "../robots/robots.ts";
import { UrlScan } from "./url_scan.ts";

/** Maximum number of origins that are remembered. */
const MAX_ORIGINS = 1000;
/** Maximum length of an origin that is remembered: a host name has 253 characters at most. */
const MAX_ORIGIN_LENGTH = 300;
/** Maximum number of robots.txt that are remembered. */
const MAX_ROBOTS = 1000;

/** Scheme, user info and host, up to the path. */
const START_REGEXP = /^https?:\/\/[^/?#\\]+/i;
const PRIVATE_REGEXP =
  /^(?:localhost|(?:10|127)\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|169\.254\.[\d.]+|0\.0\.0\.0|\[(?:::1|f[cd].*|fe80.*)\]|.*\.(?:localhost|local|internal|lan))$/;
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

/** Origins and their robots.txt. */
export class Origins {
  readonly #origins = new Map<string, Origin>();
  /** By serialised origin. */
  readonly #robots = new Map<string, RobotsFilter>();
  /** Keys of the sitemaps that are declared, by {@linkcode Origin.bare}. */
  readonly #declared = new Map<string, Set<string>>();
  readonly #agent: string;
  readonly #scan = new UrlScan();
  readonly #key = crypto.getRandomValues(new Int32Array(2));
  #last: Origin | undefined;

  constructor(agent: string) {
    this.#agent = agent;
  }

  /** Returns the origin of a URL; `undefined` if it has none. */
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

  /** Adds the robots.txt of an origin. */
  addRobots({ url, requestedUrl }: SitemapRef, text: string): void {
    const origin = this.of(requestedUrl ?? url);
    if (origin === undefined || this.#robots.size >= MAX_ROBOTS) return;
    const robots = parseRobots(text, { url });
    this.#robots.set(origin.href, new RobotsFilter(robots, this.#agent));
    const declared = this.#declared.get(origin.bare) ?? new Set();
    for (const sitemap of robots.sitemaps) declared.add(addressKey(sitemap));
    this.#declared.set(origin.bare, declared);
  }

  /** Returns the rules for an origin, if its robots.txt is known. */
  robotsOf({ href }: Origin): RobotsFilter | undefined {
    return this.#robots.get(href);
  }

  /** Returns the keys of the sitemaps that the robots.txt of a host declares, if that is known. */
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
      isInternal: PRIVATE_REGEXP.test(hostname) || STAGING_REGEXP.test(hostname),
      variant,
      high: this.#scan.high,
      low: this.#scan.low,
    };
  }
}

/** Whether a URL begins with an origin, and has nothing after it or a path, query or fragment. */
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
export class RobotsFilter {
  readonly #robots: Robots;
  readonly #agent: string;
  /** Rules by the first character after the slash. */
  readonly #byCode = new Map<number, Candidate[]>();
  /** Rules for any path. */
  readonly #others: Candidate[] = [];
  #hasRules = false;

  constructor(robots: Robots, agent: string) {
    this.#robots = robots;
    this.#agent = agent;
    for (const { allow, path } of rulesFor(robots, agent)) {
      if (allow) continue;
      this.#hasRules = true;
      const candidate = candidateOf(path);
      if (candidate.prefix.length < 2) this.#others.push(candidate);
      else {
        const code = candidate.prefix.charCodeAt(1);
        this.#byCode.set(code, [...this.#byCode.get(code) ?? [], candidate]);
      }
    }
  }

  /** Whether a URL, whose path begins at an offset, must not be requested. */
  disallows(url: string, pathAt: number): boolean {
    const isCandidate = ({ prefix, needle }: Candidate) =>
      url.startsWith(prefix, pathAt) && (needle === "" || url.includes(needle, pathAt));
    const rules = this.#byCode.get(url.charCodeAt(pathAt + 1));
    // an escape is the same as its character
    const isPossible = rules?.some(isCandidate) || this.#others.some(isCandidate) ||
      this.#hasRules && url.includes("%", pathAt);
    if (!isPossible) return false;
    return !this.#robots.allows(url, this.#agent);
  }
}

/** Returns the rules of the groups that name a crawler, else of those for all. */
function rulesFor({ groups }: Robots, agent: string): readonly RobotsRule[] {
  const named = (name: string) =>
    groups.filter(({ agents }) => agents.some((agent) => agent.toLowerCase() === name));
  const own = named(productToken(agent));
  return (own.length > 0 ? own : named("*")).flatMap(({ rules }) => rules);
}

/** Returns the literal beginning of a pattern, and its longest literal part after that. */
function candidateOf(path: string): Candidate {
  const [prefix = ""] = /^[\w/.-]*/.exec(path) ?? [];
  const parts = path.slice(prefix.length).split(/(?:%[0-9a-f]{2}|[^\w.~:/?@!&'()+,;=-])+/i);
  const needle = parts.reduce((longest, part) => part.length > longest.length ? part : longest, "");
  return { prefix, needle };
}
