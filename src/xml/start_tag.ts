/**
 * A start tag while it is read: its name, its attributes, and what is wrong with them.
 *
 * @module
 */

import { AttributeName, AttributeNames } from "./attribute_names.ts";
import { type AttributeLimits, Attributes } from "./attributes.ts";
import { APOSTROPHE, EQUALS, GREATER, isSpace, LESS, QUOTE, SLASH } from "./characters.ts";
import { limited, MAX_NAME_LENGTH } from "./limited_text.ts";
import type { KnownName } from "./names.ts";
import type { Source } from "./source.ts";
import { BROKEN, COMPLETE, REFUSED, UNFINISHED } from "./markup_outcome.ts";

const IN_NAME = 0; //         <ur
const IN_TAG = 1; //          <url _
const ATTRIBUTE_NAME = 2; //  <url xm
const AFTER_NAME = 3; //      <url xmlns _
const BEFORE_VALUE = 4; //    <url xmlns= _
const QUOTED = 5; //          <url xmlns="htt
const UNQUOTED = 6; //        <url xmlns=htt

/** Longer values are read piece by piece. */
const MAX_WHOLE_VALUE = 1024;

/** A tag that is given up at a `<` becomes text again up to this length. */
const MAX_RAW_TAG = 1024;

/** What makes a value other than plain. */
const UNPLAIN_REGEXP = /[\n\t&]/;

/** Reads start tags, one after the other. */
export class StartTag {
  /** The name of the tag, as far as it was read. */
  name = "";
  /** The same, where it was known before. */
  knownName: KnownName | undefined = undefined;
  /** Whether the last thing in it was a slash: it is that of an empty element. */
  isEmpty = false;
  /** Its attributes. */
  readonly attributes: Attributes;

  readonly #source: Source;
  readonly #maxValueLength: number;
  readonly #names = new AttributeNames();
  #state = IN_NAME;
  /** Where the tag begins in the text at hand, and what of it stood in the text before. */
  #start = 0;
  #head = "";
  /** Whether its last character was a slash. */
  #freshSlash = false;
  /** Whether what comes next touches an attribute. */
  #touching = false;
  #attributeName = "";
  #quote = '"';
  #value = "";

  constructor(source: Source, limits: AttributeLimits) {
    this.attributes = new Attributes(source, limits);
    this.#source = source;
    this.#maxValueLength = limits.maxValueLength;
  }

  /** Begins with the tag that stands here; the open elements have attributes of so many characters. */
  begin(outerWeight: number): void {
    this.name = "";
    this.knownName = undefined;
    this.isEmpty = false;
    this.attributes.begin(outerWeight);
    this.#state = IN_NAME;
    this.#start = this.#source.at++;
    this.#head = "";
    this.#freshSlash = false;
    this.#touching = false;
  }

  /** The same for a tag whose name is known, and stands in the text at hand. */
  beginBehind(known: KnownName, outerWeight: number): void {
    this.begin(outerWeight);
    this.name = known.name;
    this.knownName = known;
    this.#source.at += known.name.length;
    this.#state = IN_TAG;
  }

  /** Keeps what of the tag stands in the text at hand, as that comes to its end. */
  keepHead(): void {
    const { text, at } = this.#source;
    if (this.#head.length <= MAX_RAW_TAG) {
      this.#head += text.slice(this.#start, at).slice(0, MAX_RAW_TAG + 1);
    }
    this.#start = 0;
  }

  /** The tag as far as it was read, as it stands; `undefined` where that is long. */
  get raw(): string | undefined {
    const raw = this.#head + this.#source.text.slice(this.#start, this.#source.at);
    return raw.length > MAX_RAW_TAG ? undefined : raw;
  }

  /** Reads on, as far as the text at hand goes. */
  read(): number {
    let outcome = UNFINISHED;
    while (outcome === UNFINISHED && !this.#source.isAtEdge) outcome = this.#step();
    return outcome;
  }

  /** One step on, with something at hand. */
  #step(): number {
    switch (this.#state) {
      case IN_NAME:
        return this.#inName();
      case IN_TAG:
        return this.#inTag();
      case ATTRIBUTE_NAME:
        return this.#inAttributeName();
      case AFTER_NAME:
        return this.#afterAttributeName();
      case BEFORE_VALUE:
        return this.#beforeValue();
      case QUOTED:
        return this.#inQuoted();
      default:
        return this.#inUnquoted();
    }
  }

  #inName(): number {
    this.name = limited(this.name, this.#source.readName(false), MAX_NAME_LENGTH);
    if (!this.#source.isAtEdge) this.#state = IN_TAG;
    return UNFINISHED;
  }

  #inTag(): number {
    const source = this.#source;
    if (this.#freshSlash && source.text.charCodeAt(source.at) !== GREATER) {
      this.#tell(`Stray "/" in tag "${this.name}"`);
    }
    this.#freshSlash = false;
    const start = source.at;
    source.skipSpace();
    if (source.at > start) this.#touching = false;
    if (source.isAtEdge) return UNFINISHED;
    const code = source.text.charCodeAt(source.at);
    if (code === GREATER) {
      source.at++;
      return COMPLETE;
    }
    if (code === LESS) return BROKEN;
    this.#freshSlash = this.isEmpty = code === SLASH;
    if (code === SLASH) {
      source.at++;
      return UNFINISHED;
    }
    if (this.#touching) this.#tell("No white space between two attributes");
    return this.#wholeAttribute() ?? this.#beginAttribute();
  }

  /** An attribute in quotes that ends in the text at hand, as most do, needs no states. */
  #wholeAttribute(): number | undefined {
    const source = this.#source;
    const { text, at } = source;
    const name = this.#names.whole(source);
    if (name === undefined) return undefined;
    const start = at + name.name.length + 2;
    const end = text.indexOf(text.charCodeAt(start - 1) === QUOTE ? '"' : "'", start);
    const length = end - start;
    if (length < 0 || length > MAX_WHOLE_VALUE || length > this.#maxValueLength) return undefined;
    source.at = end;
    const isPlain = !source.ampersand.isBetween(start, end) &&
      !source.newline.isBetween(start, end) && !source.tab.isBetween(start, end);
    if (source.less.isBetween(start, end)) this.#tellLess(name.name);
    return this.#add(name, text.slice(start, end), isPlain, true);
  }

  /** Consumes one character at least, so that a stray `=` cannot hold it up. */
  #beginAttribute(): number {
    const source = this.#source;
    this.#attributeName = source.text.charAt(source.at++);
    this.#state = ATTRIBUTE_NAME;
    return UNFINISHED;
  }

  #inAttributeName(): number {
    const piece = this.#source.readName(true);
    this.#attributeName = limited(this.#attributeName, piece, MAX_NAME_LENGTH);
    if (!this.#source.isAtEdge) this.#state = AFTER_NAME;
    return UNFINISHED;
  }

  #afterAttributeName(): number {
    const source = this.#source;
    source.skipSpace();
    if (source.isAtEdge) return UNFINISHED;
    if (source.text.charCodeAt(source.at) === EQUALS) {
      source.at++;
      this.#state = BEFORE_VALUE;
      return UNFINISHED;
    }
    this.#tell(`Attribute "${this.#attributeName}" has no value`);
    const outcome = this.#addValue("", false);
    this.#touching = false;
    return outcome;
  }

  #beforeValue(): number {
    const source = this.#source;
    source.skipSpace();
    if (source.isAtEdge) return UNFINISHED;
    const code = source.text.charCodeAt(source.at);
    this.#value = "";
    if (code === QUOTE || code === APOSTROPHE) {
      this.#quote = code === QUOTE ? '"' : "'";
      source.at++;
      this.#state = QUOTED;
    } else {
      this.#tell(`Attribute "${this.#attributeName}" has no quotes`);
      this.#state = UNQUOTED;
    }
    return UNFINISHED;
  }

  #inQuoted(): number {
    const source = this.#source;
    const found = source.text.indexOf(this.#quote, source.at);
    const end = found < 0 ? source.text.length : found;
    this.#gather(end);
    if (found < 0) return UNFINISHED;
    if (this.#value.includes("<")) this.#tellLess(this.#attributeName);
    return this.#addValue(this.#value, true);
  }

  #inUnquoted(): number {
    const source = this.#source;
    const { text } = source;
    let end = source.at;
    while (end < text.length) {
      const code = text.charCodeAt(end);
      if (isSpace(code) || code === GREATER || code === LESS) break;
      end++;
    }
    this.#gather(end);
    return source.isAtEdge ? UNFINISHED : this.#addValue(this.#value, false);
  }

  /** Moves on, and adds what lies between to the value. */
  #gather(end: number): void {
    const source = this.#source;
    this.#value = limited(this.#value, source.text.slice(source.at, end), this.#maxValueLength);
    source.at = end;
  }

  #addValue(raw: string, isQuoted: boolean): number {
    const name = new AttributeName(this.#attributeName);
    return this.#add(name, raw, !UNPLAIN_REGEXP.test(raw), isQuoted);
  }

  /** Adds an attribute that ends here, with its closing quote if it has one. */
  #add(name: AttributeName, raw: string, isPlain: boolean, isQuoted: boolean): number {
    this.#state = IN_TAG;
    this.#touching = true;
    const hasRoom = this.attributes.add(name, raw, isPlain, this.name);
    if (isQuoted) this.#source.at++;
    return hasRoom ? UNFINISHED : REFUSED;
  }

  #tellLess(name: string): void {
    this.#tell(`Attribute "${name}" holds a raw "<"`);
  }

  #tell(message: string): void {
    this.#source.fault("xml-bad-attribute", message, this.#source.at);
  }
}
