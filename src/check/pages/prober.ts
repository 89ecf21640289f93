/**
 * Requests pages: by `HEAD`, and by `GET` where that is refused.
 *
 * @module
 */

import { addressKey, isHttp, withoutUserInfo } from "../../data/url.ts";
import { RetryBudget } from "../../http/attempts.ts";
import { throwIfAborted } from "../../http/clock.ts";
import type { RequestMethod } from "../../http/exchange.ts";
import { failureFor, reported, RequestError, statusOf } from "../../http/failure.ts";
import type { FetchResult } from "../../http/fetched_document.ts";
import type { Fetcher } from "../../http/fetcher.ts";
import { MISSING_STATUSES } from "../../walk/verdict.ts";
import type { PageAnswer } from "../answer_rules.ts";
import type { ResolvedProbeOptions } from "./options.ts";
import { PageRobots } from "./page_robots.ts";
import { hasNoindex } from "./robots_tag.ts";

/** Pages of a host whose answers by `HEAD` and `GET` differ, after which it is asked by `GET`. */
const MAX_DIFFERENT = 3;
/** Number of hosts whose different answers are counted. */
const MAX_HOSTS = 1000;

export class Prober {
  readonly #fetcher: Fetcher;
  readonly #options: ResolvedProbeOptions;
  readonly #robots: PageRobots;
  /** Number of pages whose answers by `HEAD` and `GET` differ, by host. */
  readonly #different = new Map<string, number>();

  constructor(fetcher: Fetcher, options: ResolvedProbeOptions) {
    this.#fetcher = fetcher;
    this.#options = options;
    this.#robots = new PageRobots(fetcher, options);
  }

  /** Requests a page. Rejects only if it is stopped, or by a function of the caller. */
  async probe(address: string): Promise<PageAnswer> {
    const url = URL.parse(addressKey(address));
    if (url === null || !isHttp(url)) {
      const reason = "Invalid URL: expected http(s)";
      return { url: address, redirects: [], code: "invalid-url", reason, attempts: 0 };
    }
    const page = withoutUserInfo(url);
    const { refusal, ...disallowed } = await this.#robots.permission(page);
    if (refusal === undefined) return { url: address, ...disallowed, ...await this.#answer(page) };
    this.#fetcher.reportRefusal(page, refusal);
    const failure = { code: "blocked", reason: refusal } as const;
    return { url: address, redirects: [], ...disallowed, ...failure, attempts: 0 };
  }

  async #answer(page: URL): Promise<Omit<PageAnswer, "url" | "disallowed">> {
    const { retries, agent } = this.#options;
    const fetcher = this.#fetcher;
    const budget = new RetryBudget(page.href, retries, fetcher.signal);
    const redirects: string[] = [];
    const made = () => ({ method: budget.method!, redirects, attempts: budget.attempt });
    try {
      const { status, headers } = await fetcher.follow(await this.#ask(page, budget), budget, {
        check: ({ href }) => void redirects.push(href),
        answer: (target) => this.#ask(target, budget),
      });
      const isNoindex = hasNoindex(headers.get("x-robots-tag"), agent);
      return { status, ...made(), ...(isNoindex && { noindex: true }) };
    } catch (error) {
      throwIfAborted(budget.signals);
      const { status, code = "network", reason = "" } = reported(failureFor(error));
      return { ...(status !== undefined && { status }), ...made(), code, reason };
    }
  }

  /** Requests a URL by `HEAD`, and once more by `GET` if that may be answered differently. */
  async #ask(url: URL, budget: RetryBudget): Promise<FetchResult> {
    const fetcher = this.#fetcher;
    const different = this.#different.get(url.host) ?? 0;
    budget.method = different < MAX_DIFFERENT ? "HEAD" : "GET" satisfies RequestMethod;
    let status: number | undefined;
    try {
      return await fetcher.request(url, budget);
    } catch (error) {
      // a page that was refused has been waited for, and given up
      const isRefused = budget.retriesLeft < 0;
      if (budget.method === "GET" || isRefused || !isDoubtful(error)) throw error;
      status = statusOf(error);
    }
    budget.method = "GET";
    budget.attempt++;
    let isSame = false;
    try {
      return await fetcher.request(url, budget);
    } catch (error) {
      isSame = statusOf(error) === status;
      throw error;
    } finally {
      if (!isSame && (different > 0 || this.#different.size < MAX_HOSTS)) {
        this.#different.set(url.host, (this.#different.get(url.host) ?? 0) + 1);
      }
    }
  }
}

/** Whether the answer to a `GET` may be another one than this failure of a `HEAD`. */
function isDoubtful(error: unknown): boolean {
  if (!(error instanceof RequestError) || error.requestCode === "host-down") return false;
  const { status, isTransient } = error;
  if (status === undefined) return isTransient;
  return !MISSING_STATUSES.has(status);
}
