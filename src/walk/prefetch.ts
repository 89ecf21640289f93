/**
 * Fetching sitemaps before they are read, within the limit on concurrent requests.
 *
 * {@linkcode Slots} is the limit, {@linkcode Siblings} a list of sitemaps whose next ones are fetched
 * ahead, {@linkcode Prefetch} one document:
 *
 * ```
 *  idle ──start()──► requested ──response──► buffering ──64 KiB kept──► held back
 *   ▲                    │                       │                          │
 *   │                failure or              whole body                 yieldSlot()
 *   │              unfollowed redirect           │                          │
 *   │                    ▼                       ▼                          │
 *   │                  settled (slot released) ◄─┘                          │
 *   └── cancel(), from any state ◄──────────────────────────────────────────┘
 *
 *  take(), from any state: releases the slot, requests what is idle, resolves with the document
 * ```
 *
 * A prefetch has a slot from `start()` until it is settled, taken or cancelled. One that is held back
 * yields its slot to a document that is read earlier, and is requested again in its turn.
 *
 * @module
 */

import { CallerError } from "../data/errors.ts";
import { RetryBudget } from "../http/attempts.ts";
import { type FetchedDocument, type FetchResult, isDocument } from "../http/fetched_document.ts";
import type { Fetcher, RedirectHandler } from "../http/fetcher.ts";
import type { ListedAddress } from "./addresses.ts";
import { BufferedBody } from "./buffered_body.ts";
import type { KnownSitemap } from "./known_sitemaps.ts";
import { failureOf, type SitemapFailure } from "./verdict.ts";

/** A list whose documents are fetched ahead. */
type Prefetcher = Pick<Siblings, "exhausted" | "fill" | "evict">;

/**
 * Limit on concurrent requests. Reading has priority: one slot is never used to fetch ahead, and
 * prefetches that are held back are evicted, so that they cannot block what is read before them.
 */
export class Slots {
  readonly #size: () => number;
  /** Lists being visited, the innermost last: it is first in document order. */
  readonly #lists: Prefetcher[] = [];
  readonly #waiting: (() => void)[] = [];
  #reading = 0;
  #ahead = 0;
  #isClosed = false;

  /** `size` returns the number of slots, which may change during the walk. */
  constructor(size: () => number) {
    this.#size = size;
  }

  get size(): number {
    return Math.max(1, this.#size());
  }

  /** `undefined` if there is a slot at once. */
  take(): Promise<void> | undefined {
    if (this.#isClosed) return undefined;
    if (this.#isFull && !this.#evict(this.#lists.length)) {
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    this.#reading++;
    return undefined;
  }

  release(): void {
    this.#reading--;
    this.#assign();
  }

  /** Fetches a document that has no siblings, and reads it, with a slot. */
  async read<T>(
    document: Prefetch,
    read: (fetched: FetchedDocument) => Promise<T>,
  ): Promise<T | SitemapFailure> {
    await this.take();
    try {
      return await read(await document.take());
    } catch (error) {
      return failureOf(error);
    } finally {
      this.release();
    }
  }

  /** Takes a slot to fetch ahead, perhaps from a list that is later in document order. */
  tryTakeAhead(list: Prefetcher): boolean {
    if (this.#isClosed) return false;
    const isFree = !this.#isFull && this.#ahead < this.size - 1;
    if (!isFree && !this.#evict(this.#lists.lastIndexOf(list))) return false;
    this.#ahead++;
    return true;
  }

  releaseAhead(): void {
    this.#ahead--;
    this.#assign();
  }

  enter(list: Prefetcher): void {
    this.#lists.push(list);
  }

  leave(list: Prefetcher): void {
    this.#lists.splice(this.#lists.lastIndexOf(list), 1);
  }

  /**
   * Starts prefetches in document order while there are free slots. An outer list has to wait until
   * the inner one is exhausted, or the two would evict each other in turn.
   */
  refill(): void {
    for (let at = this.#lists.length - 1; at >= 0 && !this.#isClosed; at--) {
      const list = this.#lists[at]!;
      list.fill();
      if (!list.exhausted) return;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  get #isFull(): boolean {
    return this.#reading + this.#ahead >= this.size;
  }

  /** Takes a slot from one of the first `count` lists, the outermost first. */
  #evict(count: number): boolean {
    if (!this.#lists.slice(0, count).some((list) => list.evict())) return false;
    this.#ahead--;
    return true;
  }

  /** Assigns free slots, in turn. */
  #assign(): void {
    if (this.#waiting.length === 0) return this.refill();
    // more than one is free if the number of slots has grown
    while (!this.#isFull && this.#waiting.length > 0) {
      this.#reading++;
      this.#waiting.shift()!();
    }
  }
}

/** Bytes kept of a body that is prefetched: most sitemaps below an index are smaller. */
const MAX_PREFETCHED_BYTES = 64 * 1024;

export interface DocumentRequest {
  readonly url: URL;
  readonly retries: number;
  /** Default: follows redirects without checks. */
  readonly redirects?: RedirectHandler | undefined;
  /** Whether redirects may be followed before the document is taken. */
  readonly followsAhead: boolean;
  /** What is known of it, which makes the request conditional. */
  readonly known?: KnownSitemap | undefined;
  /** Called with the document in its turn; returns what is read in its place. Default: none. */
  readonly observe?: ((document: FetchedDocument) => Promise<FetchedDocument>) | undefined;
}

interface Started {
  readonly budget: RetryBudget;
  response?: Promise<FetchResult>;
  body?: BufferedBody;
  /** Resolves when the body is held back or finished. */
  filled?: Promise<void>;
  /** Releases the slot; `undefined` once that is done. */
  release: (() => void) | undefined;
}

export class Prefetch {
  readonly #fetcher: Fetcher;
  request: DocumentRequest;
  /** Budget of the last request. */
  budget: RetryBudget | undefined;
  #started: Started | undefined;

  constructor(fetcher: Fetcher, request: DocumentRequest) {
    this.#fetcher = fetcher;
    this.request = request;
  }

  get isStarted(): boolean {
    return this.#started !== undefined;
  }

  /** Whether it has a slot and its body is open and held back. */
  get isHeldBack(): boolean {
    return this.#started?.release !== undefined && this.#started.body?.isHeldBack === true;
  }

  /** `release` is called once it needs its slot no longer. */
  start(release: () => void): void {
    const started: Started = this.#started = { budget: this.#newBudget(), release };
    started.response = this.#fetchAhead(started);
    // thrown by `take()`
    started.response.catch(() => {});
  }

  /** Replaces the request: a known path turns out to be declared, and deserves more retries. */
  adopt(request: DocumentRequest): void {
    this.request = request;
    if (this.#started === undefined) return;
    const { budget } = this.#started;
    // it has failed, and was not retried
    if (budget.retriesLeft < 0) this.cancel();
    else budget.retriesLeft = Math.max(budget.retriesLeft, request.retries);
  }

  async take(): Promise<FetchedDocument> {
    const started = this.#started;
    const result = started && await resultOf(started);
    const budget = started?.budget ?? this.#newBudget();
    const { url, redirects, observe } = this.request;
    const first = result ?? await this.#fetcher.request(url, budget);
    const document = isDocument(first)
      ? first
      : await this.#fetcher.follow(first, budget, redirects);
    return observe === undefined ? document : await observe(document);
  }

  /** Resolves once a document that was started has arrived, or is held back. Rejects if it fails. */
  async ready(): Promise<void> {
    await this.#started?.response;
    await this.#started?.filled;
  }

  /** Returns the response to use it for another document that redirects here, if there is one. */
  async handOver(): Promise<FetchResult | undefined> {
    try {
      const result = this.#started && await resultOf(this.#started);
      // the other document was not read at this URL
      return result !== undefined && isDocument(result) && result.isNotModified
        ? undefined
        : result;
    } catch (error) {
      if (error instanceof CallerError) throw error;
      // requested again, with the retries of a declared sitemap
      return undefined;
    }
  }

  /** The prefetch can be started again. */
  cancel(): void {
    const release = this.#started?.release;
    this.yieldSlot();
    release?.();
  }

  /** Returns whether it had a slot, which is the caller's now. */
  yieldSlot(): boolean {
    const started = this.#started;
    if (started === undefined) return false;
    const hadSlot = started.release !== undefined;
    started.release = undefined;
    this.#started = undefined;
    started.budget.cancel();
    started.body?.cancel();
    return hadSlot;
  }

  #newBudget(): RetryBudget {
    const { url, retries, known } = this.request;
    const attempt = (this.budget?.attempt ?? 0) + 1;
    return this.budget = new RetryBudget(url.href, retries, this.#fetcher.signal, attempt, known);
  }

  async #fetchAhead(started: Started): Promise<FetchResult> {
    const { url, redirects, followsAhead } = this.request;
    const { budget } = started;
    try {
      const first = await this.#fetcher.request(url, budget);
      const result = followsAhead && !isDocument(first)
        ? await this.#fetcher.follow(first, budget, redirects)
        : first;
      return "body" in result ? this.#buffer(result, started) : result;
    } finally {
      if (started.body === undefined) releaseSlot(started);
    }
  }

  #buffer(document: FetchedDocument, started: Started): FetchedDocument {
    if (started.budget.isAborted) {
      document.body.cancel();
      return document;
    }
    const body = new BufferedBody(document.body, MAX_PREFETCHED_BYTES, this.#fetcher.buffers);
    started.body = body;
    started.filled = body.fill().then(() => void (body.isFinished && releaseSlot(started)));
    return { ...document, body };
  }
}

function resultOf(started: Started): Promise<FetchResult> | undefined {
  releaseSlot(started);
  return started.response;
}

function releaseSlot(started: Started): void {
  const { release } = started;
  started.release = undefined;
  release?.();
}

/** A sitemap to be visited, or one that is refused. */
export interface Sibling {
  /** Address as declared. */
  readonly url: string;
  readonly key: string;
  /** Position in its parent, after the callbacks. */
  readonly index: number;
  readonly lastModified?: string | undefined;
  readonly document?: Prefetch | undefined;
  /** What is known of it, if it need not be requested. */
  readonly recalled?: KnownSitemap | undefined;
  readonly refusal?: SitemapFailure | undefined;
}

export interface SiblingSource {
  /** Whether the caller wants a sitemap. Default: all. */
  accept?(address: ListedAddress): boolean | Promise<boolean>;
  make(address: ListedAddress, index: number): Sibling;
  /** Returns the number of siblings that may be fetched ahead. */
  window(): number;
  /** Whether a sibling is not visited after all. Default: none. */
  isObsolete?(sibling: Sibling): boolean;
}

/** The sitemaps that one index lists, in order. The slots prefetch them until they end. */
export class Siblings {
  readonly #listed: readonly ListedAddress[];
  readonly #source: SiblingSource;
  readonly #slots: Slots;
  readonly #ready: Sibling[] = [];
  /** Index of the next address of which no sibling was made. */
  #next = 0;
  #accepted = 0;
  /** Pending callback; rejects from the first that fails on. */
  #advancing: Promise<void> | undefined;
  #isFilling = false;

  constructor(listed: readonly ListedAddress[], source: SiblingSource, slots: Slots) {
    this.#listed = listed;
    this.#source = source;
    this.#slots = slots;
    slots.enter(this);
  }

  get exhausted(): boolean {
    return this.#next >= this.#listed.length && this.#ready.every(isStarted);
  }

  /** Returns `undefined` after the last, a promise only while a callback is pending. */
  next(): Sibling | undefined | Promise<Sibling | undefined> {
    for (;;) {
      while (this.#ready.length === 0 && this.#next < this.#listed.length) {
        const advancing = this.#advance();
        if (advancing !== undefined) return advancing.then(() => this.next());
      }
      const sibling = this.#ready.shift();
      if (sibling === undefined || !this.#isObsolete(sibling)) return sibling;
      sibling.document?.cancel();
    }
  }

  /** Removes a sibling that is not visited yet and returns its document. All have to be accepted. */
  claim(key: string): Prefetch | undefined {
    while (this.#next < this.#listed.length) this.#advance();
    const at = this.#ready.findIndex((sibling) => sibling.key === key);
    return at < 0 ? undefined : this.#ready.splice(at, 1)[0]!.document;
  }

  fill(): void {
    if (this.#isFilling || this.#slots.size === 1) return;
    this.#isFilling = true;
    const advancing = this.#fill();
    this.#isFilling = advancing !== undefined;
    advancing?.finally(() => this.#isFilling = false)
      // a rejection is thrown by `next()`
      .then(() => this.#slots.refill(), () => {});
  }

  /** Cancels the last prefetch that is held back; returns whether it had a slot, now the caller's. */
  evict(): boolean {
    const last = this.#ready.findLast(({ document }) => document?.isHeldBack);
    return last?.document?.yieldSlot() ?? false;
  }

  /** Ends prefetching. Must be called once. */
  end(): void {
    this.#next = this.#listed.length;
    for (const { document } of this.#ready.splice(0)) document?.cancel();
    this.#slots.leave(this);
  }

  /** Starts prefetches while there are free slots, or until a callback is pending. */
  #fill(): Promise<void> | undefined {
    const window = this.#source.window();
    for (let at = 0; at < window; at++) {
      while (at >= this.#ready.length) {
        if (this.#next >= this.#listed.length) return undefined;
        const advancing = this.#advance();
        if (advancing !== undefined) return advancing;
      }
      const sibling = this.#ready[at]!;
      if (isStarted(sibling) || this.#isObsolete(sibling)) continue;
      if (!this.#slots.tryTakeAhead(this)) return undefined;
      sibling.document!.start(() => this.#slots.releaseAhead());
    }
    return undefined;
  }

  #isObsolete(sibling: Sibling): boolean {
    return this.#source.isObsolete?.(sibling) === true;
  }

  /** Makes one more sibling, unless the caller does not want it. */
  #advance(): Promise<void> | undefined {
    if (this.#advancing !== undefined) return this.#advancing;
    try {
      const accepted = this.#source.accept?.(this.#listed[this.#next]!) ?? true;
      if (typeof accepted !== "object") return this.#add(accepted);
      this.#advancing = this.#addLater(accepted);
    } catch (error) {
      this.#advancing = Promise.reject(error);
      // thrown by `next()`
      this.#advancing.catch(() => {});
    }
    return this.#advancing;
  }

  async #addLater(accepted: Promise<boolean>): Promise<void> {
    this.#add(await accepted);
    this.#advancing = undefined;
  }

  #add(accepted: boolean): undefined {
    const address = this.#listed[this.#next++]!;
    if (accepted) this.#ready.push(this.#source.make(address, this.#accepted++));
  }
}

function isStarted({ document }: Sibling): boolean {
  return document === undefined || document.isStarted;
}
