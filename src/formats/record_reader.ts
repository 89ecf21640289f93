/**
 * Reads records out of XML by a table: which elements count where, and what becomes of their text.
 *
 * The formats are tables of {@linkcode ElementSpec}s; this is the one place that walks them. Unknown
 * and misplaced elements are skipped with all that is in them.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import { ownCopy } from "../text.ts";
import { trimSpace } from "../url.ts";
import type { XmlElement, XmlName } from "../xml/element.ts";
import type { Families } from "./families.ts";

/** Tells of something passed over or lost. */
export type Warn = (code: WarningCode, message: string) => void;

/** What an element means where it stands. `D` is what a record is gathered in. */
export interface ElementSpec<D> {
  /** Elements that count inside it, by `family:name` in lower case. */
  readonly children?: ElementTable<D>;
  /** It is a record: a new draft begins with it, and is finished when it ends. */
  readonly entry?: true;
  /** It begins. */
  readonly open?: (draft: D, element: XmlElement, warn: Warn) => void;
  /** It ended, with this text in it: trimmed, not empty. */
  readonly value?: (draft: D, value: string, element: XmlElement, warn: Warn) => void;
  /** Whether its text is of any use by now; without it, always. */
  readonly wants?: (draft: D) => boolean;
  /** It is a list, with items between commas or white space: each takes memory of its own. */
  readonly separator?: "," | " ";
  /** Text of elements inside it counts as its own. */
  readonly markup?: true;
  /** It ended. */
  readonly close?: (draft: D, warn: Warn) => void;
}

/** Elements that count somewhere, by `family:name` in lower case. */
export type ElementTable<D> = ReadonlyMap<string, ElementSpec<D>>;

/** What a record reader needs of a format. */
export interface RecordFormat<D> {
  /** The elements that count directly under the root. */
  readonly table: ElementTable<D>;
  /** Whether elements of the format's own namespace that do not count are told as misplaced. */
  readonly tellsMisplaced: boolean;
  /** An empty draft. */
  draft(): D;
  /** A record ended. */
  finish(draft: D, warn: Warn): void;
}

/** A hostile document has more names than it pays to remember. */
const MAX_KEPT_KEYS = 1000;
/** Names and namespaces longer than this together are not worth keeping. */
const MAX_KEPT_LENGTH = 256;

/** Characters that one record may gather, unless one value may have more. */
const MAX_RECORD_WEIGHT = 8 * 1024 * 1024;
const COMMA = 0x2c;
const SPACE = 0x20;

/** What an element counts for beside its text: it takes memory too. */
const ELEMENT_WEIGHT = 64;

/** Walks the table of a format while elements open and close. */
export class RecordReader<D> {
  readonly #format: RecordFormat<D>;
  readonly #families: Families;
  readonly #warn: Warn;
  readonly #maxValueLength: number;
  /** Keys by name, with the namespace they were made for; a document has few of both. */
  readonly #keys = new Map<string, { readonly uri: string | undefined; readonly key: string }>();
  /** Specs of the open elements below the root that count, outermost first. */
  readonly #path: ElementSpec<D>[] = [];
  #draft: D;
  #entryDepth = 0;
  #skipDepth = 0;
  #capturing: ElementSpec<D> | undefined;
  #value = "";
  /** Whether the value came in several pieces. */
  #joined = false;
  #overlong = false;
  #weight = 0;

  constructor(
    format: RecordFormat<D>,
    families: Families,
    warn: Warn,
    maxValueLength: number,
  ) {
    this.#format = format;
    this.#families = families;
    this.#warn = warn;
    this.#maxValueLength = maxValueLength;
    this.#draft = format.draft();
  }

  /** Whether a record is open. */
  get inEntry(): boolean {
    return this.#entryDepth > 0;
  }

  /** A record that is still open when the next begins ends there. */
  closesBefore(name: XmlName, uri: string | undefined): number | undefined {
    if (this.#entryDepth === 0 || (this.#skipDepth > 0 && !this.#overlong)) return undefined;
    const spec = this.#tableAt(this.#entryDepth)?.get(this.#keyOf(name, uri));
    if (spec?.entry !== true) return undefined;
    this.#warn("unclosed-entry", `Entry "${name.name}" begins before the one before it ends`);
    return this.#entryDepth - 1;
  }

  /** An element below the root begins. */
  open(element: XmlElement, depth: number): void {
    if (this.#skipDepth > 0) return;
    const key = this.#keyOf(element, element.uri);
    const spec = this.#tableAt(depth)?.get(key);
    if (spec === undefined) {
      this.#tellMisplaced(element, key);
      this.#skipDepth = depth;
      return;
    }
    if (spec.entry) {
      this.#draft = this.#format.draft();
      this.#entryDepth = depth;
      this.#overlong = false;
      this.#weight = 0;
    }
    this.#weigh(ELEMENT_WEIGHT + (spec.open === undefined ? 0 : lengthOf(element.attributes)));
    if (this.#overlong) {
      this.#skipDepth = depth;
      return;
    }
    this.#path.push(spec);
    spec.open?.(this.#draft, element, this.#warn);
    const captures = spec.value !== undefined && (spec.wants?.(this.#draft) ?? true);
    this.#capturing = captures ? spec : undefined;
    this.#value = "";
    this.#joined = false;
  }

  /** Text inside the element that is open. */
  text(text: string): void {
    if (this.#capturing === undefined) return;
    if (this.#skipDepth > 0 && this.#capturing.markup !== true) return;
    // the rest of an overlong value is not the beginning of another
    if (this.#overlong) return;
    if (this.#value.length + text.length > this.#maxValueLength) this.overlong();
    else if (this.#value === "") this.#value = text;
    else {
      this.#value += text;
      this.#joined = true;
    }
  }

  /** A value of the open record, or all of them, passed a ceiling: the record is dropped. */
  overlong(): void {
    this.#overlong = true;
    this.#value = "";
    this.#draft = this.#format.draft();
  }

  /** An element below the root ends. */
  close(element: XmlElement, depth: number): void {
    if (this.#skipDepth > 0) {
      if (depth === this.#skipDepth) this.#skipDepth = 0;
      return;
    }
    const spec = this.#path.pop();
    if (spec === undefined) return;
    if (!this.#overlong) this.#take(spec, element);
    if (spec.entry) this.#finish();
  }

  #take(spec: ElementSpec<D>, element: XmlElement): void {
    if (this.#capturing === spec && spec.value !== undefined) {
      this.#capturing = undefined;
      const trimmed = trimSpace(this.#value);
      // what was joined of pieces is written out anew by now, and may be long
      const value = this.#joined && trimmed === this.#value ? trimmed : ownCopy(trimmed);
      if (spec.separator !== undefined) {
        this.#weigh(ELEMENT_WEIGHT * itemsIn(value, spec.separator));
      }
      if (this.#overlong) return;
      if (value !== "") spec.value(this.#draft, value, element, this.#warn);
      this.#weigh(value.length);
    }
    spec.close?.(this.#draft, this.#warn);
  }

  /** A record that gathers too much is dropped: one can have images without end. */
  #weigh(weight: number): void {
    this.#weight += weight;
    if (this.#weight > Math.max(MAX_RECORD_WEIGHT, this.#maxValueLength)) this.overlong();
  }

  #finish(): void {
    this.#entryDepth = 0;
    if (this.#overlong) this.#warn("value-too-long", "Entry with an overlong value left out");
    else this.#format.finish(this.#draft, this.#warn);
  }

  /** The elements that count at a depth; 2 is directly under the root. */
  #tableAt(depth: number): ElementTable<D> | undefined {
    return depth === 2 ? this.#format.table : this.#path[depth - 3]?.children;
  }

  #keyOf(name: XmlName, uri: string | undefined): string {
    const known = this.#keys.get(name.name);
    if (known !== undefined && known.uri === uri) return known.key;
    const key = `${this.#families.of({ prefix: name.prefix, uri })}:${name.lowerLocal}`;
    const isShort = name.name.length + (uri?.length ?? 0) <= MAX_KEPT_LENGTH;
    if (isShort && this.#keys.size < MAX_KEPT_KEYS) this.#keys.set(name.name, { uri, key });
    return key;
  }

  /** Own elements that nobody knows are told too; what extensions add that we do not read is not. */
  #tellMisplaced(element: XmlElement, key: string): void {
    if (!this.#format.tellsMisplaced) return;
    if (!key.startsWith("own:") && !keysOf(this.#format.table).has(key)) return;
    this.#warn("misplaced-element", `Element "${element.name}" does not belong here`);
  }
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

/** The elements that count somewhere in a table, gathered once for all documents. */
const KEYS = new WeakMap<object, ReadonlySet<string>>();

function keysOf<D>(table: ElementTable<D>): ReadonlySet<string> {
  let keys = KEYS.get(table);
  if (keys === undefined) {
    const inner = [...table.values()].flatMap(({ children }) =>
      children === undefined ? [] : [...keysOf(children)]
    );
    keys = new Set([...table.keys(), ...inner]);
    KEYS.set(table, keys);
  }
  return keys;
}
