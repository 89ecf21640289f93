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
  /** What it is compared by. */
  readonly key: string;
  /** Its position, after the callbacks. */
  readonly index: number;
  /** Time that its index declares for it; NaN is none. */
  readonly lastModified?: number;
  /** The document, or why there is none. */
  readonly source:
    | { readonly document: HeldDocument; readonly refusal?: never }
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
export class Siblings implements LooksAhead {
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

  giveWay(): boolean {
    const at = this.#ready.findLastIndex(({ source }) => source.document?.heldBack);
    if (at < 0) return false;
    this.#launched = Math.min(this.#launched, at);
    return this.#ready[at]!.source.document!.surrender();
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
