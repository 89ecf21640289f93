/**
 * Hands text over, references decoded; tells of what stands outside of the root element.
 *
 * @module
 */

import type { Elements } from "./elements.ts";
import type { XmlHandler } from "./handler.ts";
import { decodeReferences } from "./references.ts";
import type { Source } from "./source.ts";

const NOT_SPACE_REGEXP = /[^\s]/;

/** Where the text of a document goes. */
export class TextOutlet {
  /** Whether anything has stood in the document yet. */
  anythingBefore = false;
  readonly #source: Source;
  readonly #handler: XmlHandler;
  readonly #elements: Elements;
  #junkTold = false;

  constructor(source: Source, handler: XmlHandler, elements: Elements) {
    this.#source = source;
    this.#handler = handler;
    this.#elements = elements;
  }

  /** Hands over what stands from here to a place. */
  handTo(end: number, hasReferences: boolean): void {
    const { text, at } = this.#source;
    if (at === end) return;
    // most text is white space between elements, which nobody wants
    if (!hasReferences && this.#elements.depth > 0 && this.#handler.ignoresText === true) return;
    this.#hand(text.slice(at, end), hasReferences, true);
  }

  /** Hands over what was taken for a tag and stands before this place. */
  handBack(text: string): void {
    this.#hand(text, true, false);
  }

  #hand(text: string, hasReferences: boolean, isAhead: boolean): void {
    if (this.#elements.depth === 0) return this.#handOutside(text, isAhead);
    const decoded = hasReferences ? this.#decoded(text, isAhead) : text;
    if (decoded === "" || this.#handler.ignoresText === true) return;
    this.#handler.text(decoded, isAhead && decoded === text ? this.#source.at : -1);
  }

  #decoded(text: string, isAhead: boolean): string {
    const source = this.#source;
    const { at } = source;
    return decodeReferences(text, (code, message, place) => {
      source.fault(code, message, isAhead ? at + place : at);
    });
  }

  #handOutside(text: string, isAhead: boolean): void {
    const source = this.#source;
    const content = text.search(NOT_SPACE_REGEXP);
    if (content >= 0 && this.#elements.rootClosed) return source.ignoreRest(source.at + content);
    this.anythingBefore = true;
    if (content < 0 || this.#junkTold) return;
    this.#junkTold = true;
    const at = isAhead ? source.at + content : source.at;
    source.fault("xml-leading-junk", "Text before the root element skipped", at);
  }
}
