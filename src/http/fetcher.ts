/**
 * Fetches documents: hop by hop, with retries, at the pace and within the policy of the walk. The
 * only code that calls `fetch`.
 *
 * @module
 */

// deno-lint-ignore no-import-prefix -- must resolve without the import map of this project too
import { STATUS_CODE, STATUS_TEXT } from "npm:deno-std@^1.4.0/http/status.js";
import { InvalidSitemapError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import { sleep } from "./clock.ts";
import { Exchange, type ExchangeLimits, type Fetch } from "./exchange.ts";
import { Pace, type PaceOptions } from "./pace.ts";
import { Policy, type PolicyOptions } from "./policy.ts";
import { redirectTarget, RedirectTrail } from "./redirect.ts";
import { RequestHeaders } from "./request_headers.ts";
import { delayBefore, isBusy, isRetried, parseRetryAfter, type RetryDelays } from "./retry.ts";

/** What a fetcher needs to know. */
export interface FetcherOptions extends ExchangeLimits, RetryDelays, PaceOptions, PolicyOptions {
  /** The function that does the fetching. */
  readonly fetch: Fetch;
  /** Headers of every request. */
  readonly headers: HeadersInit | undefined;
  /** The user agent, unless `headers` names one. */
  readonly userAgent: string;
  /** How many redirects are followed. */
  readonly maxRedirects: number;
}

/** One answer: a document, or where to ask instead. */
export type Hop =
  | { readonly url: URL; readonly redirect: URL; readonly exchange?: never }
  | {
    readonly url: URL;
    readonly redirect?: never;
    readonly exchange: Exchange;
    readonly contentType: string | null;
    readonly contentEncoding: string | null;
    /** Whether the body was asked for again because it was not encoded as it claimed. */
    readonly misencoded: boolean;
  };

/** A document that has begun to arrive. */
export type Arrival = Extract<Hop, { readonly exchange: Exchange }>;

/** How hard to try. */
export interface Attempts {
  /** How many times in all. */
  left: number;
}

/** Told of each redirect before it is followed; what it throws ends the matter. */
export type RedirectCallback = (target: URL) => void;

/** Redirects that are followed where they say where to. */
const FOLLOWED_STATUSES: ReadonlySet<number> = new Set([
  STATUS_CODE.MovedPermanently,
  STATUS_CODE.Found,
  STATUS_CODE.SeeOther,
  STATUS_CODE.TemporaryRedirect,
  STATUS_CODE.PermanentRedirect,
]);

/** An answer that is neither a document nor a redirect. */
class StatusError extends InvalidSitemapError {
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(response: Response, now: number) {
    const texts: Readonly<Record<number, string>> = STATUS_TEXT;
    const text = response.statusText || texts[response.status];
    super("http-status", text ? `${response.status} ${text}` : `Status ${response.status}`);
    this.status = response.status;
    this.retryAfter = parseRetryAfter(response.headers.get("retry-after"), now);
  }
}

/** The status that made a document unusable, where one did. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof StatusError ? error.status : undefined;
}

/** Fetches for one walk. */
export class Fetcher {
  /** Pace by host; robots.txt may slow it down. */
  readonly pace: Pace;
  readonly #options: FetcherOptions;
  readonly #clock: Clock;
  readonly #policy: Policy;
  readonly #headers: RequestHeaders;
  readonly #open = new Set<Exchange>();
  readonly #stop = new AbortController();
  #requests = 0;
  #retries = 0;

  constructor(homepage: URL, options: FetcherOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#policy = new Policy(homepage, options);
    this.#headers = new RequestHeaders(homepage, options.headers, options.userAgent);
    this.pace = new Pace(options, clock);
  }

  /** Requests made so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Of these, those made again after a failure. */
  get retries(): number {
    return this.#retries;
  }

  /** Ends everything that is under way, and all that would come. */
  stop(reason: unknown): void {
    this.#stop.abort(reason);
    for (const exchange of [...this.#open]) exchange.cancel(reason);
  }

  /** Asks for one URL until there is an answer or no attempt is left; follows nothing. */
  async ask(url: URL, attempts: Attempts): Promise<Hop> {
    const trouble = { identity: false };
    for (let retry = 1;; retry++) {
      attempts.left--;
      try {
        return await this.#attempt(url, trouble);
      } catch (error) {
        this.#stop.signal.throwIfAborted();
        const failure = failureOf(error);
        if (failure === undefined || attempts.left <= 0) throw failure ?? error;
        await this.#beforeRetry(url, failure, retry);
      }
    }
  }

  /** Follows redirects from a first answer to the document. */
  async follow(first: Hop, attempts: Attempts, onRedirect?: RedirectCallback): Promise<Arrival> {
    const trail = new RedirectTrail(first.url, this.#options.maxRedirects);
    let hop = first;
    while (hop.exchange === undefined) {
      const target = trail.step(hop.redirect);
      onRedirect?.(target);
      hop = await this.ask(target, attempts);
    }
    return hop;
  }

  /** Asks for a document, redirects included. */
  async open(url: URL, attempts: Attempts, onRedirect?: RedirectCallback): Promise<Arrival> {
    return await this.follow(await this.ask(url, attempts), attempts, onRedirect);
  }

  async #attempt(url: URL, trouble: { identity: boolean }): Promise<Hop> {
    await this.#admit(url);
    const pacing = this.pace.turn(url.host, this.#stop.signal);
    if (pacing !== undefined) await pacing;
    this.#stop.signal.throwIfAborted();
    this.#requests++;
    const exchange = new Exchange(this.#options, this.#clock, (done) => this.#open.delete(done));
    this.#open.add(exchange);
    const misencoded = trouble.identity;
    const response = await exchange.send(this.#options.fetch, url.href, {
      headers: this.#headers.for(url, misencoded),
      redirect: "manual",
    });
    const answeredBy = this.#answeredBy(url, response, exchange);
    const { status, headers } = response;
    const location = FOLLOWED_STATUSES.has(status) ? headers.get("location") : null;
    if (location !== null) {
      exchange.cancel();
      return { url: answeredBy, redirect: redirectTarget(location, answeredBy) };
    }
    if (status < 200 || status > 299) {
      exchange.cancel();
      throw new StatusError(response, this.#clock.now());
    }
    // a body that fails before its first byte may not be encoded as it claims
    trouble.identity = true;
    await exchange.prime();
    return {
      url: answeredBy,
      exchange,
      contentType: headers.get("content-type"),
      contentEncoding: headers.get("content-encoding"),
      misencoded: misencoded && headers.has("content-encoding"),
    };
  }

  /** Rejects where the policy of the walk refuses a URL. */
  async #admit(url: URL): Promise<void> {
    const refusal = this.#policy.refusal(url);
    if (refusal !== undefined) throw new InvalidSitemapError("blocked", refusal);
    const resolved = this.#policy.resolvedRefusal(url);
    if (resolved === undefined) return;
    const reason = await resolved;
    if (reason !== undefined) throw new InvalidSitemapError("blocked", reason);
  }

  /** Who answered: an injected `fetch` may follow redirects although it was asked not to. */
  #answeredBy(url: URL, response: Response, exchange: Exchange): URL {
    const answeredBy = response.redirected ? URL.parse(response.url) : null;
    if (answeredBy === null) return url;
    const refusal = this.#policy.refusal(answeredBy);
    if (refusal === undefined) return answeredBy;
    exchange.cancel();
    throw new InvalidSitemapError("blocked", refusal);
  }

  async #beforeRetry(url: URL, failure: InvalidSitemapError, retry: number): Promise<void> {
    this.#retries++;
    const status = failure instanceof StatusError ? failure : undefined;
    const delay = delayBefore(retry, status?.retryAfter, this.#options, this.#clock.random);
    if (status !== undefined && isBusy(status.status)) this.pace.pause(url.host, delay);
    await sleep(delay, this.#clock, this.#stop.signal);
  }
}

/** A failure that may pass by itself, in our words; `undefined` for a final one. */
function failureOf(error: unknown): InvalidSitemapError | undefined {
  if (error instanceof StatusError) return isRetried(error.status) ? error : undefined;
  if (error instanceof InvalidSitemapError) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && error.name === "TimeoutError" ? "timeout" : "network";
  return new InvalidSitemapError(code, message, { cause: error });
}
