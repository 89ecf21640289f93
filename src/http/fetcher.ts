/**
 * Fetches documents: hop by hop, with retries, at the pace and within the policy of the walk. The
 * only code that calls `fetch`.
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import type { ByteSource } from "../bytes/byte_source.ts";
import { type CallerError, InvalidSitemapError } from "../data/errors.ts";
import { excerpt } from "../data/text.ts";
import { Cancellation } from "./cancellation.ts";
import { BufferPool } from "./body.ts";
import { type Clock, sleep } from "./clock.ts";
import {
  Exchange,
  type ExchangeLimits,
  type ExchangeSetting,
  type Fetch,
  TimeoutError,
} from "./exchange.ts";
import { bodyFailure, failureFor, isPassing, isTimeout, StatusError, statusOf } from "./failure.ts";
import { Pace, type PaceOptions } from "./retry.ts";
import { Policy, type PolicyOptions } from "./policy.ts";
import { redirectTarget, RedirectTrail } from "./redirect.ts";
import { type HeaderRecord, RequestHeaders, type Rest } from "./headers.ts";
import { type RequestReport, RequestReporter, type RequestSubject } from "./report.ts";
import type { ResolveOptions } from "./hosts.ts";
import { delayBefore, isBusy, type RetryDelays } from "./retry.ts";
import { Watchdog } from "./clock.ts";

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
  /** Called for each step of each request. */
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
}

/** Where an answer came from. */
interface Answered {
  /** The URL asked for. */
  readonly asked: URL;
  /** Who answered: somebody else only where an injected `fetch` follows redirects by itself. */
  readonly url: URL;
}

/** A document that has begun to arrive. */
export interface FetchedDocument extends Answered {
  /** Its bytes. */
  readonly body: ByteSource;
  /** Its Content-Type. */
  readonly contentType: string | null;
  /** Its Content-Encoding. */
  readonly contentEncoding: string | null;
  /** Whether the body was asked for again because it was not encoded as it claimed. */
  readonly misencoded: boolean;
  /** Whether the body is known to come as it was sent: no runtime decompressed it. */
  readonly isRaw: boolean;
  /** Offset of its first byte in the whole body. */
  readonly offset: number;
  /** Its entity tag, if the rest of it can be asked for by that. */
  readonly etag: string | undefined;
}

/** Where to ask instead. */
export interface Redirection extends Answered {
  /** Where to. */
  readonly redirect: URL;
}

/** One answer: a document, or where to ask instead. */
export type FetchResult = FetchedDocument | Redirection;

/** How hard one document is tried for, over all its redirects. */
export interface RetryBudget extends RequestSubject {
  /** How many failures may still be followed by another try; below 0 when one was not. */
  retriesLeft: number;
  attempt: number;
  /** Gives the document up. */
  readonly cancellation: Cancellation;
}

/** Has a say in redirects. */
export interface RedirectHandler {
  /** Told of each redirect before it is followed; what it throws ends the matter. */
  check(target: URL): void;
  /** The answer of the target, if it was asked for already. */
  answer?(target: URL): Promise<FetchResult | undefined> | undefined;
}

/** How a body is asked for, and what went wrong with it before its first byte. */
interface BodyRequest {
  /** It is asked for without any encoding and range from now on. */
  asItIs: boolean;
  /** It claimed an encoding that it may not have. */
  misencoded: boolean;
  /** The part that is asked for, if not all of it. */
  rest?: Rest | undefined;
}

/** A response with another part of the body than was asked for. */
class WrongRangeError extends Error {}

/** Redirects that are followed where they say where to. */
const FOLLOWED_STATUSES: ReadonlySet<number> = new Set([
  STATUS_CODE.MovedPermanently,
  STATUS_CODE.Found,
  STATUS_CODE.SeeOther,
  STATUS_CODE.TemporaryRedirect,
  STATUS_CODE.PermanentRedirect,
]);

/** Fetches for one walk. */
export class Fetcher {
  /** Pace by host; robots.txt may slow it down. */
  readonly pace: Pace;
  /** Gives up everything that is under way, and all that would come. */
  readonly cancellation: Cancellation = new Cancellation();
  readonly #options: FetcherOptions;
  readonly #clock: Clock;
  readonly #setting: ExchangeSetting;
  readonly #policy: Policy;
  readonly #headers: RequestHeaders;
  readonly #reporter: RequestReporter | undefined;
  #requests = 0;
  #retries = 0;

  /** Fetches for a walk of `homepage`; names are resolved as `resolve` says. */
  constructor(homepage: URL, options: FetcherOptions, clock: Clock, resolve: ResolveOptions = {}) {
    this.#options = options;
    this.#clock = clock;
    this.#setting = {
      limits: options,
      clock,
      watchdog: new Watchdog(clock),
      buffers: new BufferPool(),
    };
    this.#policy = new Policy(homepage, options, { clock, ...resolve });
    this.#headers = new RequestHeaders(homepage, options.headers, options.userAgent);
    this.pace = new Pace(options, clock);
    this.#reporter = options.onRequest && new RequestReporter(options.onRequest);
  }

  /** Memory that bodies are read into. */
  get buffers(): BufferPool {
    return this.#setting.buffers;
  }

  /** Requests made so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Of these, those made again after a failure. */
  get retries(): number {
    return this.#retries;
  }

  /** What the caller's `onRequest` threw first, perhaps for a document that is not read. */
  get callerFailure(): CallerError | undefined {
    return this.#reporter?.failure;
  }

  /** Reports a sitemap that is not requested. */
  reportRefusal(url: URL, reason: string): void {
    this.#reporter?.report("failure", url, { sitemap: url.href, attempt: 1 }, { reason });
  }

  /** Gives up everything that is under way, and all that would come; holds nothing open then. */
  stop(reason: unknown): void {
    this.cancellation.cancel(reason);
    this.#setting.watchdog.stop();
  }

  /** Asks for one URL until there is an answer or no try is left; follows nothing. */
  ask(url: URL, effort: RetryBudget): Promise<FetchResult> {
    return this.#ask(url, effort, { asItIs: false, misencoded: false });
  }

  /**
   * Asks again for a document whose body broke off after so many bytes: for the rest if the server
   * can tell that it is the same body, else for all of it. `undefined` if there is no try left, or
   * none that succeeds.
   */
  async reopen(
    broken: FetchedDocument,
    received: number,
    effort: RetryBudget,
    error: unknown,
  ): Promise<FetchedDocument | undefined> {
    const { asked, url, contentEncoding, etag } = broken;
    if (effort.retriesLeft-- <= 0) return undefined;
    const delay = delayBefore(1, undefined, this.#options, () => this.#clock.random());
    this.#beginRetry(url, effort, delay, () => bodyFailure(error));
    await sleep(delay, this.#clock, effort.cancellation);
    const rest = etag === undefined ? undefined : { offset: received, etag };
    try {
      const asItIs = contentEncoding !== null;
      const hop = await this.#ask(url, effort, { asItIs, misencoded: false, rest });
      if ("body" in hop) return { ...hop, asked };
    } catch (error) {
      effort.cancellation.throwIfCancelled();
      if (!(error instanceof InvalidSitemapError)) throw error;
    }
    return undefined;
  }

  async #ask(url: URL, effort: RetryBudget, request: BodyRequest): Promise<FetchResult> {
    for (let retry = 1;; retry++) {
      const { asItIs, misencoded } = request;
      try {
        return await this.#attempt(url, effort, request);
      } catch (error) {
        effort.cancellation.throwIfCancelled();
        const isOfRange = error instanceof WrongRangeError;
        const isRefused = (request.rest !== undefined || !asItIs) &&
          (isOfRange || isUnsatisfiable(error));
        request.rest = undefined;
        if (isRefused) request.asItIs = true;
        const failure = failureFor(error);
        if (isRefused || (request.misencoded && !misencoded)) {
          // the body is there, but not in this way: asked for as it is, at once and for free
          this.#beginRetry(url, effort, 0, () => failure.message);
          continue;
        }
        if (!isPassing(failure)) throw failure;
        const delay = this.#delayAfter(url, failure, retry);
        if (effort.retriesLeft-- <= 0) throw failure;
        this.#beginRetry(url, effort, delay, () => failure.message);
        await sleep(delay, this.#clock, effort.cancellation);
      }
    }
  }

  /** Follows redirects from a first answer to the document. */
  follow(
    first: FetchResult,
    effort: RetryBudget,
    redirects?: RedirectHandler,
  ): FetchedDocument | Promise<FetchedDocument> {
    return "body" in first && first.url === first.asked
      ? first
      : this.#followOn(first, effort, redirects);
  }

  async #followOn(
    first: FetchResult,
    effort: RetryBudget,
    redirects?: RedirectHandler,
  ): Promise<FetchedDocument> {
    const trail = new RedirectTrail(first.asked, this.#options.maxRedirects);
    let hop = first;
    for (;;) {
      if (hop.url !== hop.asked) this.#checkAnswered(hop, effort, redirects);
      if ("body" in hop) return hop;
      const target = hop.redirect;
      this.#checkRedirect(target, effort, redirects, trail);
      hop = await redirects?.answer?.(target) ?? await this.ask(target, effort);
    }
  }

  /** Checks a redirect before it is followed. */
  #checkRedirect(
    target: URL,
    effort: RetryBudget,
    redirects: RedirectHandler | undefined,
    trail?: RedirectTrail,
  ): void {
    try {
      trail?.step(target);
      redirects?.check(target);
    } catch (error) {
      // a target that is in the tree already is not a failure
      const isInTree = error instanceof InvalidSitemapError && error.code === "already-visited";
      if (!isInTree) this.#reportFailure(target, effort, error);
      throw error;
    }
  }

  /** Checks a document from elsewhere than requested: `fetch` followed a redirect by itself. */
  #checkAnswered(
    hop: FetchResult,
    effort: RetryBudget,
    redirects: RedirectHandler | undefined,
  ): void {
    try {
      this.#checkRedirect(hop.url, effort, redirects);
    } catch (error) {
      if ("body" in hop) hop.body.cancel();
      throw error;
    }
  }

  async #attempt(url: URL, effort: RetryBudget, request: BodyRequest): Promise<FetchResult> {
    const { cancellation } = effort;
    let exchange: Exchange, response: Response;
    try {
      const admission = this.#admit(url, cancellation);
      if (admission !== undefined) await admission;
      const pacing = this.pace.turn(url, cancellation);
      if (pacing !== undefined) await pacing;
      cancellation.throwIfCancelled();
      this.#requests++;
      this.#reporter?.report("request", url, effort);
      exchange = new Exchange(this.#setting, cancellation);
      const headers = this.#headers.for(url, request.asItIs, request.rest);
      response = await exchange.send(this.#options.fetch, url.href, headers);
      if (response.type === "opaqueredirect") {
        [exchange, response] = await this.#sendAgain(url, headers, cancellation);
      }
    } catch (error) {
      this.#reportFailure(url, effort, error);
      throw error;
    }
    let arrival: FetchedDocument | undefined, reported = url;
    try {
      const redirection = this.#redirection(url, response, exchange, effort);
      if (redirection !== undefined) return redirection;
      if (this.#reporter !== undefined) {
        reported = this.#reportFollowed(this.#reporter, url, response, effort);
        this.#reportResponse(reported, response, exchange, effort);
      }
      arrival = this.#arrival(url, response, exchange, request);
      const first = await exchange.read();
      if (first !== undefined) exchange.unread(first);
      return arrival;
    } catch (error) {
      if (arrival !== undefined) noteTrouble(request, arrival, error);
      exchange.cancel(error);
      const isUnusable = error instanceof InvalidSitemapError && !(error instanceof StatusError);
      if (isUnusable) this.#reportFailure(reported, effort, error);
      throw error;
    }
  }

  /**
   * Sends a request again and lets `fetch` follow redirects: a browser does not reveal their targets.
   * The final URL is checked as that of a `fetch` that follows redirects by itself.
   */
  async #sendAgain(
    url: URL,
    headers: HeaderRecord,
    cancellation: Cancellation,
  ): Promise<[Exchange, Response]> {
    if (this.#options.maxRedirects === 0) {
      throw new InvalidSitemapError("redirect", "More than 0 redirects");
    }
    await this.pace.turn(url, cancellation);
    cancellation.throwIfCancelled();
    this.#requests++;
    const exchange = new Exchange(this.#setting, cancellation);
    return [exchange, await exchange.send(this.#options.fetch, url.href, headers, "follow")];
  }

  #reportResponse(url: URL, { status }: Response, exchange: Exchange, effort: RetryBudget): void {
    const { sitemap, attempt } = effort;
    this.#reporter!.report("response", url, effort, { status });
    exchange.onBreak((error) => {
      this.#reporter!.report("failure", url, { sitemap, attempt }, { reason: bodyFailure(error) });
    });
  }

  /** Reports the redirects that `fetch` followed by itself as one; returns the URL of the response. */
  #reportFollowed(
    reporter: RequestReporter,
    asked: URL,
    response: Response,
    effort: RetryBudget,
  ): URL {
    const url = response.redirected ? URL.parse(response.url) : null;
    if (url === null) return asked;
    reporter.report("redirect", asked, effort, { location: url.href });
    reporter.report("request", url, effort);
    return url;
  }

  /** Reports what an attempt threw, unless it was cancelled or the caller's own. */
  #reportFailure(url: URL, effort: RetryBudget, error: unknown): void {
    if (this.#reporter === undefined || effort.cancellation.cancelled) return;
    const { message } = failureFor(error);
    this.#reporter.report("failure", url, effort, { reason: message });
  }

  /** Counts and reports a retry: from here on it is another attempt. */
  #beginRetry(url: URL, effort: RetryBudget, delayMs: number, reason: () => string): void {
    this.#retries++;
    this.#reporter?.report("retry", url, effort, { delayMs, reason: reason() });
    effort.attempt++;
  }

  /** Where an answer says to ask instead. */
  #redirection(
    asked: URL,
    response: Response,
    body: Exchange,
    effort: RetryBudget,
  ): Redirection | undefined {
    if (!FOLLOWED_STATUSES.has(response.status)) return undefined;
    const location = response.headers.get("location");
    if (location === null) return undefined;
    const url = this.#answeredBy(asked, response);
    let redirect: URL | undefined;
    try {
      redirect = redirectTarget(location, url);
    } finally {
      this.#reporter?.report("redirect", asked, effort, {
        status: response.status,
        location: redirect?.href ?? excerpt(location),
      });
    }
    body.cancel();
    return { asked, url, redirect };
  }

  /** The document of an answer that has one. */
  #arrival(asked: URL, response: Response, body: Exchange, request: BodyRequest): FetchedDocument {
    const { status, headers } = response;
    const url = this.#answeredBy(asked, response);
    if (status < 200 || status > 299) throw new StatusError(response, this.#clock.now());
    const contentEncoding = headers.get("content-encoding");
    const isEncoded = contentEncoding !== null && !/^\s*identity\s*$/i.test(contentEncoding);
    const etag = headers.get("etag");
    const length = headers.get("content-length");
    // a browser hides the encoding of other origins, whose bodies it has decoded
    const isRaw = !this.#headers.isBrowser &&
      (!isEncoded || (this.#options.isRuntimeFetch && this.#headers.getRaw));
    if (LENGTH_REGEXP.test(length ?? "") && (isRaw || this.#headers.getRaw)) {
      body.expect(Number(length), !isRaw);
    }
    return {
      asked,
      url,
      body,
      contentType: headers.get("content-type"),
      contentEncoding,
      misencoded: request.asItIs && request.misencoded && isEncoded,
      isRaw,
      offset: status === STATUS_CODE.PartialContent ? offsetOf(headers, request) : 0,
      etag: !isEncoded && etag !== null && STRONG_ETAG_REGEXP.test(etag) ? etag : undefined,
    };
  }

  /** Throws or rejects where the policy of the walk refuses a URL; most need no waiting. */
  #admit(url: URL, cancellation: Cancellation): Promise<void> | undefined {
    const refusal = this.#policy.refusal(url);
    if (refusal !== undefined) throw new InvalidSitemapError("blocked", refusal);
    const resolved = this.#policy.resolvedRefusal(url);
    return resolved === undefined ? undefined : this.#admitResolved(resolved, cancellation);
  }

  async #admitResolved(
    resolved: Promise<string | undefined>,
    cancellation: Cancellation,
  ): Promise<void> {
    const reason = await this.#inTime(resolved, cancellation);
    if (reason !== undefined) throw new InvalidSitemapError("blocked", reason);
  }

  /** Waits for the resolver, but not for ever, and not for what was given up. */
  async #inTime<T>(promise: Promise<T>, cancellation: Cancellation): Promise<T> {
    const { timeout } = this.#options;
    const wait = new Cancellation(cancellation);
    const stopTimer = this.#clock.after(timeout, () => {
      wait.cancel(new TimeoutError(`Name not resolved within ${timeout} ms`));
    });
    return await wait.race(promise).finally(stopTimer);
  }

  /** Who answered: an injected `fetch` may follow redirects although it was asked not to. */
  #answeredBy(url: URL, response: Response): URL {
    const answeredBy = response.redirected ? URL.parse(response.url) : null;
    if (answeredBy === null) return url;
    const refusal = this.#policy.refusal(answeredBy);
    if (refusal !== undefined) throw new InvalidSitemapError("blocked", refusal);
    return answeredBy;
  }

  /** How long to wait after a failure. A host that asks to be left alone is, by every request. */
  #delayAfter(url: URL, failure: InvalidSitemapError, retry: number): number {
    const status = failure instanceof StatusError ? failure : undefined;
    const delay = delayBefore(retry, status?.retryAfter, this.#options, () => this.#clock.random());
    if (status !== undefined && isBusy(status.status)) this.pace.pause(url.host, delay);
    return delay;
  }
}

const LENGTH_REGEXP = /^\d{1,15}$/;
const STRONG_ETAG_REGEXP = /^"[^"]*"$/;
const CONTENT_RANGE_REGEXP = /^bytes (\d{1,15})-(\d{1,15})\/(?:(\d{1,15})|\*)$/;

/** Whether a range was refused: there is none in an empty body. */
function isUnsatisfiable(error: unknown): boolean {
  return statusOf(error) === STATUS_CODE.RangeNotSatisfiable;
}

/** Offset at which a part of a body begins; throws if it is not the part up to the end asked for. */
function offsetOf(headers: Headers, { asItIs, rest }: BodyRequest): number {
  if (rest === undefined && asItIs) return 0;
  const [, start, end, total] = CONTENT_RANGE_REGEXP.exec(headers.get("content-range") ?? "") ?? [];
  const offset = Number(start ?? 0), expected = rest?.offset ?? 0;
  const isRest = offset === expected && (total === undefined || Number(end) + 1 === Number(total));
  if (!isRest) throw new WrongRangeError(`Wrong range ${start}-${end}/${total}`);
  return offset;
}

/** A body that fails before its first byte may not be encoded as it claims. */
function noteTrouble(
  request: BodyRequest,
  { contentEncoding }: FetchedDocument,
  error: unknown,
): void {
  request.asItIs = true;
  request.misencoded ||= contentEncoding !== null && !isTimeout(error);
}
