/**
 * What robots.txt forbids, where the caller wants it obeyed.
 *
 * @module
 */

import { parseRobotsRules, type RobotsRules } from "../formats/robots_rules.ts";
import type { Pace } from "../http/retry.ts";

/** Reads the rules of robots.txt. */
export interface RobotsReader {
  /** Takes bytes of robots.txt. */
  write(chunk: Uint8Array): void;
  /** robots.txt is read again from its beginning. */
  restart(): void;
}

/** Lets sitemaps through or not. */
export interface RobotsGate {
  /** Reads robots.txt; absent if it is not obeyed. */
  readonly reader: RobotsReader | undefined;
  /**
   * robots.txt has been read: asked for at the first of these URLs, got from the last. False where it
   * has more rules for us than are obeyed.
   */
  finish(urls: readonly URL[], pace: Pace): boolean;
  /** robots.txt was out of reach. */
  lose(url: URL): void;
  /** Whether a sitemap may be asked for. */
  allows(url: string): boolean;
}

const OPEN_GATE: RobotsGate = {
  reader: undefined,
  finish: () => true,
  lose() {},
  allows: () => true,
};

/** What stands in for a robots.txt that is out of reach (RFC 9309 §2.3.1.4). */
const DISALLOW_ALL = "User-agent: *\nDisallow: /";

/** How robots.txt is obeyed. */
export interface RobotsGateOptions {
  /** Whether it is at all. */
  readonly respectRobots: boolean;
  /** Whose group counts. */
  readonly userAgent: string;
  /** The longest `Crawl-delay` that is kept, in milliseconds: a site could ask for years. */
  readonly maxCrawlDelay: number;
}

/** A gate that obeys robots.txt, or one that is always open. */
export function robotsGate(options: RobotsGateOptions): RobotsGate {
  const { respectRobots, userAgent, maxCrawlDelay } = options;
  if (!respectRobots) return OPEN_GATE;
  const decoder = new TextDecoder();
  let text = "";
  let origins: readonly string[] = [];
  let rules: RobotsRules | undefined;
  return {
    reader: {
      write: (chunk) => void (text += decoder.decode(chunk, { stream: true })),
      restart() {
        decoder.decode();
        text = "";
      },
    },
    finish(urls, pace) {
      rules = parseRobotsRules(text + decoder.decode(), userAgent);
      // RFC 9309 §2.3.1.2: wherever it was redirected to, it holds for where it was asked for
      origins = urls.map(({ origin }) => origin);
      if (rules.crawlDelay !== undefined) {
        const delay = Math.min(rules.crawlDelay, maxCrawlDelay);
        for (const { host } of urls) pace.setCrawlDelay(host, delay);
      }
      return !rules.truncated;
    },
    lose(url) {
      rules = parseRobotsRules(DISALLOW_ALL, userAgent);
      origins = [url.origin];
    },
    allows(address) {
      if (rules === undefined) return true;
      const url = new URL(address);
      return !origins.includes(url.origin) || rules.allows(url);
    },
  };
}
