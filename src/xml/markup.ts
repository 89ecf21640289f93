/**
 * Markup that is skipped: comments, processing instructions, DOCTYPEs and overlong tags. And patterns of
 * markup that is misspelt:
 *
 * | markup                                  | read as                                         |
 * | --------------------------------------- | ----------------------------------------------- |
 * | `</ loc>`, `< /loc>`, `< / loc >`       | its end tag, if an element of that name is open |
 * | `<!CDATA[`, `<! [CDATA[`, `<![ CDATA [` | the start of a CDATA section                    |
 * | the same, over 1,024 bytes              | text                                            |
 * | any other `<` without a name            | text; an address ends before it                 |
 *
 * @module
 */

/** Maximum length of a misspelt end tag, and of the misspelt start of a CDATA section. */
export const MAX_MISSPELT = 1024;

/** `</ loc>` or `< /loc>`, with its name and its `>`, as far as it is complete. */
export const MISSPELT_END_TAG_REGEXP: RegExp =
  /^<[\0- ]*(?:\/[\0- ]*(?:([^\0- /<>]+)[\0- ]*(>)?)?)?/;

/** `<!CDATA[` or `<! [CDATA[`, with its last bracket, as far as it is complete. */
export const MISSPELT_CDATA_REGEXP: RegExp =
  /^<![ \t\r\n]*(?:\[[ \t\r\n]*)?(?:C(?:D(?:A(?:T(?:A(?:[ \t\r\n]*(\[)?)?)?)?)?)?)?/i;

/**
 * Skipped markup, which may exceed a window: `tag` and `end-tag` are those that exceed all limits, `rest`
 * is all that follows.
 */
export type SkippedMarkup = "comment" | "instruction" | "doctype" | "tag" | "end-tag" | "rest";

/** The markup continues after the window. */
export const UNFINISHED = -1;
/** A DOCTYPE has an internal subset. */
export const SUBSET = -2;

const TERMINATORS = { "comment": "-->", "instruction": "?>", "end-tag": ">" } as const;
/** Characters with a meaning in a DOCTYPE or a tag, outside of quotes. */
const STOP_REGEXPS = { doctype: /[>["']/g, tag: /[>"']/g } as const;

export class MarkupSkipper {
  readonly #markup: SkippedMarkup;
  /** Quotation mark that is open. */
  #quote = "";
  /** Whether the last character before the end of a tag, or of the window, is a slash. */
  #endsInSlash = false;

  constructor(markup: SkippedMarkup) {
    this.#markup = markup;
  }

  /** Skips from an offset; returns the offset after the markup, or a negative outcome. */
  skip(text: string, at: number): number {
    const markup = this.#markup;
    if (markup === "doctype" || markup === "tag") return this.#skipQuoted(text, at, markup);
    if (markup === "rest") return UNFINISHED;
    const terminator = TERMINATORS[markup];
    const found = text.indexOf(terminator, at);
    return found < 0 ? UNFINISHED : found + terminator.length;
  }

  get isDoctype(): boolean {
    return this.#markup === "doctype";
  }

  /** Whether the skipped markup is the start tag of an empty element. */
  get isEmptyTag(): boolean {
    return this.#markup === "tag" && this.#endsInSlash;
  }

  /** Maximum number of bytes at the end of the window that may begin the terminator. */
  get lookahead(): number {
    return this.#markup === "comment" ? 2 : this.#markup === "instruction" ? 1 : 0;
  }

  #skipQuoted(text: string, start: number, markup: "doctype" | "tag"): number {
    const stops = STOP_REGEXPS[markup];
    for (let at = start; at < text.length;) {
      if (this.#quote !== "") {
        const found = text.indexOf(this.#quote, at);
        if (found < 0) return UNFINISHED;
        this.#quote = "";
        at = found + 1;
      }
      stops.lastIndex = at;
      const stop = stops.exec(text);
      const end = stop?.index ?? text.length;
      if (end > start) this.#endsInSlash = text[end - 1] === "/";
      if (stop === null) return UNFINISHED;
      at = end + 1;
      if (stop[0] === ">") return at;
      if (stop[0] === "[") return SUBSET;
      this.#quote = stop[0];
    }
    return UNFINISHED;
  }
}
