/**
 * The known paths, taken in order and probed ahead.
 *
 * @module
 */

import { addressKey } from "../url.ts";
import type { HeldDocument } from "./held_document.ts";
import type { LooksAhead, Slots } from "./slots.ts";
import type { TreeAddresses } from "./tree_addresses.ts";

/** A known path to be probed. */
export interface Probe {
  /** Its address, in the form in which addresses are compared. */
  readonly url: string;
  /** What may stand there. */
  readonly document: HeldDocument;
}

/** Known paths. What the tree holds by the time of its turn is passed over. */
export class Probes implements LooksAhead {
  readonly #waiting: Probe[];
  readonly #addresses: TreeAddresses;
  readonly #slots: Slots;

  constructor(waiting: readonly Probe[], addresses: TreeAddresses, slots: Slots) {
    this.#waiting = [...waiting];
    this.#addresses = addresses;
    this.#slots = slots;
  }

  get exhausted(): boolean {
    return this.#waiting.every(({ document }) => document.launched);
  }

  /** The next known path that the tree does not hold yet. */
  next(): Probe | undefined {
    for (let probe = this.#waiting.shift(); probe !== undefined; probe = this.#waiting.shift()) {
      if (!this.#addresses.has(probe.url)) return probe;
      probe.document.forget();
    }
    return undefined;
  }

  /** Takes a known path out because something leads there: it must not be asked for twice. */
  claim(url: URL): HeldDocument | undefined {
    const key = addressKey(url.href);
    const at = this.#waiting.findIndex((probe) => probe.url === key);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]?.document;
  }

  fill(): void {
    for (const { url, document } of this.#waiting.slice(0, this.#slots.size * 2)) {
      if (document.launched || this.#addresses.has(url)) continue;
      if (!this.#slots.tryTakeAhead(this)) return;
      document.launch(() => this.#slots.releaseAhead());
    }
  }

  giveWay(): boolean {
    const last = this.#waiting.findLast(({ document }) => document.heldBack);
    return last?.document.surrender() ?? false;
  }

  /** Lets go of all that was probed ahead. */
  cancel(): void {
    for (const { document } of this.#waiting.splice(0)) document.forget();
  }
}
