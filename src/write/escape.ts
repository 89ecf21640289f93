/**
 * Escapes untrusted text for terminals and for line-based formats.
 *
 * @module
 */

/**
 * Characters above U+009F that a terminal interprets or drops, for a character class: bidirectional
 * controls (`Bidi_Control` of Unicode), line and paragraph separators, the byte order mark.
 */
export const FORMAT_CONTROLS: string = String
  .raw`\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`;

/** Everything that a terminal interprets or drops, including lone surrogates. */
const CONTROLS_REGEXP = new RegExp(`[\\p{Cc}\\p{Cs}${FORMAT_CONTROLS}]`, "gu");
const FORMAT_CONTROLS_REGEXP = new RegExp(`[${FORMAT_CONTROLS}]`, "g");
const NOT_IN_URLS_REGEXP = new RegExp(`[\\s\\0-\\x1f\\x7f-\\x9f${FORMAT_CONTROLS}]`, "g");
/** Control characters except tabs and line feeds. */
// deno-lint-ignore no-control-regex
const NOT_IN_CELLS_REGEXP = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Control characters that `JSON.stringify()` does not escape. */
const NOT_IN_JSON_REGEXP = new RegExp(`[\\x7f-\\x9f${FORMAT_CONTROLS}]`, "g");

function escapeControl(character: string): string {
  return character < "\u0100" ? `\\x${hex(character, 2)}` : escapeControlInJson(character);
}

function escapeControlInJson(character: string): string {
  return `\\u${hex(character, 4)}`;
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, "0");
}

/**
 * Escapes characters that a terminal interprets: control characters, including line breaks, and
 * bidirectional controls become `\x1b` or `\u202e`. Other text is returned unchanged.
 *
 * @param text Untrusted text.
 * @returns The text in one line that is safe to print.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS_REGEXP, escapeControl);
}

/** Percent-encodes white space, control characters and bidirectional controls in a URL. */
export function encodeWhitespace(url: string): string {
  return url.replace(NOT_IN_URLS_REGEXP, encodeURIComponent);
}

/** Escapes terminal controls in JSON as `\u009b`, which has the same meaning there. */
export function escapeControlsInJson(json: string): string {
  return json.replace(NOT_IN_JSON_REGEXP, escapeControlInJson);
}

/** Escapes control characters as {@linkcode escapeControls} does, except tabs and line feeds. */
export function escapeControlsInCell(text: string): string {
  // in most cells there are none, which search() finds faster than replace()
  if (text.search(NOT_IN_CELLS_REGEXP) < 0) return text;
  return text.replace(NOT_IN_CELLS_REGEXP, escapeControl);
}

/** Escapes the terminal controls that {@linkcode escapeControlsInCell} keeps, in rows of CSV. */
export function escapeFormatControls(text: string): string {
  return text.replace(FORMAT_CONTROLS_REGEXP, escapeControl);
}
