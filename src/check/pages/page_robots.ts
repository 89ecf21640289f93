/**
 * The robots.txt of the hosts of pages, each requested once at most.
 *
 * | robots.txt of the host of a page       | `disallowed` | requested with `respectRobots` |
 * | -------------------------------------- | ------------ | ------------------------------ |
 * | read                                   | by its rules | by its rules                   |
 * | missing                                | no           | yes                            |
 * | unreachable                            | no           | no                             |
 * | not kept or not requested, as a store is full, see {@linkcode RobotsStore} | no | no |
 *
 * @module
 */

import { peek } from "../../bytes/byte_source.ts";
import { decompress } from "../../bytes/gunzip.ts";
import { MAX_ROBOTS_BYTES } from "../../data/limits.ts";
import { isOverload, RetryBudget } from "../../http/attempts.ts";
import { throwIfAborted } from "../../http/clock.ts";
import { failureFor, statusOf } from "../../http/failure.ts";
import type { Fetcher } from "../../http/fetcher.ts";
import type { Robots, RobotsRule } from "../../robots/groups.ts";
import { robotsOfBytes, rulesFor } from "../../robots/robots.ts";
import { RobotsStore } from "../../robots/robots_store.ts";
import { RuleMatcher } from "../../robots/rule_matcher.ts";
import type { PageAnswer } from "../answer_rules.ts";
import type { ResolvedProbeOptions } from "./options.ts";

/** What is kept of a robots.txt. Without rules, everything is allowed. */
interface HostRobots {
  /** Rules for the crawler that pages are judged for. */
  readonly judged?: RuleMatcher;
  /** Rules that are obeyed. */
  readonly obeyed?: RuleMatcher;
  /** Why no page is requested, if robots.txt is obeyed. */
  readonly refusal?: string;
}

const UNREACHABLE: HostRobots = { refusal: "Unreachable robots.txt" };
const UNKNOWN: HostRobots = {
  refusal: "Unknown robots.txt: the limit for rules of all hosts is reached",
};

export class PageRobots {
  readonly #fetcher: Fetcher;
  readonly #options: ResolvedProbeOptions;
  /** Name that requests are sent with. */
  readonly #userAgent: string;
  readonly #known = new RobotsStore<HostRobots>();
  /** Those that are being read, by origin. */
  readonly #reading = new Map<string, Promise<HostRobots>>();

  constructor(fetcher: Fetcher, options: ResolvedProbeOptions) {
    this.#fetcher = fetcher;
    this.#options = options;
    this.#userAgent = new Headers(options.headers).get("user-agent") ?? options.userAgent;
  }

  /** Returns what robots.txt of its host says about a page, and why that is not to be requested. */
  async permission(url: URL): Promise<Pick<PageAnswer, "disallowed"> & { refusal?: string }> {
    const { judged, obeyed, refusal } = await this.#robotsOf(url.origin);
    const reason = obeyed?.allows(url) === false ? "Disallowed by robots.txt" : refusal;
    return {
      ...(judged?.allows(url) === false && { disallowed: true }),
      ...(reason !== undefined && this.#options.respectRobots && { refusal: reason }),
    };
  }

  #robotsOf(origin: string): HostRobots | Promise<HostRobots> {
    const known = this.#known.get(origin) ?? this.#reading.get(origin);
    if (known !== undefined) return known;
    if (this.#known.isFull) return UNKNOWN;
    const reading = this.#read(new URL("/robots.txt", origin)).then((robots) => {
      const matchers = new Set([robots.judged, robots.obeyed]);
      const bytes = [...matchers].reduce((sum, matcher) => sum + (matcher?.bytes ?? 0), 0);
      return this.#known.add(origin, robots, bytes) ? robots : UNKNOWN;
    }).finally(() => this.#reading.delete(origin));
    this.#reading.set(origin, reading);
    return reading;
  }

  async #read(url: URL): Promise<HostRobots> {
    const { respectRobots, retries } = this.#options;
    // pages do not wait for retries of what is only judged
    const budget = new RetryBudget(url.href, respectRobots ? retries : 0, this.#fetcher.signal);
    try {
      const first = await this.#fetcher.request(url, budget);
      const { body, contentEncoding } = await this.#fetcher.follow(first, budget);
      const { source } = await decompress(body, { warn: () => {}, contentEncoding });
      const { head } = await peek(source, MAX_ROBOTS_BYTES + 1);
      source.cancel();
      const robots = robotsOfBytes(head);
      const delay = respectRobots ? robots.crawlDelay(this.#userAgent) : undefined;
      if (delay !== undefined) this.#fetcher.pace.host(url).setCrawlDelay(delay);
      return this.#kept(robots);
    } catch (error) {
      throwIfAborted(budget.signals);
      const status = statusOf(failureFor(error)) ?? 500;
      // RFC 9309 §2.3.1.4: everything is disallowed
      return status < 500 && !isOverload(status) ? {} : UNREACHABLE;
    }
  }

  #kept(robots: Robots): HostRobots {
    const { respectRobots, agent } = this.#options;
    const rules = rulesFor(robots, agent);
    const ownRules = respectRobots ? rulesFor(robots, this.#userAgent) : [];
    const judged = matcherOf(rules);
    // most files have the same rules for all crawlers
    const isSame = rules.length === ownRules.length &&
      rules.every((rule, at) => rule === ownRules[at]);
    const obeyed = isSame ? judged : matcherOf(ownRules);
    return { ...(judged && { judged }), ...(obeyed && { obeyed }) };
  }
}

function matcherOf(rules: readonly RobotsRule[]): RuleMatcher | undefined {
  return rules.every(({ allow }) => allow) ? undefined : new RuleMatcher(rules);
}
