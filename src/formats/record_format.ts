/**
 * Formats as tables: which elements count where, and what becomes of their text.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import type { XmlElement } from "../xml/element.ts";

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
  /** Its text is read and not kept: the value is a slice of a whole chunk, which it keeps alive. */
  readonly isPassing?: true;
  /** The same as `value` from the bytes of the text, where it is ASCII; false to be given `value`. */
  readonly bytes?: (draft: D, view: DataView, start: number, end: number) => boolean;
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
  /** Hands on what it holds back of records that ended; without it, it holds nothing back. */
  flush?(): void;
}

/** Gathered once for all documents. */
const KEYS = new WeakMap<object, ReadonlySet<string>>();

/** The elements that count somewhere in a table. */
export function keysOf<D>(table: ElementTable<D>): ReadonlySet<string> {
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
