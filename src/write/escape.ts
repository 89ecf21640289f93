/**
 * Text from strangers, made harmless for terminals and for line-based formats.
 *
 * @module
 */

/**
 * What a terminal may obey or draw nowhere: control characters (C0, DEL, C1), line and paragraph
 * separators, overrides of the writing direction, halves of surrogate pairs.
 */
const CONTROLS_REGEXP = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/gu;

/** White space, control characters and direction overrides, which no URL holds as they are. */
const NOT_IN_URLS_REGEXP = /[\s\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** What a terminal may obey, but for tabs and line feeds. */
// deno-lint-ignore no-control-regex
const NOT_IN_CELLS_REGEXP = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** What a terminal may obey and JSON leaves as it is: DEL, C1, line and paragraph separators. */
const NOT_IN_JSON_REGEXP = /[\x7f-\x9f\u2028\u2029]/g;

function escapeControl(character: string): string {
  const code = character.charCodeAt(0);
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

function escapeControlInJson(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Shows what a terminal would obey: control characters, escape sequences and overrides of the
 * writing direction become `\x1b` or `\u202e`, line breaks included. Other text stays as it is.
 *
 * @example
 * ```ts
 * import { escapeControls } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(escapeControls("red: \x1b[31m\n"), "red: \\x1b[31m\\x0a");
 * ```
 *
 * @param text Text of any origin.
 * @returns The text in one line that a terminal only shows.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS_REGEXP, escapeControl);
}

/**
 * Percent-encodes white space and control characters of a URL, so that it stands in one line and
 * keeps its meaning. Other characters stay as they are.
 *
 * @param url A URL as a sitemap writes it.
 * @returns The URL without white space and control characters.
 */
export function encodeWhitespace(url: string): string {
  return url.replace(NOT_IN_URLS_REGEXP, encodeURIComponent);
}

/** Writes what a terminal would obey as `\u009b`, which means the same inside JSON strings. */
export function escapeControlsInJson(json: string): string {
  return json.replace(NOT_IN_JSON_REGEXP, escapeControlInJson);
}

/** Shows what a terminal would obey, as {@linkcode escapeControls} does, but keeps tabs and line feeds. */
export function escapeControlsInCell(text: string): string {
  // `search()` takes two thirds of the time of a `replace()` that finds nothing.
  return text.search(NOT_IN_CELLS_REGEXP) < 0
    ? text
    : text.replace(NOT_IN_CELLS_REGEXP, escapeControl);
}
