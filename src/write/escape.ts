/**
 * Escapes untrusted text for terminals, for line-based formats and for HTML.
 *
 * @module
 */

/**
 * Characters above U+009F that a terminal interprets or drops, for a character class: bidirectional
 * controls (`Bidi_Control` of Unicode), line and paragraph separators, the byte order mark.
 */
export const FORMAT_CONTROLS: string = String
  .raw`\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`;

/** Printable ASCII is escaped in no format; it is recognised faster than what is escaped. */
const NOT_PRINTABLE_REGEXP = /[^ -~]/;
const NOT_PRINTABLE_OR_SPACE_REGEXP = /[^!-~]/;

function replacer(
  characters: string,
  replacement: (character: string) => string,
  flags = "",
): (text: string) => string {
  const any = new RegExp(characters, flags), all = new RegExp(characters, `${flags}g`);
  // a test takes less time than a replacement of nothing
  return (text) => any.test(text) ? text.replace(all, replacement) : text;
}

function escapeControl(character: string): string {
  return character < "\u0100" ? `\\x${hex(character, 2)}` : escapeControlInJson(character);
}

function escapeControlInJson(character: string): string {
  return `\\u${hex(character, 4)}`;
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, "0");
}

export function isPrintable(text: string): boolean {
  return !NOT_PRINTABLE_REGEXP.test(text);
}

/** Lone surrogates included. */
const escapeAllControls = replacer(`[\\p{Cc}\\p{Cs}${FORMAT_CONTROLS}]`, escapeControl, "u");

/**
 * Escapes characters that a terminal interprets: control characters, including line breaks, and
 * bidirectional controls become `\x1b` or `\u202e`. Other text is returned unchanged.
 */
export function escapeControls(text: string): string {
  return isPrintable(text) ? text : escapeAllControls(text);
}

const encodeAllWhitespace = replacer(
  `[\\s\\0-\\x1f\\x7f-\\x9f${FORMAT_CONTROLS}]`,
  encodeURIComponent,
);

/** Percent-encodes white space, control characters and bidirectional controls in a URL. */
export function encodeWhitespace(url: string): string {
  return NOT_PRINTABLE_OR_SPACE_REGEXP.test(url) ? encodeAllWhitespace(url) : url;
}

/** Escapes what `JSON.stringify()` does not, as `\u009b`, which has the same meaning in JSON. */
export const escapeControlsInJson: (json: string) => string = replacer(
  `[\\x7f-\\x9f${FORMAT_CONTROLS}]`,
  escapeControlInJson,
);

/** Escapes control characters as {@linkcode escapeControls} does, except tabs and line feeds. */
export const escapeControlsInCell: (text: string) => string = replacer(
  "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f]",
  escapeControl,
);

/** Escapes the terminal controls that {@linkcode escapeControlsInCell} keeps, in rows of CSV. */
export const escapeFormatControls: (text: string) => string = replacer(
  `[${FORMAT_CONTROLS}]`,
  escapeControl,
);

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For elements and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character]!);
}
