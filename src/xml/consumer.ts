/**
 * The interface between the scanner and its consumers: limits, faults and callbacks.
 *
 * @module
 */

import type { NoteCode, WarningCode } from "../data/codes.ts";
import type { InternedName } from "./names.ts";
import type { ElementNode } from "./steps.ts";

/** Repaired faults: every `xml-` warning but the one about the end, and values that are too long. */
export type XmlFault =
  | Exclude<Extract<WarningCode, `xml-${string}`>, "xml-cut">
  | Extract<WarningCode, "value-too-long">;

type XmlNote = Extract<NoteCode, "doctype" | "prefix-unbound">;

export type XmlStop = "xml-dtd" | "too-many-attributes" | "too-deep-elements";

/**
 * Flag of a value that was not scanned: it may contain anything. Dates and numbers are validated anyway,
 * and scanning them as well is slower (`deno task bench`, plain).
 */
export const GUESSED = 8;

/** `M` is the meaning of an element. */
export interface XmlConsumer<M> {
  /** Meaning of an element before `resolve`. */
  readonly noMeaning: M;
  readonly trimsValues: boolean;
  /** Sets the `flags` and `meaning` of a node. Called once for each. */
  resolve(node: ElementNode<M>): void;
  /**
   * Returns the element in which a tag opens: `node`, or one around it, or one that takes its place;
   * those in between are closed. The result is kept for all tags of that name in the same place, unless
   * it is `FLEETING` or `node` `HIDES` elements.
   */
  adopt(node: ElementNode<M>, name: InternedName, uri: string | undefined): ElementNode<M>;
  /** Whether a tag without `>` is one, by its name, rather than text. */
  isKnownName(node: ElementNode<M>, name: InternedName, uri: string | undefined): boolean;
  /** Returns the open entry around `node` if a tag in it opens another one. */
  openEntry(
    node: ElementNode<M>,
    name: InternedName,
    uri: string | undefined,
  ): ElementNode<M> | undefined;
  /** Called before a start tag closes elements that are still open, see `adopt`. */
  displace(name: InternedName): void;
  /** Called when an element with `OPEN` opens. */
  open(node: ElementNode<M>): void;
  /**
   * Receives the whole text of an element with `TEXT`, as a range of the window. Returns false, without
   * any effect, if a {@linkcode GUESSED} range is not a valid value.
   */
  value(node: ElementNode<M>, start: number, end: number, flags: number): boolean;
  /**
   * Receives a piece of the text of an element with `TEXT` or `STRAY`, references decoded. `isMarkup` if
   * it begins with a `<` that is neither a reference nor in a CDATA section.
   */
  text(node: ElementNode<M>, text: string, isMarkup: boolean): void;
  /** Called when an element closes; returns whether text in pieces is complete with that. */
  endText(node: ElementNode<M>): boolean;
  /** Returns the meaning of what follows a root element. */
  meaningAfter(root: ElementNode<M>): M;
  /** Called when an element with `CLOSE` closes. */
  close(node: ElementNode<M>): void;
  fault(code: XmlFault, message: string, line: number): void;
  /** Absent if notes are not wanted. */
  readonly note?: ((code: XmlNote, message: string, line: number) => void) | undefined;
  /** Resolves an `xml:base`. */
  resolveBase(base: string, outer: string | undefined): string;
}
