/**
 * What the scanner reports.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";

/** What is repaired: every `xml-` warning but the one about the end, and values that are too long. */
export type XmlFault =
  | Exclude<Extract<WarningCode, `xml-${string}`>, "xml-cut">
  | Extract<WarningCode, "value-too-long">;

/** What stops reading before the end of the document. */
export type XmlStop = "xml-dtd" | "too-many-attributes" | "too-deep-elements";

/** Limits of the scanner. */
export interface XmlLimits {
  /** Attributes of one element. Default: 1,000. */
  readonly maxAttributes?: number;
  /** Depth of nested elements. Default: 256. */
  readonly maxElementDepth?: number;
  /**
   * Characters of one attribute value. The namespaces in scope may have as many together, or 1 MiB if
   * that is more. Default: 1 MiB.
   */
  readonly maxValueLength?: number;
}
