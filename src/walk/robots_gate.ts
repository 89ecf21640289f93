import { HeldBytes } from "../bytes/window.ts";
import { MAX_ROBOTS_BYTES } from "../data/limits.ts";
import type { Pace } from "../http/pace.ts";
import type { Robots } from "../robots/groups.ts";
import { parseRobots, robotsOfBytes } from "../robots/robots.ts";
import type { ResolvedWalkOptions } from "./options.ts";

/** Rules for a robots.txt that is unreachable (RFC 9309 §2.3.1.4). */
const DISALLOW_ALL = "User-agent: *\nDisallow: /";

type GateOptions = Pick<ResolvedWalkOptions, "respectRobots" | "headers" | "userAgent">;

/** Collects the bytes of robots.txt, then decides which sitemaps may be requested. */
export class RobotsGate {
  readonly #options: GateOptions;
  readonly #agent: string;
  readonly #held = new HeldBytes();
  #origins: readonly string[] = [];
  #robots: Robots | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#agent = new Headers(options.headers).get("user-agent") ?? options.userAgent;
  }

  write(chunk: Uint8Array): void {
    // one beyond the limit shows that the last line may be cut, and is not to be obeyed
    const isWanted = this.#options.respectRobots && this.#held.length <= MAX_ROBOTS_BYTES;
    if (isWanted) this.#held.add(chunk.subarray(0, MAX_ROBOTS_BYTES + 1));
  }

  /** Drops the bytes: robots.txt is read again from its beginning. */
  restart(): void {
    this.#held.length = 0;
  }

  /** Parses the rules, which apply to the URL requested and to the final one. */
  finish(urls: readonly URL[], pace: Pace): void {
    if (!this.#options.respectRobots) return;
    const robots = this.#robots = robotsOfBytes(this.#held.bytes);
    this.#held.length = 0;
    // RFC 9309 §2.3.1.2: rules behind a redirect apply to the host that was requested
    this.#origins = urls.map(({ origin }) => origin);
    const delay = robots.crawlDelay(this.#agent);
    if (delay !== undefined) { for (const url of urls) pace.host(url).setCrawlDelay(delay); }
  }

  disallowAll(url: URL): void {
    if (!this.#options.respectRobots) return;
    this.#robots = parseRobots(DISALLOW_ALL);
    this.#origins = [url.origin];
  }

  allows(address: string): boolean {
    if (this.#robots === undefined) return true;
    const url = new URL(address);
    return !this.#origins.includes(url.origin) || this.#robots.allows(url, this.#agent);
  }
}
