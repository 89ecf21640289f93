/**
 * References: `&amp;`, `&#233;`, `&#xE9;`, `&eacute;`.
 *
 * @module
 */

import { decodeHTMLStrict } from "entities";
import { joinedCopy, ownCopy } from "../data/text.ts";
import type { XmlFault } from "./consumer.ts";

/** Receives each reference that was repaired, and its offset. */
type FaultCallback = (code: XmlFault, message: string, at: number) => void;

/** Maximum length of a reference; HTML's longest name has 31 letters. */
export const MAX_REFERENCE_LENGTH = 64;

const REFERENCE_REGEXP =
  /&(?:#(?:[0-9]{1,61}|[xX][0-9a-fA-F]{1,60})|[A-Za-z][A-Za-z0-9]{0,61});|&/y;
const HEX_REGEXP = /^&#x/i;
const UNFINISHED_REGEXP = /^&(?:#?|#[xX]?[0-9a-fA-F]*|[A-Za-z][A-Za-z0-9]*)$/;

const LETTER_A = 0x61, LETTER_G = 0x67, LETTER_L = 0x6c, LETTER_Q = 0x71;
const HASH = 0x23, ZERO = 0x30, SEMICOLON = 0x3b, LOWER_X = 0x78;
/** Maximum number of digits of a numeric reference that is read without a pattern. */
const MAX_DIGITS = 6;

/**
 * Reads a reference to a printable ASCII character, as nearly all are. Returns 256 times its length plus
 * the code of the character; 0 for any other reference.
 */
export function asciiReference(text: string, at: number): number {
  // the entities of XML 1.0 §4.6
  switch (text.charCodeAt(at + 1)) {
    case HASH:
      return numericReference(text, at);
    case LETTER_A:
      if (text.startsWith("amp;", at + 1)) return 5 << 8 | 0x26;
      return text.startsWith("apos;", at + 1) ? 6 << 8 | 0x27 : 0;
    case LETTER_L:
      return text.startsWith("lt;", at + 1) ? 4 << 8 | 0x3c : 0;
    case LETTER_G:
      return text.startsWith("gt;", at + 1) ? 4 << 8 | 0x3e : 0;
    case LETTER_Q:
      return text.startsWith("quot;", at + 1) ? 6 << 8 | 0x22 : 0;
    default:
      return 0;
  }
}

function numericReference(text: string, start: number): number {
  const isHex = (text.charCodeAt(start + 2) | 0x20) === LOWER_X;
  const first = start + (isHex ? 3 : 2);
  let code = 0, at = first;
  for (; at - first <= MAX_DIGITS; at++) {
    const character = text.charCodeAt(at);
    if (character === SEMICOLON) break;
    const letter = character | 0x20;
    const digit = character - ZERO <= 9 ? character - ZERO : isHex ? letter - 0x61 + 10 : -1;
    if (!(digit >= 0 && digit < (isHex ? 16 : 10))) return 0;
    if (character > 0x39 && letter < 0x61) return 0;
    code = code * (isHex ? 16 : 10) + digit;
  }
  const isPlain = text.charCodeAt(at) === SEMICOLON && at > first && code > 0x20 && code < 0x7f;
  return isPlain ? (at + 1 - start) << 8 | code : 0;
}

/** Whether XML 1.0 §2.2 allows a character. */
export function isXmlCharacter(codePoint: number): boolean {
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

/**
 * Returns the length of a text without an incomplete reference at its end: the index of a trailing `&…`
 * that may still become one, else the length.
 */
export function endOfWholeReferences(text: string): number {
  const tail = text.slice(-MAX_REFERENCE_LENGTH);
  const ampersand = tail.lastIndexOf("&");
  if (ampersand < 0 || tail.length - ampersand >= MAX_REFERENCE_LENGTH) return text.length;
  const unfinished = UNFINISHED_REGEXP.test(tail.slice(ampersand));
  return unfinished ? text.length - tail.length + ampersand : text.length;
}
