/**
 * A document that may be fetched before its turn and is held back until then.
 *
 * @module
 */

import type { Arrival, Attempts, Fetcher, Hop, RedirectCallback } from "../http/fetcher.ts";
import type { DocumentSource } from "./document_visit.ts";
import { Spool } from "./spool.ts";

/** How a document is asked for. */
export interface Request {
  /** Where. */
  readonly url: URL;
  /** How many times at most. */
  readonly maxAttempts: number;
  /** Asked about each redirect. */
  readonly onRedirect: RedirectCallback;
  /** Whether redirects may be followed ahead of the document's turn. */
  readonly followsAhead: boolean;
}

/** What was fetched ahead so far. */
interface Ahead {
  /** Resolves when the document has begun to arrive, or will not. Never rejects. */
  begun: Promise<void>;
  hop?: Hop;
  spool?: Spool;
  failure?: { readonly error: unknown };
  /** Nobody wants it any more: whatever still comes is let go. */
  forgotten?: true;
  /** Gives the slot back; gone once that is done. */
  release?: (() => void) | undefined;
}

/** A document, fetched ahead or not. */
export class HeldDocument {
  readonly #fetcher: Fetcher;
  #request: Request;
  #attempts: Attempts;
  #ahead: Ahead | undefined;

  constructor(fetcher: Fetcher, request: Request) {
    this.#fetcher = fetcher;
    this.#request = request;
    this.#attempts = { left: request.maxAttempts };
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
    const ahead: Ahead = { begun: Promise.resolve(), release };
    this.#ahead = ahead;
    ahead.begun = this.#fetchAhead(ahead);
  }

  /** Asked for in another way than first thought: a probe that turns out to be declared. */
  async adopt(request: Request): Promise<void> {
    this.#request = request;
    await this.#ahead?.begun;
    // what a guess would not have been worth is worth it now
    if (this.#ahead?.failure !== undefined) this.forget();
    else this.#attempts.left = request.maxAttempts - 1;
  }

  /** Its turn has come. Rejects where there is no document to be had. */
  async take(): Promise<DocumentSource> {
    const ahead = this.#ahead;
    if (ahead === undefined) return this.#deliver(await this.#arrive(undefined));
    releaseSlot(ahead);
    await ahead.begun;
    if (ahead.failure !== undefined) throw ahead.failure.error;
    if (ahead.spool?.heldBack && !(await ahead.spool.revive())) {
      this.forget();
      return this.#deliver(await this.#arrive(undefined));
    }
    return this.#deliver(await this.#arrive(ahead.hop), ahead.spool);
  }

  /** Lets go of what was fetched ahead; it can be asked for again. */
  forget(): void {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    this.#attempts = { left: this.#request.maxAttempts };
    if (ahead === undefined) return;
    ahead.forgotten = true;
    letGo(ahead);
    releaseSlot(ahead);
  }

  async #fetchAhead(ahead: Ahead): Promise<void> {
    try {
      ahead.hop = await this.#fetcher.ask(this.#request.url, this.#attempts);
      if (this.#request.followsAhead) ahead.hop = await this.#arrive(ahead.hop);
    } catch (error) {
      ahead.failure = { error };
    }
    if (ahead.forgotten) letGo(ahead);
    else if (ahead.hop?.exchange !== undefined) this.#spool(ahead, ahead.hop);
    else releaseSlot(ahead);
  }

  #spool(ahead: Ahead, arrival: Arrival): void {
    const spool = new Spool(arrival.exchange);
    ahead.spool = spool;
    spool.fill().then(() => spool.finished && releaseSlot(ahead));
  }

  async #arrive(first: Hop | undefined): Promise<Arrival> {
    const { url, onRedirect } = this.#request;
    const hop = first ?? await this.#fetcher.ask(url, this.#attempts);
    return await this.#fetcher.follow(hop, this.#attempts, onRedirect);
  }

  #deliver(arrival: Arrival, spool?: Spool): DocumentSource {
    return {
      url: arrival.url.href,
      contentType: arrival.contentType,
      contentEncoding: arrival.contentEncoding,
      misencoded: arrival.misencoded,
      body: spool ?? arrival.exchange,
    };
  }
}

function letGo(ahead: Ahead): void {
  ahead.spool?.cancel();
  ahead.hop?.exchange?.cancel();
}

function releaseSlot(ahead: Ahead): void {
  const { release } = ahead;
  ahead.release = undefined;
  release?.();
}
