/**
 * Finds names in a text without making strings of them.
 *
 * @module
 */

/** A power of two, several times as many names as a document has. */
const CAPACITY = 128;

/** The names that were met last, with what is known of each. */
export class RecentNames<T extends { readonly name: string }> {
  readonly #make: (name: string) => T;
  /** The last name of each length, first and last letter, more or less. */
  readonly #recent = new Array<T | undefined>(CAPACITY).fill(undefined);

  /** `make` tells what is known of a name; it must hold no slice of the string it is given. */
  constructor(make: (name: string) => T) {
    this.#make = make;
  }

  /** What is known of the name between two places of a text, which has one letter at least. */
  between(text: string, start: number, end: number): T {
    const length = end - start;
    const letters = text.charCodeAt(start) * 7 + text.charCodeAt(end - 1);
    const place = (length * 41 + letters) & (CAPACITY - 1);
    const recent = this.#recent[place];
    if (recent !== undefined && recent.name.length === length) {
      if (text.startsWith(recent.name, start)) return recent;
    }
    return this.#recent[place] = this.#make(text.slice(start, end));
  }
}
