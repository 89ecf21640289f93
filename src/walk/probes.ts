/**
 * The known paths, taken in order and probed ahead.
 *
 * @module
 */

import { addressKey } from "../url.ts";
import type { HeldDocument } from "./held_document.ts";
import type { AheadSlots, LooksAhead } from "./slots.ts";

/** A known path to be probed. */
export interface Probe {
  /** Its address. */
  readonly url: string;
  /** What may stand there. */
  readonly document: HeldDocument;
}

/** Known paths. What the tree holds by the time of its turn is passed over. */
export class Probes implements LooksAhead {
  readonly #waiting: Probe[];
  readonly #inTree: ReadonlySet<string>;
  readonly #slots: AheadSlots;
  readonly #window: number;

  constructor(
    urls: readonly URL[],
    make: (url: URL) => HeldDocument,
    inTree: ReadonlySet<string>,
    slots: AheadSlots,
    window: number,
  ) {
    this.#waiting = urls.map((url) => ({ url: url.href, document: make(url) }));
    this.#inTree = inTree;
    this.#slots = slots;
    this.#window = window;
  }

  /** The next known path that the tree does not hold yet. */
  next(): Probe | undefined {
    for (let probe = this.#waiting.shift(); probe !== undefined; probe = this.#waiting.shift()) {
      if (!this.#inTree.has(addressKey(probe.url))) return probe;
      probe.document.forget();
    }
    return undefined;
  }

  /** Takes a known path out because a sitemap declares it: it must not be asked for twice. */
  claim(url: URL): HeldDocument | undefined {
    const key = addressKey(url.href);
    const at = this.#waiting.findIndex((probe) => addressKey(probe.url) === key);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]?.document;
  }

  fill(): void {
    for (const { url, document } of this.#waiting.slice(0, this.#window)) {
      if (document.launched || this.#inTree.has(addressKey(url))) continue;
      if (!this.#slots.tryTake(this)) return;
      document.launch(() => this.#slots.release());
    }
  }

  giveWay(): boolean {
    const last = this.#waiting.findLast(({ document }) => document.heldBack);
    last?.document.forget();
    return last !== undefined;
  }

  /** Lets go of all that was probed ahead. */
  cancel(): void {
    for (const { document } of this.#waiting) document.forget();
    this.#waiting.length = 0;
  }
}
