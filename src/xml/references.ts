import { decodeHTMLStrict } from "entities";
import { asciiReference } from "../bytes/ascii_reference.ts";
import { joinedCopy, ownCopy } from "../data/text.ts";
import type { XmlFault } from "./consumer.ts";

type FaultCallback = (code: XmlFault, message: string, at: number) => void;

/** Maximum length of a reference; HTML's longest name has 31 letters. */
export const MAX_REFERENCE_LENGTH = 64;

const REFERENCE_REGEXP =
  /&(?:#(?:[0-9]{1,61}|[xX][0-9a-fA-F]{1,60})|[A-Za-z][A-Za-z0-9]{0,61});|&/y;
const HEX_REGEXP = /^&#x/i;
const UNFINISHED_REGEXP = /^&(?:#?|#[xX]?[0-9a-fA-F]*|[A-Za-z][A-Za-z0-9]*)$/;

/** XML 1.0 §2.2. */
function isXmlCharacter(codePoint: number): boolean {
  return codePoint >= 0x20
    ? codePoint <= 0xd7ff || (codePoint >= 0xe000 && codePoint <= 0xfffd) ||
      (codePoint >= 0x10000 && codePoint <= 0x10ffff)
    : codePoint === 0x9 || codePoint === 0xa || codePoint === 0xd;
}

/**
 * Decodes references exactly once: numeric ones, those of XML, and those of HTML if they end in a
 * semicolon. Any other `&` is kept.
 */
export function decodeReferences(text: string, onFault?: FaultCallback): string {
  let at = text.indexOf("&");
  // no reference lacks a semicolon, and faults are not reported
  if (at < 0 || (onFault === undefined && !text.includes(";"))) return text;
  let decoded = "", from = 0;
  for (let length = 0; at >= 0; at = text.indexOf("&", at + length)) {
    const known = asciiReference(text, at);
    let character: string;
    if (known !== 0) {
      character = String.fromCharCode(known & 0xff);
      length = known >> 8;
    } else {
      REFERENCE_REGEXP.lastIndex = at;
      const reference = REFERENCE_REGEXP.exec(text)![0];
      character = decodeOther(reference, at, onFault);
      length = reference.length;
      if (character === reference) continue;
    }
    decoded += text.slice(from, at) + character;
    from = at + length;
  }
  if (from === 0) return text;
  // a copy, since a slice would keep the whole text alive
  return decoded === "" ? ownCopy(text.slice(from)) : joinedCopy(decoded, text.slice(from));
}

/** Decodes a reference that {@linkcode asciiReference} does not read. */
function decodeOther(reference: string, at: number, onFault?: FaultCallback): string {
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
  onFault?.("xml-bad-reference", `Reference "${reference}" to a forbidden character dropped`, at);
  return "";
}

/** Returns the index of a trailing `&…` that may still become a reference, else the length. */
export function endOfWholeReferences(text: string): number {
  const tail = text.slice(-MAX_REFERENCE_LENGTH);
  const ampersand = tail.lastIndexOf("&");
  if (ampersand < 0 || tail.length - ampersand >= MAX_REFERENCE_LENGTH) return text.length;
  const unfinished = UNFINISHED_REGEXP.test(tail.slice(ampersand));
  return unfinished ? text.length - tail.length + ampersand : text.length;
}
