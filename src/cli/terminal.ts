/**
 * The terminal: width of text, and standard error with its progress line and messages.
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

import { codeOf, isTerminal, noColor, terminalWidth, writeErrorSync } from "../platform/host.ts";
import { ERASE_LINE } from "../write/ansi.ts";
import { escapeControls } from "../write/escape.ts";

export type ColorName = "auto" | "always" | "never";

export function usesColor(when: ColorName, isTerminal: boolean): boolean {
  return when === "always" || when === "auto" && isTerminal && !noColor();
}

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

export function fittingLine(parts: readonly string[], width: number, between = "  "): string {
  const lines = parts.map((_, at) => parts.slice(0, at + 1).join(between));
  return lines.findLast((line) => widthOf(line) <= width) ?? "";
}

const DEFAULT_COLUMNS = 80;

export function terminalColumns(): number {
  return terminalWidth() || DEFAULT_COLUMNS;
}

export function outputColumns(otherwise: number = Infinity): number {
  return isTerminal("stdout") ? terminalColumns() : otherwise;
}

/** Milliseconds between two updates of the progress line. */
const INTERVAL = 100;
/** Milliseconds without output after which progress is printed elsewhere than on a terminal. */
const MAX_SILENCE = 30_000;
/** Free columns after the progress line: some terminals wrap in the last one, and `^C` takes two. */
const MARGIN = 3;

export class Screen {
  readonly isTerminal: boolean = isTerminal("stderr");
  readonly #maxSilence: number;
  #lastOutput = performance.now();
  readonly #encoder = new TextEncoder();
  #hasProgress = false;
  /** Writes to the same terminal under way. */
  #writes = 0;

  constructor(maxSilence: number = MAX_SILENCE) {
    this.#maxSilence = maxSilence;
  }

  lines(text: string): string[] {
    return this.isTerminal ? paragraph(text, terminalColumns()) : [text];
  }

  /** Prints a line of a message. */
  print(line: string): void {
    this.printLine(line);
  }

  printLine(line: string): void {
    this.erase();
    this.#write(`${line}\n`);
  }

  showProgress(line: string): void {
    if (this.#writes > 0) return;
    this.#write(ERASE_LINE + line);
    this.#hasProgress = true;
  }

  /** Elsewhere than on a terminal, prints the line only after a long silence. */
  follow(line: (elapsed: number, width: number) => string): () => void {
    const started = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (this.isTerminal) {
        this.showProgress(line(now - started, terminalColumns() - MARGIN));
      } else if (now - this.#lastOutput >= this.#maxSilence) {
        this.print(line(now - started, Infinity));
      }
    }, INTERVAL);
    return () => {
      clearInterval(timer);
      this.erase();
    };
  }

  erase(): void {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    this.#write(ERASE_LINE);
  }

  /** Notes that something was printed elsewhere than on standard error. */
  endSilence(): void {
    this.#lastOutput = performance.now();
  }

  async withoutProgress(write: () => Promise<void>): Promise<void> {
    this.erase();
    this.#writes++;
    try {
      await write();
    } finally {
      this.#writes--;
    }
  }

  #write(text: string): void {
    this.endSilence();
    try {
      writeErrorSync(this.#encoder.encode(text));
    } catch (error) {
      // a closed standard error does not end the command
      if (codeOf(error) !== "EPIPE") throw error;
    }
  }
}

export class Messages {
  readonly screen: Screen;
  /** Whether nothing but errors is printed. */
  readonly quiet: boolean;
  /** When colors are used on the output. */
  readonly when: ColorName;
  /** Whether colors are used on standard error. */
  readonly color: boolean;

  constructor(quiet: boolean, when: ColorName = "auto", screen: Screen = new Screen()) {
    this.screen = screen;
    this.quiet = quiet;
    this.when = when;
    this.color = this.screen.isTerminal && usesColor(this.when, true);
  }

  note(text: string, paint?: (line: string) => string): void {
    if (!this.quiet) this.report(text, paint);
  }

  report(text: string, paint: (line: string) => string = (line) => line): void {
    const [first = "", ...rest] = this.screen.lines(escapeControls(text));
    for (const line of [this.color ? paint(first) : first, ...rest]) this.screen.print(line);
  }
}
