/**
 * Reads records out of XML by a table: which elements count where, and what becomes of their text.
 *
 * The formats are tables of {@linkcode ElementSpec}s; this is the one place that walks them. Unknown
 * and misplaced elements are skipped with all that is in them.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import { trimSpace } from "../url.ts";
import type { XmlElement, XmlName } from "../xml/element.ts";
import type { Families } from "./families.ts";
import { type ElementSpec, keysOf, type RecordFormat, type Warn } from "./record_format.ts";
import { CountedElement } from "./counted_element.ts";

/** Characters that one record may gather, unless one value may have more. */
const MAX_RECORD_WEIGHT = 8 * 1024 * 1024;
const COMMA = 0x2c;
const SPACE = 0x20;
const DELETE = 0x7f;

/** What an element counts for beside its text: it takes memory too. */
const ELEMENT_WEIGHT = 64;

/** Walks the table of a format while elements open and close. */
export class RecordReader<D> {
  readonly #format: RecordFormat<D>;
  readonly #families: Families;
  readonly #warn: Warn;
  readonly #bytes: () => DataView | undefined;
  readonly #maxValueLength: number;
  readonly #maxWeight: number;
  /** The innermost open element that counts, and those around it, outermost first. */
  #innermost: CountedElement<D>;
  readonly #outer: CountedElement<D>[] = [];
  #draft: D;
  #entryDepth = 0;
  /** What the record stands in. */
  #entryParent: CountedElement<D>;
  #skipDepth = 0;
  #capturing: CountedElement<D> | undefined;
  /** The element whose text that is. */
  #captured: XmlElement | undefined;
  #value = "";
  /** Where the value stands in the bytes of the chunk, -1 where it does not. */
  #valuePlace = -1;
  /** Whether the value came in several pieces. */
  #joined = false;
  #overlong = false;
  #weight = 0;

  constructor(
    format: RecordFormat<D>,
    families: Families,
    warn: Warn,
    maxValueLength: number,
    bytes: () => DataView | undefined = () => undefined,
  ) {
    this.#format = format;
    this.#families = families;
    this.#warn = warn;
    this.#bytes = bytes;
    this.#maxValueLength = maxValueLength;
    this.#maxWeight = Math.max(MAX_RECORD_WEIGHT, maxValueLength);
    this.#draft = format.draft();
    this.#innermost = this.#entryParent = new CountedElement({ children: format.table });
  }

  /** Whether a record is open. */
  get inEntry(): boolean {
    return this.#entryDepth > 0;
  }

  /** Hands on what is held back of records that ended: before anything else is told. */
  flush(): void {
    this.#format.flush?.();
  }

  /** Whether text is of no use here. */
  get ignoresText(): boolean {
    const capturing = this.#capturing;
    // the rest of an overlong value is not the beginning of another
    return capturing === undefined || this.#overlong ||
      (this.#skipDepth > 0 && !capturing.hasMarkup);
  }

  /** A record that is still open when the next begins ends there. */
  closesBefore(name: XmlName, uri: string | undefined): number | undefined {
    if (this.#entryDepth === 0 || (this.#skipDepth > 0 && !this.#overlong)) return undefined;
    const { counted } = this.#entryParent.meaningOf(name, uri, this.#families);
    if (counted === undefined || !counted.isEntry) return undefined;
    this.#warn("unclosed-entry", `Entry "${name.name}" begins before the one before it ends`);
    return this.#entryDepth - 1;
  }

  /** An element below the root begins. */
  open(element: XmlElement, depth: number): void {
    if (this.#skipDepth > 0) return;
    const { counted, key } = this.#innermost.meaningOf(element, element.uri, this.#families);
    if (counted === undefined) {
      this.#tellMisplaced(element, key);
      this.#skipDepth = depth;
      return;
    }
    if (counted.isEntry) this.#begin(depth);
    this.#weigh(ELEMENT_WEIGHT + (counted.open === undefined ? 0 : lengthOf(element.attributes)));
    if (this.#overlong) {
      this.#skipDepth = depth;
      return;
    }
    this.#outer.push(this.#innermost);
    this.#innermost = counted;
    if (counted.open !== undefined) counted.open(this.#draft, element, this.#warn);
    const captures = counted.value !== undefined &&
      (counted.wants === undefined || counted.wants(this.#draft));
    this.#capturing = captures ? counted : undefined;
    this.#captured = captures ? element : undefined;
    this.#value = "";
    this.#valuePlace = -1;
    this.#joined = false;
  }

  /** Text inside the element that is open. */
  text(text: string, place = -1): void {
    if (this.ignoresText) return;
    if (this.#value.length + text.length > this.#maxValueLength) this.overlong();
    else if (this.#value === "") {
      this.#value = text;
      this.#valuePlace = place;
    } else {
      this.#value += text;
      this.#valuePlace = -1;
      this.#joined = true;
    }
  }

  /** The chunk that was read is gone, and its bytes. */
  leaveChunk(): void {
    this.#valuePlace = -1;
  }

  /** A value of the open record, or all of them, passed a ceiling: the record is dropped. */
  overlong(): void {
    this.#overlong = true;
    this.#value = "";
    this.#draft = this.#format.draft();
  }

  /** An element below the root ends. */
  close(depth: number): void {
    if (this.#skipDepth > 0) {
      if (depth === this.#skipDepth) this.#skipDepth = 0;
      return;
    }
    const counted = this.#innermost;
    this.#innermost = this.#outer.pop()!;
    if (!this.#overlong) this.#take(counted);
    if (counted.isEntry) this.#finish();
  }

  #take(counted: CountedElement<D>): void {
    if (this.#capturing === counted && counted.value !== undefined) {
      this.#capturing = undefined;
      const isTaken = counted.bytes !== undefined && this.#takeBytes(counted.bytes);
      if (!isTaken && !this.#takeValue(counted, counted.value)) return;
    }
    if (counted.close !== undefined) counted.close(this.#draft, this.#warn);
  }

  /** Takes a value: false where it is a list of too many items. */
  #takeValue(
    { isPassing, separator }: CountedElement<D>,
    take: NonNullable<ElementSpec<D>["value"]>,
  ): boolean {
    const trimmed = hasPlainEnds(this.#value) ? this.#value : trimSpace(this.#value);
    // what was joined of pieces is written out anew by now, and may be long
    const isOwn = this.#joined && trimmed === this.#value;
    const value = isOwn || isPassing ? trimmed : ownCopy(trimmed);
    if (separator !== undefined) this.#weigh(ELEMENT_WEIGHT * itemsIn(value, separator));
    if (this.#overlong) return false;
    if (value !== "") take(this.#draft, value, this.#captured!, this.#warn);
    this.#weigh(value.length);
    return true;
  }

  /** Takes a value by its bytes, if it stands there and can be read that way. */
  #takeBytes(take: NonNullable<ElementSpec<D>["bytes"]>): boolean {
    const start = this.#valuePlace, { length } = this.#value;
    const view = start < 0 ? undefined : this.#bytes();
    if (view === undefined || !take(this.#draft, view, start, start + length)) return false;
    this.#weigh(length);
    return true;
  }

  /** A record that gathers too much is dropped: one can have images without end. */
  #weigh(weight: number): void {
    this.#weight += weight;
    if (this.#weight > this.#maxWeight) this.overlong();
  }

  #begin(depth: number): void {
    this.#draft = this.#format.draft();
    this.#entryDepth = depth;
    this.#entryParent = this.#innermost;
    this.#overlong = false;
    this.#weight = 0;
  }

  #finish(): void {
    this.#entryDepth = 0;
    if (this.#overlong) this.#warn("value-too-long", "Entry with an overlong value left out");
    else this.#format.finish(this.#draft, this.#warn);
  }

  /** Own elements that nobody knows are told too; what extensions add that we do not read is not. */
  #tellMisplaced(element: XmlElement, key: string): void {
    if (!this.#format.tellsMisplaced) return;
    if (!key.startsWith("own:") && !this.#countsSomewhere(element, key)) return;
    this.#warn("misplaced-element", `Element "${element.name}" does not belong here`);
  }

  #countsSomewhere({ index }: XmlElement, key: string): boolean {
    const keys = keysOf(this.#format.table);
    if (index >= 0) return keys.has(key);
    // V8 makes every string old that is looked up in a set, and such names come by the million
    for (const other of keys) {
      if (other === key) return true;
    }
    return false;
  }
}

/** Whether a value begins and ends in ASCII that is no white space; `trim()` takes 30 ns. */
function hasPlainEnds(value: string): boolean {
  if (value === "") return false;
  const first = value.charCodeAt(0), last = value.charCodeAt(value.length - 1);
  return first > SPACE && first < DELETE && last > SPACE && last < DELETE;
}

function itemsIn(value: string, separator: "," | " "): number {
  let items = 1;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (separator === "," ? code === COMMA : code <= SPACE) items++;
  }
  return items;
}

function lengthOf(attributes: ReadonlyMap<string, string>): number {
  let length = 0;
  for (const value of attributes.values()) length += value.length;
  return length;
}
