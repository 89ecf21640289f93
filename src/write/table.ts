/**
 * Text in columns of a terminal.
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

interface TableOptions {
  /** Columns that are aligned on the right. Default: none. */
  readonly numbers?: readonly number[];
  readonly width?: number;
  /** Columns that are left out, in this order, until the others fit. Default: none. */
  readonly drop?: readonly number[];
}

/** Columns of the first cell, at least, for which others are left out. */
const MIN_FIRST = 20;

/** A first cell that does not fit, such as a long URL, has a line of its own. */
export function table(
  rows: readonly (readonly string[])[],
  { numbers = [], width = Infinity, drop = [] }: TableOptions = {},
): string {
  const widths = rows[0]!.map((_, at) =>
    rows.reduce((width, cells) => Math.max(width, widthOf(cells[at]!)), 0)
  );
  const [whole = 0] = widths;
  let others = widths.map((_, at) => at).slice(1);
  const left = () => others.reduce((left, at) => left - 2 - widths[at]!, width);
  for (const at of drop) {
    if (left() < Math.min(whole, MIN_FIRST)) others = others.filter((other) => other !== at);
  }
  const first = Math.max(0, Math.min(whole, left()));
  const pad = (text: string, at: number, width: number) =>
    (numbers.includes(at) ? padStart : padEnd)(text, width);
  return rows.map((cells) => {
    const [head = ""] = cells;
    const rest = others.map((at) => `  ${pad(cells[at]!, at, widths[at]!)}`).join("").trimEnd();
    return widthOf(head) <= first || rest === ""
      ? `${(pad(head, 0, first) + rest).trimEnd()}\n`
      : `${head}\n${" ".repeat(first)}${rest}\n`;
  }).join("");
}
