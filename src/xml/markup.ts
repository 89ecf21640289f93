/**
 * What the scanner reports.
 *
 * @module
 */

import type { WarningCode } from "../data/codes.ts";

/** What is repaired: every `xml-` warning but the one about the end, and values that are too long. */
export type XmlFault =
  | Exclude<Extract<WarningCode, `xml-${string}`>, "xml-cut">
  | Extract<WarningCode, "value-too-long">;

/** What stops reading before the end of the document. */
export type XmlStop = "xml-dtd" | "too-many-attributes" | "too-deep-elements";

/** Limits of the scanner. */
export interface XmlLimits {
  /** Attributes of one element. Default: 1,000. */
  readonly maxAttributes?: number;
  /** Depth of nested elements. Default: 256. */
  readonly maxElementDepth?: number;
  /**
   * Characters of one attribute value. The namespaces in scope may have as many together, or 1 MiB if
   * that is more. Default: 1 MiB.
   */
  readonly maxValueLength?: number;
}

// MERGED: Counts lines. Only LF ends a line, of which CRLF is the other spelling.

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

// MERGED: Markup that is skipped and may exceed a window: comments, instructions, the DOCTYPE, and the rest of tags that exceed all limits.

/** Markup that is skipped. */
export type SkippedMarkup = "comment" | "instruction" | "doctype" | "tag" | "end-tag";

/** The markup goes on behind the window. */
export const UNFINISHED = -1;
/** A DOCTYPE has an internal subset. */
export const SUBSET = -2;

const TERMINATORS = { "comment": "-->", "instruction": "?>", "end-tag": ">" } as const;
/** What has a meaning in a DOCTYPE or a tag, outside of quotes. */
const STOP_REGEXPS = { doctype: /[>["']/g, tag: /[>"']/g } as const;

/** Skips markup, window by window. */
export class MarkupSkipper {
  #markup: SkippedMarkup = "comment";
  /** The quotes that reading is in. */
  #quote = "";
  /** Whether the last character before the end of a tag, or of the window, is a slash. */
  #endsInSlash = false;

  /** Begins to skip. */
  begin(markup: SkippedMarkup): void {
    this.#markup = markup;
    this.#quote = "";
    this.#endsInSlash = false;
  }

  /** Skips from an offset; returns the offset behind the markup, or a negative outcome. */
  skip(text: string, at: number): number {
    const markup = this.#markup;
    if (markup === "doctype" || markup === "tag") return this.#skipQuoted(text, at, markup);
    const terminator = TERMINATORS[markup];
    const found = text.indexOf(terminator, at);
    return found < 0 ? UNFINISHED : found + terminator.length;
  }

  /** Whether a start tag was skipped that is that of an empty element. */
  get isEmptyTag(): boolean {
    return this.#markup === "tag" && this.#endsInSlash;
  }

  /** Bytes at the end of the window that may be the beginning of what ends the markup. */
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
