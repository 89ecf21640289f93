/**
 * What the tokenizer reports, and to whom.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import type { XmlElement, XmlName } from "./element.ts";

/** What the tokenizer repairs: every `xml-` warning but that of the end, and values that are too long. */
export type XmlFault =
  | Exclude<Extract<WarningCode, `xml-${string}`>, "xml-cut">
  | Extract<WarningCode, "value-too-long">;

/** What stops the tokenizer before the end of the document. */
export type XmlStop = "xml-dtd" | "too-many-attributes" | "too-deep-elements";

/** Receives what the tokenizer finds. Every `open` has its `close`, unless the document is cut. */
export interface XmlHandler {
  /** An element begins; `depth` is 1 for the root. */
  open(element: XmlElement, depth: number): void;
  /**
   * Text, references decoded; one run of text may come in several pieces. `place` is where it stands
   * in the bytes of the chunk, -1 where it does not.
   */
  text(text: string, place: number): void;
  /** An element of that name ends, by its end tag or because an element around it does. */
  close(name: XmlName, depth: number): void;
  /** Something was repaired. */
  fault(code: XmlFault, message: string, line: number): void;
  /**
   * Asked before an element begins: the depth down to which open elements end first. Without it, or
   * when it answers `undefined`, nothing does.
   */
  closesBefore?(name: XmlName, uri: string | undefined, depth: number): number | undefined;
  /**
   * Asked before text: whether it is of no use here. It is passed over then, which is faster, and
   * what is wrong with it is told all the same. Without it, all text is handed over.
   */
  readonly ignoresText?: boolean;
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
