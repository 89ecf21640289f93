/**
 * What stands between the values of a record: tags and white space, learned once, then compared.
 *
 * The records of a sitemap are written by one program, so what stands between two values, such as
 * `</loc>\n    <lastmod>`, is the same in nearly all of them. Such a piece of glue is read with care
 * when it first comes, with regular expressions and the rules of nesting; from then on it is
 * recognised eight bytes at a time, within some nanoseconds.
 *
 * @module
 */

import { BytePattern } from "./byte_pattern.ts";
import type { FastChunk } from "./fast_chunk.ts";
import { type FastElement, LINK } from "./fast_elements.ts";
import type { RecordForm, UsualPrefixes, ValueKind } from "./fast_elements.ts";

// white space is blanks, tabs and line ends; a CR that stands alone is another matter
const SPACE_REGEXP = /(?:[ \t\n]|\r\n)*/y;
const START_TAG_REGEXP = /<([a-z_:]+)>|<(xhtml:link rel="alternate")/y;
const END_TAG_REGEXP = /<\/([a-z_:]+)>/y;
const ATTRIBUTE_REGEXP = /(?:[ \t\n]|\r\n)+(hreflang|href)="/y;
const EMPTY_END_REGEXP = /(?:[ \t\n]|\r\n)*\/>/y;

/** Longer ones are white space without end, and not worth their memory. */
const MAX_GLUE_LENGTH = 512;

/** A place keeps no more than this; it takes one to three, unless somebody writes by hand. */
const MAX_GLUES = 8;

/** What is read at a place: a value of some kind, or the next record. */
export type PlaceKind = ValueKind | "outside";

/** What a piece of glue does. */
interface GlueEffect {
  /** The element that it ends, if that ends something. */
  readonly ended: FastElement | undefined;
  /** The element that it begins, if that begins something. */
  readonly begun: FastElement | undefined;
  /** The place that it leads to. */
  readonly to: Place;
}

/** What stands between two values. */
export class Glue implements GlueEffect {
  /** Its bytes: eight at least, for there are two tags in it, or an end and an attribute. */
  readonly pattern: BytePattern;
  /** Line ends in it. */
  readonly lines: number;
  readonly ended: FastElement | undefined;
  readonly begun: FastElement | undefined;
  readonly to: Place;

  constructor(text: string, { ended, begun, to }: GlueEffect) {
    this.pattern = new BytePattern(text);
    this.lines = text.split("\n").length - 1;
    this.ended = ended;
    this.begun = begun;
    this.to = to;
  }
}

/** A place in the common form: at a value of one kind, or between records. */
export class Place {
  /** What is read there. */
  readonly kind: PlaceKind;
  /** The element that is open, or the attribute; none between records. */
  readonly element: FastElement | undefined;
  /** What followed the last time. */
  glue: Glue | undefined;
  readonly #known: Glue[] = [];
  #oldest = 0;

  constructor(kind: PlaceKind, element: FastElement | undefined) {
    this.kind = kind;
    this.element = element;
  }

  /** What follows this time, if it is known. */
  recall(view: DataView, at: number): Glue | undefined {
    for (const glue of this.#known) {
      if (glue.pattern.standsAt(view, at)) return this.glue = glue;
    }
    return undefined;
  }

  /** Keeps what it will know from now on. */
  learn(glue: Glue): Glue {
    this.#known[this.#oldest] = glue;
    this.#oldest = (this.#oldest + 1) % MAX_GLUES;
    return this.glue = glue;
  }
}

/** All places of the common form, and what leads from one to the next. */
export class Places {
  /** Between records. */
  readonly outside: Place = new Place("outside", undefined);
  readonly #elements: ReadonlyMap<string, FastElement>;
  readonly #places = new Map<FastElement | undefined, Place>([[undefined, this.outside]]);

  constructor(elements: readonly FastElement[]) {
    this.#elements = new Map(elements.map((element) => [element.name, element]));
    for (const element of elements) {
      if (element.kind !== undefined) {
        this.#places.set(element, new Place(element.kind, element));
      }
    }
  }

  /** What leads from a place to the next; `undefined` where it is not of the common form. */
  follow(from: Place, chunk: FastChunk, at: number): Glue | undefined {
    const known = from.recall(chunk.view, at);
    if (known !== undefined) return known;
    const read = new GlueReader(this.#elements, chunk.text, at).read(from.element);
    if (read === undefined) return undefined;
    const { text, ended, begun, element } = read;
    return from.learn(new Glue(text, { ended, begun, to: this.#places.get(element)! }));
  }
}

/** By what {@linkcode placesOf} makes of prefixes. */
const PLACES = new Map<RecordForm, Places[]>();

/**
 * The places of documents with such records and prefixes. What was learned of one document is known
 * for all that follow: the sitemaps of a site are alike, and many of them short.
 */
export function placesOf(form: RecordForm, usual: UsualPrefixes): Places {
  const { hasUsualImages, hasUsualNews, hasUsualAlternates } = usual;
  let known = PLACES.get(form);
  if (known === undefined) PLACES.set(form, known = []);
  const prefixes = (hasUsualImages ? 1 : 0) + (hasUsualNews ? 2 : 0) + (hasUsualAlternates ? 4 : 0);
  return known[prefixes] ??= new Places(form.elements(usual));
}

/** A piece of glue as it was read, and the element that it leads to. */
interface ReadGlue extends Omit<GlueEffect, "to"> {
  readonly text: string;
  readonly element: FastElement | undefined;
}

/** Reads one piece of glue by the rules. */
class GlueReader {
  readonly #elements: ReadonlyMap<string, FastElement>;
  readonly #text: string;
  readonly #start: number;
  #at: number;
  #element: FastElement | undefined;
  #ended: FastElement | undefined;
  #begun: FastElement | undefined;

  constructor(elements: ReadonlyMap<string, FastElement>, text: string, start: number) {
    this.#elements = elements;
    this.#text = text;
    this.#start = start;
    this.#at = start;
  }

  /** Reads on from the value of an element, or from between two records. */
  read(from: FastElement | undefined): ReadGlue | undefined {
    this.#element = from;
    if (from?.kind === "attribute") {
      // its closing quote
      this.#at++;
      this.#element = from.parent;
    }
    while (this.#step()) {
      const element = this.#element;
      if (element !== undefined && element.kind === undefined) continue;
      if (this.#at - this.#start > MAX_GLUE_LENGTH) return undefined;
      const text = this.#text.slice(this.#start, this.#at);
      return { text, ended: this.#ended, begun: this.#begun, element };
    }
    return undefined;
  }

  /** Passes one tag or attribute: false where it is not of the common form. */
  #step(): boolean {
    if (this.#element === LINK) {
      const attribute = this.#match(ATTRIBUTE_REGEXP);
      if (attribute !== null) return this.#opens(attribute[1]!);
      return this.#match(EMPTY_END_REGEXP) !== null && this.#closes(LINK.name);
    }
    this.#match(SPACE_REGEXP);
    const end = this.#match(END_TAG_REGEXP);
    if (end !== null) return this.#closes(end[1]!);
    const start = this.#match(START_TAG_REGEXP);
    return start !== null && this.#opens(start[1] ?? start[2]!);
  }

  #opens(name: string): boolean {
    const element = this.#elements.get(name);
    if (element === undefined || element.parent !== this.#element) return false;
    this.#element = element;
    if (element.begin !== undefined) this.#begun = element;
    return true;
  }

  #closes(name: string): boolean {
    const element = this.#element;
    // with nothing in it there is something to be told
    if (element === undefined || element.name !== name || element === this.#begun) return false;
    this.#element = element.parent;
    if (element.end !== undefined) this.#ended = element;
    return true;
  }

  #match(regexp: RegExp): RegExpExecArray | null {
    regexp.lastIndex = this.#at;
    const match = regexp.exec(this.#text);
    if (match !== null) this.#at = regexp.lastIndex;
    return match;
  }
}
