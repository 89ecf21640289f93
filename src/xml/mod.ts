/**
 * An incremental XML tokenizer that recovers from the faults of real documents.
 *
 * Chunks of bytes or text in, balanced elements and text out by callback; a document may be split into
 * chunks anywhere. Bare `&`, unknown entities, mismatched end tags, forbidden characters and the like
 * are repaired and reported; a DTD with an internal subset stops it, and nothing is ever expanded.
 *
 * @example
 * ```ts
 * import { XmlTokenizer } from "@sitetree/sitetree/xml";
 * import { assertEquals } from "@std/assert";
 *
 * let text = "";
 * const tokenizer = new XmlTokenizer({
 *   open() {},
 *   text: (piece) => void (text += piece),
 *   close() {},
 *   fault() {},
 * });
 * for (const chunk of ["<a>1 &l", "t; 2</", "a>"]) tokenizer.write(chunk);
 * assertEquals(tokenizer.end(), true);
 * assertEquals(text, "1 < 2");
 * ```
 *
 * @module
 */

export { type XmlFault, type XmlLimits, type XmlStop } from "./consumer.ts";
export { type XmlName } from "./names.ts";
export {
  decodeReferences,
  type ReferenceFault,
  type ReferenceFaultCallback,
} from "./references.ts";
export { type XmlElement, type XmlHandler, XmlTokenizer } from "./tokenizer.ts";
