/**
 * An incremental XML tokenizer that recovers: text chunks in, balanced elements out by callback.
 *
 * It scans decoded chunks with `indexOf` and carries at most a few characters over a chunk's edge,
 * so its cost is linear in the input, whatever the chunks. What is wrong is repaired and told by
 * `fault`; only an internal DTD subset and the ceilings stop it. Nothing is ever expanded but
 * character references and the fixed entities of XML and HTML.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import { type XmlElement, type XmlName, XmlNames } from "./element.ts";
import { ElementStack } from "./element_stack.ts";
import { TextNormalizer } from "./normalize.ts";
import { decodeReferences, endOfWholeReferences, type ReferenceFault } from "./references.ts";

/** What the tokenizer repairs. */
export type XmlFault =
  | ReferenceFault
  | "xml-bare-less-than"
  | "xml-bad-attribute"
  | "xml-duplicate-attribute"
  | "xml-mismatched-tag"
  | "xml-control-character"
  | "xml-leading-junk"
  | "xml-trailing-content"
  | "xml-unbound-prefix"
  | "value-too-long";

/** What stops the tokenizer before the end of the document. */
export type XmlStop = "xml-dtd" | "too-many-attributes" | "too-deep-elements";

/** Receives what the tokenizer finds. Every `open` has its `close`, unless the document is cut. */
export interface XmlHandler {
  /** An element begins; `depth` is 1 for the root. */
  open(element: XmlElement, depth: number): void;
  /** Text, references decoded; one run of text may come in several pieces. */
  text(text: string): void;
  /** An element ends, by its end tag or because an element around it does. */
  close(element: XmlElement, depth: number): void;
  /** Something was repaired. */
  fault(code: XmlFault, message: string, line: number): void;
  /**
   * Asked before an element begins: the depth down to which open elements end first. Without it, or
   * when it answers `undefined`, nothing does.
   */
  closesBefore?(name: XmlName, uri: string | undefined, depth: number): number | undefined;
}

/** Ceilings of the tokenizer. */
export interface XmlTokenizerOptions {
  /** Attributes of one element. Default: 1,000. */
  readonly maxAttributes?: number;
  /** Depth of nested elements. Default: 256. */
  readonly maxElementDepth?: number;
  /**
   * Characters of one attribute value. All attributes of the elements that are open may have as many
   * together, or 1 MiB where that is more. Default: 1 MiB.
   */
  readonly maxValueLength?: number;
}

const TEXT = 0; //            hello
const OPEN = 1; //            <
const NAME = 2; //            <ur
const IN_TAG = 3; //          <url _
const ATTRIBUTE_NAME = 4; //  <url xm
const AFTER_NAME = 5; //      <url xmlns _
const BEFORE_VALUE = 6; //    <url xmlns= _
const QUOTED = 7; //          <url xmlns="htt
const UNQUOTED = 8; //        <url xmlns=htt
const END_NAME = 9; //        </ur
const END_REST = 10; //       </url _
const COMMENT = 11; //        <!-- hel
const CDATA = 12; //          <![CDATA[ hel
const INSTRUCTION = 13; //    <?xml vers
const DOCTYPE = 14; //        <!DOCTYPE url
const IGNORED = 15; //        what follows the root

const NOT_SPACE_REGEXP = /[^\s]/;
const DOCTYPE_STOP_REGEXP = /[>["']/g;
const XML_DECLARATION_REGEXP = /^<\?xml[\s?]/;
const DECLARATIONS = ["<!--", "<![CDATA[", "<!DOCTYPE"] as const;

/** Names are read up to this length; longer ones stand for nothing anyway. */
const MAX_NAME_LENGTH = 1024;

/** Characters that the attributes of all open elements may have, unless one value may have more. */
const MAX_ATTRIBUTE_WEIGHT = 1024 * 1024;

/** Longer names and attributes take the long way, where their ceilings are minded. */
const MAX_WHOLE_NAME = 256;
const MAX_WHOLE_ATTRIBUTE = 1024;

/** A tag that was abandoned at a `<` becomes text again up to this length. */
const MAX_ABANDONED_TAG = 1024;

const TAB = 0x09, LF = 0x0a, SPACE = 0x20, BANG = 0x21, QUOTE = 0x22, APOSTROPHE = 0x27;
const SLASH = 0x2f, COLON = 0x3a, LESS = 0x3c, EQUALS = 0x3d, GREATER = 0x3e, QUESTION = 0x3f;
const UNDERSCORE = 0x5f;

function isSpace(code: number): boolean {
  return code === SPACE || code === LF || code === TAB;
}

function startsName(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code >= 0x80 ||
    code === UNDERSCORE || code === COLON;
}

/**
 * The tokenizer. Feed it with `write()`, finish with `end()`.
 *
 * @example
 * ```ts
 * import { XmlTokenizer } from "@sitetree/sitetree/xml";
 * import { assertEquals } from "@std/assert";
 *
 * const seen: string[] = [];
 * const tokenizer = new XmlTokenizer({
 *   open: (element) => seen.push(`<${element.local}>`),
 *   text: (text) => seen.push(text),
 *   close: (element) => seen.push(`</${element.local}>`),
 *   fault: (code) => seen.push(code),
 * });
 * tokenizer.write("<a>R&D <b>x</");
 * tokenizer.write("b></a>");
 * assertEquals(tokenizer.end(), true);
 * assertEquals(seen.join(" "), "<a> xml-bare-ampersand R&D  <b> x </b> </a>");
 * ```
 */
export class XmlTokenizer {
  readonly #handler: XmlHandler;
  readonly #maxAttributes: number;
  readonly #maxElementDepth: number;
  readonly #maxValueLength: number;
  readonly #names = new XmlNames();
  readonly #stack = new ElementStack();
  readonly #normalizer = new TextNormalizer();

  #state = TEXT;
  #text = "";
  #at = 0;
  #atEnd = false;
  #line = 1;
  /** Where the next line ends, as far as this chunk knows. */
  #newline = -1;
  #anythingBefore = false;
  #junkTold = false;
  #rootClosed = false;
  #stopped: XmlStop | undefined;
  /** Forbidden characters left out of this chunk and not told yet, by the place they stood before. */
  #forbidden: { readonly codePoint: string; readonly before: number }[] = [];
  #forbiddenTold = 0;

  // the tag being read
  #tagAt = 0;
  #tagHead = "";
  #name = "";
  /** Whether the last thing in the tag was a slash, and whether that was the last character too. */
  #slash = false;
  #freshSlash = false;
  /** Whether what comes next in the tag touches an attribute; in an end tag, whether there is junk. */
  #touching = false;
  #attributeName = "";
  #quote = '"';
  #value = "";
  #attributes: Map<string, string> | undefined;
  #weight = 0;
  #doctypeQuote = "";

  /** Makes a tokenizer that reports to `handler`. */
  constructor(handler: XmlHandler, options: XmlTokenizerOptions = {}) {
    this.#handler = handler;
    this.#maxAttributes = options.maxAttributes ?? 1000;
    this.#maxElementDepth = options.maxElementDepth ?? 256;
    this.#maxValueLength = options.maxValueLength ?? 1024 * 1024;
  }

  /** The line that is being read, from 1. */
  get line(): number {
    return this.#lineOf(this.#at);
  }

  /** How many elements are open. */
  get depth(): number {
    return this.#stack.depth;
  }

  /** Whether the root element has ended. */
  get rootClosed(): boolean {
    return this.#rootClosed;
  }

  /** The namespace a prefix has here (`""` for the default one); `undefined` where it is not bound. */
  uriOf(prefix: string): string | undefined {
    return this.#stack.uriOf(prefix);
  }

  /** What stopped the tokenizer, if anything did; it takes no more input then. */
  get stopped(): XmlStop | undefined {
    return this.#stopped;
  }

  /** Whether it stands between two pieces of markup, with nothing carried over. */
  get idle(): boolean {
    return this.#state === TEXT && this.#at >= this.#text.length && this.#stopped === undefined;
  }

  /** Counts lines that somebody else has read in its place; only while it is idle. */
  passLines(count: number): void {
    this.#line += count;
  }

  /** Takes a chunk of text. */
  write(chunk: string): void {
    if (this.#stopped !== undefined || chunk === "") return;
    const carried = this.#at < this.#text.length ? this.#text.slice(this.#at) : "";
    if (this.#forbidden.length > 0) this.#carryForbidden();
    const text = this.#normalizer.normalize(chunk, (codePoint, before) => {
      this.#forbidden.push({ codePoint, before: carried.length + before });
    });
    this.#text = carried === "" ? text : carried + text;
    this.#at = 0;
    this.#newline = this.#text.indexOf("\n");
    this.#run();
    this.#tellForbidden(this.#stopped === undefined ? this.#at : this.#at - 1);
    this.#lineOf(this.#at);
    if (this.#state >= NAME && this.#state <= UNQUOTED) this.#keepTagHead();
  }

  /** Takes the end of the text: whether the root element had ended by then. */
  end(): boolean {
    if (this.#stopped !== undefined) return false;
    this.#atEnd = true;
    this.#run();
    this.#tellForbidden(this.#text.length);
    return this.#rootClosed;
  }

  #run(): void {
    while (this.#stopped === undefined && this.#step());
  }

  /** One step on: false when there is nothing more to be had from this chunk. */
  #step(): boolean {
    switch (this.#state) {
      case TEXT:
        return this.#inText();
      case OPEN:
        return this.#atOpen();
      case NAME:
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
      case UNQUOTED:
        return this.#inUnquoted();
      case END_NAME:
        return this.#inEndName();
      case END_REST:
        return this.#inEndRest();
      case COMMENT:
        return this.#skipTo("-->");
      case CDATA:
        return this.#inCdata();
      case INSTRUCTION:
        return this.#skipTo("?>");
      case DOCTYPE:
        return this.#inDoctype();
      default:
        this.#at = this.#text.length;
        return false;
    }
  }

  // ------------------------------------------------------------------------------- line and text

  /** Tells of the forbidden characters up to a place, so that all faults come in their order. */
  #tellForbidden(upTo: number): void {
    while (this.#forbiddenTold < this.#forbidden.length) {
      const { codePoint, before } = this.#forbidden[this.#forbiddenTold]!;
      if (before > upTo) return;
      this.#forbiddenTold++;
      const line = this.#lineOf(before);
      this.#handler.fault("xml-control-character", `Forbidden ${codePoint} left out`, line);
    }
  }

  /** Keeps those not told yet, by the places they have in the chunk that comes. */
  #carryForbidden(): void {
    this.#forbidden = this.#forbidden.slice(this.#forbiddenTold)
      .map(({ codePoint, before }) => ({ codePoint, before: before - this.#at }));
    this.#forbiddenTold = 0;
  }

  /** Counts on to a place; places come in order, so that counting stays linear. */
  #lineOf(at: number): number {
    while (this.#newline >= 0 && this.#newline < at) {
      this.#line++;
      this.#newline = this.#text.indexOf("\n", this.#newline + 1);
    }
    return this.#line;
  }

  #fault(code: XmlFault, message: string, at: number): void {
    this.#tellForbidden(at);
    this.#handler.fault(code, message, this.#lineOf(at));
  }

  #inText(): boolean {
    const less = this.#text.indexOf("<", this.#at);
    if (less < 0) {
      const rest = this.#text.slice(this.#at);
      const end = this.#atEnd ? rest.length : endOfWholeReferences(rest);
      this.#emitText(rest.slice(0, end), true);
      if (this.#state === TEXT) this.#at += end;
      return false;
    }
    this.#emitText(this.#text.slice(this.#at, less), true);
    // what follows the root is ignored from here on, markup and all
    if (this.#state !== TEXT) return false;
    this.#at = less;
    this.#state = OPEN;
    return true;
  }

  #emitText(text: string, references: boolean): void {
    if (text === "") return;
    if (this.#stack.depth === 0) return this.#textOutside(text);
    if (references && text.includes("&")) {
      const base = this.#at;
      // what comes out of an abandoned tag stands before this place
      const isAhead = this.#state === TEXT;
      text = decodeReferences(text, (code, message, at) => {
        this.#fault(code, message, isAhead ? base + at : base);
      });
    }
    if (text !== "") this.#handler.text(text);
  }

  #textOutside(text: string): void {
    const content = text.search(NOT_SPACE_REGEXP);
    if (content >= 0 && this.#rootClosed) return this.#ignoreRest(this.#at + content);
    this.#anythingBefore = true;
    if (content < 0 || this.#junkTold) return;
    this.#junkTold = true;
    const at = this.#state === OPEN ? this.#at : this.#at + content;
    this.#fault("xml-leading-junk", "Text before the root element skipped", at);
  }

  #ignoreRest(at: number): void {
    this.#fault("xml-trailing-content", "Content after the root element ignored", at);
    this.#state = IGNORED;
    this.#at = this.#text.length;
  }

  #bareLess(length: number): boolean {
    this.#fault("xml-bare-less-than", 'Bare "<" taken as text', this.#at);
    this.#state = TEXT;
    this.#emitText(this.#text.slice(this.#at, this.#at + length), false);
    if (this.#state === TEXT) this.#at += length;
    return true;
  }

  // -------------------------------------------------------------------------------------- markup

  #atOpen(): boolean {
    const text = this.#text;
    const next = text.charCodeAt(this.#at + 1);
    if (startsName(next)) return this.#wholeStartTag() || this.#beginTag(NAME, 1);
    if (next === SLASH) {
      if (this.#wholeEndTag()) return true;
      const afterSlash = text.charCodeAt(this.#at + 2);
      if (startsName(afterSlash)) return this.#beginTag(END_NAME, 2);
      if (afterSlash === afterSlash) return this.#bareLess(2);
    } else if (next === BANG) {
      return this.#atDeclaration();
    } else if (next === QUESTION) {
      return this.#atInstruction();
    } else if (next === next) {
      return this.#bareLess(1);
    }
    return this.#waitForMore();
  }

  /** A start tag without attributes that ends in this chunk, as most do, needs no states. */
  #wholeStartTag(): boolean {
    const text = this.#text;
    let end = this.#at + 2;
    for (let code = text.charCodeAt(end); code !== GREATER; code = text.charCodeAt(++end)) {
      if (!(code > SPACE) || code === SLASH || code === LESS) return false;
    }
    if (end - this.#at > MAX_WHOLE_NAME) return false;
    this.#beginTag(NAME, 1);
    this.#name = this.#names.between(text, this.#at, end);
    this.#tellForbidden(end);
    this.#at = end + 1;
    this.#finishTag(end);
    return true;
  }

  /** Nor does an end tag that closes the innermost element to the letter. */
  #wholeEndTag(): boolean {
    const innermost = this.#stack.innermost;
    if (innermost === undefined) return false;
    const { name } = innermost;
    const end = this.#at + 2 + name.length;
    if (this.#text.charCodeAt(end) !== GREATER) return false;
    if (!this.#text.startsWith(name, this.#at + 2)) return false;
    this.#tellForbidden(end);
    this.#at = end + 1;
    this.#state = TEXT;
    this.#closeTo(this.#stack.depth - 1);
    return true;
  }

  /** At an edge inside markup: more will come, or the document is cut here. */
  #waitForMore(): boolean {
    if (this.#atEnd) this.#at = this.#text.length;
    return false;
  }

  #beginTag(state: number, length: number): boolean {
    this.#tagAt = this.#at;
    this.#tagHead = "";
    this.#name = "";
    this.#slash = this.#freshSlash = false;
    this.#touching = false;
    this.#attributes = undefined;
    this.#weight = 0;
    this.#at += length;
    this.#state = state;
    return true;
  }

  #atDeclaration(): boolean {
    const start = this.#text.slice(this.#at, this.#at + 9).toUpperCase();
    for (const declaration of DECLARATIONS) {
      if (start.startsWith(declaration)) return this.#beginDeclaration(declaration);
      if (!this.#atEnd && start.length < declaration.length && declaration.startsWith(start)) {
        return false;
      }
    }
    return this.#bareLess(1);
  }

  #beginDeclaration(declaration: typeof DECLARATIONS[number]): boolean {
    if (declaration === "<!DOCTYPE") {
      if (this.#rootClosed) this.#ignoreRest(this.#at);
      if (this.#rootClosed || this.#stack.depth > 0) {
        return this.#rootClosed || this.#bareLess(1);
      }
      this.#doctypeQuote = "";
    }
    this.#state = declaration === "<!--" ? COMMENT : declaration === "<!DOCTYPE" ? DOCTYPE : CDATA;
    this.#at += declaration.length;
    this.#anythingBefore = true;
    return true;
  }

  #atInstruction(): boolean {
    const start = this.#text.slice(this.#at, this.#at + 6);
    if (start.length < 6 && !this.#atEnd) return false;
    if (XML_DECLARATION_REGEXP.test(start) && this.#anythingBefore && this.#stack.depth === 0) {
      if (!this.#rootClosed) {
        this.#fault("xml-leading-junk", "Something stands before the XML declaration", this.#at);
      }
    }
    this.#anythingBefore = true;
    this.#state = INSTRUCTION;
    this.#at += 2;
    return true;
  }

  #skipTo(end: string): boolean {
    const found = this.#text.indexOf(end, this.#at);
    if (found < 0) {
      this.#at = Math.max(this.#at, this.#text.length - (end.length - 1));
      return this.#waitForMore();
    }
    this.#at = found + end.length;
    this.#state = TEXT;
    return true;
  }

  #inCdata(): boolean {
    const found = this.#text.indexOf("]]>", this.#at);
    const end = found >= 0 ? found : Math.max(this.#at, this.#text.length - 2);
    this.#emitText(this.#text.slice(this.#at, end), false);
    if (this.#state === IGNORED) return false;
    this.#at = end;
    if (found < 0) return this.#waitForMore();
    this.#at = found + 3;
    this.#state = TEXT;
    return true;
  }

  #inDoctype(): boolean {
    if (this.#doctypeQuote !== "") {
      const found = this.#text.indexOf(this.#doctypeQuote, this.#at);
      this.#at = found < 0 ? this.#text.length : found + 1;
      if (found < 0) return false;
      this.#doctypeQuote = "";
    }
    DOCTYPE_STOP_REGEXP.lastIndex = this.#at;
    const stop = DOCTYPE_STOP_REGEXP.exec(this.#text);
    this.#at = stop === null ? this.#text.length : stop.index + 1;
    if (stop === null) return false;
    if (stop[0] === "[") this.#stopped = "xml-dtd";
    else if (stop[0] === ">") this.#state = TEXT;
    else this.#doctypeQuote = stop[0];
    return true;
  }

  // ---------------------------------------------------------------------------------------- tags

  /** Moves on while a name lasts: the piece of it in this chunk. */
  #namePiece(attribute: boolean): string {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (isSpace(code) || code === GREATER || code === SLASH || code === LESS) break;
      if (attribute && code === EQUALS) break;
      at++;
    }
    this.#at = at;
    return text.slice(start, at);
  }

  #atEdge(): boolean {
    return this.#at >= this.#text.length;
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  /** Adds to a value; of one that is too long, one character more than is allowed is kept. */
  #limited(value: string, more: string, max: number): string {
    return value.length + more.length <= max
      ? value + more
      : value + more.slice(0, Math.max(0, max + 1 - value.length));
  }

  #inName(): boolean {
    this.#name = this.#limited(this.#name, this.#namePiece(false), MAX_NAME_LENGTH);
    if (this.#atEdge()) return false;
    this.#state = IN_TAG;
    return true;
  }

  #inTag(): boolean {
    if (this.#atEdge()) return false;
    if (this.#freshSlash && this.#text.charCodeAt(this.#at) !== GREATER) {
      this.#badAttribute(`Stray "/" in tag "${this.#name}"`);
    }
    this.#freshSlash = false;
    const start = this.#at;
    this.#skipSpace();
    if (this.#at > start) this.#touching = false;
    if (this.#atEdge()) return false;
    const code = this.#text.charCodeAt(this.#at);
    if (code === GREATER) {
      this.#tellForbidden(this.#at);
      this.#finishTag(this.#at++);
      return true;
    }
    if (code === LESS) return this.#abandonTag();
    this.#freshSlash = this.#slash = code === SLASH;
    if (this.#slash) {
      this.#at++;
      return true;
    }
    if (this.#touching) this.#badAttribute("No white space between two attributes");
    if (this.#wholeAttribute()) return this.#stopped === undefined;
    // consumes one character at least, so that a stray "=" cannot hold it up
    this.#attributeName = this.#text.charAt(this.#at++);
    this.#state = ATTRIBUTE_NAME;
    return true;
  }

  /** An attribute in quotes that ends in this chunk, as most do, needs no states. */
  #wholeAttribute(): boolean {
    const text = this.#text;
    let equals = this.#at + 1;
    for (let code = text.charCodeAt(equals); code !== EQUALS; code = text.charCodeAt(++equals)) {
      if (!(code > SPACE) || code === SLASH || code === LESS || code === GREATER) return false;
    }
    const quote = text.charAt(equals + 1);
    const end = quote === '"' || quote === "'" ? text.indexOf(quote, equals + 2) : -1;
    if (end < 0 || end - this.#at > MAX_WHOLE_ATTRIBUTE) return false;
    if (end - equals - 2 > this.#maxValueLength) return false;
    this.#attributeName = text.slice(this.#at, equals);
    const value = text.slice(equals + 2, end);
    this.#at = end;
    this.#addQuoted(value);
    return true;
  }

  #inAttributeName(): boolean {
    this.#attributeName = this.#limited(
      this.#attributeName,
      this.#namePiece(true),
      MAX_NAME_LENGTH,
    );
    if (this.#atEdge()) return false;
    this.#state = AFTER_NAME;
    return true;
  }

  #afterAttributeName(): boolean {
    this.#skipSpace();
    if (this.#atEdge()) return false;
    if (this.#text.charCodeAt(this.#at) === EQUALS) {
      this.#at++;
      this.#state = BEFORE_VALUE;
      return true;
    }
    this.#badAttribute(`Attribute "${this.#attributeName}" has no value`);
    const goesOn = this.#addAttribute("");
    this.#touching = false;
    return goesOn;
  }

  #beforeValue(): boolean {
    this.#skipSpace();
    if (this.#atEdge()) return false;
    const code = this.#text.charCodeAt(this.#at);
    this.#value = "";
    if (code === QUOTE || code === APOSTROPHE) {
      this.#quote = code === QUOTE ? '"' : "'";
      this.#at++;
      this.#state = QUOTED;
      return true;
    }
    this.#badAttribute(`Attribute "${this.#attributeName}" has no quotes`);
    this.#state = UNQUOTED;
    return true;
  }

  #inQuoted(): boolean {
    const found = this.#text.indexOf(this.#quote, this.#at);
    const end = found < 0 ? this.#text.length : found;
    this.#value = this.#limited(
      this.#value,
      this.#text.slice(this.#at, end),
      this.#maxValueLength,
    );
    this.#at = end;
    return found < 0 ? false : this.#addQuoted(this.#value);
  }

  #inUnquoted(): boolean {
    const text = this.#text;
    const start = this.#at;
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at);
      if (isSpace(code) || code === GREATER || code === LESS) break;
      this.#at++;
    }
    this.#value = this.#limited(this.#value, text.slice(start, this.#at), this.#maxValueLength);
    return this.#atEdge() ? false : this.#addAttribute(this.#value);
  }

  #badAttribute(message: string): void {
    this.#fault("xml-bad-attribute", message, this.#at);
  }

  /** Adds an attribute whose closing quote stands here. */
  #addQuoted(raw: string): boolean {
    if (raw.includes("<")) {
      this.#badAttribute(`Attribute "${this.#attributeName}" holds a raw "<"`);
    }
    const goesOn = this.#addAttribute(raw);
    this.#at++;
    return goesOn;
  }

  #addAttribute(raw: string): boolean {
    this.#state = IN_TAG;
    this.#touching = true;
    const attributes = this.#attributes ??= new Map();
    const name = this.#attributeName;
    if (attributes.has(name)) {
      this.#fault("xml-duplicate-attribute", `Attribute "${name}" given twice`, this.#at);
      return true;
    }
    if (attributes.size >= this.#maxAttributes) {
      this.#stopped = "too-many-attributes";
      return false;
    }
    const weight = this.#weight + name.length + raw.length;
    const most = Math.max(this.#maxValueLength, MAX_ATTRIBUTE_WEIGHT);
    const isOverlong = raw.length > this.#maxValueLength || name.length > MAX_NAME_LENGTH ||
      this.#stack.weight + weight > most;
    if (isOverlong) {
      this.#fault("value-too-long", `Attribute of "${this.#name}" is too long`, this.#at);
      return true;
    }
    const spaced = raw.includes("\n") || raw.includes("\t") ? raw.replace(/[\n\t]/g, " ") : raw;
    const onFault = (code: ReferenceFault, message: string) => this.#fault(code, message, this.#at);
    attributes.set(name, ownCopy(decodeReferences(spaced, onFault)));
    this.#weight = weight;
    return true;
  }

  /** A `<` inside a tag: what looked like one was text, unless it is too long to have been kept. */
  #abandonTag(): boolean {
    const raw = this.#tagHead + this.#text.slice(this.#tagAt, this.#at);
    if (raw.length > MAX_ABANDONED_TAG) {
      this.#fault("xml-bare-less-than", `Tag "${this.#name}" has no ">"`, this.#at);
      this.#finishTag(this.#at);
      return true;
    }
    this.#fault("xml-bare-less-than", 'Bare "<" taken as text', this.#at);
    this.#state = OPEN;
    this.#emitText(raw, true);
    return true;
  }

  #keepTagHead(): void {
    if (this.#tagHead.length <= MAX_ABANDONED_TAG) {
      this.#tagHead += this.#text.slice(this.#tagAt, this.#at).slice(0, MAX_ABANDONED_TAG + 1);
    }
    this.#tagAt = 0;
  }

  // ------------------------------------------------------------------------------------ elements

  /**
   * A start tag has been read. Faults are told at its end, not behind it: what follows is told later,
   * if anybody still listens.
   */
  #finishTag(at: number): void {
    this.#state = TEXT;
    if (this.#rootClosed) return this.#ignoreRest(at);
    const name = this.#names.get(this.#name);
    const depth = this.#stack.depth + 1;
    const before = this.#handler.closesBefore?.(name, this.#stack.uriOf(name.prefix), depth);
    if (before !== undefined) this.#closeTo(before);
    if (this.#stack.depth >= this.#maxElementDepth) {
      this.#stopped = "too-deep-elements";
      return;
    }
    this.#openElement(name, at);
    if (this.#slash) this.#closeTo(this.#stack.depth - 1);
  }

  #openElement(name: XmlName, at: number): void {
    const element = this.#stack.push(name, this.#attributes, this.#weight);
    if (element.uri === undefined) {
      this.#fault("xml-unbound-prefix", `Prefix "${name.prefix}" is not bound`, at);
    }
    this.#handler.open(element, this.#stack.depth);
  }

  /** Ends the elements above `depth`, the innermost first. */
  #closeTo(depth: number): void {
    while (this.#stack.depth > depth) {
      const element = this.#stack.pop()!;
      this.#handler.close(element, this.#stack.depth + 1);
    }
    if (depth === 0) this.#rootClosed = true;
  }

  #inEndName(): boolean {
    this.#name = this.#limited(this.#name, this.#namePiece(false), MAX_NAME_LENGTH);
    if (this.#atEdge()) return false;
    this.#state = END_REST;
    return true;
  }

  #inEndRest(): boolean {
    const text = this.#text;
    while (!this.#atEdge()) {
      const code = text.charCodeAt(this.#at);
      if (code === GREATER || code === LESS) {
        const end = this.#at;
        this.#tellForbidden(end);
        if (code === GREATER) this.#at++;
        else this.#fault("xml-bare-less-than", `End tag "${this.#name}" has no ">"`, end);
        this.#state = TEXT;
        this.#endTag(end);
        return true;
      }
      if (!this.#touching && !isSpace(code)) {
        this.#touching = true;
        this.#badAttribute(`End tag "${this.#name}" holds more than its name`);
      }
      this.#at++;
    }
    return false;
  }

  /** An end tag has been read; faults are told at its end. */
  #endTag(at: number): void {
    const depth = this.#stack.depthOf(this.#names.get(this.#name).lowerName);
    if (depth === 0) {
      if (this.#rootClosed) return this.#ignoreRest(at);
      this.#fault("xml-mismatched-tag", `End tag "${this.#name}" has no start tag`, at);
      return;
    }
    if (depth < this.#stack.depth) {
      const inner = this.#stack.innermost!.name;
      const message = `End tag "${this.#name}" closes the open "${inner}" too`;
      this.#fault("xml-mismatched-tag", message, at);
    }
    this.#closeTo(depth - 1);
  }
}
