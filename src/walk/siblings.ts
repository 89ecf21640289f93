/**
 * The sitemaps that one index lists, taken in order and fetched ahead.
 *
 * @module
 */

import type { HeldDocument } from "./held_document.ts";
import type { AheadSlots, LooksAhead } from "./slots.ts";

/** A sitemap to be visited. */
export interface Sibling {
  /** The address asked for. */
  readonly url: string;
  /** Its position, after the callbacks. */
  readonly index: number;
  /** The document; absent where it is refused unread. */
  readonly document?: HeldDocument;
}

/** How siblings are made of addresses. */
export interface SiblingSource {
  /** Whether the caller wants it. */
  accept(url: string): boolean | Promise<boolean>;
  /** The sitemap to be visited. */
  make(url: string, index: number): Sibling | Promise<Sibling>;
}

/** The sitemaps that one index lists. */
export class Siblings implements LooksAhead {
  readonly #urls: readonly string[];
  readonly #source: SiblingSource;
  readonly #slots: AheadSlots;
  readonly #window: number;
  readonly #ready: Sibling[] = [];
  #next = 0;
  #accepted = 0;
  #advancing: Promise<void> | undefined;
  #filling = false;

  /** At most `window` siblings are made ahead. */
  constructor(urls: readonly string[], source: SiblingSource, slots: AheadSlots, window: number) {
    this.#urls = urls;
    this.#source = source;
    this.#slots = slots;
    this.#window = window;
  }

  /** The next sibling, `undefined` after the last. Rejects with what a callback throws. */
  async next(): Promise<Sibling | undefined> {
    while (this.#ready.length === 0 && this.#next < this.#urls.length) await this.#advance();
    return this.#ready.shift();
  }

  fill(): void {
    if (this.#filling) return;
    this.#filling = true;
    // a callback that throws is met again, and told, when its sibling's turn comes
    this.#fill().catch(() => {}).finally(() => this.#filling = false);
  }

  giveWay(): boolean {
    const last = this.#ready.findLast(({ document }) => document?.heldBack);
    last?.document?.forget();
    return last !== undefined;
  }

  /** Lets go of all that was fetched ahead. */
  cancel(): void {
    this.#next = this.#urls.length;
    for (const { document } of this.#ready) document?.forget();
    this.#ready.length = 0;
  }

  async #fill(): Promise<void> {
    for (let at = 0; at < this.#window; at++) {
      while (at >= this.#ready.length) {
        if (this.#next >= this.#urls.length) return;
        await this.#advance();
      }
      const document = this.#ready[at]!.document;
      if (document === undefined || document.launched) continue;
      if (!this.#slots.tryTake(this)) return;
      document.launch(() => this.#slots.release());
    }
  }

  /** Makes one sibling more, or finds that the caller does not want it. */
  #advance(): Promise<void> {
    return this.#advancing ??= this.#makeNext().finally(() => this.#advancing = undefined);
  }

  async #makeNext(): Promise<void> {
    const url = this.#urls[this.#next]!;
    const accepted = await this.#source.accept(url);
    const sibling = accepted ? await this.#source.make(url, this.#accepted) : undefined;
    this.#next++;
    if (sibling === undefined) return;
    this.#accepted++;
    this.#ready.push(sibling);
  }
}
