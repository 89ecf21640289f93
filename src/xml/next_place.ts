/**
 * Where a character stands next, without looking for it again and again.
 *
 * @module
 */

/** No more of them in the text. */
const NOWHERE = 0x7fffffff;

/** The next place of one character in a text. */
export class NextPlace {
  readonly #character: string;
  #text = "";
  #place = NOWHERE;

  constructor(character: string) {
    this.#character = character;
  }

  /** Begins with another text. */
  begin(text: string): void {
    this.#text = text;
    this.#place = -1;
  }

  /** Whether the character stands between two places of the text; places must come in order. */
  isBetween(start: number, end: number): boolean {
    if (this.#place < start) {
      const found = this.#text.indexOf(this.#character, start);
      this.#place = found < 0 ? NOWHERE : found;
    }
    return this.#place < end;
  }
}
