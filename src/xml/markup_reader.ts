/**
 * Tells text from markup, and markup from what only looks like it: the states of the tokenizer.
 *
 * @module
 */

import { BANG, codeAt, GREATER, NOTHING, QUESTION, SLASH, startsName } from "./characters.ts";
import type { AttributeLimits } from "./attributes.ts";
import type { Elements } from "./elements.ts";
import { EndTag } from "./end_tag.ts";
import type { XmlHandler, XmlStop } from "./handler.ts";
import { BROKEN, COMPLETE, REFUSED, UNFINISHED } from "./markup_outcome.ts";
import { type Beginning, OtherMarkup } from "./other_markup.ts";
import { endOfWholeReferences } from "./references.ts";
import type { Source } from "./source.ts";
import { StartTag } from "./start_tag.ts";
import { TextOutlet } from "./text_outlet.ts";

const TEXT = 0; //          hello
const OPEN = 1; //          <
const START_TAG = 2; //     <ur
const END_TAG = 3; //       </ur
const OTHER_MARKUP = 4; //  <!-- hel

/** Reads the text at hand, whatever is in it. */
export class MarkupReader {
  /** What stopped it, if anything did. */
  stopped: XmlStop | undefined = undefined;
  readonly #source: Source;
  readonly #elements: Elements;
  readonly #outlet: TextOutlet;
  readonly #startTag: StartTag;
  readonly #endTag: EndTag;
  readonly #otherMarkup: OtherMarkup;
  #state = TEXT;

  constructor(source: Source, handler: XmlHandler, elements: Elements, limits: AttributeLimits) {
    this.#source = source;
    this.#elements = elements;
    this.#outlet = new TextOutlet(source, handler, elements);
    this.#startTag = new StartTag(source, limits);
    this.#endTag = new EndTag(source);
    this.#otherMarkup = new OtherMarkup(source, elements, this.#outlet);
  }

  /** Whether it stands between two pieces of markup. */
  get isBetweenMarkup(): boolean {
    return this.#state === TEXT;
  }

  /** Reads on, as far as the text at hand goes. */
  read(): void {
    const source = this.#source;
    while (!source.isOver && this.stopped === undefined && this.#step());
    if (source.isOver) source.at = source.text.length;
    if (this.#state === START_TAG) this.#startTag.keepHead();
  }

  /** One step on: false when there is nothing more to be had from the text at hand. */
  #step(): boolean {
    switch (this.#state) {
      case TEXT:
        return this.#inText();
      case OPEN:
        return this.#atOpen();
      case START_TAG:
        return this.#inStartTag();
      case END_TAG:
        return this.#inEndTag();
      default:
        return this.#inOtherMarkup();
    }
  }

  // ---------------------------------------------------------------------------------------- text

  /** Text and tags, one after the other, as long as they are whole and nothing is wrong with them. */
  #inText(): boolean {
    const source = this.#source;
    const { text } = source;
    for (let less = text.indexOf("<", source.at); less >= 0; less = text.indexOf("<", source.at)) {
      this.#outlet.handTo(less, source.ampersand.isBetween(source.at, less));
      if (source.isOver) return false;
      source.at = less;
      const isWhole = codeAt(text, less + 1) === SLASH
        ? this.#wholeEndTag()
        : this.#wholeStartTag();
      if (!isWhole) return true;
      if (source.isOver || this.stopped !== undefined) return false;
    }
    return this.#inLastText();
  }

  /** Text up to the edge; a reference that it may cut in two waits for the rest. */
  #inLastText(): boolean {
    const source = this.#source;
    const rest = source.text.slice(source.at);
    const end = source.at + (source.isLast ? rest.length : endOfWholeReferences(rest));
    this.#outlet.handTo(end, true);
    source.at = end;
    return false;
  }

  /** A `<` that begins no markup, with what else is certain not to. */
  #bareLess(length: number): boolean {
    const source = this.#source;
    source.fault("xml-bare-less-than", 'Bare "<" taken as text', source.at);
    this.#state = TEXT;
    this.#outlet.handTo(source.at + length, false);
    if (!source.isOver) source.at += length;
    return true;
  }

  // -------------------------------------------------------------------------------------- markup

  #atOpen(): boolean {
    const { text, at } = this.#source;
    const next = codeAt(text, at + 1);
    if (next === SLASH) return this.#beginEndTag();
    if (startsName(next)) return this.#beginStartTag();
    if (next === BANG) return this.#beginOther(this.#otherMarkup.beginDeclaration());
    if (next === QUESTION) return this.#beginOther(this.#otherMarkup.beginInstruction());
    return next === NOTHING ? this.#waitForMore() : this.#bareLess(1);
  }

  /** At an edge inside markup: more will come, or the document is cut here. */
  #waitForMore(): boolean {
    if (this.#source.isLast) this.#source.at = this.#source.text.length;
    return false;
  }

  #beginOther(beginning: Beginning): boolean {
    if (beginning === "wait") return false;
    if (beginning === "no") return this.#bareLess(1);
    this.#state = OTHER_MARKUP;
    return true;
  }

  #inOtherMarkup(): boolean {
    const outcome = this.#otherMarkup.read();
    if (outcome === UNFINISHED) return this.#waitForMore();
    if (outcome === REFUSED) this.stopped = "xml-dtd";
    this.#state = TEXT;
    return true;
  }

  // ---------------------------------------------------------------------------------- start tags

  /** A start tag that ends in this chunk: false for what is none, and may be anything else. */
  #wholeStartTag(): boolean {
    const source = this.#source;
    const elements = this.#elements;
    const name = elements.names.ofTag(source);
    if (name === undefined) {
      this.#state = OPEN;
      return false;
    }
    const end = source.at + 1 + name.name.length;
    if (source.text.charCodeAt(end) !== GREATER) {
      this.#startTag.beginBehind(name, elements.weight);
      return this.#inStartTag() && this.#state === TEXT;
    }
    source.at = end + 1;
    source.tellForbidden(end);
    if (!elements.open(name, undefined, false, end)) this.stopped = "too-deep-elements";
    return true;
  }

  #beginStartTag(): boolean {
    this.#startTag.begin(this.#elements.weight);
    return this.#inStartTag();
  }

  #inStartTag(): boolean {
    const outcome = this.#startTag.read();
    this.#state = outcome === UNFINISHED ? START_TAG : TEXT;
    if (outcome === COMPLETE) this.#openElement(this.#source.at - 1);
    else if (outcome === BROKEN) this.#giveUpTag();
    else if (outcome === REFUSED) this.stopped = "too-many-attributes";
    return outcome !== UNFINISHED;
  }

  /** The start tag that was read up to a place opens an element. */
  #openElement(at: number): void {
    const { name, knownName, attributes, isEmpty } = this.#startTag;
    const elements = this.#elements;
    this.#source.tellForbidden(at);
    const known = knownName ?? elements.names.get(name);
    if (!elements.open(known, attributes, isEmpty, at)) this.stopped = "too-deep-elements";
  }

  /** A `<` inside a tag: what looked like one was text, unless it is too long to have been kept. */
  #giveUpTag(): void {
    const source = this.#source;
    const { raw, name } = this.#startTag;
    if (raw === undefined) {
      source.fault("xml-bare-less-than", `Tag "${name}" has no ">"`, source.at);
      this.#openElement(source.at);
    } else {
      source.fault("xml-bare-less-than", 'Bare "<" taken as text', source.at);
      this.#state = OPEN;
      this.#outlet.handBack(raw);
    }
  }

  // ------------------------------------------------------------------------------------ end tags

  /** An end tag that closes the innermost element to the letter: false for what may be anything. */
  #wholeEndTag(): boolean {
    const source = this.#source;
    const endTag = this.#elements.innermostName?.endTag;
    if (endTag === undefined || !endTag.isAt(source, source.at)) {
      this.#state = OPEN;
      return false;
    }
    const end = source.at + endTag.text.length - 1;
    source.at = end + 1;
    source.tellForbidden(end);
    this.#elements.closeInnermost();
    return true;
  }

  #beginEndTag(): boolean {
    const { text, at } = this.#source;
    const code = codeAt(text, at + 2);
    if (code === NOTHING) return this.#waitForMore();
    if (!startsName(code)) return this.#bareLess(2);
    this.#endTag.begin();
    this.#state = END_TAG;
    return true;
  }

  #inEndTag(): boolean {
    const source = this.#source;
    const outcome = this.#endTag.read();
    if (outcome === UNFINISHED) return false;
    const { name } = this.#endTag;
    const end = outcome === BROKEN ? source.at : source.at - 1;
    source.tellForbidden(end);
    if (outcome === BROKEN) {
      source.fault("xml-bare-less-than", `End tag "${name}" has no ">"`, end);
    }
    this.#state = TEXT;
    this.#elements.close(name, end);
    return true;
  }
}
