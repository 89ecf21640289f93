/**
 * Elements as the tokenizer reports them.
 *
 * @module
 */

import { ownCopy } from "../text.ts";

/** The attributes of an element without any. */
export const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** A name taken apart once and shared by all elements that bear it. */
export interface XmlName {
  /** As written, such as `image:Loc`. */
  readonly name: string;
  /** What stands before the colon, `""` without one. */
  readonly prefix: string;
  /** What stands behind the colon, or all of it. */
  readonly local: string;
  /** `name` in lower case, by which end tags find their start tags. */
  readonly lowerName: string;
  /** `local` in lower case. */
  readonly lowerLocal: string;
}

/** An element that was opened. */
export interface XmlElement extends XmlName {
  /** Namespace of the element: `""` for none, `undefined` where the prefix is not bound. */
  readonly uri: string | undefined;
  /** Attributes by name as written, in order, values decoded. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** How many names are kept taken apart; a document has a dozen, a hostile one millions. */
const MAX_KEPT_NAMES = 1000;
/** Names longer than this are not worth keeping: there are none outside of hostile documents. */
const MAX_KEPT_LENGTH = 64;

/** A power of two, several times what a document has. */
const RECENT_NAMES = 128;

/** Takes names apart, each once. */
export class XmlNames {
  readonly #known = new Map<string, XmlName>();
  /** The last name of each length, first and last letter, found without making a string of it. */
  readonly #recent: (XmlName | undefined)[] = [];

  /** The name between two places of a text. */
  between(text: string, start: number, end: number): string {
    const place = (end - start) * 41 + text.charCodeAt(start) * 7 + text.charCodeAt(end - 1);
    const recent = this.#recent[place & (RECENT_NAMES - 1)];
    if (recent?.name.length === end - start && text.startsWith(recent.name, start)) {
      return recent.name;
    }
    const parts = this.get(text.slice(start, end));
    this.#recent[place & (RECENT_NAMES - 1)] = parts;
    return parts.name;
  }

  /** The parts of a name. */
  get(text: string): XmlName {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    // kept longer than the chunk it stands in
    const name = ownCopy(text);
    const colon = name.indexOf(":");
    const prefix = colon > 0 ? name.slice(0, colon) : "";
    const local = colon > 0 ? name.slice(colon + 1) : name;
    const parts: XmlName = {
      name,
      prefix,
      local,
      lowerName: name.toLowerCase(),
      lowerLocal: local.toLowerCase(),
    };
    if (this.#known.size < MAX_KEPT_NAMES && name.length <= MAX_KEPT_LENGTH) {
      this.#known.set(name, parts);
    }
    return parts;
  }
}
