/**
 * Fetches documents: policy, request, redirects, body. The only code that calls `fetch`.
 *
 * `follow()` requests each target of a redirect, `request()` makes attempts at one URL until there is a
 * response that is not retried, and an attempt checks the policy, waits for the pace of the host
 * and sends a request:
 *
 * ```
 *  takeTurn() ─► request ─┬─► endTurn(): answer
 *      ▲                  ├─► failureOf() ─► delayAfter() ─┬─► the failure is final: thrown
 *      │                  └─► endTurn(): no outcome        │
 *      └──── after the delay, or the pause of the host ◄───┘
 * ```
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import { CallerError, InvalidSitemapError } from "../data/errors.ts";
import { excerpt } from "../data/text.ts";
import { addressKey, isRobotsUrl, withoutPassword } from "../data/url.ts";
import { IS_BUN, IS_DENO } from "../platform/environment.ts";
import { giveUp, isOverload, RetryBudget, tooLong } from "./attempts.ts";
import { BufferPool } from "./body.ts";
import { isChallenge } from "./challenge.ts";
import { type Clock, sleep, throwIfAborted, Watchdog } from "./clock.ts";
import { bodyLength, hasEncoding, partialBody, strongEtag } from "./content_range.ts";
import {
  Exchange,
  ExchangeError,
  type ExchangeLimits,
  type ExchangeSetting,
  type Fetch,
  isLong,
} from "./exchange.ts";
import { afterBody } from "./content_encoding.ts";
import {
  BodyError,
  bodyFailure,
  failureFor,
  PartialBodyError,
  reported,
  type ReportedFailure,
  requestCodeOf,
  RequestError,
  StatusError,
  statusOf,
} from "./failure.ts";
import type { BodyForm, FetchedDocument, FetchResult, ResponseUrls } from "./fetched_document.ts";
import { isCurrent, RequestHeaders, type Validators } from "./headers.ts";
import { type OriginMap, sourceUrl, targetUrl } from "./origin_map.ts";
import { addRedirect, Policy, type PolicyOptions, redirectTarget } from "./policy.ts";
import {
  isRefusal,
  type Outcome,
  Pace,
  type PaceOptions,
  type SharedPace,
  type Turn,
} from "./pace.ts";
import type { RequestReport, RequestSubject } from "./request_report.ts";
import { delayBefore, parseRetryAfter } from "./retry.ts";

interface FetcherOptions extends ExchangeLimits, PaceOptions, PolicyOptions {
  readonly retries: number;
  readonly headers: HeadersInit | undefined;
  readonly userAgent: string;
  readonly maxRedirects: number;
  readonly mapOrigin?: OriginMap | undefined;
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
}

export interface RedirectHandler {
  /** Called before each redirect is followed; `follow()` rejects with its exception. */
  check(target: URL): void;
  /** Returns the response of the target, if it was requested already. */
  answer?(target: URL): Promise<FetchResult | undefined> | undefined;
}

/** One attempt at a URL, and the form in which it requests the body. */
interface Attempt {
  readonly requestedUrl: URL;
  readonly budget: RetryBudget;
  readonly form: BodyForm;
  readonly validators: Validators | undefined;
}

interface Received extends Attempt, ResponseUrls {
  readonly response: Response;
  readonly exchange: Exchange;
}

/** Length of a body up to which it is read although it is not needed. */
const MAX_DISCARDED_BYTES = 64 * 1024;

/** Statuses of redirects; 304 is none, and 300 and 305 are not followed. */
const FOLLOWED_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class Fetcher {
  /** robots.txt may slow it down. */
  readonly pace: Pace;
  readonly buffers: BufferPool = new BufferPool();
  /** First exception of `onRequest`, perhaps for a document that is never read. */
  callbackError: CallerError | undefined;
  requests = 0;
  retries = 0;
  readonly #options: FetcherOptions;
  readonly #fetch: Fetch;
  readonly #isRuntimeFetch: boolean;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #setting: ExchangeSetting;
  readonly #sharedPace: SharedPace | undefined;
  /** Whether hosts that refuse a request are waited for. */
  readonly #isPatient: boolean;
  readonly #policy: Policy;
  readonly #headers: RequestHeaders;
  /** URLs whose validators are not sent any more, since a response has contradicted them. */
  readonly #unconditional = new Set<string>();

  constructor(homepage: URL, options: FetcherOptions, clock: Clock, sharedPace?: SharedPace) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#isRuntimeFetch = options.isRuntimeFetch ?? options.fetch === undefined;
    this.#clock = clock;
    const watchdog = new Watchdog(clock);
    this.#setting = { limits: options, clock, watchdog, buffers: this.buffers, open: [] };
    this.#policy = new Policy(homepage, options, clock);
    this.#headers = new RequestHeaders(homepage, options.headers, options.userAgent);
    this.#sharedPace = sharedPace;
    this.#isPatient = options.retries > 0 || sharedPace !== undefined;
    this.pace = new Pace(options, clock, sharedPace);
  }

  reportRefusal(url: URL, reason: string): void {
    const subject = { sitemap: url.href, attempt: 1 };
    this.#report("failure", url, subject, { code: "blocked", reason });
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
    for (const exchange of [...this.#setting.open]) exchange.cancel(reason);
    this.#setting.watchdog.stop();
  }

  /** Does not follow redirects. */
  request(url: URL, budget: RetryBudget): Promise<FetchResult> {
    const isUnencoded = budget.method !== undefined;
    return this.#request(url, budget, { isUnencoded, wasPart: false });
  }

  async follow(
    first: FetchResult,
    budget: RetryBudget,
    redirects?: RedirectHandler,
  ): Promise<FetchedDocument> {
    const seen = new Set([addressKey(first.requestedUrl.href)]);
    for (let result = first;;) {
      const { url, requestedUrl } = result;
      try {
        // `fetch` followed a redirect by itself
        if (url !== requestedUrl) this.#checkRedirect(url, budget, () => redirects?.check(url));
      } catch (error) {
        if ("body" in result) result.body.cancel();
        throw error;
      }
      const followed = seen.size - 1;
      if ("body" in result) {
        return followed === 0 ? result : { ...result, redirects: result.redirects + followed };
      }
      const target = result.redirect;
      this.#checkRedirect(target, budget, () => {
        addRedirect(seen, target, this.#options.maxRedirects);
        redirects?.check(target);
      });
      try {
        result = await redirects?.answer?.(target) ?? await this.request(target, budget);
      } catch (error) {
        if (error instanceof StatusError) {
          error.response = { ...error.response, redirects: seen.size - 1 };
        }
        throw error;
      }
    }
  }

  /**
   * Requests a document again whose body failed after `received` bytes: the rest if it has an
   * entity tag, else all of it. Resolves to `undefined` if it would fail again, if no retry is left,
   * or if none succeeds. Never conditional: a 304 would have no body to continue with.
   */
  async reopen(
    broken: FetchedDocument,
    received: number,
    budget: RetryBudget,
    error: unknown,
  ): Promise<FetchedDocument | undefined> {
    const { requestedUrl, url, contentEncoding, etag, total } = broken;
    if (error instanceof CallerError || error instanceof PartialBodyError) return undefined;
    // another request would take as long
    if (error instanceof ExchangeError && error.limit === "total") return undefined;
    const failure = bodyFailure(error);
    const next = afterBody({ ...broken, code: failure.code, hasBegun: true });
    const isAtOnce = next === "identity";
    if (next === "none") return undefined;
    if (!(isAtOnce ? budget.takeRetry() : budget.retriesLeft-- > 0)) return undefined;
    const delay = isAtOnce ? 0 : delayBefore(1, this.#options, this.#clock);
    this.#beginRetry(url, budget, delay, failure);
    await sleep(delay, this.#clock, budget.signals);
    const isUnencoded = isAtOnce || contentEncoding !== null;
    const misencoded = isAtOnce ? contentEncoding ?? undefined : undefined;
    const canResume = etag !== undefined && !isLong(error);
    const rest = canResume ? { offset: received, etag, total } : undefined;
    const form = { isUnencoded, misencoded, wasPart: false, rest };
    this.#unconditional.add(url.href);
    try {
      const result = await this.#request(url, budget, form);
      return "body" in result ? { ...result, requestedUrl } : undefined;
    } catch (error) {
      throwIfAborted(budget.signals);
      if (!(error instanceof InvalidSitemapError)) throw error;
      return undefined;
    }
  }

  async #request(url: URL, budget: RetryBudget, form: BodyForm): Promise<FetchResult> {
    for (let retry = 1;; retry++) {
      const { validators: own } = budget;
      const isConditional = own?.url === url.href && (own.etag ?? own.lastModified) !== undefined &&
        form.rest === undefined && !this.#unconditional.has(url.href);
      const validators = isConditional ? own : undefined;
      const attempt = { requestedUrl: url, budget, form, validators };
      try {
        const result = await this.#attempt(attempt);
        budget.endTurn({ type: "answer" });
        return result;
      } catch (error) {
        const failure = budget.failureOf(error);
        const isAtOnce = this.#isSentAtOnce(failure, attempt);
        if (isAtOnce) budget.endTurn();
        const delay = isAtOnce ? 0 : await this.#delayAfter(failure, budget, retry);
        this.#beginRetry(url, budget, delay, reported(failure));
        // the pace of the host delays a request that was refused
        if (!isRefusal(failure)) await sleep(delay, this.#clock, budget.signals);
      }
    }
  }

  /** Changes the form of a request that failed; returns whether the next one is sent at once. */
  #isSentAtOnce(failure: InvalidSitemapError, { budget, form, validators }: Attempt): boolean {
    const { isUnencoded, wasPart, rest } = form;
    const status = statusOf(failure);
    form.rest = undefined;
    // a server refuses a range, as for an empty body, or sends another one
    const isOfRange = failure instanceof PartialBodyError ||
      status === STATUS_CODE.RangeNotSatisfiable;
    if (!wasPart && isOfRange) return form.isUnencoded = form.wasPart = true;
    if (status === STATUS_CODE.NotModified) return (rest ?? validators) !== undefined;
    const code = requestCodeOf(failure);
    const contentEncoding = failure instanceof BodyError ? failure.contentEncoding : undefined;
    if (failure instanceof BodyError) form.isUnencoded = true;
    const next = afterBody({ code, contentEncoding, isUnencoded, hasBegun: false });
    if (next !== "identity" || !budget.takeRetry()) return false;
    if (code === "content-encoding") form.misencoded = contentEncoding;
    return form.isUnencoded = true;
  }

  async #attempt(attempt: Attempt): Promise<FetchResult> {
    const received = await this.#send(attempt);
    const { requestedUrl, url, budget, response, exchange } = received;
    this.#receive(response, budget);
    let document: FetchedDocument | undefined;
    try {
      const redirect = this.#redirect(received);
      if (redirect !== undefined) {
        await this.#discard(received);
        return { requestedUrl, url, redirect };
      }
      const isChallenged = await isChallenge(response, exchange, this.#clock);
      throwIfAborted(budget.signals);
      this.#reportResponse(received, isChallenged);
      if (url !== requestedUrl) this.#policy.check(url);
      if (isChallenged) throw new StatusError(response, this.#clock.now(), true);
      document = this.#document(received);
      if (budget.method === undefined) await exchange.readAhead();
      else await this.#discard(received);
      return document;
    } catch (error) {
      if (error instanceof StatusError) await this.#discard(received);
      else exchange.cancel(error);
      if (document !== undefined) {
        this.#unconditional.add(requestedUrl.href);
        if (error instanceof CallerError || error instanceof InvalidSitemapError) throw error;
        throw new BodyError(error, document.contentEncoding ?? undefined);
      }
      const isReported = error instanceof StatusError || !(error instanceof InvalidSitemapError);
      if (!isReported) this.#reportFailure(url, budget, error);
      throw error;
    }
  }

  async #send(attempt: Attempt): Promise<Received> {
    const { requestedUrl, budget, form, validators } = attempt;
    const { maxRedirects, mapOrigin } = this.#options;
    const target = targetUrl(requestedUrl, mapOrigin);
    const address = (target ?? requestedUrl).href;
    const headers = this.#headers.for(requestedUrl, form.isUnencoded, form.rest, validators);
    try {
      this.#policy.check(requestedUrl);
      await this.#takeTurn(requestedUrl, budget);
      // the caller has named any other target
      if (target === undefined) await this.#policy.checkAddresses(requestedUrl, budget.signals);
      let exchange = this.#newExchange(requestedUrl, budget);
      const method = budget.method === "HEAD" ? { method: "HEAD" } as const : {};
      this.#report("request", requestedUrl, budget, method);
      const decompress = IS_BUN && this.#isRaw(form) ? { decompress: false } : {};
      const init = { headers, redirect: "manual", ...method, ...decompress } as const;
      let response = await exchange.send(this.#fetch, address, init);
      if (response.type === "opaqueredirect") {
        // browsers hide the target of a redirect unless they follow it; it is checked afterwards
        if (maxRedirects === 0) throw new InvalidSitemapError("redirect", "More than 0 redirects");
        budget.endTurn({ type: "answer" });
        await this.#takeTurn(requestedUrl, budget);
        exchange = this.#newExchange(requestedUrl, budget);
        const followed = { headers, redirect: "follow", ...method } as const;
        response = await exchange.send(this.#fetch, address, followed);
      }
      const found = response.redirected ? URL.parse(response.url) : null;
      const url = found === null ? requestedUrl : sourceUrl(found, requestedUrl, mapOrigin);
      return { ...attempt, url, response, exchange };
    } catch (error) {
      this.#reportFailure(requestedUrl, budget, error);
      throw error;
    }
  }

  #newExchange({ hostname }: URL, budget: RetryBudget): Exchange {
    throwIfAborted(budget.signals);
    this.requests++;
    const exchange = new Exchange(this.#setting);
    const shared = this.#sharedPace;
    shared?.enter(hostname);
    if (shared !== undefined) exchange.onClose = () => shared.leave(hostname);
    return budget.exchange = exchange;
  }

  /**
   * Ends a body that is not needed. A small one of a page is read, which keeps its connection usable;
   * what is wrong with it does not matter.
   */
  async #discard({ exchange, response, budget }: Received): Promise<void> {
    const length = Number(response.headers.get("content-length"));
    let isWanted = budget.method !== undefined && length <= MAX_DISCARDED_BYTES;
    try {
      for (let read = 0; isWanted; isWanted = read <= MAX_DISCARDED_BYTES) {
        const chunk = await exchange.read();
        if (chunk === undefined) return;
        read += chunk.length;
      }
    } catch (error) {
      if (error instanceof CallerError) throw error;
    }
    exchange.cancel();
  }

  #redirect({ requestedUrl, url, response, budget }: Received): URL | undefined {
    const { status } = response;
    const location = FOLLOWED_STATUSES.has(status) ? response.headers.get("location") : null;
    if (location === null) return undefined;
    if (url !== requestedUrl) this.#policy.check(url);
    let target: URL | undefined;
    try {
      const { mapOrigin } = this.#options;
      return target = sourceUrl(redirectTarget(location, url), requestedUrl, mapOrigin);
    } finally {
      const details = { status, location: target?.href ?? excerpt(withoutPassword(location)) };
      this.#report("redirect", requestedUrl, budget, details);
    }
  }

  #document(
    { requestedUrl, url, form, validators, response, exchange }: Received,
  ): FetchedDocument {
    const { status, headers, ok } = response;
    const is304 = status === STATUS_CODE.NotModified;
    const isNotModified = is304 && validators !== undefined && isCurrent(url, headers, validators);
    // any other response contradicts the validators
    if (validators !== undefined && !isNotModified && (is304 || ok)) {
      this.#unconditional.add(requestedUrl.href);
    }
    if (!ok && !isNotModified) throw new StatusError(response, this.#clock.now());
    const contentEncoding = headers.get("content-encoding");
    const isEncoded = hasEncoding(headers);
    const { isBrowser, getRaw } = this.#headers;
    // browsers hide the encoding of responses from other origins, which they have decoded
    const isRaw = !isBrowser && (!isEncoded || this.#isRaw(form));
    const partial = status === STATUS_CODE.PartialContent
      ? partialBody(headers, form.rest)
      : undefined;
    const length = isNotModified ? undefined : partial?.length ?? bodyLength(headers);
    if (length !== undefined && length > 0 && (isRaw || getRaw)) {
      exchange.expected = { bytes: length, onlyGzip: !isRaw, isExact: partial !== undefined };
    }
    if (partial?.type === "part") {
      const error = new PartialBodyError(partial.text);
      if (!form.wasPart || partial.offset === undefined) throw error;
      exchange.endError = error;
    }
    return {
      requestedUrl,
      url,
      status,
      body: exchange,
      isNotModified,
      headers,
      contentType: headers.get("content-type"),
      contentEncoding,
      isUnencoded: form.isUnencoded,
      // raw bytes show it themselves
      misencoded: isEncoded && isRaw ? undefined : form.misencoded,
      isRaw,
      offset: partial?.offset ?? 0,
      etag: strongEtag(headers),
      total: partial === undefined ? length : partial.total,
      redirects: url === requestedUrl ? 0 : 1,
      waited: () => exchange.waited,
    };
  }

  #isRaw({ isUnencoded, misencoded }: BodyForm): boolean {
    if (!this.#isRuntimeFetch) return false;
    if (IS_BUN) return misencoded !== undefined;
    return this.#headers.getRaw || (IS_DENO && isUnencoded);
  }

  #takeTurn(url: URL, budget: RetryBudget): Promise<void> | undefined {
    const host = this.pace.host(url);
    if (host.down !== undefined) throw host.down;
    const open = (turn: Turn) => void (budget.turn = turn);
    const turn = host.turn(url, budget, budget.signals);
    return turn instanceof Promise ? turn.then(open) : open(turn);
  }

  /** A `Retry-After` begins before the body is looked at. */
  #receive({ status, headers }: Response, { turn }: RetryBudget): void {
    turn!.hasResponse = true;
    if (!isOverload(status) || !this.#isPatient) return;
    const retryAfter = parseRetryAfter(headers.get("retry-after"), this.#clock.now()) ?? 0;
    if (retryAfter <= this.#options.maxRetryDelay) turn!.host.pause(retryAfter);
  }

  /** Ends the turn of an attempt that failed. Throws the failure if no other attempt follows. */
  async #delayAfter(
    failure: InvalidSitemapError,
    budget: RetryBudget,
    retry: number,
  ): Promise<number> {
    const { turn } = budget;
    if (turn === undefined || !(failure instanceof RequestError)) {
      budget.endTurn();
      throw failure;
    }
    const { host, url } = turn;
    const { maxRetryDelay } = this.#options;
    const outcome = this.#outcomeOf(failure, turn, budget);
    budget.endTurn(outcome);
    if (outcome.type === "refusal") return this.#delayAfterRefusal(outcome.failure, turn, budget);
    if (outcome.type === "long-refusal") {
      // the shared pace decides whether to wait
      if (this.#sharedPace !== undefined && budget.retriesLeft-- > 0) return 0;
      throw giveUp(tooLong(outcome.failure), host, budget);
    }
    const isTentative = budget.method === "HEAD" && !isRefusal(failure);
    if (!failure.isTransient || isTentative) throw failure;
    if (host.isSuspect && !isRobotsUrl(url)) {
      // the host is down if robots.txt has no response either
      await this.#checkRobots(new URL("/robots.txt", url));
      if (host.isSuspect) host.close(failure);
    }
    if (budget.retriesLeft-- <= 0 || !host.allowsRetry(failure, 0)) {
      throw giveUp(failure, host, budget);
    }
    const { retryAfter } = failure instanceof StatusError ? failure : {};
    if ((retryAfter ?? 0) > maxRetryDelay) {
      throw giveUp(tooLong(failure as StatusError), host, budget);
    }
    const delay = retryAfter ?? delayBefore(retry, this.#options, this.#clock);
    if (!host.allowsRetry(failure, delay)) throw giveUp(failure, host, budget);
    return delay;
  }

  #outcomeOf(failure: RequestError, { hasResponse }: Turn, { method }: RetryBudget): Outcome {
    if (failure.isTransient && isRefusal(failure) && this.#isPatient) {
      const isLong = (failure.retryAfter ?? 0) > this.#options.maxRetryDelay;
      return { type: isLong ? "long-refusal" : "refusal", failure };
    }
    if (!hasResponse) return method === "HEAD" ? { type: "none" } : { type: "silence", failure };
    return { type: (failure.status ?? 500) < 500 ? "answer" : "error" };
  }

  /** The pace of the host then delays the next attempt. */
  #delayAfterRefusal(failure: StatusError, { host, url }: Turn, budget: RetryBudget): number {
    const { interval: intervalMs = 0, pauseLeft } = host;
    const details = { ...reported(failure), intervalMs, delayMs: pauseLeft };
    this.#report("slow-down", url, budget, details);
    if (budget.retriesLeft <= 0 || !host.allowsRetry(failure, pauseLeft)) {
      throw giveUp(failure, host, budget);
    }
    return pauseLeft;
  }

  /** Requests robots.txt once, to see if its host responds. */
  async #checkRobots(robots: URL): Promise<void> {
    const budget = new RetryBudget(robots.href, 0, this.signal);
    try {
      const result = await this.request(robots, budget);
      if ("body" in result) result.body.cancel();
    } catch (error) {
      budget.failureOf(error);
    }
  }

  #beginRetry(url: URL, budget: RetryBudget, delayMs: number, failure: ReportedFailure): void {
    this.retries++;
    this.#report("retry", url, budget, { delayMs, ...failure });
    budget.attempt++;
  }

  /** Reports a response, and the redirects that `fetch` followed by itself as one. */
  #reportResponse(
    { requestedUrl, url, response, exchange, budget }: Received,
    isChallenged: boolean,
  ): void {
    const { status, headers } = response;
    const retryAfterMs = status < 400
      ? undefined
      : parseRetryAfter(headers.get("retry-after"), this.#clock.now());
    if (url !== requestedUrl) {
      this.#report("redirect", requestedUrl, budget, { location: url.href });
      this.#report("request", url, budget);
    }
    this.#report("response", url, budget, {
      status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(isChallenged && { code: "browser-challenge" }),
    });
    const { sitemap, attempt } = budget;
    exchange.onFailure = (error) =>
      this.#report("failure", url, { sitemap, attempt }, bodyFailure(error));
  }

  #checkRedirect(target: URL, budget: RetryBudget, check: () => void): void {
    try {
      check();
    } catch (error) {
      // a target that is in the tree already, or known to be no sitemap, is not a failure
      const isKnown = error instanceof InvalidSitemapError &&
        (error.code === "already-visited" || error.code === "not-a-sitemap");
      if (!isKnown) this.#reportFailure(target, budget, error);
      throw error;
    }
  }

  #report(
    phase: RequestReport["phase"],
    url: URL,
    { sitemap, attempt }: RequestSubject,
    details?: Partial<RequestReport>,
  ): void {
    try {
      this.#options.onRequest?.({ phase, url: url.href, sitemap, attempt, ...details });
    } catch (error) {
      const failure = new CallerError(error);
      this.callbackError ??= failure;
      throw failure;
    }
  }

  #reportFailure(url: URL, budget: RetryBudget, error: unknown): void {
    if (budget.isAborted) return;
    this.#report("failure", url, budget, reported(failureFor(error)));
  }
}
