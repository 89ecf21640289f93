/**
 * An end tag while it is read.
 *
 * @module
 */

import { GREATER, isSpace, LESS } from "./characters.ts";
import { limited, MAX_NAME_LENGTH } from "./limited_text.ts";
import type { Source } from "./source.ts";
import { BROKEN, COMPLETE, UNFINISHED } from "./markup_outcome.ts";

/** Reads end tags, one after the other. */
export class EndTag {
  /** The name of the tag, as far as it was read. */
  name = "";
  readonly #source: Source;
  #hasName = false;
  #junkTold = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Begins with the tag that stands here. */
  begin(): void {
    this.name = "";
    this.#hasName = false;
    this.#junkTold = false;
    this.#source.at += 2;
  }

  /** Reads on, as far as the text at hand goes. */
  read(): number {
    const source = this.#source;
    if (!this.#hasName) {
      this.name = limited(this.name, source.readName(false), MAX_NAME_LENGTH);
      this.#hasName = !source.isAtEdge;
    }
    for (; !source.isAtEdge; source.at++) {
      const code = source.text.charCodeAt(source.at);
      if (code === LESS) return BROKEN;
      if (code === GREATER) {
        source.at++;
        return COMPLETE;
      }
      if (!this.#junkTold && !isSpace(code)) {
        this.#junkTold = true;
        const message = `End tag "${this.name}" holds more than its name`;
        source.fault("xml-bad-attribute", message, source.at);
      }
    }
    return UNFINISHED;
  }
}
