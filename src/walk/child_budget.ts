/**
 * How much the addresses may take that are listed and not visited yet.
 *
 * An index of 100 MiB is little but addresses, and twelve of them can stand inside each other: held
 * all at once they would take more than a gigabyte.
 *
 * @module
 */

import type { AddressList } from "./address_list.ts";

/** Characters that are kept for each sitemap that a walk may visit, and at least. */
const CHARACTERS_EACH = 256;
const MIN_CHARACTERS = 16 * 1024 * 1024;

/** What an address takes beside its characters. */
const ADDRESS_WEIGHT = 32;

/** Room for addresses that wait, shared by all indexes of a walk. */
export class ChildBudget {
  #left: number;

  /** 16 Mi characters for as many sitemaps as are visited by default; more for more. */
  constructor(maxSitemaps: number) {
    this.#left = Math.max(MIN_CHARACTERS, maxSitemaps * CHARACTERS_EACH);
  }

  /** Takes room for an address: false where there is none. */
  take(url: string): boolean {
    const weight = url.length + ADDRESS_WEIGHT;
    if (weight > this.#left) return false;
    this.#left -= weight;
    return true;
  }

  /** Gives the room of addresses back. */
  give({ length, characters }: AddressList): void {
    this.#left += characters + length * ADDRESS_WEIGHT;
  }
}
