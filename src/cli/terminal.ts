/**
 * The terminal: colors, width of text, times as text, and standard error with its progress line and
 * messages.
 *
 * @module
 */

import { duration } from "../data/text.ts";
import { codeOf, isTerminal, noColor, terminalWidth, writeErrorSync } from "../platform/host.ts";
import { escapeControls } from "../write/escape.ts";

/** ANSI codes that start and end a style. Those of `@std/fmt/colors` cannot override `NO_COLOR`. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export function paint(style: keyof typeof STYLES, text: string): string {
  const [start, end] = STYLES[style];
  return `\x1b[${start}m${text}\x1b[${end}m`;
}

export type ColorName = "auto" | "always" | "never";

/** Whether `--color` asks for colors on a stream. */
export function usesColor(when: ColorName, isTerminal: boolean): boolean {
  return when === "always" || when === "auto" && isTerminal && !noColor();
}

const NOT_ASCII_REGEXP = /[^\x20-\x7e]/;
/** Combining marks and format characters, which take no column. */
const ZERO_WIDTH_REGEXP = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Emoji, ideographs, syllables and full-width forms, which take two columns. */
const WIDE_REGEXP = new RegExp(
  String.raw`[[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}` +
    String.raw`\p{sc=Yi}\p{sc=Tangut}\u3000-\u33ff\uff01-\uff60\uffe0-\uffe6]` +
    String.raw`--[\u1160-\u11ff\uff61-\uffdc]]`,
  "v",
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

/** Returns the first characters that fit into a width. */
function fitting(characters: readonly string[], width: number): string[] {
  let left = width;
  const end = characters.findIndex((character) => (left -= characterWidth(character)) < 0);
  return end < 0 ? [...characters] : characters.slice(0, end);
}

/** Returns a text cut to a width, with an ellipsis in its middle. */
export function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  const characters = [...text];
  const head = fitting(characters, Math.ceil((width - 1) / 2)).join("");
  const tail = fitting(characters.reverse(), width - 1 - widthOf(head));
  return `${head}…${tail.reverse().join("")}`;
}

/** Returns a text with spaces after it up to a width. */
export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Returns a text with spaces before it up to a width. */
export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

/** Returns the lines of a text broken at spaces; words that are too long are cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = cutMiddle(word, width);
  }
  return [...lines, line];
}

/** Returns rows of cells as lines, those of the columns in `numbers` aligned on the right. */
export function table(
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
): string {
  const widths = rows[0]!.map((_, at) =>
    rows.reduce((width, cells) => Math.max(width, widthOf(cells[at]!)), 0)
  );
  const line = (cells: readonly string[]) =>
    cells.map((text, at) => (numbers.includes(at) ? padStart : padEnd)(text, widths[at]!))
      .join("  ").trimEnd();
  return rows.map((cells) => `${line(cells)}\n`).join("");
}

/** Returns the first of some parts that fit into a width, with two spaces between them. */
export function fittingLine(parts: readonly string[], width: number): string {
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}  ${part}`;
    if (line !== "" && widthOf(longer) > width) break;
    line = longer;
  }
  return cutMiddle(line, width);
}

/** Returns a time such as `45 s` or `1:02:03`. */
export function wholeDuration(milliseconds: number): string {
  return duration(milliseconds).replace(/\.\d s$/, " s");
}

const DEFAULT_COLUMNS = 80;

export function terminalColumns(): number {
  return terminalWidth() || DEFAULT_COLUMNS;
}

const ERASE_LINE = "\r\x1b[K";
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

  /** Takes the milliseconds without output after which progress is printed. */
  constructor(maxSilence: number = MAX_SILENCE) {
    this.#maxSilence = maxSilence;
  }

  /** Prints a line in place of the progress line. */
  print(line: string): void {
    this.erase();
    this.#write(`${line}\n`);
  }

  /** Replaces the progress line, unless output to the same terminal is being written. */
  showProgress(line: string): void {
    if (this.#writes > 0) return;
    this.#write(ERASE_LINE + line);
    this.#hasProgress = true;
  }

  /**
   * Shows a progress line that is updated until the returned function is called; elsewhere than on a
   * terminal, prints it when nothing else was printed for long. `line` returns it for the elapsed
   * milliseconds and a width.
   */
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

  /** Runs a write to the same terminal without a progress line. */
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

interface ParagraphOptions {
  /** Text before each line. Default: none. */
  readonly indent?: string;
  /** Adds colors to the first line. Default: none. */
  readonly paint?: (line: string) => string;
}

export class Messages {
  readonly screen: Screen;
  /** Whether nothing but errors is printed. */
  readonly quiet: boolean;
  /** When colors are used on the output. */
  readonly when: ColorName;
  /** Whether colors are used on standard error. */
  readonly color: boolean;

  /** Takes `--quiet` and `--color`. */
  constructor(quiet: boolean, when: ColorName = "auto", screen: Screen = new Screen()) {
    this.screen = screen;
    this.quiet = quiet;
    this.when = when;
    this.color = this.screen.isTerminal && usesColor(this.when, true);
  }

  /** Prints a line, unless `--quiet`. */
  note(line: string): void {
    if (!this.quiet) this.report(line);
  }

  /** Prints a line. */
  report(line: string): void {
    this.screen.print(escapeControls(line));
  }

  /** Prints a text, unless `--quiet`; on a terminal it is broken at spaces. */
  paragraph(text: string, { indent = "", paint = (line) => line }: ParagraphOptions = {}): void {
    if (this.quiet) return;
    const width = this.screen.isTerminal ? terminalColumns() - indent.length : Infinity;
    const [first = "", ...rest] = wrap(escapeControls(text), width);
    for (const line of [this.color ? paint(first) : first, ...rest]) {
      this.screen.print(indent + line);
    }
  }
}
