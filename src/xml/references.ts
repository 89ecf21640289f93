/**
 * References: `&amp;`, `&#233;`, `&#xE9;`, `&eacute;`.
 *
 * @module
 */

// deno-lint-ignore no-import-prefix -- must resolve without the import map of this project too
import { decodeHTMLStrict } from "npm:entities@^9.0.0";

import { joinedCopy } from "../text.ts";

/** What can be wrong with a reference. */
export type ReferenceFault = "xml-bare-ampersand" | "xml-unknown-entity" | "xml-bad-reference";

/** Told of each reference that had to be repaired. */
export type ReferenceFaultCallback = (code: ReferenceFault, message: string, at: number) => void;

/** Decoded text is joined up to about this length before it is written out. */
const MAX_BLOCK = 16 * 1024;

/** The longest reference that is believed; HTML's longest name has 31 letters. */
export const MAX_REFERENCE_LENGTH = 64;

const REFERENCE_REGEXP =
  /&(?:#(?:[0-9]{1,61}|[xX][0-9a-fA-F]{1,60})|[A-Za-z][A-Za-z0-9]{0,61});|&/y;
const HEX_REGEXP = /^&#x/i;
const UNFINISHED_REGEXP = /^&(?:#?|#[xX]?[0-9a-fA-F]*|[A-Za-z][A-Za-z0-9]*)$/;

/** A reference that needs no declaration (XML 1.0 §4.6). */
interface XmlReference {
  readonly text: string;
  /** The first letter of its name. */
  readonly letter: number;
  readonly character: string;
}

/** The most frequent first. */
const XML_REFERENCES: readonly XmlReference[] = [
  { text: "&amp;", letter: 0x61, character: "&" },
  { text: "&lt;", letter: 0x6c, character: "<" },
  { text: "&gt;", letter: 0x67, character: ">" },
  { text: "&quot;", letter: 0x71, character: '"' },
  { text: "&apos;", letter: 0x61, character: "'" },
];

/** XML 1.0 §2.2: the characters a document may hold. */
export function isXmlCharacter(codePoint: number): boolean {
  return codePoint >= 0x20
    ? codePoint <= 0xd7ff || (codePoint >= 0xe000 && codePoint <= 0xfffd) ||
      (codePoint >= 0x10000 && codePoint <= 0x10ffff)
    : codePoint === 0x9 || codePoint === 0xa || codePoint === 0xd;
}

/**
 * Decodes references exactly once: numeric ones, those of XML, and those of HTML if they end in a
 * semicolon. Any other `&` stands for itself.
 *
 * @example
 * ```ts
 * import { decodeReferences } from "@sitetree/sitetree/xml";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(decodeReferences("caf&eacute; &amp;amp; R&D"), "café &amp; R&D");
 * ```
 */
export function decodeReferences(text: string, onFault?: ReferenceFaultCallback): string {
  let at = text.indexOf("&");
  // no reference without a semicolon, and nobody to be told of the rest
  if (at < 0 || (onFault === undefined && !text.includes(";"))) return text;
  let decoded = "";
  // what is joined piece by piece is written out now and then: pieces by the million are slow to keep
  let block = "";
  let from = 0;
  for (let length = 0; at >= 0; at = text.indexOf("&", at + length)) {
    const known = xmlReferenceAt(text, at);
    const reference = known?.text ?? referenceAt(text, at);
    const character = known?.character ?? decodeOther(reference, at, onFault);
    length = reference.length;
    if (character === reference) continue;
    block += text.slice(from, at) + character;
    from = at + length;
    if (block.length < MAX_BLOCK) continue;
    decoded += joinedCopy("", block);
    block = "";
  }
  return from === 0 ? text : decoded + block + text.slice(from);
}

/** One of XML's own, as nearly all are: 50 ns, where the pattern takes 300. */
function xmlReferenceAt(text: string, at: number): XmlReference | undefined {
  const letter = text.charCodeAt(at + 1);
  for (const reference of XML_REFERENCES) {
    if (reference.letter === letter && text.startsWith(reference.text, at)) return reference;
  }
  return undefined;
}

/** Any other, or the bare `&`. */
function referenceAt(text: string, at: number): string {
  REFERENCE_REGEXP.lastIndex = at;
  return REFERENCE_REGEXP.exec(text)?.[0] ?? "&";
}

/** What one of those stands for. */
function decodeOther(
  reference: string,
  at: number,
  onFault: ReferenceFaultCallback | undefined,
): string {
  if (reference === "&") {
    onFault?.("xml-bare-ampersand", `Bare "&" taken literally`, at);
    return reference;
  }
  if (!reference.startsWith("&#")) {
    const decoded = decodeHTMLStrict(reference);
    if (decoded === reference) {
      onFault?.("xml-unknown-entity", `Unknown entity "${reference}" taken literally`, at);
    }
    return decoded;
  }
  const isHex = HEX_REGEXP.test(reference);
  const codePoint = parseInt(reference.slice(isHex ? 3 : 2), isHex ? 16 : 10);
  if (isXmlCharacter(codePoint)) return String.fromCodePoint(codePoint);
  onFault?.("xml-bad-reference", `Reference "${reference}" to a forbidden character left out`, at);
  return "";
}

/**
 * Where the text must be cut so that no reference is torn: the index of a trailing `&…` that may
 * still become a reference, else the length.
 */
export function endOfWholeReferences(text: string): number {
  const tail = text.slice(-MAX_REFERENCE_LENGTH);
  const ampersand = tail.lastIndexOf("&");
  if (ampersand < 0 || tail.length - ampersand >= MAX_REFERENCE_LENGTH) return text.length;
  const unfinished = UNFINISHED_REGEXP.test(tail.slice(ampersand));
  return unfinished ? text.length - tail.length + ampersand : text.length;
}
