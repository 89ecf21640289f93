/**
 * A document that may be fetched before its turn and is held back until then.
 *
 * @module
 */

import { CallerError } from "../errors.ts";
import { Cancellation } from "../http/cancellation.ts";
import type { Arrival, Effort, Fetcher, Hop, RedirectHandler } from "../http/fetcher.ts";
import { Spool } from "./spool.ts";

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
  readonly effort: Effort;
  /** Resolves when the document has begun to arrive, or will not. Never rejects. */
  begun: Promise<void> | undefined;
  hop: Hop | undefined;
  spool: Spool | undefined;
  failure: { readonly error: unknown } | undefined;
  /** Gives the slot back; gone once that is done. */
  release: (() => void) | undefined;
}

/** A document, fetched ahead or not. */
export class HeldDocument {
  readonly #fetcher: Fetcher;
  #request: Request;
  #ahead: Ahead | undefined;
  /** Of the document that was taken, or of the last one that was fetched ahead. */
  #effort: Effort | undefined;

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
  take(): Arrival | Promise<Arrival> {
    if (this.#ahead !== undefined) releaseSlot(this.#ahead);
    const { hop } = this.#ahead ?? {};
    const isHere = hop !== undefined && "body" in hop;
    return isHere && hop.url === hop.asked ? hop : this.#takeLater();
  }

  /** Asks again for a document whose body broke off, see {@linkcode Fetcher.reopen}. */
  reopen(broken: Arrival, received: number, error: unknown): Promise<Arrival | undefined> {
    return this.#fetcher.reopen(broken, received, this.#effort!, error);
  }

  /** The answer that was fetched ahead, for somebody else to use; `undefined` where there is none. */
  async handOver(): Promise<Hop | undefined> {
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
    if (this.surrender()) release?.();
  }

  /** The same, but the slot goes to the caller: whether there was one. */
  surrender(): boolean {
    const ahead = this.#ahead;
    if (ahead === undefined) return false;
    const hadSlot = ahead.release !== undefined;
    ahead.release = undefined;
    this.#ahead = undefined;
    ahead.effort.cancellation.cancel();
    letGo(ahead);
    return hadSlot;
  }

  async #takeLater(): Promise<Arrival> {
    const hop = this.launched ? await this.#fetchedAhead() : undefined;
    const effort = this.#effort = this.#ahead?.effort ??
      this.#newEffort(this.#fetcher.cancellation);
    const first = hop ?? await this.#fetcher.ask(this.#request.url, effort);
    return await this.#fetcher.follow(first, effort, this.#request.redirects);
  }

  #newEffort(cancellation: Cancellation): Effort {
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

  #spool(ahead: Ahead, arrival: Arrival): void {
    const spool = new Spool(arrival.body, this.#fetcher.buffers);
    ahead.spool = spool;
    ahead.hop = { ...arrival, body: spool };
    spool.fill().then(() => spool.finished && releaseSlot(ahead));
  }

  /** What was fetched ahead. */
  async #fetchedAhead(): Promise<Hop | undefined> {
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
