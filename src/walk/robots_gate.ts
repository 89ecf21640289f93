/**
 * What robots.txt forbids, where the caller wants it obeyed.
 *
 * @module
 */

import { parseRobotsRules, type RobotsRules } from "../formats/robots_rules.ts";
import type { Pace } from "../http/pace.ts";

/** Lets sitemaps through or not. */
export interface RobotsGate {
  /** Sees the bytes of robots.txt; absent where nobody cares. */
  readonly onBytes: ((chunk: Uint8Array) => void) | undefined;
  /** robots.txt has been read, from this URL. */
  finish(url: URL, pace: Pace): void;
  /** Whether a sitemap may be asked for. */
  allows(url: URL): boolean;
}

const OPEN_GATE: RobotsGate = { onBytes: undefined, finish() {}, allows: () => true };

/** A gate that obeys robots.txt, or one that is always open. */
export function robotsGate(respectRobots: boolean, userAgent: string): RobotsGate {
  if (!respectRobots) return OPEN_GATE;
  const decoder = new TextDecoder();
  let text = "";
  let origin: string | undefined;
  let rules: RobotsRules | undefined;
  return {
    onBytes: (chunk) => void (text += decoder.decode(chunk, { stream: true })),
    finish(url, pace) {
      rules = parseRobotsRules(text + decoder.decode(), userAgent);
      origin = url.origin;
      if (rules.crawlDelay !== undefined) pace.setCrawlDelay(url.host, rules.crawlDelay);
    },
    allows: (url) => rules === undefined || url.origin !== origin || rules.allows(url),
  };
}
