/**
 * The names of a document's elements, each taken apart once.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import { codeAt, endsName, GREATER, isSpace, NOTHING, startsName } from "./characters.ts";
import type { XmlElement, XmlName } from "./element.ts";
import { Pattern } from "./pattern.ts";
import { RecentNames } from "./recent_names.ts";
import type { Source } from "./source.ts";

/** How many names are kept taken apart; a document has a dozen, a hostile one millions. */
const MAX_KEPT_NAMES = 1000;
/** Names longer than this are not worth keeping: there are none outside of hostile documents. */
const MAX_KEPT_LENGTH = 64;
/** Longer names are read piece by piece, where their ceiling is minded. */
const MAX_WHOLE_LENGTH = 256;
/** A power of two: how many lists the kept names are spread over. */
const LISTS = 256;
/** Those of a list are compared one by one: a hostile document could put all of them into one. */
const MAX_LISTED_NAMES = 16;

/** A name, with what is known of the tags that bear it. */
export class KnownName implements XmlName {
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  readonly lowerName: string;
  readonly lowerLocal: string;
  readonly index: number;
  /** The name of the start tag that came next the last time, and whether it had attributes. */
  next: KnownName | undefined = undefined;
  nextHasAttributes = false;
  /** The element without attributes in one scope of namespaces; the stack of elements makes it. */
  plain: XmlElement | undefined = undefined;
  /** That scope. */
  scope: number = -1;
  // made when they are needed: names that come once, by the million, have no use for them
  #startTag: Pattern | undefined;
  #tagHead: Pattern | undefined;
  #endTag: Pattern | undefined;

  /** Takes a name apart; `index` is its number, -1 for none. */
  constructor(name: string, index: number) {
    const colon = name.indexOf(":");
    this.name = name;
    this.prefix = colon > 0 ? name.slice(0, colon) : "";
    this.local = colon > 0 ? name.slice(colon + 1) : name;
    this.lowerName = name.toLowerCase();
    this.lowerLocal = this.local.toLowerCase();
    this.index = index;
  }

  /** Its start tag without attributes. */
  get startTag(): Pattern {
    return this.#startTag ??= new Pattern(`<${this.name}>`);
  }

  /** The beginning of its start tag with attributes. */
  get tagHead(): Pattern {
    return this.#tagHead ??= new Pattern(`<${this.name} `);
  }

  /** Its end tag. */
  get endTag(): Pattern {
    return this.#endTag ??= new Pattern(`</${this.name}>`);
  }
}

/**
 * Names that are kept, by their text. No `Map`: V8 makes every string old that is looked up in one, to
 * have it once only, and names that come once each, by the million, would pile up until all of the
 * heap is collected.
 */
class KeptNames {
  readonly #lists = new Array<KnownName[] | undefined>(LISTS).fill(undefined);
  #count = 0;

  /** The parts of a name; kept, if there is room. */
  get(text: string): KnownName {
    // kept or not, it lasts longer than the chunk it stands in
    if (text.length > MAX_KEPT_LENGTH) return new KnownName(ownCopy(text), -1);
    const list = this.#lists[placeOf(text)] ??= [];
    for (const known of list) {
      if (known.name === text) return known;
    }
    const hasRoom = this.#count < MAX_KEPT_NAMES && list.length < MAX_LISTED_NAMES;
    const fresh = new KnownName(ownCopy(text), hasRoom ? this.#count++ : -1);
    if (hasRoom) list.push(fresh);
    return fresh;
  }
}

/** The list that a name belongs in. */
function placeOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash, 31) + text.charCodeAt(at) | 0;
  // the upper bits depend on more of the letters than the lower ones
  return (hash ^ hash >>> 15) & (LISTS - 1);
}

/** Takes names apart, each once. */
export class XmlNames {
  readonly #kept = new KeptNames();
  readonly #recent = new RecentNames((name) => this.#kept.get(name));
  /** The name of the last start tag; before the first, one that no tag bears. */
  #last = new KnownName("", -1);

  /**
   * The name of a start tag whose `<` stands here; `undefined` where it has none that ends before
   * `>` or white space in the text at hand.
   */
  ofTag(source: Source): KnownName | undefined {
    const last = this.#last;
    const { next } = last;
    // documents repeat themselves: what came next the last time is looked for first
    if (next !== undefined) {
      const tag = last.nextHasAttributes ? next.tagHead : next.startTag;
      if (tag.isAt(source, source.at)) return this.#last = next;
    }
    const { text } = source;
    const start = source.at + 1;
    if (!startsName(codeAt(text, start))) return undefined;
    let end = start + 1;
    let code = codeAt(text, end);
    // letters first: all that ends a name comes before them
    while (code > GREATER || !(endsName(code) || code === NOTHING)) code = codeAt(text, ++end);
    const isWhole = (code === GREATER || isSpace(code)) && end - start <= MAX_WHOLE_LENGTH;
    if (!isWhole) return undefined;
    const name = this.#recent.between(text, start, end);
    // a name holds the next one, and that the next: only those may that are kept anyway
    if (name.index >= 0) {
      last.next = name;
      last.nextHasAttributes = code !== GREATER;
    }
    return this.#last = name;
  }

  /** The parts of a name. */
  get(text: string): KnownName {
    return this.#kept.get(text);
  }
}
