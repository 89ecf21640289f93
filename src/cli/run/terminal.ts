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

import { codeOf, isTerminal, noColor, terminalWidth, writeErrorSync } from "../../platform/host.ts";
import { ERASE_LINE } from "../../write/ansi.ts";
import { escapeControls } from "../../write/escape.ts";
import { padEnd, widthOf } from "../../write/table.ts";

export type ColorName = "auto" | "always" | "never";

export function usesColor(when: ColorName, isTerminal: boolean): boolean {
  return when === "always" || when === "auto" && isTerminal && !noColor();
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
