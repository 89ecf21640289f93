/**
 * An incremental XML tokenizer that recovers from what real documents get wrong.
 *
 * Text chunks in, balanced elements and text out by callback; state is carried over chunk edges at
 * any character. Bare `&`, unknown entities, mismatched end tags, forbidden characters and the like
 * are repaired and told; a DTD with an internal subset stops it, and nothing is ever expanded.
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

export { type XmlElement, type XmlName } from "./element.ts";
export {
  type XmlFault,
  type XmlHandler,
  type XmlStop,
  type XmlTokenizerOptions,
} from "./handler.ts";
export {
  decodeReferences,
  type ReferenceFault,
  type ReferenceFaultCallback,
} from "./references.ts";
export { XmlTokenizer } from "./tokenizer.ts";
