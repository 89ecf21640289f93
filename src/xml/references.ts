/**
 * References: `&amp;`, `&#233;`, `&#xE9;`, `&eacute;`.
 *
 * @module
 */

// deno-lint-ignore no-import-prefix -- must resolve without the import map of this project too
import { decodeHTMLStrict } from "npm:entities@^9.0.0";

/** What can be wrong with a reference. */
export type ReferenceFault = "xml-bare-ampersand" | "xml-unknown-entity" | "xml-bad-reference";

/** Told of each reference that had to be repaired. */
export type ReferenceFaultCallback = (code: ReferenceFault, message: string, at: number) => void;

/** The longest reference that is believed; HTML's longest name has 31 letters. */
export const MAX_REFERENCE_LENGTH = 64;

const REFERENCE_REGEXP =
  /&(?:#(?:([0-9]{1,61})|[xX]([0-9a-fA-F]{1,60}))|([A-Za-z][A-Za-z0-9]{0,61}));|&/g;
const UNFINISHED_REGEXP = /^&(?:#?|#[xX]?[0-9a-fA-F]*|[A-Za-z][A-Za-z0-9]*)$/;

const XML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

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
  if (!text.includes("&")) return text;
  // no reference without it, and nobody to be told of the rest
  if (onFault === undefined && !text.includes(";")) return text;
  return decodeAmpersands(text) ?? text.replace(
    REFERENCE_REGEXP,
    (reference, decimal?: string, hex?: string, name?: string, at: number = 0) => {
      if (name !== undefined) return named(reference, name, at, onFault);
      if (decimal !== undefined) return numeric(reference, parseInt(decimal, 10), at, onFault);
      if (hex !== undefined) return numeric(reference, parseInt(hex, 16), at, onFault);
      onFault?.("xml-bare-ampersand", `Bare "&" taken literally`, at);
      return "&";
    },
  );
}

/** The text, where `&amp;` is the only reference in it, as it mostly is: 80 ns instead of 400. */
function decodeAmpersands(text: string): string | undefined {
  let decoded = "";
  let from = 0;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", from)) {
    if (!text.startsWith("amp;", at + 1)) return undefined;
    decoded += text.slice(from, at + 1);
    from = at + 5;
  }
  return decoded + text.slice(from);
}

function named(
  reference: string,
  name: string,
  at: number,
  onFault: ReferenceFaultCallback | undefined,
): string {
  const known = XML_ENTITIES.get(name);
  if (known !== undefined) return known;
  const decoded = decodeHTMLStrict(reference);
  if (decoded === reference) {
    onFault?.("xml-unknown-entity", `Unknown entity "${reference}" taken literally`, at);
  }
  return decoded;
}

function numeric(
  reference: string,
  codePoint: number,
  at: number,
  onFault: ReferenceFaultCallback | undefined,
): string {
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
