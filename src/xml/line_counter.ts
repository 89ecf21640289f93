/**
 * Counts lines. Only LF ends a line, of which CRLF is the other spelling.
 *
 * @module
 */

/** Lines of offsets in a text. Offsets do not go back, so that counting is linear. */
export class LineCounter {
  /** The line at the offset `at`, from 1. */
  line: number;
  /** How far lines are counted. */
  at = 0;
  #text = "";
  /** The next line end, as far as it was looked for. */
  #lineEnd = -1;

  /** Begins at a line, in a text. */
  constructor(line = 1, text = "") {
    this.line = line;
    this.#text = text;
  }

  /** Goes on in another text, at its beginning or at the same offset. */
  load(text: string, at = 0): void {
    this.#text = text;
    this.#lineEnd = -1;
    this.at = at;
  }

  /** Counts the lines up to an offset; returns the line there. */
  count(at: number): number {
    if (at <= this.at) return this.line;
    if (this.#lineEnd < this.at) this.#lineEnd = this.#lineEndBehind(this.at);
    while (this.#lineEnd < at) {
      this.line++;
      this.#lineEnd = this.#lineEndBehind(this.#lineEnd + 1);
    }
    this.at = at;
    return this.line;
  }

  #lineEndBehind(at: number): number {
    const found = this.#text.indexOf("\n", at);
    return found < 0 ? Infinity : found;
  }
}
