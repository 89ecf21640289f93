/**
 * Start tags: name and attributes as ranges of the window, and what is wrong with them.
 *
 * @module
 */

import { excerpt } from "../data/text.ts";
import { BytePattern } from "../bytes/value_scan.ts";
import { HashSet64 } from "../bytes/hash_set.ts";
import type { ValueScan } from "../bytes/value_scan.ts";
import type { Window } from "../bytes/window.ts";
import type { XmlFault } from "./markup.ts";
import {
  hashByte,
  InternedName,
  MAX_NAME_LENGTH,
  type NameTable,
  passingName,
  type TagShape,
} from "./names.ts";

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20;
const QUOTE = 0x22, APOSTROPHE = 0x27, SLASH = 0x2f, LT = 0x3c, EQUALS = 0x3d, GT = 0x3e;

/** The tag goes on behind the window. */
export const CUT = -1;
/** A `<` comes before the end of the tag: what looked like a tag is text. */
export const BROKEN = -2;
/** The element has more attributes than allowed. */
export const REFUSED = -3;
/** The tag has characters that XML forbids, outside of its values. */
export const FORBIDDEN = -4;

/** Attributes that are compared one by one; of more, hashes are looked up. */
const FEW = 16;

/** Attributes of a tag whose shape is remembered. */
const MAX_SHAPE = 8;
/** Shapes that are remembered for each name. */
const MAX_SHAPES = 4;
/** When there are as many, every so many misses replace one. */
const SHAPE_PATIENCE = 16;
/** What ends the name of an element, or of an attribute. */
const ENDS_NAME = new Uint8Array(256);
for (const code of [TAB, LF, CR, SPACE, SLASH, LT, GT]) ENDS_NAME[code] = 1;
const ENDS_ATTRIBUTE_NAME = ENDS_NAME.slice();
ENDS_ATTRIBUTE_NAME[EQUALS] = 1;
/** Forbidden characters end a name too, so that they are noticed between names and values. */
const IS_FORBIDDEN = new Uint8Array(256);
for (let code = 0; code < SPACE; code++) {
  if (code === TAB || code === LF || code === CR) continue;
  ENDS_NAME[code] = ENDS_ATTRIBUTE_NAME[code] = IS_FORBIDDEN[code] = 1;
}

/** Whether XML forbids a byte below the space. */
export function isForbidden(byte: number): boolean {
  return IS_FORBIDDEN[byte] === 1;
}

/** Whether a name can begin with a byte. */
export function startsName(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte >= 0x80 ||
    byte === 0x5f || byte === 0x3a;
}

/** Offset behind the name of an element. */
export function endOfName(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && ENDS_NAME[bytes[at]!] === 0) at++;
  return at;
}

function isAt(piece: Uint8Array, bytes: Uint8Array, at: number): boolean {
  const { length } = piece;
  if (at + length > bytes.length) return false;
  for (let i = length - 1; i >= 0; i--) if (piece[i] !== bytes[at + i]) return false;
  return true;
}

/** Of which no tag is, as it is longer than any. */
const NO_NAME = new InternedName("", new Uint8Array(MAX_NAME_LENGTH + 1), -1);

/** A fault at an offset of the window. */
export interface TagFault {
  readonly code: XmlFault;
  readonly message: string;
  readonly at: number;
}

/** Limits of start tags. */
export interface TagLimits {
  readonly maxAttributes: number;
  readonly maxValueLength: number;
}

/** Reads start tags, one after the other. */
export class StartTag {
  /** The name of the last tag. */
  name: InternedName = NO_NAME;
  /** Whether it is that of an empty element. */
  isEmpty = false;
  /** Number of attributes. */
  count = 0;
  /** Names of the attributes, where they are kept. */
  readonly #kept: (InternedName | undefined)[] = [];
  readonly #nameStarts: number[] = [];
  readonly #nameEnds: number[] = [];
  /** Where their values start. */
  readonly starts: number[] = [];
  /** Where their values end. */
  readonly ends: number[] = [];
  /** What is in their values, see `ValueScan`; -1 if that is not known. */
  readonly flags: number[] = [];
  /** Whether any of them binds a namespace or `xml:base`. */
  isBinding = false;
  /** What is wrong with the tag. */
  faults: TagFault[] = [];
  /** Where reading stopped. */
  end = 0;
  /** Whether forbidden characters were found outside of values: only the end of the tag is right then. */
  hasForbidden = false;

  readonly #names: NameTable;
  readonly #limits: TagLimits;
  readonly #scan: ValueScan;
  #seen: HashSet64 | undefined;
  #lt = -1;
  #misses = 0;

  constructor(names: NameTable, scan: ValueScan, limits: TagLimits) {
    this.#names = names;
    this.#scan = scan;
    this.#limits = limits;
  }

  /** Reads the tag whose `<` is at `start`; returns the offset behind it, or a negative outcome. */
  read(window: Window, start: number): number {
    const { bytes } = window;
    const end = bytes.length;
    this.count = 0;
    this.isEmpty = false;
    this.isBinding = false;
    this.hasForbidden = false;
    this.#lt = start;
    if (this.faults.length > 0) this.faults = [];
    let at = start + 1 + this.name.bytes.length, hash = 0;
    // often the same as that of the tag before
    if (at >= end || ENDS_NAME[bytes[at]!] === 0 || !isAt(this.name.bytes, bytes, start + 1)) {
      let code = 0;
      for (at = start + 1; at < end && ENDS_NAME[code = bytes[at]!] === 0; at++) {
        hash = hashByte(hash, code);
      }
      if (at === end) return CUT;
      this.name = this.#names.find(bytes, start + 1, at, hash) ?? passingName(bytes, start + 1, at);
    }
    if (bytes[at] === GT) return at + 1;
    const behind = this.#readAlike(window, at);
    return behind >= 0 ? behind : this.#readAttributes(window, at);
  }

  /** Reads attributes that are written like those of an earlier tag; returns -1 if they are not. */
  #readAlike(window: Window, start: number): number {
    const { shapes } = this.name;
    for (let i = 0; i < shapes.length; i++) {
      const behind = this.#readShape(window, shapes[i]!, start);
      if (behind >= 0) return behind;
    }
    return -1;
  }

  #readShape({ view }: Window, shape: TagShape, start: number): number {
    const { pieces, quotes, names } = shape, { maxValueLength } = this.#limits, scan = this.#scan;
    const count = names.length;
    let at = start;
    for (let i = 0; i < count; i++) {
      const piece = pieces[i]!;
      if (!piece.isAt(view, at)) return -1;
      at += piece.length;
      const end = scan.toQuote(view, at, quotes[i]!);
      if (end < 0 || end - at > maxValueLength || scan.hasTag) return -1;
      this.starts[i] = at;
      this.ends[i] = end;
      this.flags[i] = scan.flags;
      at = end;
    }
    const last = pieces[count]!;
    if (!last.isAt(view, at)) return -1;
    at += last.length;
    for (let i = 0; i < count; i++) this.#kept[i] = names[i];
    this.count = count;
    this.isEmpty = shape.isEmpty;
    this.isBinding = shape.isBinding;
    return at;
  }

  /** Remembers how the attributes of the tag that was just read are written. */
  #learnShape({ bytes, view }: Window, start: number, end: number): void {
    const { shapes } = this.name, { count } = this;
    if (count === 0 || count > MAX_SHAPE || this.faults.length > 0 || this.name.id < 0) return;
    // tags that come once, as that of the root, are not worth it
    if (!this.name.isRepeated) {
      this.name.isRepeated = true;
      return;
    }
    let slot = shapes.length;
    if (slot === MAX_SHAPES) {
      if (++this.#misses % SHAPE_PATIENCE !== 0) return;
      slot = (this.#misses / SHAPE_PATIENCE) % MAX_SHAPES;
    }
    const pieces: BytePattern[] = [], quotes: number[] = [], names: InternedName[] = [];
    for (let i = 0, from = start; i <= count; i++) {
      pieces.push(new BytePattern(view, from, i === count ? end : this.starts[i]!));
      if (i === count) break;
      const name = this.#kept[i];
      if (name === undefined) return;
      names.push(name);
      quotes.push(bytes[this.starts[i]! - 1]!);
      from = this.ends[i]!;
    }
    const { isEmpty, isBinding } = this;
    shapes[slot] = { pieces, quotes, names, isEmpty, isBinding };
  }

  #readAttributes(window: Window, start: number): number {
    const { bytes, text } = window;
    const end = bytes.length;
    let at = start, isTouching = false;
    for (;;) {
      const from = at;
      at = this.#skipSpace(bytes, at);
      if (at === end) return CUT;
      if (at > from) isTouching = false;
      let code = bytes[at]!;
      if (this.hasForbidden && (code === GT || code === LT)) return this.#stop(FORBIDDEN, at);
      if (code === GT) {
        this.#learnShape(window, start, at + 1);
        return at + 1;
      }
      if (code === LT) return this.#stop(BROKEN, at);
      if (code === SLASH) {
        if (at + 1 === end) return CUT;
        this.isEmpty = true;
        if (bytes[++at] !== GT) this.#fault("xml-bad-attribute", 'Stray "/" in a tag', at);
        continue;
      }
      this.isEmpty = false;
      if (isTouching) this.#fault("xml-bad-attribute", "No white space between attributes", at);
      isTouching = true;

      // a name has one byte at least, so that a stray `=` does not hold it up
      const nameStart = at;
      let hash = hashByte(0, code);
      while (++at < end && ENDS_ATTRIBUTE_NAME[code = bytes[at]!] === 0) {
        hash = hashByte(hash, code);
      }
      const nameEnd = at;
      at = this.#skipSpace(bytes, at);
      if (at === end) return CUT;
      let valueStart = at, valueEnd = at;
      if (bytes[at] !== EQUALS) {
        isTouching = false;
        this.#fault("xml-bad-attribute", "Attribute without a value", at);
      } else {
        at = this.#skipSpace(bytes, at + 1);
        if (at === end) return CUT;
        code = bytes[at]!;
        if (code === QUOTE || code === APOSTROPHE) {
          valueStart = at + 1;
          valueEnd = text.indexOf(code === QUOTE ? '"' : "'", valueStart);
          if (valueEnd < 0) return CUT;
          at = valueEnd + 1;
          if (this.#ltBehind(window, valueStart) < valueEnd) {
            this.#fault("xml-bad-attribute", 'Raw "<" in an attribute', at);
          }
        } else {
          this.#fault("xml-bad-attribute", "Attribute without quotes", at);
          valueStart = at;
          while (!isSpace(code) && code !== GT && code !== LT) {
            if (++at === end) return CUT;
            code = bytes[at]!;
          }
          valueEnd = at;
        }
      }
      if (this.hasForbidden) continue;
      const name = this.#names.find(bytes, nameStart, nameEnd, hash);
      if (!this.#add(window, name, nameStart, nameEnd, valueStart, valueEnd)) {
        return this.#stop(REFUSED, at);
      }
    }
  }

  /**
   * Offset behind white space. Forbidden characters are noted and skipped alike: they may split names,
   * but the tag ends in the same place without them.
   */
  #skipSpace(bytes: Uint8Array, start: number): number {
    let at = start;
    for (; at < bytes.length && bytes[at]! <= SPACE; at++) {
      if (IS_FORBIDDEN[bytes[at]!] === 1) this.hasForbidden = true;
    }
    return at;
  }

  /** Name of an attribute. */
  nameOf(window: Window, index: number): InternedName {
    return this.#kept[index] ??
      passingName(window.bytes, this.#nameStarts[index]!, this.#nameEnds[index]!);
  }

  /** Position of the attribute of that name; -1 without one. */
  indexOf(window: Window, name: string): number {
    for (let i = 0; i < this.count; i++) if (this.nameOf(window, i).name === name) return i;
    return -1;
  }

  /** Adds an attribute; returns false if there are too many. */
  #add(
    window: Window,
    name: InternedName | undefined,
    nameStart: number,
    nameEnd: number,
    start: number,
    end: number,
  ): boolean {
    const { count } = this;
    if (this.#isRepeated(window, name, nameStart, nameEnd)) {
      const text = window.slice(nameStart, nameEnd, true);
      this.#fault("xml-duplicate-attribute", `Repeated attribute "${excerpt(text)}"`, start);
      return true;
    }
    if (count >= this.#limits.maxAttributes) return false;
    if (end - start > this.#limits.maxValueLength || nameEnd - nameStart > MAX_NAME_LENGTH) {
      this.#fault("value-too-long", `Attribute of "${excerpt(this.name.name)}" is too long`, end);
      return true;
    }
    this.#kept[count] = name;
    this.#nameStarts[count] = nameStart;
    this.#nameEnds[count] = nameEnd;
    this.starts[count] = start;
    this.ends[count] = end;
    this.flags[count] = -1;
    this.count = count + 1;
    if (name === undefined ? window.text.startsWith("xml", nameStart) : name.isSpecial) {
      this.isBinding = true;
    }
    return true;
  }

  #isRepeated(
    window: Window,
    name: InternedName | undefined,
    start: number,
    end: number,
  ): boolean {
    const { count } = this;
    if (count >= FEW) return this.#isSeen(window, start, end);
    if (name !== undefined) {
      for (let i = 0; i < count; i++) if (this.#kept[i] === name) return true;
      return false;
    }
    const text = window.text.slice(start, end);
    for (let i = 0; i < count; i++) {
      const isSame = this.#kept[i] === undefined &&
        window.text.slice(this.#nameStarts[i], this.#nameEnds[i]) === text;
      if (isSame) return true;
    }
    return false;
  }

  /** The same for one of many attributes. */
  #isSeen(window: Window, start: number, end: number): boolean {
    const scan = this.#scan, { count } = this;
    const add = (from: number, to: number) => {
      scan.range(window.view, from, to);
      return this.#seen!.add(scan.high, scan.low);
    };
    if (count === FEW) {
      this.#seen ??= new HashSet64();
      this.#seen.clear();
      for (let i = 0; i < count; i++) add(this.#nameStarts[i]!, this.#nameEnds[i]!);
    }
    return !add(start, end);
  }

  /** Offset of the next `<`, looked for only when the last one found is passed. */
  #ltBehind({ text }: Window, from: number): number {
    if (this.#lt < from) {
      const found = text.indexOf("<", from);
      this.#lt = found < 0 ? Infinity : found;
    }
    return this.#lt;
  }

  #stop(outcome: number, at: number): number {
    this.end = at;
    return outcome;
  }

  #fault(code: XmlFault, message: string, at: number): void {
    this.faults.push({ code, message, at });
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LF || code === TAB || code === CR;
}
