/**
 * The robots.txt of the hosts of pages, each requested once.
 *
 * @module
 */

import { peek } from "../bytes/byte_source.ts";
import { decompress } from "../bytes/gunzip.ts";
import { isOverload, RetryBudget } from "../http/attempts.ts";
import { throwIfAborted } from "../http/clock.ts";
import { failureFor, statusOf } from "../http/failure.ts";
import type { Fetcher } from "../http/fetcher.ts";
import { MAX_BYTES, type Robots, robotsOfBytes } from "../robots/robots.ts";
import type { ResolvedProbeOptions } from "./options.ts";

/** Number of origins whose robots.txt is remembered. */
const MAX_ORIGINS = 1000;

/** What robots.txt says about a page. */
export interface PagePermission {
  /** Whether it disallows the page for the crawler that pages are judged for. */
  readonly isDisallowed: boolean;
  /** Why the page is not requested, if robots.txt is obeyed. */
  readonly refusal?: string;
}

export class PageRobots {
  readonly #fetcher: Fetcher;
  readonly #options: ResolvedProbeOptions;
  /** Name that requests are sent with. */
  readonly #userAgent: string;
  readonly #origins = new Map<string, Promise<Robots | "missing" | "unreachable">>();

  constructor(fetcher: Fetcher, options: ResolvedProbeOptions) {
    this.#fetcher = fetcher;
    this.#options = options;
    this.#userAgent = new Headers(options.headers).get("user-agent") ?? options.userAgent;
  }

  /** Returns what robots.txt of its host says about a page. */
  async permission(url: URL): Promise<PagePermission> {
    const { respectRobots, agent } = this.#options;
    const robots = await this.#robotsOf(url.origin);
    if (robots === "missing") return { isDisallowed: false };
    if (robots === "unreachable") {
      // RFC 9309 §2.3.1.4: everything is disallowed
      return { isDisallowed: false, ...(respectRobots && { refusal: "Unreachable robots.txt" }) };
    }
    const isRefused = respectRobots && !robots.allows(url, this.#userAgent);
    return {
      isDisallowed: !robots.allows(url, agent),
      ...(isRefused && { refusal: "Disallowed by robots.txt" }),
    };
  }

  #robotsOf(origin: string): Promise<Robots | "missing" | "unreachable"> {
    const known = this.#origins.get(origin);
    if (known !== undefined) return known;
    const [oldest] = this.#origins.keys();
    if (this.#origins.size >= MAX_ORIGINS) this.#origins.delete(oldest!);
    const robots = this.#read(new URL("/robots.txt", origin));
    this.#origins.set(origin, robots);
    return robots;
  }

  async #read(url: URL): Promise<Robots | "missing" | "unreachable"> {
    const { respectRobots, retries, maxRetryDelay } = this.#options;
    // pages do not wait for retries of what is only judged
    const budget = new RetryBudget(url.href, respectRobots ? retries : 0, this.#fetcher.signal);
    try {
      const first = await this.#fetcher.request(url, budget);
      const { body, contentEncoding } = await this.#fetcher.follow(first, budget);
      const { source } = await decompress(body, { warn: () => {}, contentEncoding });
      const { head } = await peek(source, MAX_BYTES + 1);
      source.cancel();
      const robots = robotsOfBytes(head);
      const delay = respectRobots ? robots.crawlDelay(this.#userAgent) : undefined;
      if (delay !== undefined) {
        this.#fetcher.pace.host(url).setCrawlDelay(Math.min(delay, maxRetryDelay));
      }
      return robots;
    } catch (error) {
      throwIfAborted(budget.signals);
      const status = statusOf(failureFor(error)) ?? 500;
      return status < 500 && !isOverload(status) ? "missing" : "unreachable";
    }
  }
}
