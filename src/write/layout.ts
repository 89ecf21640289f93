/**
 * Layout of text: its width in a terminal, and lines that fit into one.
 *
 * | too wide for the terminal                     | what follows                                   |
 * | --------------------------------------------- | ---------------------------------------------- |
 * | message, help, advice                         | broken at spaces                               |
 * | word, URL, command to copy                    | whole, on a line that the terminal breaks      |
 * | progress line                                 | fields are left out, the least important first |
 * | table                                         | columns are left out; a long URL has a line    |
 * | text beside another: `explain`, options       | below it                                       |
 *
 * @module
 */

const NOT_ASCII_REGEXP = /[^\x20-\x7e]/;
/** Combining marks and format characters, which take no column. */
const ZERO_WIDTH_REGEXP = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Emoji, ideographs, syllables and full-width forms, which take two columns. */
const WIDE_REGEXP = new RegExp(
  String.raw`(?![\u1160-\u11ff\uff61-\uffdc])` +
    String.raw`[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}` +
    String.raw`\p{sc=Yi}\p{sc=Tangut}\u3000-\u33ff\uff01-\uff60\uffe0-\uffe6]`,
  "u",
);

function characterWidth(character: string): number {
  if (ZERO_WIDTH_REGEXP.test(character)) return 0;
  return WIDE_REGEXP.test(character) ? 2 : 1;
}

/** Returns the columns that a text without control characters takes. */
export function widthOf(text: string): number {
  if (!NOT_ASCII_REGEXP.test(text)) return text.length;
  return [...text].reduce((width, character) => width + characterWidth(character), 0);
}

/** Pads by columns of the terminal, not by UTF-16 units as `String.padEnd()` does. */
export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

/** Words of a text; a time such as `0.2 s` or a command to copy, after `run: `, is one of them. */
const WORDS_REGEXP = /\brun: deno .*$|[\d.]+ s,?(?![^ ])| |[^ ]+/g;

/** Returns the lines of a text broken at spaces; a word that is too long is a line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.match(WORDS_REGEXP) ?? []) {
    if (word === " ") continue;
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line];
}

/** Returns the lines of a text, each with the spaces that it begins with. */
export function paragraph(text: string, width: number): string[] {
  const indent = /^ */.exec(text)![0];
  return wrap(text.slice(indent.length), width - indent.length).map((line) => indent + line);
}

/** Returns the lines of a text after an indent; those after the first are indented further. */
export function indented(text: string, indent: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text, width - indent.length);
  const more = rest.length === 0 ? [] : wrap(rest.join(" "), width - indent.length - 2);
  return [indent + first, ...more.map((line) => `${indent}  ${line}`)];
}

/** Columns of a text beside another, at least; with fewer, it is below. */
const MIN_BESIDE = 24;
const INDENT_BELOW = 4;

/** Returns a text from column `at` on, beside `head` or, in a narrow terminal, below it. */
export function hanging(head: string, text: string, at: number, width: number): string[] {
  const column = width - at < MIN_BESIDE ? INDENT_BELOW : at;
  const [first = "", ...rest] = wrap(text, width - column);
  const indent = " ".repeat(column);
  const start = head.trimEnd();
  return [
    ...(start === "" || widthOf(start) <= column - 2
      ? [padEnd(start, column) + first]
      : [start, indent + first]),
    ...rest.map((line) => indent + line),
  ].map((line) => line.trimEnd());
}

export function fittingLine(parts: readonly string[], width: number, between = "  "): string {
  const lines = parts.map((_, at) => parts.slice(0, at + 1).join(between));
  return lines.findLast((line) => widthOf(line) <= width) ?? "";
}
