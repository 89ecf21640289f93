/**
 * The sitemaps that one index lists, taken in order and fetched ahead.
 *
 * @module
 */

import type { AddressRow } from "./address_list.ts";
import type { Failure } from "./failure.ts";
import type { HeldDocument } from "./held_document.ts";
import type { LooksAhead, Slots } from "./slots.ts";

/** A sitemap to be visited, or one that is refused unread. */
export interface Sibling {
  /** The address asked for. */
  readonly url: string;
  /** Its position, after the callbacks. */
  readonly index: number;
  /** The document, or why there is none. */
  readonly source:
    | { readonly document: HeldDocument; readonly refusal?: never }
    | { readonly document?: never; readonly refusal: Failure };
}

/** How siblings are made of addresses. */
export interface SiblingSource {
  /** Whether the caller wants it. */
  accept(url: string): boolean | Promise<boolean>;
  /** The sitemap to be visited. */
  make(url: string, index: number): Sibling;
  /** How many of the next ones may be fetched ahead. */
  window(): number;
}

/** The sitemaps that one index lists. */
export class Siblings implements LooksAhead {
  readonly #urls: AddressRow;
  readonly #source: SiblingSource;
  readonly #slots: Slots;
  readonly #ready: Sibling[] = [];
  #next = 0;
  #accepted = 0;
  #advancing: Promise<void> | undefined;
  #filling = false;

  constructor(urls: AddressRow, source: SiblingSource, slots: Slots) {
    this.#urls = urls;
    this.#source = source;
    this.#slots = slots;
  }

  get exhausted(): boolean {
    return this.#next >= this.#urls.length &&
      this.#ready.every(({ source }) => source.document?.launched ?? true);
  }

  /** The next sibling, `undefined` after the last. Rejects with what a callback throws. */
  async next(): Promise<Sibling | undefined> {
    while (this.#ready.length === 0 && this.#next < this.#urls.length) await this.#advance();
    return this.#ready.shift();
  }

  fill(): void {
    if (this.#filling || this.exhausted || !this.#slots.fetchAhead) return;
    this.#filling = true;
    // a callback that fails is told when the turn of its sibling comes
    this.#fill().catch(() => {}).then(() => {
      this.#filling = false;
      if (this.exhausted) this.#slots.refill();
    });
  }

  giveWay(): boolean {
    const last = this.#ready.findLast(({ source }) => source.document?.heldBack);
    return last?.source.document?.surrender() ?? false;
  }

  /** Lets go of all that was fetched ahead. */
  cancel(): void {
    this.#next = this.#urls.length;
    for (const { source } of this.#ready.splice(0)) source.document?.forget();
  }

  async #fill(): Promise<void> {
    for (let at = 0; at < this.#source.window(); at++) {
      while (at >= this.#ready.length) {
        if (this.#next >= this.#urls.length) return;
        await this.#advance();
      }
      const { document } = this.#ready[at]!.source;
      if (document === undefined || document.launched) continue;
      if (!this.#slots.tryTakeAhead(this)) return;
      document.launch(() => this.#slots.releaseAhead());
    }
  }

  /** Makes one sibling more, or finds that the caller does not want it; once it failed, it stays so. */
  #advance(): Promise<void> {
    return this.#advancing ??= this.#makeNext().then(() => {
      this.#advancing = undefined;
    });
  }

  async #makeNext(): Promise<void> {
    const url = this.#urls.at(this.#next)!;
    const accepted = await this.#source.accept(url);
    this.#next++;
    if (accepted) this.#ready.push(this.#source.make(url, this.#accepted++));
  }
}
