/**
 * The rules of robots.txt, obeyed if the caller wants that (`respectRobots`).
 *
 * @module
 */

import { parseRobotsRules, type RobotsRules } from "../formats/robots_rules.ts";
import type { Pace } from "../http/retry.ts";

/** Rules for a robots.txt that is unreachable (RFC 9309 §2.3.1.4). */
const DISALLOW_ALL = "User-agent: *\nDisallow: /";

/** Options of a {@linkcode RobotsGate}. */
export interface RobotsGateOptions {
  /** Whether the rules are obeyed at all. */
  readonly respectRobots: boolean;
  /** Name whose group of rules applies. */
  readonly userAgent: string;
  /** Maximum `Crawl-delay` in milliseconds; a longer one is shortened. */
  readonly maxCrawlDelay: number;
}

/** Collects the text of robots.txt, then decides which sitemaps may be requested. */
export class RobotsGate {
  readonly #options: RobotsGateOptions;
  readonly #decoder = new TextDecoder();
  #text = "";
  #origins: readonly string[] = [];
  #rules: RobotsRules | undefined;

  constructor(options: RobotsGateOptions) {
    this.#options = options;
  }

  /** Takes bytes of robots.txt. */
  write(chunk: Uint8Array): void {
    if (this.#options.respectRobots) this.#text += this.#decoder.decode(chunk, { stream: true });
  }

  /** Drops the text: robots.txt is read again from its beginning. */
  restart(): void {
    this.#decoder.decode();
    this.#text = "";
  }

  /**
   * Parses the rules, which apply to the URL requested and to the final one. Returns false if there
   * are more rules than are obeyed.
   */
  finish(urls: readonly URL[], pace: Pace): boolean {
    const { respectRobots, userAgent, maxCrawlDelay } = this.#options;
    if (!respectRobots) return true;
    const rules = parseRobotsRules(this.#text + this.#decoder.decode(), userAgent);
    this.#rules = rules;
    // RFC 9309 §2.3.1.2: rules behind a redirect apply to the host that was requested
    this.#origins = urls.map(({ origin }) => origin);
    if (rules.crawlDelay !== undefined) {
      const delay = Math.min(rules.crawlDelay, maxCrawlDelay);
      for (const { host } of urls) pace.setCrawlDelay(host, delay);
    }
    return !rules.truncated;
  }

  /** Disallows everything, since robots.txt is unreachable. */
  disallowAll(url: URL): void {
    const { respectRobots, userAgent } = this.#options;
    if (!respectRobots) return;
    this.#rules = parseRobotsRules(DISALLOW_ALL, userAgent);
    this.#origins = [url.origin];
  }

  /** Whether a URL may be requested. */
  allows(address: string): boolean {
    if (this.#rules === undefined) return true;
    const url = new URL(address);
    return !this.#origins.includes(url.origin) || this.#rules.allows(url);
  }
}
