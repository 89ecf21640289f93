/**
 * How many requests may be under way.
 *
 * @module
 */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";
import { CallerError } from "../data/errors.ts";
import type { BufferPool } from "../http/body.ts";
import { Cancellation } from "../http/cancellation.ts";
import type {
  FetchedDocument,
  Fetcher,
  FetchResult,
  RedirectHandler,
  RetryBudget,
} from "../http/fetcher.ts";
import type { AddressRow } from "./addresses.ts";
import type { Failure } from "./failure.ts";

/** Whoever fetches ahead: told when there is room, asked to make room. */
export interface Prefetcher {
  /** Whether there is nothing left that it could fetch ahead. */
  readonly exhausted: boolean;
  /** Fetches ahead while there is room. */
  fill(): void;
  /** Gives up the last document that is held back, if there is one; its slot goes to the asker. */
  evict(): boolean;
}

/**
 * The slots of a walk. Reading goes first: one slot is never used to fetch ahead, and a document that
 * is held back gives way. So what is held back can never lock out what is to be read before it.
 */
export class Slots {
  readonly #size: () => number;
  /** Lists being walked, the innermost last: it comes first in document order. */
  readonly #lists: Prefetcher[] = [];
  readonly #waiting: (() => void)[] = [];
  #reading = 0;
  #ahead = 0;
  #closed = false;

  /** `size` returns the number of slots, which may change during the walk. */
  constructor(size: () => number) {
    this.#size = size;
  }

  /** Number of slots, at least 1. */
  get size(): number {
    return Math.max(1, this.#size());
  }

  /** Whether anything is fetched ahead. */
  get fetchAhead(): boolean {
    return this.size > 1;
  }

  /** Takes a slot to read; a promise where there is none yet. */
  take(): Promise<void> | undefined {
    if (this.#closed) return undefined;
    if (!this.#full || this.#reclaim(this.#lists.length)) {
      this.#reading++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a slot back that was read in. */
  release(): void {
    this.#reading--;
    this.#offer();
  }

  /** Takes a slot to fetch ahead, if need be from what comes later in document order. */
  tryTakeAhead(list: Prefetcher): boolean {
    if (this.#closed) return false;
    const room = !this.#full && this.#ahead < this.size - 1;
    if (!room && !this.#reclaim(this.#lists.lastIndexOf(list))) return false;
    this.#ahead++;
    return true;
  }

  /** Gives a slot back that was used to fetch ahead. */
  releaseAhead(): void {
    this.#ahead--;
    this.#offer();
  }

  /** A list is walked from now on. */
  enter(list: Prefetcher): void {
    this.#lists.push(list);
  }

  /** A list has been walked. */
  leave(list: Prefetcher): void {
    this.#lists.splice(this.#lists.lastIndexOf(list), 1);
  }

  /**
   * Fetches ahead while there is room, in document order: what comes after a list is not fetched
   * while the list has something left, or the two would take the slots from each other in turn.
   */
  refill(): void {
    for (let at = this.#lists.length - 1; at >= 0 && !this.#closed; at--) {
      const list = this.#lists[at]!;
      list.fill();
      if (!list.exhausted) return;
    }
  }

  /** Nobody needs a slot any more: those who wait go on, and find that the walk has ended. */
  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  get #full(): boolean {
    return this.#reading + this.#ahead >= this.size;
  }

  /** Takes a slot from one of the first `count` lists, the outermost first. */
  #reclaim(count: number): boolean {
    for (let at = 0; at < count; at++) {
      if (!this.#lists[at]!.evict()) continue;
      this.#ahead--;
      return true;
    }
    return false;
  }

  /** Gives free slots away: the last to wait reads first, so that few lists are open at a time. */
  #offer(): void {
    if (this.#waiting.length === 0) return this.refill();
    // more than one is free if the number of slots has grown
    while (!this.#full && this.#waiting.length > 0) {
      this.#reading++;
      this.#waiting.pop()!();
    }
  }
}

// MERGED: The beginning of a body, fetched before its turn.

/**
 * A body of which the first bytes are kept until somebody reads: as many as a buffer holds. Most
 * sitemaps below an index end before that.
 */
export class Spool implements ByteSource {
  readonly #source: ByteSource;
  readonly #buffers: BufferPool;
  /** Memory for what is kept. */
  #buffer: ArrayBuffer | undefined;
  #kept = 0;
  /** Memory of what was given last. */
  #given: ArrayBuffer | undefined;
  /** What came after that and did not fit. */
  #more: Uint8Array[] | undefined;
  #isFilling = false;
  #filled: Promise<void> | undefined;
  #reading = false;
  #ended = false;
  #broken: { readonly error: unknown } | undefined;

  /** Keeps what it reads of `source` in a buffer of `buffers`. */
  constructor(source: ByteSource, buffers: BufferPool) {
    this.#source = source;
    this.#buffers = buffers;
  }

  get ready(): boolean {
    return this.#kept > 0 || this.#more !== undefined || this.finished;
  }

  /** Whether the whole body is kept, or all of it that will ever come. */
  get finished(): boolean {
    return this.#ended || this.#broken !== undefined;
  }

  /** Whether the body is open and nobody reads it. */
  get heldBack(): boolean {
    return !this.finished && !this.#isFilling && !this.#reading;
  }

  /** Reads ahead until enough is kept or somebody reads. Never rejects. */
  fill(): Promise<void> {
    this.#isFilling = true;
    return this.#filled = this.#fill();
  }

  read(): Chunk | Promise<Chunk> {
    this.#reading = true;
    this.#takeBack();
    if (this.#kept > 0) return this.#giveKept(this.#buffer!);
    if (this.#more !== undefined) return this.#next(this.#more);
    if (this.#broken !== undefined) throw this.#broken.error;
    if (this.#ended) return undefined;
    return this.#isFilling ? this.#readFilled() : this.#source.read();
  }

  cancel(reason?: unknown): void {
    this.#reading = true;
    this.#ended = true;
    this.#takeBack();
    if (this.#buffer !== undefined) this.#buffers.give(this.#buffer);
    this.#buffer = undefined;
    this.#kept = 0;
    this.#more = undefined;
    this.#source.cancel(reason);
  }

  async #fill(): Promise<void> {
    try {
      while (!this.#reading && !this.#ended && this.#hasRoom()) {
        const next = this.#source.read();
        this.#keep(next instanceof Promise ? await next : next);
      }
    } catch (error) {
      this.#broken = { error };
    }
    this.#isFilling = false;
  }

  async #readFilled(): Promise<Chunk> {
    await this.#filled;
    return this.read();
  }

  #next(more: Uint8Array[]): Chunk {
    if (more.length === 1) this.#more = undefined;
    return more.shift();
  }

  #hasRoom(): boolean {
    return this.#more === undefined &&
      (this.#buffer === undefined || this.#kept < this.#buffer.byteLength);
  }

  #keep(chunk: Chunk): void {
    if (chunk === undefined) this.#ended = true;
    // what comes after it was cancelled is of no use
    if (chunk === undefined || this.#ended) return;
    const buffer = this.#buffer ??= this.#buffers.take();
    if (this.#more !== undefined || this.#kept + chunk.length > buffer.byteLength) {
      (this.#more ??= []).push(chunk.slice());
    } else {
      new Uint8Array(buffer).set(chunk, this.#kept);
      this.#kept += chunk.length;
    }
  }

  #giveKept(buffer: ArrayBuffer): Uint8Array {
    const kept = new Uint8Array(buffer, 0, this.#kept);
    this.#given = buffer;
    this.#buffer = undefined;
    this.#kept = 0;
    return kept;
  }

  /** What was given last is no longer needed. */
  #takeBack(): void {
    if (this.#given !== undefined) this.#buffers.give(this.#given);
    this.#given = undefined;
  }
}

// MERGED: A document that may be fetched before its turn and is held back until then.

/** How a document is asked for. */
export interface Request {
  /** Where. */
  readonly url: URL;
  /** How many failures are followed by another try. */
  readonly retries: number;
  /** Has a say in each redirect. */
  readonly redirects: RedirectHandler;
  /** Whether redirects may be followed ahead of the document's turn. */
  readonly followsAhead: boolean;
}

/** What was fetched ahead so far. */
interface Ahead {
  readonly effort: RetryBudget;
  /** Resolves when the document has begun to arrive, or will not. Never rejects. */
  begun: Promise<void> | undefined;
  hop: FetchResult | undefined;
  spool: Spool | undefined;
  failure: { readonly error: unknown } | undefined;
  /** Gives the slot back; gone once that is done. */
  release: (() => void) | undefined;
}

/** A document, fetched ahead or not. */
export class Prefetch {
  readonly #fetcher: Fetcher;
  #request: Request;
  #ahead: Ahead | undefined;
  /** Of the document that was taken, or of the last one that was fetched ahead. */
  #effort: RetryBudget | undefined;

  constructor(fetcher: Fetcher, request: Request) {
    this.#fetcher = fetcher;
    this.#request = request;
  }

  /** Where it is asked for. */
  get url(): URL {
    return this.#request.url;
  }

  /** Whether it is being fetched ahead, or was. */
  get launched(): boolean {
    return this.#ahead !== undefined;
  }

  /** Whether its body is open and held back. */
  get heldBack(): boolean {
    return this.#ahead?.spool?.heldBack === true && this.#ahead.release !== undefined;
  }

  /** Fetches ahead; `release` gives the slot back once it needs none. */
  launch(release: () => void): void {
    const ahead: Ahead = {
      effort: this.#effort = this.#newEffort(new Cancellation(this.#fetcher.cancellation)),
      begun: undefined,
      hop: undefined,
      spool: undefined,
      failure: undefined,
      release,
    };
    this.#ahead = ahead;
    ahead.begun = this.#fetchAhead(ahead);
  }

  /** Asked for in another way than first thought: a guess that turns out to be declared. */
  adopt(request: Request): void {
    this.#request = request;
    const { effort, failure } = this.#ahead ?? {};
    if (effort === undefined) return;
    // what a guess would not have been worth is worth it now
    if (failure !== undefined && effort.retriesLeft < 0) this.forget();
    else effort.retriesLeft = Math.max(effort.retriesLeft, request.retries);
  }

  /** Its turn has come. Rejects where there is no document to be had. */
  take(): FetchedDocument | Promise<FetchedDocument> {
    if (this.#ahead !== undefined) releaseSlot(this.#ahead);
    const { hop } = this.#ahead ?? {};
    const isHere = hop !== undefined && "body" in hop;
    return isHere && hop.url === hop.asked ? hop : this.#takeLater();
  }

  /** Asks again for a document whose body broke off, see {@linkcode Fetcher.reopen}. */
  reopen(
    broken: FetchedDocument,
    received: number,
    error: unknown,
  ): Promise<FetchedDocument | undefined> {
    return this.#fetcher.reopen(broken, received, this.#effort!, error);
  }

  /** The answer that was fetched ahead, for somebody else to use; `undefined` where there is none. */
  async handOver(): Promise<FetchResult | undefined> {
    try {
      return await this.#fetchedAhead();
    } catch (error) {
      if (error instanceof CallerError) throw error;
      // requested again, with the retries of a declared sitemap
      return undefined;
    }
  }

  /** Lets go of what was fetched ahead; it can be asked for again. */
  forget(): void {
    const release = this.#ahead?.release;
    if (this.yieldSlot()) release?.();
  }

  /** The same, but the slot goes to the caller: whether there was one. */
  yieldSlot(): boolean {
    const ahead = this.#ahead;
    if (ahead === undefined) return false;
    const hadSlot = ahead.release !== undefined;
    ahead.release = undefined;
    this.#ahead = undefined;
    ahead.effort.cancellation.cancel();
    letGo(ahead);
    return hadSlot;
  }

  async #takeLater(): Promise<FetchedDocument> {
    const hop = this.launched ? await this.#fetchedAhead() : undefined;
    const effort = this.#effort = this.#ahead?.effort ??
      this.#newEffort(this.#fetcher.cancellation);
    const first = hop ?? await this.#fetcher.ask(this.#request.url, effort);
    return await this.#fetcher.follow(first, effort, this.#request.redirects);
  }

  #newEffort(cancellation: Cancellation): RetryBudget {
    const { url, retries } = this.#request;
    const attempt = (this.#effort?.attempt ?? 0) + 1;
    return { sitemap: url.href, attempt, retriesLeft: retries, cancellation };
  }

  async #fetchAhead(ahead: Ahead): Promise<void> {
    const { url, redirects, followsAhead } = this.#request;
    const { effort } = ahead;
    try {
      const hop = await this.#fetcher.ask(url, effort);
      const followed = followsAhead ? this.#fetcher.follow(hop, effort, redirects) : hop;
      ahead.hop = followed instanceof Promise ? await followed : followed;
    } catch (error) {
      ahead.failure = { error };
    }
    if (effort.cancellation.cancelled) letGo(ahead);
    else if (ahead.hop !== undefined && "body" in ahead.hop) this.#spool(ahead, ahead.hop);
    else releaseSlot(ahead);
  }

  #spool(ahead: Ahead, arrival: FetchedDocument): void {
    const spool = new Spool(arrival.body, this.#fetcher.buffers);
    ahead.spool = spool;
    ahead.hop = { ...arrival, body: spool };
    spool.fill().then(() => spool.finished && releaseSlot(ahead));
  }

  /** What was fetched ahead. */
  async #fetchedAhead(): Promise<FetchResult | undefined> {
    const ahead = this.#ahead;
    if (ahead === undefined) return undefined;
    releaseSlot(ahead);
    await ahead.begun;
    if (ahead.failure !== undefined) throw ahead.failure.error;
    return ahead.hop;
  }
}

function letGo({ hop }: Ahead): void {
  if (hop !== undefined && "body" in hop) hop.body.cancel();
}

function releaseSlot(ahead: Ahead): void {
  const { release } = ahead;
  ahead.release = undefined;
  release?.();
}

// MERGED: The sitemaps that one index lists, taken in order and fetched ahead.

/** A sitemap to be visited, or one that is refused unread. */
export interface Sibling {
  /** The address asked for. */
  readonly url: string;
  /** What it is compared by. */
  readonly key: string;
  /** Its position, after the callbacks. */
  readonly index: number;
  /** Time that its index declares for it; NaN is none. */
  readonly lastModified?: number;
  /** The document, or why there is none. */
  readonly source:
    | { readonly document: Prefetch; readonly refusal?: never }
    | { readonly document?: never; readonly refusal: Failure };
}

/** How siblings are made of addresses. */
export interface SiblingSource {
  /** Whether the caller wants it, given the time that its index declares for it. */
  accept(url: string, lastModified: number): boolean | Promise<boolean>;
  /** The sitemap to be visited. */
  make(url: string, index: number, lastModified: number): Sibling;
  /** How many of the next ones may be fetched ahead. */
  window(): number;
}

/** The sitemaps that one index lists. */
export class Siblings implements Prefetcher {
  readonly #urls: AddressRow;
  readonly #source: SiblingSource;
  readonly #slots: Slots;
  readonly #releaseAhead: () => void;
  readonly #ready: Sibling[] = [];
  /** How many of these, from the first on, need not be fetched ahead any more. */
  #launched = 0;
  #next = 0;
  #accepted = 0;
  /** Waits for a callback; once one failed, it stays so. */
  #advancing: Promise<void> | undefined;
  #filling = false;

  constructor(urls: AddressRow, source: SiblingSource, slots: Slots) {
    this.#urls = urls;
    this.#source = source;
    this.#slots = slots;
    this.#releaseAhead = slots.releaseAhead.bind(slots);
  }

  get exhausted(): boolean {
    return this.#next >= this.#urls.length && this.#launched >= this.#ready.length;
  }

  /**
   * The next sibling, `undefined` after the last; a promise only where a callback is waited for.
   * Rejects with what a callback throws.
   */
  next(): Sibling | undefined | Promise<Sibling | undefined> {
    while (this.#ready.length === 0 && this.#next < this.#urls.length) {
      const advancing = this.#advance();
      if (advancing !== undefined) return advancing.then(() => this.next());
    }
    if (this.#launched > 0) this.#launched--;
    return this.#ready.shift();
  }

  fill(): void {
    if (this.#filling || this.exhausted || !this.#slots.fetchAhead) return;
    this.#filling = true;
    const advancing = this.#fill();
    if (advancing === undefined) this.#filling = false;
    else this.#fillAfter(advancing);
  }

  evict(): boolean {
    const at = this.#ready.findLastIndex(({ source }) => source.document?.heldBack);
    if (at < 0) return false;
    this.#launched = Math.min(this.#launched, at);
    return this.#ready[at]!.source.document!.yieldSlot();
  }

  /** Lets go of all that was fetched ahead. */
  cancel(): void {
    this.#next = this.#urls.length;
    for (const { source } of this.#ready.splice(0)) source.document?.forget();
  }

  /** Fetches ahead while there is room, or until a callback must be waited for. */
  #fill(): Promise<void> | undefined {
    const window = this.#source.window();
    for (; this.#launched < window; this.#launched++) {
      while (this.#launched >= this.#ready.length) {
        if (this.#next >= this.#urls.length) return undefined;
        const advancing = this.#advance();
        if (advancing !== undefined) return advancing;
      }
      const { document } = this.#ready[this.#launched]!.source;
      if (document === undefined || document.launched) continue;
      if (!this.#slots.tryTakeAhead(this)) return undefined;
      document.launch(this.#releaseAhead);
    }
    return undefined;
  }

  #fillAfter(advancing: Promise<void>): void {
    advancing.then(() => {
      this.#filling = false;
      this.#slots.refill();
    }, () => {
      // a callback that fails is told when the turn of its sibling comes
      this.#filling = false;
    });
  }

  /** Makes one sibling more, or finds that the caller does not want it. */
  #advance(): Promise<void> | undefined {
    if (this.#advancing !== undefined) return this.#advancing;
    const url = this.#urls.at(this.#next)!;
    try {
      const accepted = this.#source.accept(url, this.#urls.timeAt(this.#next));
      if (typeof accepted !== "object") return this.#add(url, accepted);
      this.#advancing = this.#addLater(url, accepted);
    } catch (error) {
      this.#advancing = Promise.reject(error);
      // whoever asks for the sibling is told
      this.#advancing.catch(() => {});
    }
    return this.#advancing;
  }

  async #addLater(url: string, accepted: Promise<boolean>): Promise<void> {
    this.#add(url, await accepted);
    this.#advancing = undefined;
  }

  #add(url: string, accepted: boolean): undefined {
    const lastModified = this.#urls.timeAt(this.#next++);
    if (accepted) this.#ready.push(this.#source.make(url, this.#accepted++, lastModified));
  }
}
