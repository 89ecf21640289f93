/**
 * Characters: classes of bytes, and the text of ranges of the window.
 *
 * @module
 */

import { CONTROL, REFERENCE, type ValueScan, WIDE } from "../bytes/value_scan.ts";
import { LineCounter, type Window } from "../bytes/window.ts";
import { ownCopy } from "../data/text.ts";
import type { XmlFault } from "./consumer.ts";
import { decodeReferences, endOfWholeReferences, MAX_REFERENCE_LENGTH } from "./references.ts";

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20, BANG = 0x21, SLASH = 0x2f;
const LT = 0x3c, GT = 0x3e, QUESTION = 0x3f;

/** Bytes that end the name of an element, forbidden ones included so that they are found. */
const ENDS_NAME = new Uint8Array(256);
for (let code = 0; code <= SPACE; code++) ENDS_NAME[code] = 1;
for (const code of [SLASH, LT, GT]) ENDS_NAME[code] = 1;

// deno-lint-ignore no-control-regex -- XML 1.0 §2.2 forbids them
const FORBIDDEN_REGEXP = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const ATTRIBUTE_SPACE_REGEXP = /\r\n|[\r\n\t]/g;

export function isForbidden(byte: number): boolean {
  return byte < SPACE && byte !== LF && byte !== CR && byte !== TAB;
}

export function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LF || byte === TAB || byte === CR;
}

export function startsName(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte >= 0x80 ||
    byte === 0x5f || byte === 0x3a;
}

/** Whether a byte after `<` begins markup. */
export function startsMarkup(byte: number): boolean {
  return startsName(byte) || byte === SLASH || byte === BANG || byte === QUESTION;
}

export function endsName(byte: number): boolean {
  return ENDS_NAME[byte] === 1;
}

export function endOfName(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && ENDS_NAME[bytes[at]!] === 0) at++;
  return at;
}

/** Attribute values: known ones, and offsets and flags of the others; the flags are -1 if unknown. */
export interface AttributeRanges {
  readonly values: readonly (string | undefined)[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly flags: readonly number[];
}

/**
 * Decodes ranges of the window: references decoded, line ends normalised, forbidden characters removed.
 * Flags are those of `ValueScan`.
 */
export class RangeDecoder {
  readonly #window: Window;
  readonly #lines: LineCounter;
  readonly #scan: ValueScan;
  readonly #report: (code: XmlFault, message: string, line: number) => void;

  constructor(
    window: Window,
    lines: LineCounter,
    scan: ValueScan,
    report: (code: XmlFault, message: string, line: number) => void,
  ) {
    this.#window = window;
    this.#lines = lines;
    this.#scan = scan;
    this.#report = report;
  }

  text(start: number, end: number, flags: number): string {
    const window = this.#window;
    const isSpecial = (flags & WIDE) !== 0 && window.hasSpecials;
    if ((flags & (CONTROL | REFERENCE)) === 0 && !isSpecial) {
      return window.copy(start, end, (flags & WIDE) !== 0);
    }
    return this.#decode(window.slice(start, end, (flags & WIDE) !== 0), start, flags, isSpecial);
  }

  attribute(ranges: AttributeRanges, index: number): string {
    const value = ranges.values[index];
    if (value !== undefined) return value;
    const start = ranges.starts[index]!, end = ranges.ends[index]!, known = ranges.flags[index]!;
    const flags = known >= 0 ? known : this.#scan.flagsOf(this.#window.view, start, end);
    if ((flags & CONTROL) === 0) return this.text(start, end, flags);
    const text = this.#window.slice(start, end, true).replace(ATTRIBUTE_SPACE_REGEXP, " ");
    return this.#decode(text, start, flags, true);
  }

  #decode(raw: string, start: number, flags: number, isSpecial: boolean): string {
    const line = this.#lines.count(start);
    let text = raw;
    if ((flags & CONTROL) !== 0 || isSpecial) {
      if (text.includes("\r\n")) text = text.replaceAll("\r\n", "\n");
      if (text.search(FORBIDDEN_REGEXP) >= 0) {
        this.reportForbiddenIn(text, new LineCounter(line, text));
        text = text.replace(FORBIDDEN_REGEXP, "");
      }
    }
    // a lone CR is a line end in XML, but lines are counted by LF
    const lines = new LineCounter(line, text);
    if ((flags & CONTROL) !== 0 && text.includes("\r")) text = text.replaceAll("\r", "\n");
    if ((flags & REFERENCE) === 0) return ownCopy(text);
    const decoded = decodeReferences(text, (code, message, at) => {
      this.#report(code, message, lines.count(at));
    });
    return decoded === text ? ownCopy(text) : decoded;
  }

  hasForbidden(start: number, end: number, flags: number): boolean {
    const isSpecial = (flags & WIDE) !== 0 && this.#window.hasSpecials;
    if ((flags & CONTROL) === 0 && !isSpecial) return false;
    return this.#window.slice(start, end, true).search(FORBIDDEN_REGEXP) >= 0;
  }

  reportForbiddenIn(text: string, lines: LineCounter, from = 0, to: number = text.length): void {
    for (const { 0: character, index } of text.slice(from, to).matchAll(FORBIDDEN_REGEXP)) {
      this.reportForbidden(character.charCodeAt(0), lines.count(from + index));
    }
  }

  reportForbidden(code: number, line: number): void {
    const point = code.toString(16).toUpperCase().padStart(4, "0");
    this.#report("xml-control-character", `Forbidden character U+${point} removed`, line);
  }

  /** Returns the end of the window without an incomplete reference or line end. */
  endOfPiece(at: number): number {
    const { bytes, text } = this.#window;
    const tail = text.slice(Math.max(at, text.length - MAX_REFERENCE_LENGTH));
    const end = text.length - tail.length + endOfWholeReferences(tail);
    return end > at && bytes[end - 1] === CR ? end - 1 : end;
  }
}
