/**
 * The rules of robots.txt, obeyed if the caller wants that (`respectRobots`).
 *
 * @module
 */

import { TruncatedError } from "../data/errors.ts";
import { MAX_ROBOTS_RULES, parseRobotsRules, type RobotsRules } from "../formats/robots_rules.ts";
import type { Pace } from "../http/pace.ts";
import type { ResolvedOptions } from "./options.ts";

/** Rules for a robots.txt that is unreachable (RFC 9309 §2.3.1.4). */
const DISALLOW_ALL = "User-agent: *\nDisallow: /";

/** Options of a walk that concern the rules; `maxRetryDelay` is the longest `Crawl-delay`. */
type RobotsOptions = Pick<
  ResolvedOptions,
  "respectRobots" | "headers" | "userAgent" | "maxRetryDelay"
>;

/** Collects the text of robots.txt, then decides which sitemaps may be requested. */
export class RobotsGate {
  readonly #options: RobotsOptions;
  readonly #decoder = new TextDecoder();
  #text = "";
  #origins: readonly string[] = [];
  #rules: RobotsRules | undefined;

  constructor(options: RobotsOptions) {
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
   * Parses the rules, which apply to the URL requested and to the final one. Returns an error if there
   * are more rules than are obeyed.
   */
  finish(urls: readonly URL[], pace: Pace): TruncatedError | undefined {
    const { respectRobots, maxRetryDelay } = this.#options;
    if (!respectRobots) return undefined;
    const rules = this.#rules = this.#parse(this.#text + this.#decoder.decode());
    // RFC 9309 §2.3.1.2: rules behind a redirect apply to the host that was requested
    this.#origins = urls.map(({ origin }) => origin);
    if (rules.crawlDelay !== undefined) {
      const delay = Math.min(rules.crawlDelay, maxRetryDelay);
      for (const url of urls) pace.host(url).setCrawlDelay(delay);
    }
    if (!rules.truncated) return undefined;
    const message = `Only the first ${MAX_ROBOTS_RULES} rules are obeyed`;
    return new TruncatedError("robots-too-large", message);
  }

  /** Disallows everything, since robots.txt is unreachable. */
  disallowAll(url: URL): void {
    if (!this.#options.respectRobots) return;
    this.#rules = this.#parse(DISALLOW_ALL);
    this.#origins = [url.origin];
  }

  /** Whether a URL may be requested. */
  allows(address: string): boolean {
    if (this.#rules === undefined) return true;
    const url = new URL(address);
    return !this.#origins.includes(url.origin) || this.#rules.allows(url);
  }

  #parse(text: string): RobotsRules {
    const { headers, userAgent } = this.#options;
    return parseRobotsRules(text, new Headers(headers).get("user-agent") ?? userAgent);
  }
}
