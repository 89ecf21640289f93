/**
 * Reads start tags: the name, attributes as ranges of the window, and faults.
 *
 * @module
 */

import type { Window } from "../bytes/window.ts";
import type { ReaderLimits } from "../data/limits.ts";
import { excerpt } from "../data/text.ts";
import {
  type AttributeRanges,
  endOfName,
  endsName,
  isForbidden,
  isSpace,
  startsMarkup,
} from "./characters.ts";
import type { XmlFault } from "./consumer.ts";
import { InternedName, MAX_NAME_LENGTH, type NameTable } from "./names.ts";
import { NO_ATTRIBUTES, type TagLayout } from "./steps.ts";

const SPACE = 0x20, QUOTE = 0x22, APOSTROPHE = 0x27, SLASH = 0x2f;
const LT = 0x3c, EQUALS = 0x3d, GT = 0x3e;

/** The window ends inside the tag. */
export const CUT = -1;
/** A `<` precedes the end of the tag: what looked like a tag is text. */
export const BROKEN = -2;
/** The element has more attributes than allowed. */
export const REFUSED = -3;
/** The tag has characters that XML forbids, outside of its values. */
export const FORBIDDEN = -4;

export function isBindingAttribute(name: string): boolean {
  return name.startsWith("xml") &&
    (name === "xmlns" || name.startsWith("xmlns:") || name === "xml:base");
}

/** A fault at an offset of the window. */
interface TagFault {
  readonly code: XmlFault;
  readonly message: string;
  readonly at: number;
}

/** The properties are those of the last tag. */
export class StartTag implements AttributeRanges {
  name: InternedName;
  isEmpty = false;
  count = 0;
  names: readonly string[] = [];
  /** Values that are known; `undefined` for those in the window. */
  values: TagLayout["values"] = NO_ATTRIBUTES.values;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** Flags of the values, see `ValueScan`; -1 if unknown. */
  readonly flags: number[] = [];
  isBinding = false;
  faults: TagFault[] = [];
  /** Where reading stopped, if it did not reach the end of the tag. */
  end = 0;
  /** Whether forbidden characters were found outside of values: only its end is valid then. */
  hasForbidden = false;

  readonly #names: NameTable;
  readonly #limits: ReaderLimits;
  /** Names of the attributes of a tag that was read. */
  readonly #written: string[] = [];
  readonly #seen = new Set<string>();
  /** Range of the last value. */
  #start = 0;
  #end = 0;
  /** Offsets of the next `<` and `>`, as far as they were looked for. */
  #lt = -1;
  #gt = -1;

  /** `name` is a placeholder until the first tag is read. */
  constructor(names: NameTable, name: InternedName, limits: ReaderLimits) {
    this.#names = names;
    this.name = name;
    this.#limits = limits;
  }

  indexOf(name: string): number {
    for (let i = 0; i < this.count; i++) if (this.names[i] === name) return i;
    return -1;
  }

  take({ names, values }: TagLayout): void {
    this.count = names.length;
    this.names = names;
    this.values = values;
  }

  /** Reads the tag whose `<` is at `start`; returns the offset after it, or a negative outcome. */
  read(window: Window, start: number): number {
    const { bytes, view } = window;
    this.count = 0;
    this.names = this.#written;
    this.values = NO_ATTRIBUTES.values;
    this.isEmpty = this.isBinding = this.hasForbidden = false;
    this.#lt = this.#gt = start;
    if (this.faults.length > 0) this.faults = [];
    let at = start + 1 + this.name.length;
    // often the same as that of the tag before
    if (!endsName(bytes[at] ?? 0) || !this.name.isAt(view, start + 1)) {
      at = endOfName(bytes, start + 1);
      if (at >= bytes.length) return CUT;
      this.name = this.#names.intern(window, start + 1, at);
    }
    if (bytes[at] === GT) return at + 1;
    return this.#readAttributes(window, at);
  }

  /** Ends the tag where a `<` interrupted it; returns the offset after it. */
  endEarly(): number {
    const { name } = this.name;
    this.#fault("xml-bare-less-than", `Start tag "${excerpt(name)}" without ">"`, this.end);
    return this.end;
  }

  dropAttributes(window: Window, start: number): void {
    this.name = new InternedName(window, start + 1, endOfName(window.bytes, start + 1));
    this.count = 0;
    this.isBinding = false;
    this.faults = [];
    this.#fault("value-too-long", `Tag "${excerpt(this.name.name)}" is too long`, start);
  }

  #readAttributes(window: Window, start: number): number {
    const { bytes } = window;
    const end = bytes.length;
    let at = start, isTouching = false;
    this.count = 0;
    this.names = this.#written;
    this.#seen.clear();
    for (;;) {
      const from = at;
      at = this.#skipSpace(bytes, at);
      if (at === end) return CUT;
      if (at > from) isTouching = false;
      const code = bytes[at]!;
      if (this.hasForbidden && (code === GT || code === LT)) return this.#stop(FORBIDDEN, at);
      if (code === GT) return at + 1;
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

      // at least one byte, so that a stray `=` is passed
      const nameStart = at++;
      while (at < end && bytes[at] !== EQUALS && !endsName(bytes[at]!)) at++;
      const nameEnd = at;
      at = this.#skipSpace(bytes, at);
      if (at === end) return CUT;
      this.#start = this.#end = at;
      if (bytes[at] === EQUALS) at = this.#readValue(window, at + 1);
      else {
        isTouching = false;
        this.#fault("xml-bad-attribute", "Attribute without a value", at);
      }
      if (at === CUT) return CUT;
      if (this.hasForbidden) continue;
      const name = window.slice(nameStart, nameEnd, true);
      if (!this.#add(name, nameEnd - nameStart)) {
        return this.#stop(REFUSED, at);
      }
    }
  }

  /** Reads a value after its `=`, to `#start` and `#end`; returns the offset after it, or CUT. */
  #readValue(window: Window, from: number): number {
    const { bytes, text } = window, end = bytes.length;
    const at = this.#skipSpace(bytes, from);
    if (at === end) return CUT;
    const code = bytes[at]!;
    if (code !== QUOTE && code !== APOSTROPHE) return this.#readBareValue(bytes, at);
    const start = this.#start = at + 1, found = text.indexOf(code === QUOTE ? '"' : "'", start);
    const isOpen = found < 0;
    this.#end = isOpen ? end : found;
    if (this.#nextLt(text, start) < this.#end) {
      const gt = this.#endBeforeMarkup(window, start, this.#end);
      if (gt >= 0) {
        this.#fault("xml-bad-attribute", "Attribute without a closing quote", gt);
        return this.#end = gt;
      }
      if (!isOpen) this.#fault("xml-bad-attribute", 'Raw "<" in an attribute', this.#end + 1);
    }
    return isOpen ? CUT : this.#end + 1;
  }

  #readBareValue(bytes: Uint8Array, start: number): number {
    this.#fault("xml-bad-attribute", "Attribute without quotes", start);
    let at = start;
    for (let code = bytes[at]; !isSpace(code) && code !== GT && code !== LT; code = bytes[at]) {
      if (++at === bytes.length) return CUT;
    }
    this.#start = start;
    return this.#end = at;
  }

  /** Forbidden characters are skipped too: the tag ends in the same place without them. */
  #skipSpace(bytes: Uint8Array, start: number): number {
    let at = start;
    for (; at < bytes.length && bytes[at]! <= SPACE; at++) {
      if (isForbidden(bytes[at]!)) this.hasForbidden = true;
    }
    return at;
  }

  #add(name: string, nameLength: number): boolean {
    const { count } = this, { maxAttributes, maxValueLength } = this.#limits;
    const start = this.#start, end = this.#end;
    if (this.#seen.has(name)) {
      this.#fault("xml-duplicate-attribute", `Repeated attribute "${excerpt(name)}"`, start);
      return true;
    }
    if (count >= maxAttributes) return false;
    this.#seen.add(name);
    if (end - start > maxValueLength || nameLength > MAX_NAME_LENGTH) {
      this.#fault("value-too-long", `Attribute of "${excerpt(this.name.name)}" is too long`, end);
      return true;
    }
    this.#written[count] = name;
    this.starts[count] = start;
    this.ends[count] = end;
    this.flags[count] = -1;
    this.count = count + 1;
    if (isBindingAttribute(name)) this.isBinding = true;
    return true;
  }

  /** Returns the offset of the next `<`, which is looked for only if the last one is passed. */
  #nextLt(text: string, from: number): number {
    return this.#lt < from ? this.#lt = find(text, "<", from) : this.#lt;
  }

  /**
   * Returns the offset of the `>` that ends a value without its closing quote: the first one, if it
   * precedes any `<`, and markup follows it; -1 if the value ends at its quote.
   */
  #endBeforeMarkup({ bytes, text }: Window, start: number, end: number): number {
    if (this.#gt < start) this.#gt = find(text, ">", start);
    const gt = this.#gt;
    let lt = this.#nextLt(text, start);
    if (gt > lt) return -1;
    for (; lt < end; lt = find(text, "<", lt + 1)) {
      if (startsMarkup(bytes[lt + 1] ?? 0)) return gt;
    }
    return -1;
  }

  #stop(outcome: number, at: number): number {
    this.end = at;
    return outcome;
  }

  #fault(code: XmlFault, message: string, at: number): void {
    this.faults.push({ code, message, at });
  }
}

function find(text: string, searched: string, from: number): number {
  const found = text.indexOf(searched, from);
  return found < 0 ? Infinity : found;
}
