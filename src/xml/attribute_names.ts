/**
 * The names of attributes, found in a text without making strings of them.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import {
  APOSTROPHE,
  codeAt,
  COLON,
  endsName,
  EQUALS,
  GREATER,
  NOTHING,
  QUOTE,
} from "./characters.ts";
import { Pattern } from "./pattern.ts";
import { RecentNames } from "./recent_names.ts";
import type { Source } from "./source.ts";

/** Longer names are read piece by piece, where their ceiling is minded. */
const MAX_WHOLE_LENGTH = 256;

/** A document has a dozen names; one that has more is not worth foreseeing. */
const MAX_LINKED_NAMES = 1000;

/** The name of an attribute. */
export class AttributeName {
  /** As written. */
  readonly name: string;
  /** The prefix that such an attribute binds, `""` for `xmlns` itself; most bind none. */
  readonly boundPrefix: string | undefined;
  /** The attribute that came next the last time. */
  next: AttributeName | undefined = undefined;
  // made when it is needed: names that come once, by the million, have no use for it
  #head: Pattern | undefined;

  /** Takes a name, of which a copy is made. */
  constructor(text: string) {
    const name = ownCopy(text);
    this.name = name;
    this.boundPrefix = name.startsWith("xmlns") && (name.length === 5 || codeAt(name, 5) === COLON)
      ? name.slice(6)
      : undefined;
  }

  /** What stands before a value in double quotes. */
  get head(): Pattern {
    return this.#head ??= new Pattern(`${this.name}="`);
  }
}

/** Finds the names of attributes. */
export class AttributeNames {
  #made = 0;
  readonly #recent = new RecentNames((text) => {
    this.#made++;
    return new AttributeName(text);
  });
  /** The last name; before the first, one that no attribute has. */
  #last = new AttributeName("");

  /** The name that stands here before an equals sign and a quote, if all of that is at hand. */
  whole(source: Source): AttributeName | undefined {
    const last = this.#last;
    // documents repeat themselves: what came next the last time is looked for first
    if (last.next?.head.isAt(source, source.at)) return this.#last = last.next;
    const { text, at } = source;
    let end = at + 1;
    let code = codeAt(text, end);
    // letters first: all that ends a name comes before them
    while (code > GREATER || !(endsName(code) || code === EQUALS || code === NOTHING)) {
      code = codeAt(text, ++end);
    }
    if (code !== EQUALS || end - at > MAX_WHOLE_LENGTH) return undefined;
    const quote = codeAt(text, end + 1);
    if (quote !== QUOTE && quote !== APOSTROPHE) return undefined;
    const name = this.#recent.between(text, at, end);
    // a name holds the next one, and that the next: with millions of them none may
    if (this.#made < MAX_LINKED_NAMES) last.next = name;
    return this.#last = name;
  }
}
