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
