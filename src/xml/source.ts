/**
 * The text that the tokenizer has at hand: where it stands in it, and what is told of it.
 *
 * @module
 */

import { AsciiBytes } from "./ascii_bytes.ts";
import { codeAt, endsName, EQUALS, isSpace } from "./characters.ts";
import type { XmlFault, XmlHandler } from "./handler.ts";
import { NextPlace } from "./next_place.ts";
import { hasForbidden, LineEnds, withoutForbidden } from "./normalize.ts";

/** Of shorter texts, such as the few tags around the records of a sitemap, bytes do not pay. */
const MIN_BYTES = 1024;

/** A forbidden character that was left out, by the place in the text that it stood before. */
interface Forbidden {
  readonly codePoint: string;
  readonly before: number;
}

/** Text in chunks; at hand is one, with what was not read of the one before. */
export class Source {
  /** The text at hand. */
  text = "";
  /** Its bytes, at the same places; `undefined` where it is not ASCII. */
  view: DataView | undefined = undefined;
  /** Where reading stands in it. */
  at = 0;
  /** Whether nothing follows the text at hand. */
  isLast = false;
  /** Whether the root element has ended, and what follows is not looked at. */
  isOver = false;
  /** The next `<`. */
  readonly less: NextPlace = new NextPlace("<");
  /** The next `&`. */
  readonly ampersand: NextPlace = new NextPlace("&");
  /** The next LF. */
  readonly newline: NextPlace = new NextPlace("\n");
  /** The next TAB. */
  readonly tab: NextPlace = new NextPlace("\t");
  readonly #handler: XmlHandler;
  readonly #lineEnds = new LineEnds();
  readonly #bytes = new AsciiBytes(MIN_BYTES);
  #line = 1;
  /** Where the next line ends, as far as this chunk knows. */
  #lineEnd = -1;
  /** Forbidden characters that were left out and not told of yet. */
  #forbidden: Forbidden[] = [];
  #forbiddenTold = 0;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** Whether all that is at hand has been read. */
  get isAtEdge(): boolean {
    return this.at >= this.text.length;
  }

  /** Takes a chunk. */
  take(chunk: string): void {
    const carried = this.at < this.text.length ? this.text.slice(this.at) : "";
    if (this.#forbidden.length > 0) this.#carryForbidden();
    this.#bytes.take(carried + this.#lineEnds.normalize(chunk));
    if (this.#bytes.hasControl ?? hasForbidden(this.#bytes.text)) this.#leaveOutForbidden();
    this.text = this.#bytes.text;
    this.view = this.#bytes.view;
    this.at = 0;
    this.less.begin(this.text);
    this.ampersand.begin(this.text);
    this.newline.begin(this.text);
    this.tab.begin(this.text);
    this.#lineEnd = this.text.indexOf("\n");
  }

  /** Moves on while a name lasts: the piece of it that is at hand. */
  readName(endsAtEquals: boolean): string {
    const { text, at } = this;
    let end = at;
    while (end < text.length) {
      const code = text.charCodeAt(end);
      if (endsName(code) || (endsAtEquals && code === EQUALS)) break;
      end++;
    }
    this.at = end;
    return text.slice(at, end);
  }

  /** Moves on over white space. */
  skipSpace(): void {
    while (isSpace(codeAt(this.text, this.at))) this.at++;
  }

  /** The line that a place stands on. Places come in order, so that counting stays linear. */
  lineOf(at: number): number {
    while (this.#lineEnd >= 0 && this.#lineEnd < at) {
      this.#line++;
      this.#lineEnd = this.text.indexOf("\n", this.#lineEnd + 1);
    }
    return this.#line;
  }

  /** Counts lines that somebody else has read. */
  passLines(count: number): void {
    this.#line += count;
  }

  /** At a place behind the root element is something that does not belong there. */
  ignoreRest(at: number): void {
    this.fault("xml-trailing-content", "Content after the root element ignored", at);
    this.at = this.text.length;
    this.isOver = true;
  }

  /** Tells that something was repaired at a place. */
  fault(code: XmlFault, message: string, at: number): void {
    this.tellForbidden(at);
    this.#handler.fault(code, message, this.lineOf(at));
  }

  /** Tells of the forbidden characters up to a place, so that all faults come in their order. */
  tellForbidden(upTo: number): void {
    while (this.#forbiddenTold < this.#forbidden.length) {
      const { codePoint, before } = this.#forbidden[this.#forbiddenTold]!;
      if (before > upTo) return;
      this.#forbiddenTold++;
      const line = this.lineOf(before);
      this.#handler.fault("xml-control-character", `Forbidden ${codePoint} left out`, line);
    }
  }

  #leaveOutForbidden(): void {
    this.#bytes.take(withoutForbidden(this.#bytes.text, (codePoint, before) => {
      this.#forbidden.push({ codePoint, before });
    }));
  }

  /** Keeps those not told of yet, by the places they have in the text that comes. */
  #carryForbidden(): void {
    this.#forbidden = this.#forbidden.slice(this.#forbiddenTold)
      .map(({ codePoint, before }) => ({ codePoint, before: before - this.at }));
    this.#forbiddenTold = 0;
  }
}
