import type { Pace } from "../http/pace.ts";
import type { Robots } from "../robots/groups.ts";
import { parseRobots, robotsOfBytes } from "../robots/robots.ts";
import type { ResolvedWalkOptions } from "./options.ts";

/** Rules for a robots.txt that is unreachable (RFC 9309 §2.3.1.4). */
const DISALLOW_ALL = "User-agent: *\nDisallow: /";

type GateOptions = Pick<ResolvedWalkOptions, "respectRobots" | "headers" | "userAgent">;

/** Decides which sitemaps may be requested, by the robots.txt of the homepage and of its variant. */
export class RobotsGate {
  readonly #isObeyed: boolean;
  readonly #agent: string;
  readonly #rules: { readonly robots: Robots; readonly origins: readonly string[] }[] = [];

  constructor({ respectRobots, headers, userAgent }: GateOptions) {
    this.#isObeyed = respectRobots;
    this.#agent = new Headers(headers).get("user-agent") ?? userAgent;
  }

  /** Adds the rules of a robots.txt, which apply to the URL requested and to the final one. */
  add(bytes: Uint8Array, urls: readonly URL[], pace: Pace): void {
    if (!this.#isObeyed) return;
    const robots = robotsOfBytes(bytes);
    // RFC 9309 §2.3.1.2: rules behind a redirect apply to the host that was requested
    this.#rules.push({ robots, origins: urls.map(({ origin }) => origin) });
    const delay = robots.crawlDelay(this.#agent);
    if (delay !== undefined) { for (const url of urls) pace.host(url).setCrawlDelay(delay); }
  }

  disallowAll({ origin }: URL): void {
    if (!this.#isObeyed) return;
    this.#rules.push({ robots: parseRobots(DISALLOW_ALL), origins: [origin] });
  }

  allows(address: string): boolean {
    if (this.#rules.length === 0) return true;
    const url = new URL(address);
    return this.#rules.every(({ robots, origins }) =>
      !origins.includes(url.origin) || robots.allows(url, this.#agent)
    );
  }
}
