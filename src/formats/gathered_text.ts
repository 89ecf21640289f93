/**
 * A text that comes in pieces, of which there may be many.
 *
 * @module
 */

import { joinedCopy, ownCopy } from "../text.ts";

/**
 * So much is joined before it is written out. Pieces that wait for long are moved about by the garbage
 * collector, which doubles what a text of 50 MB costs; what is written out at this length is not.
 */
const MAX_BLOCK = 1024 * 1024;

/** Gathers the pieces of a text. */
export class GatheredText {
  #written = "";
  #block = "";
  #isJoined = false;

  /** How long it is. */
  get length(): number {
    return this.#written.length + this.#block.length;
  }

  /** Adds a piece. */
  add(piece: string): void {
    if (this.length === 0) {
      this.#block = piece;
      return;
    }
    this.#block += piece;
    this.#isJoined = true;
    if (this.#block.length < MAX_BLOCK) return;
    this.#written += joinedCopy("", this.#block);
    this.#block = "";
  }

  /** The text, which holds nothing but itself once it is looked at; it begins anew. */
  take(): string {
    const text = this.#isJoined ? this.#written + this.#block : ownCopy(this.#block);
    this.clear();
    return text;
  }

  /** Begins anew. */
  clear(): void {
    this.#written = this.#block = "";
    this.#isJoined = false;
  }
}
