/**
 * The characters that markup is made of.
 *
 * @module
 */

/** What stands behind the end of a text. */
export const NOTHING = -1;

const TAB = 0x09;
const LF = 0x0a;
const SPACE = 0x20;
/** `!` */
export const BANG = 0x21;
/** `"` */
export const QUOTE = 0x22;
/** `'` */
export const APOSTROPHE = 0x27;
/** `/` */
export const SLASH = 0x2f;
/** `:` */
export const COLON = 0x3a;
/** `<` */
export const LESS = 0x3c;
/** `=` */
export const EQUALS = 0x3d;
/** `>` */
export const GREATER = 0x3e;
/** `?` */
export const QUESTION = 0x3f;
const UNDERSCORE = 0x5f;

/** The character at a place; behind the end a number too, as `NaN` is slow to compare. */
export function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : NOTHING;
}

/** Whether a character is white space, line ends being normalised. */
export function isSpace(code: number): boolean {
  return code === SPACE || code === LF || code === TAB;
}

/** Whether a name can begin with a character. */
export function startsName(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code >= 0x80 ||
    code === UNDERSCORE || code === COLON;
}

/** Whether a name, begun, cannot go on with a character. */
export function endsName(code: number): boolean {
  return isSpace(code) || code === GREATER || code === SLASH || code === LESS;
}
