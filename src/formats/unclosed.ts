/**
 * What is kept of the content of elements inside an entry, in case that these are not closed: addresses
 * for an entry without one, and text for a field or an entry without text. What it is worth is in a table
 * in `meaning.ts`.
 *
 * @module
 */

import type { Address } from "./schema.ts";

/** An address, and the depth of the element that it is in. */
interface PlacedAddress {
  readonly address: Address;
  readonly depth: number;
}

export class UnclosedContent {
  /** Whether there may be an address or text. */
  isPresent = false;
  /** The first address of each rank. */
  readonly #addresses: (PlacedAddress | undefined)[] = [];
  /** Text of the outermost element inside the open field or entry, and the depth of that element. */
  #text = "";
  #textDepth = -1;
  /** Length of the text of the open title before the first field inside it; -1 without one. */
  #titleLength = -1;
  /** Texts so far of addresses inside the open title, which has them too. */
  readonly #asides: string[] = [];

  clearField(): void {
    this.#textDepth = this.#titleLength = -1;
    this.#asides.length = 0;
  }

  // ------------------------------------------------------------------------------------------ addresses

  keepAddress(address: Address, rank: number, depth: number): void {
    this.#addresses[rank] ??= { address, depth };
    this.isPresent = true;
  }

  /** Drops the addresses in an element at a depth, which is closed by its own end tag. */
  hideAddresses(depth: number): void {
    for (const [rank, placed] of this.#addresses.entries()) {
      if (placed !== undefined && depth <= placed.depth) this.#addresses[rank] = undefined;
    }
  }

  address(maxRank: number): Address | undefined {
    return this.#addresses.find((placed, rank) => placed !== undefined && rank <= maxRank)?.address;
  }

  // ----------------------------------------------------------------------------------------------- text

  /** Keeps the text of an element at a depth that is not closed by its own end tag. */
  keepText(text: string, depth: number): void {
    this.#text = text;
    this.#textDepth = depth;
    this.isPresent = true;
  }

  hideText(): void {
    this.#textDepth = -1;
  }

  takeText(depth: number): string | undefined {
    const isInside = this.#textDepth > depth;
    this.#textDepth = -1;
    return isInside ? this.#text : undefined;
  }

  // --------------------------------------------------------------------------------------------- titles

  markField(length: number): void {
    if (this.#titleLength < 0) this.#titleLength = length;
  }

  takeTitleLength(): number {
    const length = this.#titleLength;
    this.#titleLength = -1;
    return length;
  }

  openAside(): void {
    this.#asides.push("");
  }

  addToAside(text: string): void {
    this.#asides[this.#asides.length - 1] += text;
  }

  closeAside(): string {
    return this.#asides.pop() ?? "";
  }
}
